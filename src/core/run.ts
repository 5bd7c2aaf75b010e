/**
 * Owns: the runs of a turn: each stretch of it between two waits, as the Service shows them. A run that
 * waits is sealed as waiting for ever, and the next one is its successor. A turn that waits for its place has no run yet.
 * Folded from the turn's own facts.
 */

import type { FactOf, Failure, Fact, TurnStarted, Usage } from "./event.ts";
import {
  applyFact,
  type CommitStamp,
  isWaiting,
  startTurn,
  type Turn,
  type TurnCall,
} from "./turn.ts";

export type RunStatus = "accepted" | "running" | "waiting" | "completed" | "failed" | "cancelled";

export interface RunRecord {
  readonly n: number;
  readonly status: RunStatus;
  readonly trigger: "input" | "queued" | "resume";
  readonly parent?: number;
  readonly successor?: number;
  /** What the caller resumed with; absent where the wait ended otherwise. */
  readonly resume?: FactOf<"turn.resumed">["resume"];
  readonly context?: FactOf<"turn.resumed">["context"];
  /** The calls that the run waited for when it was sealed as waiting. */
  readonly waited: readonly TurnCall[];
  readonly attempts: number;
  readonly usage: Usage;
  readonly text: string;
  readonly failure?: Failure;
  readonly acceptedAt: number;
  readonly startedAt?: number;
  readonly sealedAt?: number;
  readonly updatedAt: number;
  /** The number of the last commit that changed it. */
  readonly version: number;
}

export interface TurnRuns {
  readonly turn: Turn;
  readonly runs: readonly RunRecord[];
}

interface Commit extends CommitStamp {
  readonly facts: readonly Fact[];
}

/** The turn with its runs; undefined where the commits are no turn's. */
export function foldRuns(commits: Iterable<Commit>): TurnRuns | undefined {
  let folded: TurnRuns | undefined;
  for (const commit of commits)
    for (const fact of commit.facts) {
      if (folded !== undefined) folded = addFact(folded, fact, commit);
      else if (fact.type === "turn.started") folded = startedRuns(fact, commit);
      else return undefined;
    }
  return folded;
}

function startedRuns(fact: TurnStarted, stamp: CommitStamp): TurnRuns {
  return { turn: startTurn(fact, stamp), runs: fact.queued ? [] : [firstRun(fact, stamp)] };
}

/** The run that takes a turn up: at its start, or once those before it are settled. */
function firstRun({ run, queued }: TurnStarted, { at, seq }: CommitStamp): RunRecord {
  return {
    n: run,
    status: "accepted",
    trigger: queued ? "queued" : "input",
    waited: [],
    attempts: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    text: "",
    acceptedAt: at,
    startedAt: at,
    updatedAt: at,
    version: seq,
  };
}

function addFact({ turn: before, runs }: TurnRuns, fact: Fact, stamp: CommitStamp): TurnRuns {
  const turn = applyFact(before, fact, stamp);
  const last = runs.at(-1);
  if (fact.type === "turn.begun" && last === undefined)
    return { turn, runs: [firstRun(turn.started, stamp)] };
  // What is cancelled before its place came never ran.
  if (last === undefined) return { turn, runs };
  const touched = { ...last, updatedAt: stamp.at, version: stamp.seq };
  const replaced = (run: RunRecord): TurnRuns => ({ turn, runs: [...runs.slice(0, -1), run] });
  const sealed = (status: RunStatus): RunRecord => ({ ...touched, status, sealedAt: stamp.at });
  switch (fact.type) {
    case "turn.started":
      throw new Error(`turn ${turn.n} was started twice`);
    case "turn.begun":
      return replaced({ ...touched, startedAt: stamp.at });
    case "step.finished":
      return replaced({
        ...touched,
        status: "running",
        text: fact.text,
        usage: {
          inputTokens: last.usage.inputTokens + fact.usage.inputTokens,
          outputTokens: last.usage.outputTokens + fact.usage.outputTokens,
        },
      });
    case "attempt.failed":
    case "turn.recovered":
      return replaced({ ...touched, status: "running", attempts: last.attempts + 1 });
    case "turn.parked":
      return replaced({
        ...sealed("waiting"),
        waited: turn.calls.filter(isWaiting),
      });
    case "turn.resumed":
    case "turn.retried":
      return {
        turn,
        runs: [
          ...runs.slice(0, -1),
          { ...last, successor: fact.run },
          successorOf(last, fact, stamp),
        ],
      };
    case "turn.completed":
      return replaced(sealed("completed"));
    case "turn.failed":
      return last.sealedAt === undefined
        ? replaced({
            ...sealed("failed"),
            failure: fact.failure,
            attempts: last.attempts + (fact.attempts === undefined ? 0 : 1),
          })
        : { turn, runs };
    case "turn.cancelled":
      // A turn that is cancelled while it waits gets no successor, and its sealed run stays what it was.
      return last.sealedAt === undefined ? replaced(sealed("cancelled")) : { turn, runs };
    case "output.refused":
    case "tool.started":
    case "call.approved":
    case "call.settled":
      // A sealed run stays as it is while its calls are settled one by one.
      return last.sealedAt === undefined
        ? replaced({ ...touched, status: "running" })
        : { turn, runs };
    case "question.asked":
    case "question.reminded":
    case "question.escalated":
    case "question.assigned":
    case "question.settled":
    case "task.started":
    case "task.settled":
    case "session.erased":
    case "settled.erased":
      return { turn, runs };
  }
}

function successorOf(
  parent: RunRecord,
  fact: FactOf<"turn.resumed"> | FactOf<"turn.retried">,
  { at, seq }: CommitStamp,
): RunRecord {
  const isQueued = fact.type === "turn.retried" && fact.queued;
  return {
    n: fact.run,
    status: "accepted",
    trigger: "resume",
    parent: parent.n,
    ...("resume" in fact && fact.resume !== undefined && { resume: fact.resume }),
    ...("context" in fact && fact.context !== undefined && { context: fact.context }),
    waited: [],
    attempts: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    text: "",
    acceptedAt: at,
    ...(!isQueued && { startedAt: at }),
    updatedAt: at,
    version: seq,
  };
}
