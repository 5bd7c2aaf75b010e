/**
 * Owns: letting parked turns go on, in one session or over several, for agents whose turns don't go on by themselves, and
 * what is reported of each. A turn that failed to go on stays parked, and is tried again when a later call finds its
 * delay over.
 */

import type { Agent } from "../agent/agent.ts";
import type { SessionKey } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import { ATTEMPTS_DEFAULT, LIBRARY_WAIT_MS, RETRY_DELAY_MS } from "../core/limits.ts";
import { isReady } from "../core/plan.ts";
import type { RetryPolicy } from "../core/retry.ts";
import type { Turn } from "../core/turn.ts";
import { turnResult, type TurnResult, type TurnView } from "../core/turn-view.ts";
import type { Engine } from "./engine.ts";
import type { SessionFace } from "./face.ts";

type SaidPolicy = { readonly [Name in keyof RetryPolicy]?: RetryPolicy[Name] | undefined };

export interface ResumeRequest extends SaidPolicy {
  /** Turns to let go on, at most. */
  readonly limit: number;
  /** In place of the turns' own. */
  readonly extraBody?: JsonObject | undefined;
}

/** By what a turn that is told to go on is tried again: what whoever tells it says, else its agent's own options. */
export function toldPolicy(said: SaidPolicy, agent: Agent | undefined): RetryPolicy {
  return {
    maxAttempts: said.maxAttempts ?? agent?.maxAttempts ?? ATTEMPTS_DEFAULT,
    retryDelayMs: said.retryDelayMs ?? agent?.retryDelayMs ?? RETRY_DELAY_MS,
  };
}

export interface ResumedTurn {
  readonly sessionId: string;
  readonly turnId: string;
  readonly result: TurnResult;
}

export interface FailedTurnReport {
  readonly sessionId: string;
  readonly turnId: string;
  readonly error: { readonly code: string; readonly message: string };
  /** Tries in a row that failed. */
  readonly attempts: number;
  /** False where the turn has failed for good. */
  readonly willRetry: boolean;
}

export interface Resumption {
  readonly resumed: readonly ResumedTurn[];
  readonly failed: readonly FailedTurnReport[];
}

/** What is done with a turn that went on. */
export interface ResumePorts {
  /** The turn once it is at rest, where the caller has the time to wait for that. */
  readonly rest: (face: SessionFace, turn: TurnView) => Promise<TurnView>;
  /** Told of each turn that came to something: not of one that is still under way, or is tried again. */
  readonly settled: (turn: TurnView) => Promise<void>;
}

/** Resumes at most `limit` turns whose wait is over, session by session. */
export async function resumeSessions(
  sessions: readonly SessionKey[],
  open: (key: SessionKey) => SessionFace,
  request: ResumeRequest,
  ports: ResumePorts,
): Promise<Resumption> {
  const resumed: ResumedTurn[] = [];
  const failed: FailedTurnReport[] = [];
  for (const key of sessions) {
    const left = request.limit - resumed.length - failed.length;
    if (left <= 0) break;
    const face = open(key);
    for (const told of await face.resumeReady({ ...request, limit: left })) {
      const turn = await ports.rest(face, told);
      const ids = { sessionId: turn.sessionId, turnId: turn.id };
      const error = failureOf(turn);
      const willRetry = error !== undefined && turn.status !== "failed";
      if (error === undefined) resumed.push({ ...ids, result: turnResult(turn) });
      else failed.push({ ...ids, error, attempts: turn.attempts, willRetry });
      if (!willRetry) await ports.settled(turn);
    }
  }
  return { resumed, failed };
}

/** Why a turn did not go on, or has not got anywhere yet; undefined for one that came to something. */
function failureOf({ status, error }: TurnView): FailedTurnReport["error"] | undefined {
  if (error !== undefined) return { code: error.code, message: error.message };
  return status === "running" || status === "queued"
    ? { code: "running", message: "the turn is still under way" }
    : undefined;
}

/** Lets parked turns go on whose wait is over, and waits until each is at rest again. */
export async function resumeReady(
  engine: Engine,
  { limit, extraBody, ...policy }: ResumeRequest,
): Promise<readonly TurnView[]> {
  const { store, waiters, agents } = engine;
  store.letTimePass();
  const now = store.now();
  const ready = store.openTurns.filter((turn) => turn.status === "parked" && isReady(turn, now));
  const resumed = ready.slice(0, limit).map(({ n, started }) => {
    const told = toldPolicy(policy, agents.get(started.agent));
    store.transact((draft) =>
      draft.resume(n, { told, ...(extraBody !== undefined && { extraBody }) }),
    );
    engine.ring();
    return n;
  });
  const views = await Promise.all(
    resumed.map(async (n) => {
      await waiters.until(n, LIBRARY_WAIT_MS, () => !isUnderWay(store.turn(n)));
      // Its session may have been erased while it ran.
      return store.turn(n) === undefined ? [] : [engine.turnView(n)];
    }),
  );
  return views.flat();
}

export function isUnderWay(turn: Turn | undefined): boolean {
  return turn?.status === "queued" || turn?.status === "running";
}
