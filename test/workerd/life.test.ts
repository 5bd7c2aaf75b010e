import { abortAllDurableObjects, evictDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Question } from "../../src/core/question.ts";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, fireAlarm, play, readTurn, settled, stubOf } from "./client.ts";
import { mailbox } from "./desk-agents.ts";
import { faults } from "./faults.ts";
import {
  accepted,
  answering,
  ask,
  awaitTasks,
  conversation,
  FORM,
  FORM_CALL,
  lastResult,
  onlyRequest,
  post,
  questionsOf,
  readQuestion,
  refusal,
} from "./journey.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const OPTIONS = [
  { id: "approve", label: "Approve" },
  { id: "deny", label: "Deny" },
];
const PAY = { toolName: "pay", input: { amount: 5 } };

beforeEach(() => {
  // The clock stands still, and moves when a test says so.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
  mailbox.clear();
  faults.crashAfter(0);
});

function passTime(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

function asked(body: object): Promise<Question> {
  return accepted(post("/v1/questions", { question: "Approve?", ...body }));
}

/** What happened to a question, and how many hours after it was asked. */
function happened({ history, createdAt }: Question): readonly string[] {
  return history.map(({ event, at, to }) => {
    const hours = (Date.parse(at) - Date.parse(createdAt)) / HOUR;
    return `${event.slice("question.".length)} ${hours}${to === undefined ? "" : ` ${to}`}`;
  });
}

async function happenedTo(requestId: string): Promise<readonly string[]> {
  return happened(await readQuestion(requestId));
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

describe("what the model reads", () => {
  const asking = (question: object) => [
    { calls: [ask(question)] },
    { calls: [awaitTasks(["$task:1"])] },
    { text: "end" },
  ];

  async function after(turn: TurnView, ms: number): Promise<unknown> {
    passTime(ms);
    await fireAlarm(turn.sessionId);
    expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
    await conversation(turn.sessionId);
    return (await lastResult(turn.sessionId)).value;
  }

  it("is that the task expired, where nobody answered in time", async () => {
    const turn = await play(asking({ question: "Open?" }), { agent: "lively" });
    expect(await after(turn, DAY)).toMatchObject({
      status: "satisfied",
      tasks: [{ status: "expired", question: "Open?" }],
      pending: [],
    });
  });

  it("is its agent's default answer, where the question takes it", async () => {
    const turn = await play(asking({ question: "Approve?", options: OPTIONS }), {
      agent: "lively",
    });
    expect(await after(turn, DAY)).toMatchObject({
      tasks: [{ status: "answered", answer: { option: "deny" }, answeredBy: "default" }],
    });
  });

  it("is an error, of a form that nobody filled in", async () => {
    const turn = await play([{ calls: [FORM_CALL] }, { text: "end" }], { agent: "lively" });
    expect(await after(turn, DAY)).toBe(
      "FAILED: the question has expired: nobody answered in time",
    );
  });

  it("is that a call was not executed, of an approval that nobody gave", async () => {
    const expiring = await play([{ calls: [PAY] }, { text: "end" }], { agent: "lively" });
    expect(await after(expiring, DAY)).toBe(
      "NOT EXECUTED. The approval has expired: nobody decided in time",
    );
  });

  it("is a denial, where its agent denies what nobody decides", async () => {
    const denied = await play([{ calls: [PAY] }, { text: "end" }], { agent: "denying" });
    const requestId = onlyRequest(denied);
    expect(await after(denied, 2 * HOUR)).toBe(
      "NOT EXECUTED. Denied by default: nobody decided in time",
    );
    expect(await readQuestion(requestId)).toMatchObject({
      status: "answered",
      answer: { approved: false },
      answeredBy: "default",
      answeredVia: "default",
    });
  });

  it("is nothing yet, while one of two parallel calls is still open", async () => {
    const two = await play([{ calls: [PAY, FORM_CALL] }, { text: "end" }], { agent: "lively" });
    await answer(two.waitingFor?.[1]?.requestId ?? "", { response: "As you like." });
    passTime(DAY - 1);
    await fireAlarm(two.sessionId);
    expect(await readTurn(two.id)).toMatchObject({ status: "parked" });
    passTime(1);
    await fireAlarm(two.sessionId);
    expect(await settled(two.id)).toMatchObject({ status: "completed" });
  });
});

describe("terms", () => {
  it("are the agent's, for whatever it asks, and come in the order of their times", async () => {
    const turn = await play([{ calls: [ask()] }, { text: "end" }], { agent: "lively" });
    const [question] = await questionsOf(turn.sessionId);
    expect(question?.expiresAt).toBe(new Date(Date.now() + DAY).toISOString());
    for (const hour of [1, 2, 3]) {
      passTime(HOUR);
      await fireAlarm(turn.sessionId);
      expect((await happenedTo(question?.requestId ?? "")).at(-1)).toMatch(
        new RegExp(hour === 3 ? "^escalated 3 lead$" : `^reminded ${hour}$`),
      );
    }
  });

  it("may be a tool's own, which go before its agent's", async () => {
    const own = { question: "Sure?", remind: [], expire: { after: "30m" } };
    const turn = await play([{ calls: [{ toolName: "ask_tool", input: own }] }, { text: "end" }], {
      agent: "lively",
    });
    const [question] = await questionsOf(turn.sessionId);
    passTime(HOUR);
    await fireAlarm(turn.sessionId);
    expect((await happenedTo(question?.requestId ?? "")).at(-1)).toBe("expired 1");
    const again = await play(
      [{ calls: [{ toolName: "ask_tool", input: { question: "Sure?" } }] }, { text: "end" }],
      { agent: "lively", session: turn.sessionId },
    );
    expect((await lastResult(again.sessionId)).value).toMatchObject({ status: "expired" });
  });

  it("of a tool that don't fit are the tool's error, with what to mend", async () => {
    const bad = [
      [{ question: "q", remind: ["soon"] }, "remind[0]: must be a whole number with its unit"],
      [{ question: "q", expire: { after: "1h", then: "deny" } }, "expire.then: denies approvals"],
      [
        { question: "q", escalate: [{ after: "1h", to: "boss" }] },
        "escalate[0].to: must be one of",
      ],
      [{ question: "q", to: "boss" }, "to: must be one of dana, kim, lead, team"],
    ] as const;
    const calls = bad.map(([input]) => ({ toolName: "ask_tool", input }));
    for (const [place, [, message]] of bad.entries()) {
      const turn = await play([{ calls: [calls[place]] }, { text: "end" }], { agent: "lively" });
      expect((await lastResult(turn.sessionId)).value).toContain(message);
      expect(await questionsOf(turn.sessionId)).toEqual([]);
    }
  });

  it("are none of the model's business", async () => {
    const turn = await play([{ calls: [ask({ question: "q", remind: ["1h"] })] }, { text: "end" }]);
    expect((await lastResult(turn.sessionId)).value).toMatch(/"remind" is not a known field/);
  });

  it.each([
    [{ remind: ["1 hour"] }, "remind[0]"],
    [{ escalate: [{ after: "1h" }] }, "escalate[0].to"],
    [{ expire: { after: "0s" } }, "expire.after"],
    [{ expire: { after: "1h", then: "deny" } }, "expire.then"],
    [{ expire: { after: "1h", then: { answer: { option: "x" } } } }, "expire.then.answer.option"],
    [
      { questions: FORM.questions, question: undefined, expire: { after: "1h", then: "deny" } },
      "expire.then",
    ],
  ])("of a request that don't fit are refused, and nothing is asked: %j", async (terms, path) => {
    const problem = await refusal(post("/v1/questions", { question: "q", ...terms }));
    expect(problem).toMatchObject({ status: 400, code: "invalid_request" });
    expect(problem.issues?.[0]?.path).toBe(path);
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
