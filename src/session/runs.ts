/**
 * Owns: a session as the Service sees it: its runs, its messages as entries, and the resuming of a run that
 * waits. The same turns, questions and rules as everywhere, under the Service's names.
 */

import type { Batch } from "../core/batch.ts";
import { formatId, formatSessionId, type SessionKey } from "../core/ids.ts";
import type { InputPart } from "../core/input.ts";
import type { JsonObject } from "../core/json.ts";
import { accepted, type Outcome, type Refusal, refused } from "../core/refusal.ts";
import { foldRuns, type RunRecord, type TurnRuns } from "../core/run.ts";
import { isWaiting, type Turn } from "../core/turn.ts";
import {
  findIdempotent,
  readFirstTurn,
  readTurn,
  readTurnNumbers,
  readTurnsBefore,
} from "../journal/journal.ts";
import type { Settler } from "./answers.ts";
import { cancelTurn } from "./ending.ts";
import { type BatchRequest, settleBatch } from "./results.ts";
import { KEY_REUSED } from "./starting.ts";
import type { SessionStore } from "./store.ts";
import { pendingItems, type ViewSource } from "./views.ts";
import type { TurnView } from "../core/turn-view.ts";

export interface RunView {
  readonly id: string;
  readonly sessionId: string;
  /** The message that began the run's turn. */
  readonly entryId: string;
  readonly agent: string;
  readonly status: RunRecord["status"];
  readonly trigger: RunRecord["trigger"];
  readonly parentRunId?: string;
  readonly successorRunId?: string;
  readonly input: readonly InputPart[];
  readonly resume?: JsonObject;
  readonly pending?: NonNullable<TurnView["pending"]>;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly text: string;
  readonly failure?: { readonly code: string; readonly message: string };
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  readonly labels: Readonly<Record<string, string>>;
  readonly version: number;
  readonly acceptedAt: number;
  readonly startedAt?: number;
  readonly sealedAt?: number;
  readonly updatedAt: number;
}

/** A message to the thread: one turn. */
export interface EntryView {
  readonly id: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly delivery: "steer" | "next_run";
  readonly position: number;
  readonly status: "pending" | "consumed" | "failed" | "withdrawn";
  readonly content: readonly InputPart[];
  /** The run that took it in; absent while it waits for its turn. */
  readonly runId?: string;
  readonly failure?: { readonly code: string; readonly message: string };
  readonly createdAt: number;
  readonly finishedAt?: number;
}

