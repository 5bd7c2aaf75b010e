/**
 * Owns: what a session's journal comes to: the state that its object remembers, and a turn as it is or was. Reads, and
 * writes nothing.
 */

import { applyFact, isOpen, type OpenTurn, startTurn, type Turn } from "../core/turn.ts";
import type { Database } from "../journal/database.ts";
import { readHead, readTurn } from "../journal/journal.ts";
import { readTimers } from "../journal/tasks.ts";
import type { SessionState } from "./draft.ts";

/** What a session's object remembers first. */
export function readState(database: Database): SessionState {
  const head = readHead(database);
  const open = new Map<number, OpenTurn>();
  for (const n of head.open) {
    const turn = foldTurn(database, n);
    if (turn === undefined || !isOpen(turn))
      throw new Error(`the head lists turn ${n} as open; the journal does not`);
    open.set(n, turn);
  }
  return { head, open, timers: head.timed > 0 ? readTimers(database) : new Map() };
}

/** A turn as it is, or as it was before the commit `below`. */
export function foldTurn(
  database: Database,
  n: number,
  below: number = Number.MAX_SAFE_INTEGER,
): Turn | undefined {
  let turn: Turn | undefined;
  for (const commit of readTurn(database, n)) {
    if (commit.seq >= below) return turn;
    for (const fact of commit.facts) {
      if (turn !== undefined) turn = applyFact(turn, fact, commit);
      else if (fact.type === "turn.started") turn = startTurn(fact, commit);
      // The number is no turn's: it is that of a commit or of something else in the session.
      else return undefined;
    }
    // Nothing follows for it: what stands later in the journal belongs to other turns.
    if (turn?.status === "completed" || turn?.status === "cancelled") return turn;
  }
  return turn;
}
