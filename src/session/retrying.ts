/**
 * Owns: driving a failed turn on, because somebody says so. Does not own: the tries that a turn makes by itself
 * (`driver.ts`).
 */

import { accepted, type Outcome, refused } from "../core/refusal.ts";
import { wasRetried } from "../journal/journal.ts";
import { turnNotFound } from "./starting.ts";
import type { SessionStore } from "./store.ts";

/** Asked again while the turn is under way or parked, or once that completed it, it changes nothing. */
export function retryTurn(store: SessionStore, n: number): Outcome<undefined> {
  const turn = store.turn(n);
  if (turn === undefined) return refused(turnNotFound());
  switch (turn.status) {
    case "failed":
      store.transact((draft) => draft.retry(turn));
      return accepted(undefined);
    case "queued":
    case "running":
    case "parked":
      return accepted(undefined);
    case "completed":
    case "cancelled":
      return turn.status === "completed" && wasRetried(store.database, n)
        ? accepted(undefined)
        : refused({
            code: "turn_settled",
            detail: `The turn is ${turn.status}; only a failed one can be retried.`,
          });
  }
}
