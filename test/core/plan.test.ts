import { describe, expect, it } from "vitest";
import { LEASE_MS } from "../../src/core/limits.ts";
import {
  consequence,
  isReady,
  nextMove,
  nextToBegin,
  type Surroundings,
  overdueSince,
  wakeAt,
} from "../../src/core/plan.ts";
import { isOpen, type OpenTurn, type ParkedTurn, type Turn } from "../../src/core/turn.ts";
import { call, settled, STARTED, step, turnAfter } from "./facts.ts";

const PARKED = { type: "turn.parked", turn: 1 } as const;
const waitFor = (taskIds: string[], more: object = {}) =>
  call(0, "await", { toolName: "await_tasks", input: { taskIds, ...more } });

function around(tasks: Readonly<Record<number, boolean>> = {}, now = 5_000): Surroundings {
  return {
    now,
    resumesItself: true,
    task: (task) => (tasks[task] === undefined ? undefined : { isSettled: tasks[task] }),
    nextRun: () => 99,
    settleAwait: (outcome) => ({ type: "text", value: outcome.status }),
  };
}

function open(turn: Turn): OpenTurn {
  if (!isOpen(turn)) throw new Error(`the turn is ${turn.status}`);
  return turn;
}

function parkedTurn(turn: Turn): ParkedTurn {
  if (turn.status !== "parked") throw new Error(`the turn is ${turn.status}`);
  return turn;
}

describe("nextMove", () => {
  it("calls the model where no call is open, and runs what our code has to run before", () => {
    expect(nextMove(turnAfter([]), 0)).toEqual({ move: "callModel" });
    expect(nextMove(turnAfter([step(0, [call(0, "tool"), call(1, "client")])]), 0)).toMatchObject({
      move: "runCalls",
      calls: [{ index: 0 }],
    });
    expect(nextMove(turnAfter([step(0, [call(0, "tool")]), settled(0)]), 0)).toEqual({
      move: "callModel",
    });
  });

  it("backs off after a failure, and goes on at the very millisecond that it said", () => {
    const failure = { code: "model_failed", message: "no", retryable: true };
    const turn = turnAfter([{ type: "attempt.failed", turn: 1, failure, retryAt: 9_000 }]);
    expect(nextMove(turn, 8_999)).toEqual({ move: "backOff", until: 9_000 });
    expect(nextMove(turn, 9_000)).toEqual({ move: "callModel" });
  });

  it("rests while a turn is queued, parked or settled", () => {
    const facts = [step(0, [call(0, "client")]), PARKED];
    for (const turn of [
      turnAfter([], { ...STARTED, queued: true }),
      turnAfter(facts),
      turnAfter([step(0), { type: "turn.completed", turn: 1 }]),
    ])
      expect(nextMove(turn, 0)).toEqual({ move: "rest" });
  });
});

describe("isReady", () => {
  it("holds once nothing is waited for, and the delay of a failed try is over", () => {
    const failure = { code: "model_failed", message: "no", retryable: true };
    const waiting = [step(0, [call(0, "client")]), PARKED];
    const ready = [...waiting, settled(0)];
    const failed = [
      ...ready,
      { type: "turn.resumed", turn: 1, run: 7 },
      { type: "attempt.failed", turn: 1, failure, retryAt: 9_000 },
      PARKED,
    ] as const;
    expect(isReady(parkedTurn(turnAfter(waiting)), 0)).toBe(false);
    expect(isReady(parkedTurn(turnAfter(ready)), 0)).toBe(true);
    expect(isReady(parkedTurn(turnAfter(failed)), 8_999)).toBe(false);
    expect(isReady(parkedTurn(turnAfter(failed)), 9_000)).toBe(true);
  });
});

