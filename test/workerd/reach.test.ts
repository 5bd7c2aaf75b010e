import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Question } from "../../src/core/question.ts";
import type { TurnView } from "../../src/core/turn-view.ts";
import type { HoldpointEnv } from "../../src/env.ts";
import { openSession } from "../../src/session/face.ts";
import { answer, call, fireAlarm, play, settled } from "./client.ts";
import { mailbox, type Sent } from "./desk-agents.ts";
import { faults } from "./faults.ts";
import {
  accepted,
  answering,
  ask,
  awaitTasks,
  FORM,
  lastResult,
  onlyRequest,
  post,
  questionsOf,
  readQuestion,
  refusal,
  send,
} from "./journey.ts";
import { stage } from "./stage.ts";

const HOUR = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
  mailbox.clear();
  stage.clear();
  faults.crashAfter(0);
});

function passTime(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

/** Waits, with a deadline: a chore is done beside the request that wrote it. */
function eventually(check: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 5_000, interval: 5 });
}

/** A question of the desk, once it was brought to those whom it is for. */
async function askedOf(question: object): Promise<Question> {
  const input = { question: "Approve?", ...question };
  const script = [{ calls: [{ toolName: "ask_tool", input }] }, { text: "end" }];
  const turn = await play(script, { agent: "desk" });
  const [asked = expect.fail("nothing was asked")] = await questionsOf(turn.sessionId);
  return asked;
}

/** Waits until so many notices were sent, and are noted as sent. */
async function sentTo(requestId: string, ...short: readonly string[]): Promise<Question> {
  await eventually(() => expect(mailbox.short).toEqual(short));
  let question = await readQuestion(requestId);
  await eventually(async () => {
    question = await readQuestion(requestId);
    expect(question.deliveries.map(({ status }) => status)).not.toContain("pending");
  });
  return question;
}

function linkOf({ question }: Sent): string {
  return new URL(question.answerUrl ?? expect.fail("there is no link")).pathname;
}

async function page(link: string): Promise<{ status: number; text: string }> {
  const response = await call("GET", link);
  return { status: response.status, text: await response.text() };
}

/** Answers by a link, as the page's form does. */
async function answerBy(link: string, fields: Record<string, string>): Promise<Response> {
  return sendForm(link, { nonce: nonceOf(await page(link)), ...fields });
}

function nonceOf({ text }: { readonly text: string }): string {
  return /name="nonce" value="([^"]+)"/.exec(text)?.[1] ?? expect.fail("the page has no form");
}

function sendForm(link: string, fields: Record<string, string>): Promise<Response> {
  return send("POST", link, new URLSearchParams(fields), {
    "content-type": "application/x-www-form-urlencoded",
  });
}

describe("a recipient", () => {
  it("is reached by each channel that has an address of theirs, with a link of their own", async () => {
    const { requestId } = await askedOf({ to: "kim" });
    const question = await sentTo(requestId, "asked email kim", "asked slack kim");
    expect(question).toMatchObject({
      to: "kim",
      deliveries: [
        { channel: "email", recipient: "kim", status: "sent", tries: 1 },
        { channel: "slack", recipient: "kim", status: "sent", tries: 1 },
      ],
      history: [
        { event: "question.asked" },
        { event: "question.delivered", channel: "email", to: "kim" },
        { event: "question.delivered", channel: "slack", to: "kim" },
      ],
    });
    expect(question).not.toHaveProperty("recipients");
    expect(mailbox.sent[0]).toMatchObject({
      recipient: { name: "kim", email: "kim@lender.example", slack: "U1" },
      question: { requestId, status: "waiting" },
    });
    expect(JSON.stringify(question)).not.toContain("lender.example");
  });

  it("is nobody in particular where none is named: each channel knows its own default", async () => {
    const { requestId } = await askedOf({});
    const question = await sentTo(requestId, "asked email -", "asked slack -");
    for (const delivery of question.deliveries) expect(delivery).not.toHaveProperty("recipient");
  });

  it("is chosen by a model by name, and never by an address", async () => {
    for (const to of ["dana@lender.example", "U1", "boss"]) {
      const turn = await play([{ calls: [ask({ question: "q", to })] }, { text: "end" }], {
        agent: "desk",
      });
      const { value } = await lastResult(turn.sessionId);
      expect(value).toMatch(/^FAILED: .*to: must be one of dana, kim, lead, team$/);
    }
    expect(mailbox.sent).toEqual([]);
    await play([{ calls: [ask({ question: "q", to: "dana" })] }, { text: "end" }], {
      agent: "desk",
    });
    await eventually(() => expect(mailbox.short).toEqual(["asked email dana"]));
  });
});

