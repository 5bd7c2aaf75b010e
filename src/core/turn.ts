/**
 * Owns: what a turn is at any moment, as a union whose arms hold only what is true then, folded from the facts of the
 * journal. Does not own: what happens next (`plan.ts`), nor the conversation (`agent/transcript.ts`).
 */

import type { Call, Fact, FactOf, Failure, ToolOutput, TurnStarted, Usage } from "./event.ts";
import type { Json } from "./json.ts";
import type { RetryPolicy } from "./retry.ts";

export type CallState =
  /** Our code has to run it. */
  | { readonly state: "ready" }
  /** Its effect began, and its result is not in the journal yet (I3). */
  | { readonly state: "started" }
  /** It waits for a person, for the caller, or for tasks. */
  | { readonly state: "waiting"; readonly question?: number }
  /** A person allowed it, perhaps with other arguments; it has to be checked once more and run. */
  | { readonly state: "approved" }
  | { readonly state: "settled"; readonly output: ToolOutput };

export interface TurnCall extends Call {
  readonly now: CallState;
  /** When its step was committed: the time from which a wait's `maxWaitMs` counts. */
  readonly calledAt: number;
  /** Who allowed it, where a person had to, by which question, and whether the person changed its arguments. */
  readonly approved?: {
    readonly by: string;
    readonly question: number | undefined;
    readonly edited: boolean;
  };
}

export interface Run {
  readonly n: number;
  /** How it ended, where a later run follows or may follow it. */
  readonly sealed?: "waiting" | "failed";
  /** The digest of the request whose results began it, by which one that is sent again is known. */
  readonly results?: string;
}

interface TurnBase {
  readonly n: number;
  readonly started: TurnStarted;
  readonly runs: readonly [Run, ...Run[]];
  /** Model calls whose step is in the journal. */
  readonly steps: number;
  readonly usage: Usage;
  /** The text of the last step. */
  readonly text: string;
  /** The calls of the last step. */
  readonly calls: readonly TurnCall[];
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The commit from which on work begun earlier is void: a cancel or a failure (I9). */
  readonly fence: number;
  /** Attempts that failed or died since the last progress; a retry of the whole turn does not forget them. */
  readonly failures: number;
  /** The system prompt that the turn keeps, from the first time that it parked. */
  readonly system?: string;
  /** Present in a run that was told to go on: should it fail, the turn waits to be told again. */
  readonly told?: RetryPolicy;
  /** The last step whose text was refused as the turn's output, and how often that happened since the turn was last started. */
  readonly refused?: { readonly step: number; readonly times: number };
}

/** A failed attempt, and from when on the next one may be made. */
export interface Retry {
  readonly at: number;
  readonly failure: Failure;
}

export interface QueuedTurn extends TurnBase {
  readonly status: "queued";
}
export interface RunningTurn extends TurnBase {
  readonly status: "running";
  /** Attempts in a row that failed or died at this place; progress sets it to 0. */
  readonly attempts: number;
  readonly retry?: Retry;
}
export interface ParkedTurn extends TurnBase {
  readonly status: "parked";
  /** Attempts in a row that failed to go on. */
  readonly attempts: number;
  /** Present where it failed to go on, and waits to be told again. */
  readonly retry?: Retry;
}
export interface CompletedTurn extends TurnBase {
  readonly status: "completed";
  /** The value that was asked for, where one was. */
  readonly output?: Json;
}
export interface FailedTurn extends TurnBase {
  readonly status: "failed";
  readonly failure: Failure;
  readonly attempts: number;
}
export interface CancelledTurn extends TurnBase {
  readonly status: "cancelled";
  readonly reason?: string;
}

export type Turn =
  | QueuedTurn
  | RunningTurn
  | ParkedTurn
  | CompletedTurn
  | FailedTurn
  | CancelledTurn;

