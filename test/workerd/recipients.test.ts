import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Question } from "../../src/core/question.ts";
import { fireAlarm, play } from "./client.ts";
import {
  answerBy,
  askedOf,
  eventually,
  HOUR,
  linkOf,
  nonceOf,
  page,
  passTime,
  sendForm,
  sentTo,
} from "./desk.ts";
import { mailbox } from "./desk-agents.ts";
import {
  accepted,
  answering,
  ask,
  FORM,
  lastResult,
  post,
  questionsOf,
  readQuestion,
  refusal,
} from "./journey.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
  mailbox.clear();
});

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

it("asks a form of one recipient, in a request from outside", async () => {
  const asked = await accepted<Question>(post("/v1/questions", { ...FORM, to: "ada" }));
  expect(asked).toMatchObject({ kind: "form", to: "ada", question: "Which scope?" });
  const link = new URL(asked.answerUrl ?? "").pathname;
  expect((await page(link)).text).toContain("You answer as <bdi>ada</bdi>");
  expect(await questionsOf(asked.sessionId, "to=ada")).toHaveLength(1);
  expect(await questionsOf(asked.sessionId, "to=bob")).toEqual([]);
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