describe("a group", () => {
  it("is asked one by one; the first answer closes the question everywhere", async () => {
    const { requestId } = await askedOf({ to: "team" });
    const sent = ["asked email dana", "asked email kim", "asked slack kim"];
    const question = await sentTo(requestId, ...sent);
    expect(question).toMatchObject({ to: "team", recipients: ["dana", "kim"] });
    const [dana = "", kim = "", slack = ""] = mailbox.sent.map(linkOf);
    expect(slack).toBe(kim);
    const opened = await page(dana);
    expect(opened.text).toContain("You answer as <bdi>dana</bdi>");
    expect((await answerBy(kim, { text: "Yes." })).status).toBe(200);
    expect(await readQuestion(requestId)).toMatchObject({
      status: "answered",
      answeredBy: "kim",
      answeredVia: "page",
    });
    await sentTo(
      requestId,
      ...sent,
      "answered email dana",
      "answered email kim",
      "answered slack kim",
    );
    // Told where they were told first: with what the channel returned then, and without a link.
    expect(mailbox.sent[3]).toMatchObject({
      reference: { message: "email 1" },
      question: { status: "answered", answeredBy: "kim" },
    });
    expect(mailbox.sent[5]?.reference).toEqual({ message: "slack 3" });
    expect(mailbox.sent[3]?.question).not.toHaveProperty("answerUrl");
    expect((await page(dana)).text).toMatch(/answered.*by <bdi>kim<\/bdi>/s);
    expect((await sendForm(dana, { nonce: nonceOf(opened), text: "No." })).status).toBe(409);
    expect(await readQuestion(requestId)).toMatchObject({ answer: { text: "Yes." } });
  });

  it("is found under its own name and under each member's", async () => {
    const { requestId, sessionId } = await askedOf({ to: "team" });
    for (const [to, found] of [
      ["team", true],
      ["dana", true],
      ["lead", false],
    ] as const) {
      const ids = (await questionsOf(sessionId, `to=${to}`)).map((question) => question.requestId);
      expect(ids, to).toEqual(found ? [requestId] : []);
    }
  });
});

describe("an escalation", () => {
  it("lets somebody else answer as well, and tells them", async () => {
    const escalate = [{ after: "1h", to: "lead" }];
    const { requestId, sessionId } = await askedOf({ to: "dana", escalate });
    await sentTo(requestId, "asked email dana");
    passTime(HOUR);
    await fireAlarm(sessionId);
    const question = await sentTo(requestId, "asked email dana", "escalated email lead");
    expect(question).toMatchObject({ to: "dana", recipients: ["lead"] });
    const [dana = "", lead = ""] = mailbox.sent.map(linkOf);
    for (const link of [dana, lead]) expect((await page(link)).status).toBe(200);
    await answerBy(lead, { text: "Yes." });
    expect(await readQuestion(requestId)).toMatchObject({ answeredBy: "lead" });
    await sentTo(
      requestId,
      "asked email dana",
      "escalated email lead",
      "answered email dana",
      "answered email lead",
    );
  });

  it("of a question for nobody leaves its first link as good as the new one", async () => {
    const { requestId, sessionId } = await askedOf({ escalate: [{ after: "1h", to: "kim" }] });
    await sentTo(requestId, "asked email -", "asked slack -");
    passTime(HOUR);
    await fireAlarm(sessionId);
    // The chat takes no escalations; it is asked, since kim is new there.
    await sentTo(
      requestId,
      "asked email -",
      "asked slack -",
      "escalated email kim",
      "asked slack kim",
    );
    const [first = "", , kim = ""] = mailbox.sent.map(linkOf);
    for (const link of [first, kim]) expect((await page(link)).status).toBe(200);
    await answerBy(first, { text: "Yes." });
    expect(await readQuestion(requestId)).toMatchObject({ answeredBy: "link" });
  });
});