describe("consequence", () => {
  it("completes a turn whose step made no call", () => {
    expect(consequence(turnAfter([step(0)]), around())).toEqual({
      type: "turn.completed",
      turn: 1,
    });
  });

  it("parks a turn only once all that our code runs is settled", () => {
    const facts = [step(0, [call(0, "tool"), call(1, "client")])];
    expect(consequence(turnAfter(facts), around())).toBeUndefined();
    expect(consequence(turnAfter([...facts, settled(0)]), around())).toEqual(PARKED);
  });

  it("resumes a parked turn only when nothing is waited for any more", () => {
    const facts = [step(0, [call(0, "client"), call(1, "client")]), PARKED, settled(0)];
    expect(consequence(turnAfter(facts), around())).toBeUndefined();
    expect(consequence(turnAfter([...facts, settled(1)]), around())).toEqual({
      type: "turn.resumed",
      turn: 1,
      run: 99,
    });
    expect(
      consequence(turnAfter([...facts, settled(1)]), { ...around(), resumesItself: false }),
    ).toBeUndefined();
  });

  it("does not park for tasks that were settled before the wait began", () => {
    expect(
      consequence(turnAfter([step(0, [waitFor(["task_1"])])]), around({ 1: true })),
    ).toMatchObject({
      type: "call.settled",
      output: { value: "satisfied" },
    });
  });

  it("waits for all tasks, or for any", () => {
    const tasks = { 1: true, 2: false };
    const ids = ["task_1", "task_2"];
    expect(consequence(turnAfter([step(0, [waitFor(ids)])]), around(tasks))).toEqual(PARKED);
    expect(
      consequence(turnAfter([step(0, [waitFor(ids, { mode: "any" })])]), around(tasks)),
    ).toMatchObject({
      output: { value: "satisfied" },
    });
  });

  it("ends a wait at its deadline, with the tasks that were pending", () => {
    const turn = turnAfter([step(0, [waitFor(["task_1"], { maxWaitMs: 1_000 })]), PARKED]);
    expect(consequence(turn, around({ 1: false }, 2_999))).toBeUndefined();
    expect(consequence(turn, around({ 1: false }, 3_000))).toMatchObject({
      output: { value: "timed_out" },
      timedOut: [1],
    });
  });

  it("prefers an answer to the deadline where both are there", () => {
    const turn = turnAfter([step(0, [waitFor(["task_1"], { maxWaitMs: 1_000 })]), PARKED]);
    expect(consequence(turn, around({ 1: true }, 9_000))).toMatchObject({
      output: { value: "satisfied" },
    });
  });

  it("ends a wait for a task that the session never gave", () => {
    expect(consequence(turnAfter([step(0, [waitFor(["task_9"])])]), around())).toMatchObject({
      output: { value: "unknown" },
    });
  });
});

describe("nextToBegin", () => {
  const parked = open(turnAfter([step(0, [call(0, "client")]), PARKED]));
  const running = open(turnAfter([]));
  const queued = open(turnAfter([], { ...STARTED, turn: 3, queued: true }));
  const beside = open(turnAfter([], { ...STARTED, turn: 4, queued: true, beside: true }));

  it("begins the first in the queue, and nothing beside a turn that is under way", () => {
    expect(nextToBegin([queued, beside])).toBe(queued);
    expect(nextToBegin([running, queued, beside])).toBeUndefined();
  });

  it("lets nothing pass a parked turn but what goes beside it", () => {
    expect(nextToBegin([parked, queued])).toBeUndefined();
    expect(nextToBegin([parked, queued, beside])).toBe(beside);
  });
});

describe("wakeAt", () => {
  it("sets no alarm for a parked turn without a deadline", () => {
    const turn = open(turnAfter([step(0, [call(0, "client")]), PARKED]));
    expect(wakeAt([turn], false, {}, 5_000)).toBeUndefined();
  });

  it("stands behind work under way with a lease, and behind a wait with its deadline, overdue or not", () => {
    expect(wakeAt([open(turnAfter([]))], false, {}, 5_000)).toBe(5_000 + LEASE_MS);
    const waiting = open(turnAfter([step(0, [waitFor(["task_1"], { maxWaitMs: 1_000 })]), PARKED]));
    expect(wakeAt([waiting], false, {}, 99_000)).toBe(3_000);
  });

  it("takes the earliest of turns, work beside them and chores", () => {
    const waiting = open(
      turnAfter([step(0, [waitFor(["task_1"], { maxWaitMs: 100_000 })]), PARKED]),
    );
    expect(wakeAt([waiting], false, { chores: [50_000] }, 5_000)).toBe(50_000);
    expect(wakeAt([waiting], true, { chores: [50_000] }, 5_000)).toBe(5_000 + LEASE_MS);
    expect(wakeAt([], false, { chores: [4_000] }, 5_000)).toBe(5_000 + LEASE_MS);
    expect(wakeAt([], false, { chores: [4_000, 7_000, 6_000] }, 5_000)).toBe(6_000);
  });

  it("stands behind what is due to a question, overdue or not", () => {
    expect(wakeAt([], false, { timer: 9_000 }, 5_000)).toBe(9_000);
    expect(wakeAt([], false, { timer: 4_000 }, 5_000)).toBe(4_000);
    expect(wakeAt([], false, { chores: [8_000], timer: 9_000 }, 5_000)).toBe(8_000);
    expect(wakeAt([], false, { sweep: 7_000, timer: 9_000 }, 5_000)).toBe(7_000);
  });
});

describe("overdueSince", () => {
  it("is the earliest of what is due that nobody is at", () => {
    const waiting = open(turnAfter([step(0, [waitFor(["task_1"], { maxWaitMs: 1_000 })]), PARKED]));
    const running = open(turnAfter([]));
    const nobody = () => false;
    expect(overdueSince([], nobody, {})).toBeUndefined();
    expect(overdueSince([running], () => true, {})).toBeUndefined();
    expect(overdueSince([running], nobody, {})).toBe(running.updatedAt + LEASE_MS);
    expect(overdueSince([waiting, running], nobody, { chores: [9_000] })).toBe(3_000);
    expect(overdueSince([], nobody, { chores: [9_000], timer: 8_000, sweep: 7_000 })).toBe(7_000);
  });
});
