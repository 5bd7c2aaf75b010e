import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, fireAlarm, play, readTurn, settled } from "./client.ts";
import { happenedTo, HOUR, passTime } from "./desk.ts";
import { mailbox } from "./desk-agents.ts";
import {
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
