/**
 * Owns: the table of chores. It is made by the first chore: most sessions have none, and an empty table takes a page.
 * A chore is deleted when it is done; a delivery stays, so that its question can show what became of it.
 */

import * as z from "zod";
import type { Chore, ChoreContent, Delivery } from "../core/chore.ts";
import { DELIVERY_CHANNELS } from "../core/limits.ts";
import { type Database, numberOf, type Row, textOf } from "./database.ts";

const TABLE = `CREATE TABLE IF NOT EXISTS chores (
  n INTEGER PRIMARY KEY,
  question INTEGER,
  state TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  error TEXT,
  content TEXT NOT NULL
) STRICT`;

const contentSchema = z.custom<ChoreContent>(
  (value) => typeof value === "object" && value !== null,
);

export function hasChores(database: Database): boolean {
  const found = database.run(
    "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'chores'",
  );
  return found.toArray().length > 0;
}

export function insertChore(database: Database, chore: Chore): void {
  database.run(TABLE);
  database.run(
    "INSERT INTO chores (n, question, state, due_at, tries, content) VALUES (?, ?, 'due', ?, ?, ?)",
    chore.n,
    chore.content.kind === "deliver" ? chore.content.question : null,
    chore.dueAt,
    chore.tries,
    JSON.stringify(chore.content),
  );
}

export function deleteChore(database: Database, n: number): void {
  database.run("DELETE FROM chores WHERE n = ?", n);
}

/** Notes a try that failed: the chore is due again later, or given up. */
export function noteFailure(
  database: Database,
  { n, dueAt, tries }: Chore,
  error: string,
  isGivenUp: boolean,
): void {
  const state = isGivenUp ? "failed" : "due";
  database.run(
    "UPDATE chores SET state = ?, due_at = ?, tries = ?, error = ? WHERE n = ?",
    state,
    dueAt,
    tries,
    error,
    n,
  );
}

export function noteSent(database: Database, n: number): void {
  database.run("UPDATE chores SET state = 'sent', tries = tries + 1, error = NULL WHERE n = ?", n);
}

/** All that has to be done, now or later. */
export function readDueChores(database: Database): Chore[] {
  const rows = database.run("SELECT n, due_at, tries, content FROM chores WHERE state = 'due'");
  return Array.from(rows, (row) => ({
    n: numberOf(row, "n"),
    dueAt: numberOf(row, "due_at"),
    tries: numberOf(row, "tries"),
    content: contentSchema.parse(JSON.parse(textOf(row, "content"))),
  }));
}

/** The deliveries of a question: they take the numbers right behind its own. */
export function readDeliveries(database: Database, question: number): Delivery[] {
  const rows = database.run(
    "SELECT state, tries, error, content FROM chores WHERE n > ? AND n <= ? AND question = ? ORDER BY n",
    question,
    question + DELIVERY_CHANNELS,
    question,
  );
  return Array.from(rows, deliveryOf);
}

function deliveryOf(row: Row): Delivery {
  const content = contentSchema.parse(JSON.parse(textOf(row, "content")));
  const state = textOf(row, "state");
  const error = row["error"];
  return {
    channel: content.kind === "deliver" ? content.channel : "",
    status: state === "sent" || state === "failed" ? state : "pending",
    tries: numberOf(row, "tries"),
    ...(typeof error === "string" && { error }),
  };
}
