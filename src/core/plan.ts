/**
 * Owns: what happens next. `nextMove` says what the driver has to do for a turn; `consequence` says what follows from a
 * transition at once, and so belongs into its transaction (I1); `wakeAt` says when the object must wake by itself.
 * Pure: the clock and the tasks are arguments.
 */

import type { Fact, Failure, ToolOutput } from "./event.ts";
import { LEASE_MS, OUTPUT_REPAIRS } from "./limits.ts";
import { readOutput, repairRequest } from "./output.ts";
import { awaitDeadline, awaitOutcome, type AwaitOver, type TaskLookup } from "./task.ts";
import {
  isUnsettled,
  type OpenTurn,
  type RunningTurn,
  type ParkedTurn,
  type Turn,
  type TurnCall,
} from "./turn.ts";

export type Move =
  | { readonly move: "callModel" }
  | { readonly move: "runCalls"; readonly calls: readonly TurnCall[] }
  | { readonly move: "backOff"; readonly until: number }
  /** Nothing to do until something arrives: the turn is queued, parked or settled. */
  | { readonly move: "rest" };

export function nextMove(turn: Turn, now: number): Move {
  switch (turn.status) {
    case "queued":
    case "parked":
    case "completed":
    case "failed":
    case "cancelled":
      return { move: "rest" };
    case "running": {
      if (turn.retry !== undefined && turn.retry.at > now)
        return { move: "backOff", until: turn.retry.at };
      const calls = turn.calls.filter(isRunnable);
      if (calls.length > 0) return { move: "runCalls", calls };
      // A call that neither runs nor is settled parks the turn in the transaction that made it so.
      if (turn.calls.some(isUnsettled)) return { move: "rest" };
      return { move: "callModel" };
    }
  }
}

function isRunnable(call: TurnCall): boolean {
  switch (call.now.state) {
    case "ready":
    case "started":
    case "approved":
      return true;
    case "waiting":
    case "settled":
      return false;
  }
}

/**
 * The queued turn whose place has come: one with no other before it, or one that goes beside turns that are all parked.
 * A turn that is under way keeps every other waiting, so that each sees a whole conversation.
 */
export function nextToBegin(open: readonly OpenTurn[]): OpenTurn | undefined {
  if (open.some((turn) => turn.status === "running")) return undefined;
  const [first] = open;
  if (first?.status === "queued") return first;
  return open.find((turn) => turn.status === "queued" && turn.started.beside === true);
}

export interface Surroundings {
  /** Whether a parked turn goes on by itself once its wait is over, or waits to be told. */
  readonly resumesItself: boolean;
  readonly now: number;
  readonly task: TaskLookup;
  readonly nextRun: () => number;
  /** How a task is shown to the model: the ids in it carry the session's key. */
  readonly settleAwait: (outcome: AwaitOver) => ToolOutput;
}

/** The next fact that follows from the turn's state by itself, or undefined where nothing follows. */
export function consequence(turn: Turn, around: Surroundings): Fact | undefined {
  if (turn.status !== "running" && turn.status !== "parked") return undefined;
  if (turn.steps === 0) return undefined;
  // A wait is judged once all that our code runs in the same step is settled: it may be on a task that they start.
  if (turn.status === "running" && turn.calls.some(isRunnable)) return undefined;
  const waiting = turn.calls.filter((call) => call.now.state === "waiting");
  for (const call of waiting) {
    const over = call.kind === "await" ? settledAwait(turn, call, around) : undefined;
    if (over !== undefined) return over;
  }
  if (turn.status === "parked") {
    // I6: only when nothing is waited for any more.
    if (waiting.length > 0 || !around.resumesItself) return undefined;
    return { type: "turn.resumed", turn: turn.n, run: around.nextRun() };
  }
  if (waiting.length > 0) return { type: "turn.parked", turn: turn.n };
  return turn.calls.length === 0 ? ending(turn) : undefined;
}