export interface ThreadView {
  readonly sessionId: string;
  readonly currentRunId?: string;
  readonly lastRunId?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export function readRun(store: SessionStore, source: ViewSource, run: number): Outcome<RunView> {
  const found = findRun(store, run);
  return found === undefined
    ? refused(noSuch("run"))
    : accepted(runView(found.runs, found.run, source));
}

export interface RunPage {
  readonly runs: readonly RunView[];
  /** The number of the run that the page ended with; absent on the last page. */
  readonly next?: number;
}

/**
 * At most `limit` runs, newest first: those before the run `before`, where one is given. Turns are taken up one after
 * another, so the order is that of the turns, and within a turn that of its runs. Numbers alone don't tell: a turn that
 * was queued while another one waited has the lower number, and ran later.
 */
export function readRuns(
  store: SessionStore,
  source: ViewSource,
  limit: number,
  before: number | undefined,
): Outcome<RunPage> {
  if (!store.exists) return refused(noSuch("thread"));
  const from = before === undefined ? undefined : findRun(store, before);
  if (before !== undefined && from === undefined) return refused(BAD_CURSOR);
  const found: { readonly folded: TurnRuns; readonly run: RunRecord }[] = [];
  for (const folded of turnsBackFrom(store, from?.runs.turn.n)) {
    for (const run of folded.runs.toReversed())
      if (folded.turn.n !== from?.runs.turn.n || run.n < from.run.n) found.push({ folded, run });
    if (found.length > limit) break;
  }
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return accepted({
    runs: shown.map(({ folded, run }) => runView(folded, run, source)),
    ...(found.length > limit && last !== undefined && { next: last.run.n }),
  });
}

const BAD_CURSOR: Refusal = {
  code: "invalid_request",
  detail: "Take the cursor from next_cursor of the page before.",
};

const TURNS_AT_A_TIME = 100;

/** The session's turns, newest first, from the given one on. */
function* turnsBackFrom(
  { database }: SessionStore,
  turn: number = Number.MAX_SAFE_INTEGER - 1,
): Generator<TurnRuns> {
  let below = turn + 1;
  for (;;) {
    const numbers = readTurnNumbers(database, TURNS_AT_A_TIME, below);
    for (const n of numbers) {
      const folded = foldRuns(readTurn(database, n));
      if (folded !== undefined) yield folded;
    }
    const last = numbers.at(-1);
    if (last === undefined || numbers.length < TURNS_AT_A_TIME) return;
    below = last;
  }
}

export function readEntry(store: SessionStore, n: number): Outcome<EntryView> {
  const folded = store.exists ? foldRuns(readTurn(store.database, n)) : undefined;
  return folded === undefined ? refused(noSuch("entry")) : accepted(entryView(folded, store.key));
}

export function readThread(store: SessionStore): Outcome<ThreadView> {
  if (!store.exists) return refused(noSuch("thread"));
  const first = store.turn(readFirstTurn(store.database) ?? 0);
  if (first === undefined) return refused(noSuch("thread"));
  const begunTurns = store.openTurns.filter((turn) => turn.status !== "queued");
  // Turns may be parked beside the one that is under way; then that one is the thread's present.
  const active = begunTurns.find((turn) => turn.status === "running") ?? begunTurns.at(-1);
  const begun = active ?? newestBegun(store);
  const last = begun?.runs.at(-1);
  const updated = Math.max(
    first.updatedAt,
    ...store.openTurns.map((turn) => turn.updatedAt),
    begun?.updatedAt ?? 0,
  );
  return accepted({
    sessionId: formatSessionId(store.key),
    ...(active?.status === "running" &&
      last !== undefined && { currentRunId: formatId("run", store.key, last.n) }),
    ...(last !== undefined && { lastRunId: formatId("run", store.key, last.n) }),
    labels: first.started.metadata ?? {},
    version: store.head.next - 1,
    createdAt: first.createdAt,
    updatedAt: updated,
  });
}

function newestBegun(store: SessionStore): Turn | undefined {
  for (const { turn, runs } of turnsBackFrom(store)) if (runs.length > 0) return turn;
  return undefined;
}

export interface ResumedRun {
  readonly run: RunView;
  /** True where an earlier request under the same key resumed it. */
  readonly replayed: boolean;
}

/** Replay comes before state: the same key and request find the same successor, even when it is long finished. */
export function resumeRun(
  store: SessionStore,
  source: ViewSource,
  run: number,
  batch: Batch,
  settler: Settler,
  idempotency: Required<BatchRequest>,
): Outcome<ResumedRun> {
  const known = store.exists ? findIdempotent(store.database, idempotency.key) : undefined;
  if (known !== undefined) return replay(store, source, known, idempotency);
  const found = findRun(store, run);
  if (found === undefined) return refused(noSuch("run"));
  const { turn } = found.runs;
  if (turn.status !== "parked" || turn.runs.at(-1)?.n !== run)
    return refused({
      code: "not_waiting_head",
      detail: "The run is not the last waiting run of its thread.",
    });
  const settled = settleBatch(store, turn.n, batch, settler, idempotency);
  if (!settled.ok) return settled;
  const resumed = readRun(store, source, settled.value);
  return resumed.ok ? accepted({ run: justAccepted(resumed.value), replayed: false }) : resumed;
}

/** As the request that brought it about is told of it: it was accepted, and has done nothing yet. */
export function justAccepted(run: RunView): RunView {
  return { ...run, status: "accepted" };
}

function replay(
  store: SessionStore,
  source: ViewSource,
  known: { readonly turn: number; readonly seq: number },
  idempotency: Required<BatchRequest>,
): Outcome<ResumedRun> {
  const commits = [...readTurn(store.database, known.turn)];
  const resumed = commits
    .find((commit) => commit.seq === known.seq)
    ?.facts.find((fact) => fact.type === "turn.resumed");
  const folded = foldRuns(commits);
  const run = folded?.runs.find((each) => each.n === resumed?.run);
  return folded === undefined ||
    run === undefined ||
    run.resume?.requestDigest !== idempotency.digest
    ? refused(KEY_REUSED)
    : accepted({ run: runView(folded, run, source), replayed: true });
}

/** Cancels the turn of a run that is under way. */
export function interruptRun(store: SessionStore, run: number): Outcome<{ readonly turn: number }> {
  const found = findRun(store, run);
  if (found === undefined) return refused(noSuch("run"));
  if (found.run.sealedAt !== undefined)
    return refused({
      code: "run_sealed",
      status: found.run.status,
      detail: `The run is ${found.run.status}.`,
    });
  const { n } = found.runs.turn;
  store.transact((draft) => cancelTurn(draft, store, n, "the run was interrupted"));
  return accepted({ turn: n });
}

/**
 * A run's number is taken just before that of its turn's row, where it is the first fact of the row, or else soon after
 * it: a transaction holds few rows.
 */
const ROWS_OF_A_TRANSACTION = 64;

function findRun(
  store: SessionStore,
  run: number,
): { readonly runs: TurnRuns; readonly run: RunRecord } | undefined {
  if (!store.exists) return undefined;
  for (const n of readTurnsBefore(store.database, run + 1, ROWS_OF_A_TRANSACTION)) {
    if (n === 0) continue;
    const folded = foldRuns(readTurn(store.database, n));
    const record = folded?.runs.find((each) => each.n === run);
    if (folded !== undefined && record !== undefined) return { runs: folded, run: record };
  }
  return undefined;
}

function runView({ turn }: TurnRuns, run: RunRecord, source: ViewSource): RunView {
  const { key } = source;
  return {
    id: formatId("run", key, run.n),
    sessionId: formatSessionId(key),
    entryId: formatId("entry", key, turn.n),
    agent: turn.started.agent,
    // What was taken up is under way from then on, long before its first step is committed.
    status: run.status === "accepted" && run.startedAt !== undefined ? "running" : run.status,
    trigger: run.trigger,
    ...(run.parent !== undefined && { parentRunId: formatId("run", key, run.parent) }),
    ...(run.successor !== undefined && { successorRunId: formatId("run", key, run.successor) }),
    input: partsOf(turn),
    ...(run.resume !== undefined && { resume: resumeView(run) }),
    ...(run.status === "waiting" && { pending: pendingItems(stillOpen(turn, run), source) }),
    attempts: run.attempts,
    maxAttempts: source.maxAttempts(turn.started.agent),
    text: run.text,
    ...(run.failure !== undefined && {
      failure: { code: run.failure.code, message: run.failure.message },
    }),
    usage: run.usage,
    labels: turn.started.metadata ?? {},
    version: run.version,
    acceptedAt: run.acceptedAt,
    ...(run.startedAt !== undefined && { startedAt: run.startedAt }),
    ...(run.sealedAt !== undefined && { sealedAt: run.sealedAt }),
    updatedAt: run.updatedAt,
  };
}

/** While a run waits, what of its batch is still open; once a successor exists, the whole batch again. */
function stillOpen(turn: Turn, run: RunRecord): RunRecord["waited"] {
  return run.successor === undefined && turn.status === "parked"
    ? turn.calls.filter(isWaiting)
    : run.waited;
}

function resumeView({ resume, context }: RunRecord): JsonObject {
  return {
    approvals: Object.fromEntries(resume?.batch.approvals ?? []) as JsonObject,
    calls: Object.fromEntries(resume?.batch.calls ?? []) as JsonObject,
    ...(context !== undefined && { input: { content: context } }),
  };
}

function entryView({ turn, runs }: TurnRuns, key: SessionKey): EntryView {
  const [first] = runs;
  // A turn that is retried waits for its place again, but its message was taken in for good.
  const isPending = first === undefined && turn.status === "queued";
  const finishedAt = first?.startedAt ?? turn.updatedAt;
  return {
    id: formatId("entry", key, turn.n),
    sessionId: formatSessionId(key),
    agent: turn.started.agent,
    delivery: turn.started.delivery ?? "next_run",
    position: turn.n,
    status: isPending ? "pending" : first === undefined ? "withdrawn" : "consumed",
    content: partsOf(turn),
    ...(first !== undefined && { runId: formatId("run", key, first.n) }),
    createdAt: turn.createdAt,
    ...(!isPending && { finishedAt }),
  };
}

function partsOf(turn: Turn): readonly InputPart[] {
  const { input } = turn.started;
  return typeof input === "string" ? [{ type: "text", text: input }] : input;
}

function noSuch(kind: "run" | "entry" | "thread"): Refusal {
  return { code: "not_found", detail: `There is no such ${kind}.` };
}
