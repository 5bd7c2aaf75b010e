/**
 * Owns: letting parked turns go on, in one session or over several, for agents whose turns don't go on by themselves.
 */

import type { SessionKey } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import { LIBRARY_WAIT_MS } from "../core/limits.ts";
import { isReady } from "../core/plan.ts";
import type { Turn } from "../core/turn.ts";
import { turnResult, type TurnResult, type TurnView } from "../core/turn-view.ts";
import type { Engine } from "./engine.ts";
import type { SessionFace } from "./face.ts";

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
  /** True where the turn is tried again by itself. */
  readonly willRetry: boolean;
}

export interface Resumption {
  readonly resumed: readonly ResumedTurn[];
  readonly failed: readonly FailedTurnReport[];
}

/** Resumes at most `limit` turns whose wait is over, session by session. */
export async function resumeSessions(
  sessions: readonly SessionKey[],
  open: (key: SessionKey) => SessionFace,
  limit: number,
  extraBody: JsonObject | undefined,
  each: (turn: TurnView) => Promise<void>,
): Promise<Resumption> {
  const resumed: ResumedTurn[] = [];
  const failed: FailedTurnReport[] = [];
  for (const key of sessions) {
    const left = limit - resumed.length - failed.length;
    if (left <= 0) break;
    for (const turn of await open(key).resumeReady(left, extraBody)) {
      const ids = { sessionId: turn.sessionId, turnId: turn.id };
      const error =
        turn.status === "failed" || turn.status === "running" ? failureOf(turn) : undefined;
      if (error === undefined) resumed.push({ ...ids, result: turnResult(turn) });
      else
        failed.push({
          ...ids,
          error,
          attempts: turn.attempts,
          willRetry: turn.status === "running",
        });
      await each(turn);
    }
  }
  return { resumed, failed };
}

/** Lets parked turns go on whose wait is over, and waits until each is at rest again, or has failed for now. */
export async function resumeReady(
  engine: Engine,
  limit: number,
  extraBody: JsonObject | undefined,
): Promise<readonly TurnView[]> {
  const { store, waiters } = engine;
  const ready = store.openTurns.filter((turn) => turn.status === "parked" && isReady(turn));
  const resumed = ready.slice(0, limit).map(({ n }) => {
    store.transact((draft) => draft.resume(n, undefined, undefined, extraBody));
    engine.ring();
    return n;
  });
  const views = await Promise.all(
    resumed.map(async (n) => {
      await waiters.until(
        n,
        LIBRARY_WAIT_MS,
        () => !isUnderWay(store.turn(n)) || backsOff(store.turn(n)),
      );
      // Its session may have been erased while it ran.
      return store.turn(n) === undefined ? [] : [engine.turnView(n)];
    }),
  );
  return views.flat();
}

export function isUnderWay(turn: Turn | undefined): boolean {
  return turn?.status === "queued" || turn?.status === "running";
}

function backsOff(turn: Turn | undefined): boolean {
  return turn?.status === "running" && turn.retry !== undefined;
}

function failureOf(turn: TurnView): FailedTurnReport["error"] {
  const { code, message } = turn.error ?? {
    code: "running",
    message: "the turn is still under way",
  };
  return { code, message };
}
