/**
 * Owns: the table of chores. It is made by the first chore: most sessions have none, and an empty table takes a page.
 */

import { z } from "zod";
import type { Chore, ChoreContent } from "../core/chore.ts";
import { type Database, numberOf, type Row, textOf } from "./database.ts";

const TABLE = `CREATE TABLE IF NOT EXISTS chores (
  n INTEGER PRIMARY KEY,
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

export function insertChore(
  database: Database,
  n: number,
  content: ChoreContent,
  dueAt: number,
): void {
  database.run(TABLE);
  database.run(
    "INSERT INTO chores (n, due_at, tries, content) VALUES (?, ?, 0, ?)",
    n,
    dueAt,
    JSON.stringify(content),
  );
}

export function deleteChore(database: Database, n: number): void {
  database.run("DELETE FROM chores WHERE n = ?", n);
}

/** Puts a chore off after a failed try. */
export function delayChore(database: Database, n: number, dueAt: number, error: string): void {
  database.run(
    "UPDATE chores SET due_at = ?, tries = tries + 1, error = ? WHERE n = ?",
    dueAt,
    error,
    n,
  );
}

/** The chore that is due first. */
export function readNextChore(database: Database): Chore | undefined {
  return chores(
    database.run("SELECT n, due_at, tries, content FROM chores ORDER BY due_at, n LIMIT 1"),
  )[0];
}

function chores(rows: Iterable<Row>): Chore[] {
  return Array.from(rows, (row) => ({
    n: numberOf(row, "n"),
    dueAt: numberOf(row, "due_at"),
    tries: numberOf(row, "tries"),
    content: contentSchema.parse(JSON.parse(textOf(row, "content"))),
  }));
}