describe("assigning", () => {
  it("moves a question to somebody else: their link works, and the old one leads nowhere", async () => {
    const { requestId, sessionId } = await askedOf({ to: "dana" });
    await sentTo(requestId, "asked email dana");
    const [old = ""] = mailbox.sent.map(linkOf);
    const opened = await page(old);
    const moved = await accepted<Question>(
      post(`/v1/questions/${requestId}/assign`, { to: "kim" }),
    );
    expect(moved).toMatchObject({ to: "kim", status: "waiting" });
    const question = await sentTo(
      requestId,
      "asked email dana",
      "assigned email kim",
      "asked slack kim",
    );
    expect(question.history.at(1)).toMatchObject({ event: "question.delivered", to: "dana" });
    expect(question.history.find(({ event }) => event === "question.assigned")).toMatchObject({
      to: "kim",
      by: "all",
    });
    expect((await page(old)).status).toBe(404);
    expect((await sendForm(old, { nonce: nonceOf(opened), text: "Mine." })).status).toBe(404);
    expect(await readQuestion(requestId)).toMatchObject({ status: "waiting" });
    const [, kim = ""] = mailbox.sent.map(linkOf);
    expect((await answerBy(kim, { text: "Yes." })).status).toBe(200);
    expect(await readQuestion(requestId)).toMatchObject({ answeredBy: "kim" });
    expect(await questionsOf(sessionId, "status=all&to=dana")).toEqual([]);
  });

  it("ends an answer by the old link inside the session, too: it may be on its way already", async () => {
    const { requestId, sessionId } = await askedOf({ to: "dana" });
    await accepted(post(`/v1/questions/${requestId}/assign`, { to: "kim" }));
    const n = Number.parseInt(requestId.slice(-8), 16);
    const { SESSION } = env as unknown as HoldpointEnv;
    const session = openSession(SESSION, "dev", sessionId.slice("sess_".length));
    const by = (recipient: string) =>
      session.settleQuestion(n, {
        action: "answer",
        answer: { text: "Yes." },
        by: recipient,
        via: "page",
        link: { recipient },
      });
    expect(await by("dana")).toMatchObject({ ok: false, refusal: { code: "not_found" } });
    expect(await by("kim")).toMatchObject({ ok: true, value: { answeredBy: "kim" } });
    expect(await by("dana")).toMatchObject({ ok: false, refusal: { code: "not_found" } });
  });

  it("moves questions of every kind, and the turn that waits shows the new link", async () => {
    const turn = await play(
      [{ calls: [{ toolName: "pay", input: { amount: 5 } }] }, { text: "end" }],
      {
        agent: "desk",
      },
    );
    const requestId = onlyRequest(turn);
    await accepted(post(`/v1/questions/${requestId}/assign`, { to: "lead" }));
    const { waitingFor } = await accepted<TurnView>(call("GET", `/v1/turns/${turn.id}`));
    const { answerUrl, to } = await readQuestion(requestId);
    expect(to).toBe("lead");
    expect(waitingFor?.[0]?.answerUrl).toBe(answerUrl);
    expect(answerUrl).not.toBe(turn.waitingFor?.[0]?.answerUrl);
    const link = new URL(answerUrl ?? "").pathname;
    expect((await answerBy(link, { action: "approve" })).status).toBe(200);
    expect(await settled(turn.id)).toMatchObject({ status: "completed" });
  });

  it("to where it is already changes nothing; after an escalation it does", async () => {
    const { requestId, sessionId } = await askedOf({
      to: "dana",
      escalate: [{ after: "1h", to: "lead" }],
    });
    const again = () =>
      accepted<Question>(post(`/v1/questions/${requestId}/assign`, { to: "dana" }));
    expect((await again()).history.map(({ event }) => event)).not.toContain("question.assigned");
    await sentTo(requestId, "asked email dana");
    passTime(HOUR);
    await fireAlarm(sessionId);
    const alone = await again();
    expect(alone).toMatchObject({ to: "dana" });
    expect(alone).not.toHaveProperty("recipients");
  });

  it("refuses whom nobody knows, and a question that is settled", async () => {
    const { requestId } = await askedOf({ to: "dana" });
    expect(await refusal(post(`/v1/questions/${requestId}/assign`, { to: "boss" }))).toMatchObject({
      status: 400,
      issues: [{ path: "to", message: "must be one of dana, kim, lead, team" }],
    });
    for (const body of [{}, { to: "" }, { to: "kim", by: "me" }])
      expect((await refusal(post(`/v1/questions/${requestId}/assign`, body))).status).toBe(400);
    await answer(requestId, { text: "Yes." });
    expect(await refusal(post(`/v1/questions/${requestId}/assign`, { to: "kim" }))).toMatchObject({
      status: 409,
      code: "already_answered",
    });
    const unknown = "q_0123456789abcdef0123456700000001";
    expect((await refusal(post(`/v1/questions/${unknown}/assign`, { to: "kim" }))).status).toBe(
      404,
    );
  });

  it("takes any name where nobody is configured", async () => {
    const asked = await accepted<Question>(post("/v1/questions", { question: "q", to: "ada" }));
    const moved = await accepted<Question>(
      post(`/v1/questions/${asked.requestId}/assign`, { to: "bob" }),
    );
    expect(moved.to).toBe("bob");
    expect((await page(new URL(asked.answerUrl ?? "").pathname)).status).toBe(404);
    expect((await page(new URL(moved.answerUrl ?? "").pathname)).status).toBe(200);
  });

  it("brings nothing more to whom it was on its way", async () => {
    mailbox.down.set("email", new Error("the mail is down"));
    const { requestId, sessionId } = await askedOf({ to: "dana" });
    await eventually(async () =>
      expect((await readQuestion(requestId)).deliveries[0]?.tries).toBe(1),
    );
    await accepted(post(`/v1/questions/${requestId}/assign`, { to: "lead" }));
    mailbox.down.clear();
    passTime(HOUR);
    await fireAlarm(sessionId);
    const question = await sentTo(requestId, "assigned email lead");
    expect(question.deliveries).toMatchObject([{ recipient: "lead", status: "sent" }]);
  });
});

