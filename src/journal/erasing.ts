/**
 * Owns: what is deleted of a session: all of it, or turns that were settled long since with their questions. Numbers are
 * never given again, so no id, link or mail token that names what is gone will ever name something else.
 */

import type { Settled } from "../core/retention.ts";
import { hasChores } from "./chores.ts";
import { type Database, numberOf } from "./database.ts";
import { readTurn } from "./journal.ts";

/** Deletes every row. The caller appends the one that keeps the counter. */
export function eraseAll(database: Database): void {
  database.run("DELETE FROM journal");
  database.run("DELETE FROM tasks");
  if (hasChores(database)) database.run("DELETE FROM chores");
}

/** Turns of which nothing is open: neither they themselves, nor a question or a background tool of theirs. */
export function readSettledTurns(database: Database, open: readonly number[]): Settled[] {
  const rows = database.run(
    `SELECT turn, MAX(at) AS settled_at FROM journal
     WHERE turn <> 0 AND turn NOT IN (SELECT value FROM json_each(?))
       AND turn NOT IN (SELECT turn FROM tasks WHERE status = 'waiting')
     GROUP BY turn`,
    JSON.stringify(open),
  );
  return Array.from(rows, (row) => {
    const n = numberOf(row, "turn");
    return { n, agent: agentOf(database, n), settledAt: numberOf(row, "settled_at") };
  });
}

/** Settled questions that no turn asked. */
export function readSettledQuestions(database: Database): Settled[] {
  const rows = database.run(
    "SELECT n, settled_at FROM tasks WHERE turn = 0 AND status <> 'waiting'",
  );
  return Array.from(rows, (row) => ({
    n: numberOf(row, "n"),
    agent: undefined,
    settledAt: numberOf(row, "settled_at"),
  }));
}

/** Deletes a turn with all that it asked; returns the numbers of its questions and background tools. */
export function eraseTurn(database: Database, turn: number): number[] {
  const asked = Array.from(database.run("SELECT n FROM tasks WHERE turn = ?", turn), (row) =>
    numberOf(row, "n"),
  );
  for (const n of asked) eraseTask(database, n);
  database.run("DELETE FROM journal WHERE seq >= ? AND turn = ?", turn, turn);
  return asked;
}

/** Deletes a question with its deliveries. */
export function eraseTask(database: Database, n: number): void {
  database.run("DELETE FROM tasks WHERE n = ?", n);
  if (hasChores(database))
    database.run("DELETE FROM chores WHERE question = ? AND state <> 'due'", n);
}

function agentOf(database: Database, turn: number): string {
  for (const { facts } of readTurn(database, turn))
    for (const fact of facts) if (fact.type === "turn.started") return fact.agent;
  throw new Error(`turn ${turn} has no beginning`);
}
