import { describe, expect, it } from "vitest";
import { call, settled, STARTED, step, turnAfter } from "./facts.ts";

const FAILURE = { code: "model_failed", message: "no", retryable: true };
const failedAttempt = {
  type: "attempt.failed",
  turn: 1,
  failure: FAILURE,
  retryAt: 9_000,
} as const;

describe("a turn", () => {
  it("runs from its start, or waits in the queue until its place comes", () => {
    expect(turnAfter([])).toMatchObject({
      status: "running",
      runs: [{ n: 2 }],
      steps: 0,
      attempts: 0,
    });
    const queued = { ...STARTED, queued: true };
    expect(turnAfter([], queued)).toMatchObject({ status: "queued" });
    expect(turnAfter([{ type: "turn.begun", turn: 1 }], queued)).toMatchObject({
      status: "running",
    });
  });

  it("sums its steps and their tokens, and keeps the last text", () => {
    const turn = turnAfter([step(0, [], "first"), step(1, [], "second")]);
    expect(turn).toMatchObject({
      steps: 2,
      text: "second",
      usage: { inputTokens: 2, outputTokens: 4 },
    });
  });

  it("lets our code run what is ours, and waits for the rest", () => {
    const calls = [
      call(0, "tool"),
      call(1, "client"),
      call(2, "form"),
      call(3, "await"),
      call(4, "tool", { approval: {} }),
    ];
    const turn = turnAfter([step(0, calls)]);
    expect(turn.calls.map(({ now }) => now.state)).toEqual([
      "ready",
      "waiting",
      "waiting",
      "waiting",
      "waiting",
    ]);
  });

  it("seals the run that waits for ever, and goes on in its successor", () => {
    const parked = [step(0, [call(0, "client")]), { type: "turn.parked", turn: 1 }] as const;
    expect(turnAfter(parked)).toMatchObject({
      status: "parked",
      runs: [{ n: 2, sealed: "waiting" }],
    });
    const resumed = turnAfter([...parked, settled(0), { type: "turn.resumed", turn: 1, run: 7 }]);
    expect(resumed).toMatchObject({
      status: "running",
      runs: [{ n: 2, sealed: "waiting" }, { n: 7 }],
    });
  });

  it("keeps the system prompt with which it parked first", () => {
    const turn = turnAfter([
      step(0, [call(0, "client")]),
      { type: "turn.parked", turn: 1, system: "As it was." },
      settled(0),
      { type: "turn.resumed", turn: 1, run: 7 },
      step(1, [call(0, "client")]),
      { type: "turn.parked", turn: 1 },
    ]);
    expect(turn.system).toBe("As it was.");
  });

  it("takes another extraBody from whoever resumes it with one", () => {
    const extraBody = { tone: "formal" };
    const turn = turnAfter([
      step(0, [call(0, "client")]),
      { type: "turn.parked", turn: 1 },
      settled(0),
      { type: "turn.resumed", turn: 1, run: 7, extraBody },
    ]);
    expect(turn.started.extraBody).toEqual(extraBody);
  });

  it("counts failed and recovered attempts in a row, and forgets them with progress", () => {
    expect(turnAfter([failedAttempt, { type: "turn.recovered", turn: 1 }])).toMatchObject({
      attempts: 2,
      failures: 2,
    });
    expect(turnAfter([failedAttempt, step(0)])).toMatchObject({ attempts: 0, failures: 0 });
    expect(turnAfter([step(0, [call(0, "tool")]), failedAttempt, settled(0)])).toMatchObject({
      attempts: 0,
      failures: 0,
    });
  });

  it("keeps its failed attempts while it waits to be told again, and forgets how it was told with its run", () => {
    const told = { maxAttempts: 3, retryDelayMs: 500 };
    const facts = [
      step(0, [call(0, "client")]),
      { type: "turn.parked", turn: 1 },
      settled(0),
      { type: "turn.resumed", turn: 1, run: 7, told },
      failedAttempt,
      { type: "turn.parked", turn: 1 },
    ] as const;
    expect(turnAfter(facts)).toMatchObject({
      status: "parked",
      attempts: 1,
      retry: { at: 9_000, failure: FAILURE },
      told,
    });
    const again = turnAfter([...facts, { type: "turn.resumed", turn: 1, run: 9 }]);
    expect(again).toMatchObject({ status: "running", attempts: 1 });
    expect(again).not.toHaveProperty("told");
    expect(again).not.toHaveProperty("retry");
  });

  it("does not take the start of a tool for progress, or a tool that kills its object would be begun without end", () => {
    const started = { type: "tool.started", turn: 1, step: 0, index: 0 } as const;
    const recovered = { type: "turn.recovered", turn: 1 } as const;
    expect(turnAfter([step(0, [call(0, "tool")]), recovered, started, recovered])).toMatchObject({
      attempts: 2,
    });
  });

  it("begins its attempts anew when it is retried, and still knows its failures", () => {
    const failed = [
      failedAttempt,
      { type: "turn.failed", turn: 1, failure: FAILURE, attempts: 2 },
    ] as const;
    expect(turnAfter(failed)).toMatchObject({
      status: "failed",
      failures: 2,
      attempts: 2,
      fence: 11,
    });
    const retried = turnAfter([
      ...failed,
      { type: "turn.retried", turn: 1, run: 9, queued: false },
    ]);
    expect(retried).toMatchObject({
      status: "running",
      attempts: 0,
      failures: 2,
      runs: [{ sealed: "failed" }, { n: 9 }],
    });
  });

  it("runs an approved call with the arguments that the person gave it", () => {
    const turn = turnAfter([
      step(0, [call(0, "tool", { approval: {}, input: { amount: 1 } })]),
      { type: "question.asked", turn: 1, step: 0, index: 0, question: 5, kind: "approval" },
      { type: "call.approved", turn: 1, step: 0, index: 0, by: "dana", input: { amount: 2 } },
    ]);
    expect(turn.calls[0]).toMatchObject({
      now: { state: "approved" },
      input: { amount: 2 },
      approved: { by: "dana", edited: true },
    });
  });

  it("makes work begun before a cancel void", () => {
    expect(turnAfter([step(0), { type: "turn.cancelled", turn: 1 }])).toMatchObject({
      status: "cancelled",
      fence: 11,
    });
  });

  it("can't be started twice, nor have a call settled that it never made", () => {
    expect(() => turnAfter([STARTED])).toThrow("started twice");
    expect(() => turnAfter([step(0), settled(3)])).toThrow("no call 3");
  });
});
