import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Question } from "../../src/core/question.ts";
import { answer, fireAlarm, stubOf } from "./client.ts";
import { happened, happenedTo, HOUR, passTime } from "./desk.ts";
import { mailbox } from "./desk-agents.ts";
import { faults } from "./faults.ts";
import { accepted, answering, post, readQuestion, refusal } from "./journey.ts";

const DAY = 24 * HOUR;
const OPTIONS = [
  { id: "approve", label: "Approve" },
  { id: "deny", label: "Deny" },
];

beforeEach(() => {
  // The clock stands still, and moves when a test says so.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
  mailbox.clear();
  faults.crashAfter(0);
});

function asked(body: object): Promise<Question> {
  return accepted(post("/v1/questions", { question: "Approve?", ...body }));
}

describe("a reminder", () => {
  it("is an event at its time, once, where no channel is configured", async () => {
    const { requestId, sessionId } = await asked({ remind: ["24h", "1h"] });
    expect(await fireAlarm(sessionId)).toBe(true);
    expect(await happenedTo(requestId)).toEqual(["asked 0"]);
    passTime(HOUR);
    await fireAlarm(sessionId);
    await fireAlarm(sessionId);
    expect(await happenedTo(requestId)).toEqual(["asked 0", "reminded 1"]);
    passTime(23 * HOUR);
    await fireAlarm(sessionId);
    expect(await happenedTo(requestId)).toEqual(["asked 0", "reminded 1", "reminded 24"]);
    expect(await readQuestion(requestId)).toMatchObject({ status: "waiting" });
    expect(await fireAlarm(sessionId)).toBe(false);
  });

  it("comes after one whose alarm was lost, since whoever finds it overdue sets the next", async () => {
    const { requestId, sessionId } = await asked({ remind: ["1h", "4h"] });
    await runInDurableObject(stubOf(sessionId), (_, { storage }) => storage.deleteAlarm());
    passTime(2 * HOUR);
    expect(await happenedTo(requestId)).toEqual(["asked 0", "reminded 2"]);
    passTime(2 * HOUR);
    expect(await fireAlarm(sessionId)).toBe(true);
  });

  it("counts from the asking of its own question, on the one alarm of several", async () => {
    const first = await asked({ remind: ["2h"], sessionId: "life-several" });
    passTime(HOUR / 2);
    const second = await asked({ remind: ["1h"], sessionId: "life-several" });
    passTime(HOUR);
    await fireAlarm(first.sessionId);
    expect(await happenedTo(second.requestId)).toEqual(["asked 0", "reminded 1"]);
    expect(await happenedTo(first.requestId)).toEqual(["asked 0"]);
    passTime(HOUR / 2);
    await fireAlarm(first.sessionId);
    expect(await happenedTo(first.requestId)).toEqual(["asked 0", "reminded 2"]);
    expect(await fireAlarm(first.sessionId)).toBe(false);
  });

  it.each([
    ["evicted", (sessionId: string) => evictDurableObject(stubOf(sessionId))],
    ["killed", () => abortAllDurableObjects()],
  ])("comes after its object was %s, and no second time", async (_, end) => {
    const { requestId, sessionId } = await asked({ remind: ["1h", "2h"] });
    await end(sessionId);
    passTime(HOUR);
    await fireAlarm(sessionId);
    await end(sessionId);
    await fireAlarm(sessionId);
    expect(await happenedTo(requestId)).toEqual(["asked 0", "reminded 1"]);
    await end(sessionId);
    passTime(HOUR);
    await fireAlarm(sessionId);
    expect(await happenedTo(requestId)).toEqual(["asked 0", "reminded 1", "reminded 2"]);
  });
});

it("lets all that is overdue happen at once, in its order, each once", async () => {
  const terms = {
    remind: ["1h", "2h", "3h"],
    escalate: [{ after: "2h", to: "lead" }],
    expire: { after: "5h" },
  };
  const { requestId, sessionId } = await asked(terms);
  passTime(30 * DAY);
  await fireAlarm(sessionId);
  const all = ["reminded", "reminded", "escalated", "reminded", "expired"];
  const happenings = (await readQuestion(requestId)).history.map(({ event }) => event);
  expect(happenings).toEqual(["asked", ...all].map((event) => `question.${event}`));
  passTime(30 * DAY);
  expect(await fireAlarm(sessionId)).toBe(false);
  expect((await readQuestion(requestId)).history).toHaveLength(happenings.length);
});

it("does nothing early where the clock jumps back, and everything once it is time", async () => {
  const { requestId, sessionId } = await asked({ remind: ["1h"] });
  passTime(-DAY);
  await fireAlarm(sessionId);
  expect(await happenedTo(requestId)).toEqual(["asked 0"]);
  passTime(DAY + HOUR);
  await fireAlarm(sessionId);
  expect(await happenedTo(requestId)).toEqual(["asked 0", "reminded 1"]);
});

