/**
 * Owns: the tables of a session's object, and their versions. `docs/journal.md` shows a real row of each.
 *
 * Two tables at first: each takes a page of 4 KiB in every parked session, so one more has to earn it, and so has an index.
 */

import { type Database, isThere } from "./database.ts";

/** The version that this code writes; each commit's head carries the version of its row. */
export const JOURNAL_VERSION = 1;

const TABLES = [
  `CREATE TABLE journal (
    seq INTEGER PRIMARY KEY,
    turn INTEGER NOT NULL,
    at INTEGER NOT NULL,
    idempotency TEXT,
    head TEXT NOT NULL,
    goes_on INTEGER NOT NULL,
    facts TEXT NOT NULL
  ) STRICT`,
  `CREATE TABLE tasks (
    n INTEGER PRIMARY KEY,
    task INTEGER,
    turn INTEGER NOT NULL,
    step INTEGER NOT NULL,
    call INTEGER NOT NULL,
    agent TEXT,
    call_id TEXT,
    created_at INTEGER NOT NULL,
    status TEXT NOT NULL,
    settled_at INTEGER,
    late INTEGER NOT NULL DEFAULT 0,
    tries INTEGER NOT NULL DEFAULT 0,
    identity TEXT,
    settlement TEXT,
    life TEXT,
    content TEXT NOT NULL
  ) STRICT`,
];

/** False for a session that never committed: a read finds nothing, and makes nothing. */
export function hasTables(database: Database): boolean {
  return isThere(database, "journal");
}

/** By which the commit of a repeated request is found. It is made by the first request that brings an Idempotency-Key. */
export function createIdempotencyIndex(database: Database): void {
  database.run(
    "CREATE UNIQUE INDEX IF NOT EXISTS journal_idempotency ON journal (idempotency) WHERE idempotency IS NOT NULL",
  );
}

export function hasIdempotencyIndex(database: Database): boolean {
  return isThere(database, "journal_idempotency");
}

/** Runs inside the first commit's transaction. */
export function createTables(database: Database): void {
  for (const statement of TABLES) database.run(statement);
}