describe("a delivery", () => {
  it("that fails for good is shown with its error, and is sent again when it is asked for", async () => {
    mailbox.down.set("email", new Error("the mail is down"));
    const { requestId, sessionId } = await askedOf({ to: "kim" });
    await eventually(async () =>
      expect((await readQuestion(requestId)).deliveries[0]?.tries).toBe(1),
    );
    for (let tries = 2; tries <= 5; tries += 1) {
      passTime(HOUR);
      await fireAlarm(sessionId);
      await eventually(async () =>
        expect((await readQuestion(requestId)).deliveries[0]?.tries).toBe(tries),
      );
    }
    expect((await readQuestion(requestId)).deliveries).toEqual([
      {
        channel: "email",
        recipient: "kim",
        status: "failed",
        tries: 5,
        error: "the mail is down",
      },
      { channel: "slack", recipient: "kim", status: "sent", tries: 1 },
    ]);
    mailbox.clear();
    await accepted(post(`/v1/questions/${requestId}/deliver`));
    // What was sent is not sent again while something failed.
    const mended = await sentTo(requestId, "asked email kim");
    expect(mended.deliveries[0]).toEqual({
      channel: "email",
      recipient: "kim",
      status: "sent",
      tries: 1,
    });
    await accepted(post(`/v1/questions/${requestId}/deliver`));
    await sentTo(requestId, "asked email kim", "asked email kim", "asked slack kim");
    const [first, second] = mailbox.sent;
    expect(second?.id).toBe(first?.id);
  });

  it("that the other side refuses for good is not tried again by itself", async () => {
    const refused = Object.assign(new Error("no such address"), { retryable: false });
    mailbox.down.set("email", refused);
    const { requestId, sessionId } = await askedOf({ to: "lead" });
    await eventually(async () =>
      expect((await readQuestion(requestId)).deliveries).toMatchObject([
        { status: "failed", tries: 1, error: "no such address" },
      ]),
    );
    expect(await fireAlarm(sessionId)).toBe(false);
  });

  it("waits as long as the other side asks it to", async () => {
    const busy = Object.assign(new Error("busy"), { retryable: true, retryAfterMs: 600_000 });
    mailbox.down.set("email", busy);
    const { requestId, sessionId } = await askedOf({ to: "lead" });
    await eventually(async () =>
      expect((await readQuestion(requestId)).deliveries[0]?.tries).toBe(1),
    );
    mailbox.down.clear();
    passTime(599_000);
    await fireAlarm(sessionId);
    expect(mailbox.sent).toEqual([]);
    passTime(1_000);
    await fireAlarm(sessionId);
    await sentTo(requestId, "asked email lead");
  });

  it("goes out again with the same id where its object died while it was on its way", async () => {
    mailbox.gate = { channel: "email", name: "killed on its way" };
    const { requestId, sessionId } = await askedOf({ to: "lead" });
    await stage.reached("killed on its way");
    await abortAllDurableObjects();
    mailbox.gate = undefined;
    passTime(HOUR);
    await fireAlarm(sessionId);
    const question = await sentTo(requestId, "asked email lead", "asked email lead");
    expect(mailbox.sent[1]?.id).toBe(mailbox.sent[0]?.id);
    expect(question.deliveries).toMatchObject([{ status: "sent", tries: 1 }]);
  });

  it("that is overtaken by the answer is told of it as soon as it arrived", async () => {
    mailbox.gate = { channel: "email", name: "overtaken" };
    const { requestId } = await askedOf({ to: "lead" });
    await stage.reached("overtaken");
    await answer(requestId, { text: "Yes." });
    mailbox.gate = undefined;
    stage.open("overtaken");
    await sentTo(requestId, "asked email lead", "answered email lead");
    expect(mailbox.sent[1]?.reference).toEqual({ message: "email 1" });
  });

  it("that never began is dropped with the answer, and tells nobody anything", async () => {
    mailbox.down.set("email", new Error("the mail is down"));
    const { requestId, sessionId } = await askedOf({ to: "lead" });
    await eventually(async () =>
      expect((await readQuestion(requestId)).deliveries[0]?.tries).toBe(1),
    );
    await answer(requestId, { text: "Yes." });
    mailbox.down.clear();
    passTime(HOUR);
    await fireAlarm(sessionId);
    expect((await sentTo(requestId)).deliveries).toEqual([]);
    expect(await fireAlarm(sessionId)).toBe(false);
  });

  it("is told of each reminder in order, and what failed goes before it", async () => {
    const { requestId, sessionId } = await askedOf({ to: "lead", remind: ["1h", "2h"] });
    await sentTo(requestId, "asked email lead");
    mailbox.down.set("email", Object.assign(new Error("gone"), { retryable: false }));
    passTime(HOUR);
    await fireAlarm(sessionId);
    await eventually(async () =>
      expect((await readQuestion(requestId)).deliveries).toEqual([
        {
          channel: "email",
          recipient: "lead",
          event: "question.reminded",
          status: "failed",
          tries: 1,
          error: "gone",
        },
      ]),
    );
    mailbox.down.clear();
    passTime(HOUR);
    await fireAlarm(sessionId);
    await sentTo(requestId, "asked email lead", "reminded email lead", "reminded email lead");
    const ids = mailbox.sent.map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(mailbox.sent[2]?.question.history.at(-1)).toMatchObject({ event: "question.reminded" });
  });

  it("by the author's own code is told why it is called", async () => {
    const turn = await play([{ calls: [{ toolName: "pay", input: { amount: 5 } }] }], {
      agent: "denying",
    });
    const requestId = onlyRequest(turn);
    await sentTo(requestId, "asked deliver -");
    passTime(HOUR);
    await fireAlarm(turn.sessionId);
    await sentTo(requestId, "asked deliver -", "reminded deliver -");
    passTime(HOUR);
    await fireAlarm(turn.sessionId);
    // How a question ended is nothing that it would have to do something about.
    await sentTo(requestId, "asked deliver -", "reminded deliver -");
    expect(await readQuestion(requestId)).toMatchObject({ status: "answered" });
  });

  it("of a settled question is not sent again, and one that knows no channel is shown as it is", async () => {
    const { requestId } = await askedOf({ to: "lead" });
    await sentTo(requestId, "asked email lead");
    await answer(requestId, { text: "Yes." });
    await sentTo(requestId, "asked email lead", "answered email lead");
    const path = `/v1/questions/${requestId}/deliver`;
    expect(await accepted(post(path))).toMatchObject({ status: "answered" });
    await sentTo(requestId, "asked email lead", "answered email lead");
    const bare = await accepted<Question>(post("/v1/questions", { question: "q" }));
    expect(await accepted(post(`/v1/questions/${bare.requestId}/deliver`))).toMatchObject({
      deliveries: [],
    });
    expect((await refusal(post(path, { channel: "email" }))).status).toBe(400);
  });
});