export const TURN_STATUSES = [
  "queued",
  "running",
  "parked",
  "completed",
  "failed",
  "cancelled",
] as const satisfies readonly Turn["status"][];
export type OpenTurn = QueuedTurn | RunningTurn | ParkedTurn;

export function isOpen(turn: Turn): turn is OpenTurn {
  return turn.status === "queued" || turn.status === "running" || turn.status === "parked";
}

export function isUnsettled(call: TurnCall): boolean {
  return call.now.state !== "settled";
}

/** Whether it waits for a person, for the caller, or for tasks. A call that is allowed waits for nobody any more. */
export function isWaiting(call: TurnCall): boolean {
  return call.now.state === "waiting";
}

/** When and where in the journal a fact was committed. */
export interface CommitStamp {
  readonly seq: number;
  readonly at: number;
}

export function startTurn(fact: TurnStarted, stamp: CommitStamp): QueuedTurn | RunningTurn {
  const base: TurnBase = {
    n: fact.turn,
    started: fact,
    runs: [{ n: fact.run }],
    steps: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    text: "",
    calls: [],
    createdAt: stamp.at,
    updatedAt: stamp.at,
    fence: stamp.seq,
    failures: 0,
  };
  return fact.queued ? { ...base, status: "queued" } : { ...base, status: "running", attempts: 0 };
}

/** The turn after one more fact. Throws on a fact that no turn in this state can have: a defect, not bad input. */
export function applyFact(turn: Turn, fact: Fact, stamp: CommitStamp): Turn {
  const base = { ...baseOf(turn), updatedAt: stamp.at };
  switch (fact.type) {
    case "turn.started":
      throw new Error(`turn ${turn.n} was started twice`);
    case "turn.begun":
      return { ...base, status: "running", attempts: 0 };
    case "step.finished":
      return {
        ...base,
        status: "running",
        attempts: 0,
        failures: 0,
        steps: fact.step + 1,
        text: fact.text,
        usage: {
          inputTokens: base.usage.inputTokens + fact.usage.inputTokens,
          outputTokens: base.usage.outputTokens + fact.usage.outputTokens,
        },
        calls: fact.calls.map((call) => ({
          ...call,
          now: { state: waitsAtFirst(call) ? "waiting" : "ready" },
          calledAt: stamp.at,
        })),
      };
    case "tool.started":
      return { ...turn, ...base, calls: withCall(base, fact.index, { state: "started" }) };
    case "call.approved": {
      const { by, input } = fact;
      const asked = base.calls[fact.index]?.now;
      const question = asked?.state === "waiting" ? asked.question : undefined;
      const approved = { by, question, edited: input !== undefined };
      const calls = withCall(base, fact.index, { state: "approved" }).map((call) =>
        call.index === fact.index ? { ...call, approved, input: input ?? call.input } : call,
      );
      return progressed({ ...turn, ...base, calls });
    }
    case "call.settled": {
      const settled: CallState = { state: "settled", output: fact.output };
      return progressed({ ...turn, ...base, calls: withCall(base, fact.index, settled) });
    }
    case "question.asked": {
      if (fact.kind === "person" || fact.kind === "tool") return { ...turn, ...base };
      const waiting: CallState = { state: "waiting", question: fact.question };
      return { ...turn, ...base, calls: withCall(base, fact.index, waiting) };
    }
    case "question.reminded":
    case "question.escalated":
    case "question.assigned":
    case "question.settled":
    case "task.started":
    case "task.settled":
    case "session.erased":
    case "settled.erased":
      return turn;
    case "turn.parked":
      return {
        ...base,
        ...(fact.system !== undefined && { system: fact.system }),
        runs: sealLast(base.runs, "waiting"),
        status: "parked",
        attempts: attemptsOf(turn),
        ...(turn.status === "running" && turn.retry !== undefined && { retry: turn.retry }),
      };
    case "turn.resumed":
      return {
        ...untold(base),
        ...(fact.told !== undefined && { told: fact.told }),
        ...(fact.extraBody !== undefined && {
          started: { ...base.started, extraBody: fact.extraBody },
        }),
        runs: [...base.runs, runOf(fact)],
        status: "running",
        attempts: attemptsOf(turn),
      };
    case "attempt.failed":
      return {
        ...base,
        failures: base.failures + 1,
        status: "running",
        attempts: attemptsOf(turn) + 1,
        retry: { at: fact.retryAt, failure: fact.failure },
      };
    case "turn.recovered":
      return {
        ...base,
        failures: base.failures + 1,
        status: "running",
        attempts: attemptsOf(turn) + 1,
      };
    case "output.refused":
      return {
        ...base,
        status: "running",
        attempts: 0,
        refused: { step: base.steps - 1, times: (base.refused?.times ?? 0) + 1 },
      };
    case "turn.completed":
      return {
        ...base,
        status: "completed",
        ...(fact.output !== undefined && { output: fact.output }),
      };
    case "turn.retried": {
      const runs: TurnBase["runs"] = [...sealLast(base.runs, "failed"), { n: fact.run }];
      const { refused, ...rest } = untold(base);
      const retried = { ...rest, runs, ...(refused && { refused: { ...refused, times: 0 } }) };
      return fact.queued
        ? { ...retried, status: "queued" }
        : { ...retried, status: "running", attempts: 0 };
    }
    case "turn.failed":
      return {
        ...base,
        failures: base.failures + (fact.attempts === undefined ? 0 : 1),
        status: "failed",
        fence: stamp.seq,
        failure: fact.failure,
        attempts: fact.attempts ?? attemptsOf(turn),
      };
    case "turn.cancelled":
      return {
        ...base,
        status: "cancelled",
        fence: stamp.seq,
        ...(fact.reason !== undefined && { reason: fact.reason }),
      };
  }
}

