/**
 * Owns: the table of chores. It is made by the first chore: most sessions have none, and an empty table takes a page.
 * A chore is deleted when it is done; a delivery stays, so that its question can show what became of it, and so does
 * whatever was given up.
 */

import * as z from "zod";
import type { Chore, ChoreContent, Deliver, DeliveryChore } from "../core/chore.ts";
import type { JsonObject } from "../core/json.ts";
import { type Database, isThere, numberOf, type Row, textOf } from "./database.ts";

const TABLE = `CREATE TABLE IF NOT EXISTS chores (
  n INTEGER PRIMARY KEY,
  state TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  sent_at INTEGER,
  error TEXT,
  reference TEXT,
  content TEXT NOT NULL
) STRICT`;
const COLUMNS = "n, state, due_at, tries, sent_at, error, reference, content";

const contentSchema = z.custom<ChoreContent>(
  (value) => typeof value === "object" && value !== null,
);
const referenceSchema = z.custom<JsonObject>(
  (value) => typeof value === "object" && value !== null,
);

export function hasChores(database: Database): boolean {
  return isThere(database, "chores");
}

export function insertChore(database: Database, chore: Chore): void {
  database.run(TABLE);
  database.run(
    "INSERT INTO chores (n, state, due_at, tries, content) VALUES (?, 'due', ?, ?, ?)",
    chore.n,
    chore.dueAt,
    chore.tries,
    JSON.stringify(chore.content),
  );
}

/** Makes a chore due that is there already, with what it has to tell now. */
export function reviveChore(database: Database, { n, dueAt, tries, content }: Chore): void {
  database.run(
    "UPDATE chores SET state = 'due', due_at = ?, tries = ?, content = ? WHERE n = ?",
    dueAt,
    tries,
    JSON.stringify(content),
    n,
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

/** Notes what was sent, with what is left to tell. */
export function noteSent(
  database: Database,
  { n, dueAt, tries, content }: Chore<Deliver>,
  at: number,
  reference: JsonObject | undefined,
): void {
  database.run(
    `UPDATE chores SET state = ?, due_at = ?, tries = ?, sent_at = COALESCE(sent_at, ?), error = NULL,
       reference = COALESCE(?, reference), content = ? WHERE n = ?`,
    content.notices.length === 0 ? "sent" : "due",
    dueAt,
    tries,
    at,
    reference === undefined ? null : JSON.stringify(reference),
    JSON.stringify(content),
    n,
  );
}

/** All that has to be done, now or later. */
export function readDueChores(database: Database): Chore[] {
  const rows = database.run(`SELECT ${COLUMNS} FROM chores WHERE state = 'due'`);
  return Array.from(rows, choreOf);
}

/** The deliveries of these numbers, in order. One that was dropped, since nobody needed it any more, is missing. */
export function readDeliveries(database: Database, numbers: readonly number[]): DeliveryChore[] {
  const rows = database.run(
    `SELECT ${COLUMNS} FROM chores WHERE n IN (SELECT value FROM json_each(?)) ORDER BY n`,
    JSON.stringify(numbers),
  );
  return Array.from(rows, stateOf).filter(isDelivery);
}

/** A chore with how far it has come. */
export type ChoreState = Chore & Omit<DeliveryChore, keyof Chore>;

function isDelivery(chore: ChoreState): chore is ChoreState & DeliveryChore {
  return chore.content.kind === "deliver";
}

/** The kinds of chores that reach somebody outside. */
const LISTED = "'deliver', 'callback', 'result'";

/** What was to reach the outside, by its state, from after the number `after`. */
export function readChores(
  database: Database,
  state: ChoreState["state"] | "all",
  after: number,
  limit: number,
): ChoreState[] {
  const rows = database.run(
    `SELECT ${COLUMNS} FROM chores
     WHERE n > ?1 AND (?2 = 'all' OR state = ?2) AND content ->> 'kind' IN (${LISTED})
     ORDER BY n LIMIT ?3`,
    after,
    state,
    limit,
  );
  return Array.from(rows, stateOf);
}

/** Whether one of those that are listed was given up. */
export function hasFailedChores(database: Database): boolean {
  const found = database.run(
    `SELECT 1 FROM chores WHERE state = 'failed' AND content ->> 'kind' IN (${LISTED}) LIMIT 1`,
  );
  return found.toArray().length > 0;
}

export function readChore(database: Database, n: number): ChoreState | undefined {
  return Array.from(database.run(`SELECT ${COLUMNS} FROM chores WHERE n = ?`, n), stateOf)[0];
}

function choreOf(row: Row): Chore {
  return {
    n: numberOf(row, "n"),
    dueAt: numberOf(row, "due_at"),
    tries: numberOf(row, "tries"),
    content: contentSchema.parse(JSON.parse(textOf(row, "content"))),
  };
}

function stateOf(row: Row): ChoreState {
  const state = textOf(row, "state");
  return {
    ...choreOf(row),
    state: state === "sent" || state === "failed" ? state : "due",
    ...(row["sent_at"] !== null && { sentAt: numberOf(row, "sent_at") }),
    ...(row["error"] !== null && { error: textOf(row, "error") }),
    ...(row["reference"] !== null && {
      reference: referenceSchema.parse(JSON.parse(textOf(row, "reference"))),
    }),
  };
}