it("asks a form of one recipient, in a request from outside", async () => {
  const asked = await accepted<Question>(post("/v1/questions", { ...FORM, to: "ada" }));
  expect(asked).toMatchObject({ kind: "form", to: "ada", question: "Which scope?" });
  const link = new URL(asked.answerUrl ?? "").pathname;
  expect((await page(link)).text).toContain("You answer as <bdi>ada</bdi>");
  expect(await questionsOf(asked.sessionId, "to=ada")).toHaveLength(1);
  expect(await questionsOf(asked.sessionId, "to=bob")).toEqual([]);
});

it("crashed after each commit in turn, loses no notice", async () => {
  const script = [
    { calls: [ask({ question: "Approve?", to: "team" })] },
    { calls: [awaitTasks(["$task:1"])] },
    { text: "end" },
  ];
  const body = { agent: "desk", input: "go", extraBody: { script } };
  const live = async (session: string): Promise<readonly string[]> => {
    mailbox.clear();
    const start = () =>
      call("POST", `/v1/sessions/${session}/turns`, body, { "idempotency-key": "one" });
    const { id, sessionId } = await accepted<TurnView>(
      start().then((response) => (response.ok ? response : start())),
    );
    const awake = () => fireAlarm(sessionId).catch(() => fireAlarm(sessionId));
    await awake();
    const requestId = onlyRequest(await settled(id).catch(() => settled(id)));
    await eventually(async () => {
      await awake();
      const { deliveries } = await readQuestion(requestId);
      expect(deliveries.map(({ status }) => status)).toEqual(["sent", "sent", "sent"]);
    });
    await answer(requestId, { text: "Yes." }).catch(() => answer(requestId, { text: "Yes." }));
    await awake();
    expect(await settled(id).catch(() => settled(id))).toMatchObject({ status: "completed" });
    await eventually(async () => {
      await awake();
      const { deliveries } = await readQuestion(requestId);
      expect(deliveries.map(({ status }) => status)).toEqual(["sent", "sent", "sent"]);
      expect(new Set(mailbox.short).size).toBe(6);
    });
    return [...new Set(mailbox.short)].toSorted();
  };
  faults.crashAfter(0);
  const whole = await live("reach-whole");
  const { commits } = faults;
  expect(whole).toContain("answered slack kim");
  expect(commits).toBeGreaterThanOrEqual(5);
  for (let at = 1; at <= commits; at += 1) {
    faults.crashAfter(at);
    expect(await live(`reach-crashed-${at}`), `crashed at commit ${at}`).toEqual(whole);
    expect(faults.crashed, `no crash at commit ${at}`).toBe(true);
  }
});

it("gives a link that ends with its question", async () => {
  const { requestId, expiresAt = "" } = await askedOf({ to: "lead", expire: { after: "1h" } });
  await sentTo(requestId, "asked email lead");
  const [link = ""] = mailbox.sent.map(linkOf);
  vi.setSystemTime(Date.parse(expiresAt) - 1);
  expect((await page(link)).status).toBe(200);
  passTime(1);
  expect((await page(link)).status).toBe(410);
  expect((await sendForm(link, { text: "Late." })).status).toBe(410);
  expect(await refusal(answering(requestId, { text: "Late." }))).toMatchObject({ code: "expired" });
});