export function attemptsOf(turn: Turn): number {
  return "attempts" in turn ? turn.attempts : 0;
}

function baseOf(turn: Turn): TurnBase {
  const { n, started, runs, steps, usage, text, calls, createdAt, updatedAt, fence, failures } =
    turn;
  const base = {
    n,
    started,
    runs,
    steps,
    usage,
    text,
    calls,
    createdAt,
    updatedAt,
    fence,
    failures,
  };
  return {
    ...base,
    ...(turn.system !== undefined && { system: turn.system }),
    ...(turn.told !== undefined && { told: turn.told }),
    ...(turn.refused !== undefined && { refused: turn.refused }),
  };
}

/** How the turn was told to go on counts for the run that it began. */
function untold(base: TurnBase): TurnBase {
  const { told: _, ...rest } = base;
  return rest;
}

/** Calls of a kind that our code does not run wait from the first; a call under approval waits for its question. */
function waitsAtFirst(call: Call): boolean {
  return (
    call.kind === "client" ||
    call.kind === "form" ||
    call.kind === "await" ||
    call.approval !== undefined
  );
}

function withCall(turn: TurnBase, index: number, now: CallState): readonly TurnCall[] {
  if (turn.calls[index] === undefined) throw new Error(`turn ${turn.n} has no call ${index}`);
  return turn.calls.map((call) => (call.index === index ? { ...call, now } : call));
}

function progressed(turn: Turn): Turn {
  if (turn.status !== "running") return turn;
  const { retry: _, ...rest } = turn;
  return { ...rest, attempts: 0, failures: 0 };
}

function runOf({ run, resume }: FactOf<"turn.resumed">): Run {
  const results = resume?.requestDigest;
  return { n: run, ...(results !== undefined && { results }) };
}

/** Ends the last run for ever: what comes next is a run of its own. */
function sealLast(runs: TurnBase["runs"], sealed: NonNullable<Run["sealed"]>): TurnBase["runs"] {
  const [first, ...rest] = runs;
  const last = rest.pop();
  return last === undefined ? [{ ...first, sealed }] : [first, ...rest, { ...last, sealed }];
}
