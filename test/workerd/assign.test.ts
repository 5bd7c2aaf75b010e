import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Question } from "../../src/core/question.ts";
import type { TurnView } from "../../src/core/turn-view.ts";
import type { HoldpointEnv } from "../../src/env.ts";
import { openSession } from "../../src/session/face.ts";
import { answer, call, fireAlarm, play, settled } from "./client.ts";
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
import { accepted, onlyRequest, post, questionsOf, readQuestion, refusal } from "./journey.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
  mailbox.clear();
});

it("moves a question to somebody else: their link works, and the old one leads nowhere", async () => {
  const { requestId, sessionId } = await askedOf({ to: "dana" });
  await sentTo(requestId, "asked email dana");
  const [old = ""] = mailbox.sent.map(linkOf);
  const opened = await page(old);
  const moved = await accepted<Question>(post(`/v1/questions/${requestId}/assign`, { to: "kim" }));
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

it("refuses an answer by the old link inside the session, too: it may be on its way already", async () => {
  const { requestId, sessionId } = await askedOf({ to: "dana" });
  await accepted(post(`/v1/questions/${requestId}/assign`, { to: "kim" }));
  const n = Number.parseInt(requestId.slice(-8), 16);
  const { SESSION } = env as unknown as HoldpointEnv;
  const session = openSession(SESSION, "dev", sessionId.slice("sess_".length), {});
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

it("changes nothing where the question is already; after an escalation it does", async () => {
  const { requestId, sessionId } = await askedOf({
    to: "dana",
    escalate: [{ after: "1h", to: "lead" }],
  });
  const again = () => accepted<Question>(post(`/v1/questions/${requestId}/assign`, { to: "dana" }));
  expect((await again()).history.map(({ event }) => event)).not.toContain("question.assigned");
  await sentTo(requestId, "asked email dana");
  passTime(HOUR);
  await fireAlarm(sessionId);
  const alone = await again();
  expect(alone).toMatchObject({ to: "dana" });
  expect(alone).not.toHaveProperty("recipients");
});

it("refuses a name that nobody knows, and a question that is settled", async () => {
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
  expect((await refusal(post(`/v1/questions/${unknown}/assign`, { to: "kim" }))).status).toBe(404);
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

it("brings nothing more to the one to whom it was on its way", async () => {
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