describe("the end of a question", () => {
  it.each([
    ["answered", (id: string) => answering(id, { text: "Yes." })],
    ["declined", (id: string) => post(`/v1/questions/${id}/decline`, { answeredBy: "dana" })],
    ["cancelled", (id: string) => post(`/v1/questions/${id}/cancel`)],
  ])("stops its reminders in the same transaction: %s", async (status, end) => {
    const { requestId, sessionId } = await asked({
      remind: ["1h"],
      escalate: [{ after: "2h", to: "lead" }],
      expire: { after: "3h" },
    });
    await accepted(end(requestId));
    expect(await fireAlarm(sessionId)).toBe(false);
    passTime(DAY);
    expect(await happenedTo(requestId)).toEqual(["asked 0", `${status} 0`]);
  });

  it("is its expiry where nobody answers: the answer that comes then is refused", async () => {
    const { requestId, sessionId, expiresAt } = await asked({ expire: { after: "1h" } });
    expect(expiresAt).toBe(new Date(Date.now() + HOUR).toISOString());
    passTime(HOUR);
    await fireAlarm(sessionId);
    const expired = await readQuestion(requestId);
    expect(expired).toMatchObject({ status: "expired", expiresAt });
    expect(expired).not.toHaveProperty("answer");
    expect(happened(expired)).toEqual(["asked 0", "expired 1"]);
    expect(await refusal(answering(requestId, { text: "Late." }))).toMatchObject({
      status: 409,
      code: "expired",
    });
    expect(await refusal(post(`/v1/questions/${requestId}/assign`, { to: "kim" }))).toMatchObject({
      status: 409,
      code: "expired",
    });
  });

  it("is its expiry from that very moment on, though the alarm is late", async () => {
    const { requestId } = await asked({ expire: { after: "1h" } });
    passTime(HOUR - 1);
    await refusal(answering(requestId, { option: "none" }));
    passTime(1);
    expect(await refusal(answering(requestId, { text: "Now." }))).toMatchObject({
      code: "expired",
    });
    expect(await happenedTo(requestId)).toEqual(["asked 0", "expired 1"]);
  });

  it("is the answer that came in the last millisecond before", async () => {
    const { requestId, sessionId } = await asked({ expire: { after: "1h" } });
    passTime(HOUR - 1);
    await answer(requestId, { text: "Now." });
    passTime(1);
    expect(await fireAlarm(sessionId)).toBe(false);
    expect(await readQuestion(requestId)).toMatchObject({ status: "answered" });
  });

  it("is one, where a hundred answers race it", async () => {
    const { requestId, sessionId } = await asked({ expire: { after: "1h" } });
    const racing = Array.from({ length: 100 }, async (_, n) => {
      if (n === 50) passTime(HOUR);
      if (n === 70) await fireAlarm(sessionId);
      return (await answering(requestId, { text: `${n}` })).status;
    });
    const statuses = await Promise.all(racing);
    const question = await readQuestion(requestId);
    const wins = statuses.filter((status) => status === 200).length;
    expect(wins).toBe(question.status === "answered" ? 1 : 0);
    expect(["answered", "expired"]).toContain(question.status);
    expect(question.history).toHaveLength(2);
  });

  it("is a default answer, given by nobody", async () => {
    const { requestId, sessionId } = await asked({
      options: OPTIONS,
      allowText: false,
      expire: { after: "1h", then: { answer: { option: "deny", text: " Late. " } } },
    });
    passTime(HOUR);
    await fireAlarm(sessionId);
    expect(await readQuestion(requestId)).toMatchObject({
      status: "answered",
      answer: { option: "deny", text: "Late." },
      answeredBy: "default",
      answeredVia: "default",
      answeredAt: new Date().toISOString(),
      history: [{}, { event: "question.answered", by: "default", channel: "default" }],
    });
    const told = await refusal(answering(requestId, { option: "approve" }));
    expect(told).toMatchObject({ status: 409, code: "already_answered" });
    expect(told.detail).toMatch(/^Answered by default at /);
  });
});

it("crashed after each commit in turn, reminds, escalates and ends each once", async () => {
  const terms = {
    remind: ["1h"],
    escalate: [{ after: "2h", to: "lead" }],
    expire: { after: "3h", then: { answer: { text: "Go." } } },
  };
  const live = async (session: string): Promise<Question> => {
    const body = { question: "Approve?", ...terms, sessionId: session, key: "one" };
    const send = () => post("/v1/questions", body);
    const first = await send();
    const { requestId, sessionId } = await accepted<Question>(
      first.ok ? Promise.resolve(first) : send(),
    );
    for (let hour = 1; hour <= 3; hour += 1) {
      passTime(HOUR);
      await fireAlarm(sessionId).catch(() => false);
      await fireAlarm(sessionId).catch(() => false);
    }
    return readQuestion(requestId);
  };
  const whole = await live("life-whole");
  const { commits } = faults;
  expect(commits).toBe(4);
  expect(happened(whole)).toEqual(["asked 0", "reminded 1", "escalated 2 lead", "answered 3"]);
  for (let at = 1; at <= commits; at += 1) {
    faults.crashAfter(at);
    const crashed = await live(`life-crashed-${at}`);
    expect(faults.crashed, `no crash at commit ${at}`).toBe(true);
    expect(happened(crashed), `crashed at commit ${at}`).toEqual(happened(whole));
    expect(crashed).toMatchObject({ answer: { text: "Go." }, answeredBy: "default" });
  }
});

it("writes four rows for a reminder that nobody is told of", async () => {
  const { sessionId } = await asked({ sessionId: "life-rows", remind: ["1h"] });
  const stub = stubOf(sessionId);
  await fireAlarm(sessionId);
  passTime(HOUR);
  const before = await stub.rowsWritten();
  await fireAlarm(sessionId);
  // The journal's, the question's, and two of the alarm: the lease while it works, and none from then on.
  expect((await stub.rowsWritten()) - before).toBe(4);
  expect(await fireAlarm(sessionId)).toBe(false);
});