/** What a last text leads to: it ends the turn, unless it had to be an output and is none. */
function ending(turn: RunningTurn): Fact | undefined {
  const { n, started, refused, steps, text } = turn;
  if (started.output === undefined) return { type: "turn.completed", turn: n };
  if (refused?.step === steps - 1)
    return refused.times <= OUTPUT_REPAIRS
      ? undefined
      : { type: "turn.failed", turn: n, failure: OUTPUT_INVALID };
  const output = readOutput(started.output, text);
  return output.ok
    ? { type: "turn.completed", turn: n, output: output.value }
    : { type: "output.refused", turn: n, request: repairRequest(output.issues) };
}

const OUTPUT_INVALID: Failure = {
  code: "output_invalid",
  message:
    "the model's last message does not fit the output that was asked for, after a try to mend it",
  retryable: false,
};

function settledAwait(
  turn: RunningTurn | ParkedTurn,
  call: TurnCall,
  around: Surroundings,
): Fact | undefined {
  const outcome = awaitOutcome(call.input, call.calledAt, around.task, around.now);
  if (!outcome.over) return undefined;
  return {
    type: "call.settled",
    turn: turn.n,
    step: turn.steps - 1,
    index: call.index,
    output: around.settleAwait(outcome),
    ...(outcome.status === "timed_out" && { timedOut: [...outcome.pending] }),
  };
}

/** Whether the turn goes on when it is told to: nothing is waited for any more, and a failed try has had its delay. */
export function isReady(turn: ParkedTurn, now: number): boolean {
  if (turn.retry !== undefined && turn.retry.at > now) return false;
  return !turn.calls.some((call) => call.now.state === "waiting");
}

/** When the first of a parked turn's waits runs out by itself; undefined where none does. */
export function waitsUntil(turn: ParkedTurn): number | undefined {
  const deadlines = turn.calls.flatMap((call) =>
    isUnsettled(call) && call.kind === "await"
      ? (awaitDeadline(call.input, call.calledAt) ?? [])
      : [],
  );
  return deadlines.length === 0 ? undefined : Math.min(...deadlines);
}

/** What is due beside the turns, in milliseconds since the epoch. */
export interface DueBeside {
  /** Of each, since one that is due may be under way, and another comes due meanwhile. */
  readonly chores?: readonly number[] | undefined;
  /** A reminder, an escalation or the end of a question. */
  readonly timer?: number | undefined;
  /** Erasing what was kept long enough. */
  readonly sweep?: number | undefined;
}

/**
 * When the object must wake by itself, or undefined where nothing is due ever: a parked turn without a deadline sets no
 * alarm (I11). Work under way is guarded by a lease: should the object die, the alarm finds it unfinished.
 */
export function wakeAt(
  turns: Iterable<OpenTurn>,
  workBeside: boolean,
  { chores = [], timer, sweep }: DueBeside,
  now: number,
): number | undefined {
  const due = Array.from(turns, (turn) => dueAt(turn, now)).filter((at) => at !== undefined);
  if (workBeside) due.push(now + LEASE_MS);
  // A chore that is due now is being done: the lease stands behind it.
  for (const chore of chores) due.push(chore > now ? chore : now + LEASE_MS);
  if (timer !== undefined) due.push(timer);
  if (sweep !== undefined) due.push(sweep);
  return due.length === 0 ? undefined : Math.min(...due);
}

/**
 * Since when something is due that nobody is at, however the alarm that should have seen to it was lost; a time that is
 * still to come where nothing is overdue. What is under way in memory is no more overdue than a long model call is.
 */
export function overdueSince(
  turns: Iterable<OpenTurn>,
  isAttended: (turn: RunningTurn) => boolean,
  { chores = [], timer, sweep }: DueBeside,
): number | undefined {
  const due = Array.from(turns, (turn) => {
    if (turn.status === "parked") return waitsUntil(turn);
    if (turn.status === "queued") return undefined;
    if (turn.retry !== undefined) return turn.retry.at;
    return isAttended(turn) ? undefined : turn.updatedAt + LEASE_MS;
  });
  const known = [...due, ...chores, timer, sweep].filter((at) => at !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function dueAt(turn: OpenTurn, now: number): number | undefined {
  switch (turn.status) {
    case "queued":
      return undefined;
    case "parked":
      return waitsUntil(turn);
    case "running":
      return turn.retry !== undefined && turn.retry.at > now ? turn.retry.at : now + LEASE_MS;
  }
}
