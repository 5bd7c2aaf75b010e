/**
 * Owns: the append-only journal. A commit's facts are one row for each turn that they concern; a text too large for one
 * row goes on in later rows of that turn. Does not own: what facts mean (`core/turn.ts`).
 *
 * One counter numbers the rows and all that they create, so a turn bears the number of its first row.
 */

import * as z from "zod";
import { type Fact, factsSchema, type TurnStarted } from "../core/event.ts";
import { ROW_TEXT_UNITS } from "../core/limits.ts";
import { type Database, numberOf, type Row, textOf } from "./database.ts";
import { createIdempotencyIndex, hasIdempotencyIndex, JOURNAL_VERSION } from "./schema.ts";

/** What the last row says of the session, so that waking reads one row and the open turns. */
const headSchema = z.object({
  version: z.literal(JOURNAL_VERSION),
  /** The next number of the session's counter. */
  next: z.int(),
  /** Task ids given so far. */
  tasks: z.int(),
  /** Turns that are not settled, by their numbers, in order. */
  open: z.array(z.int()),
  /** Up to which number the inbox was told, as far as was known when this was written. */
  told: z.int(),
  /** Questions that wait for an answer. */
  waiting: z.int(),
  /** Questions that wait, and to which something happens by itself: a reminder, an escalation, their end. */
  timed: z.int(),
  /** Background tools that have no result yet, by their numbers. */
  beside: z.array(z.int()),
  /** When to look for settled turns that have been kept long enough, in milliseconds; absent where none ever will. */
  sweepAt: z.int().optional(),
  /** True where everything was deleted and nothing came since: the session is there no more. */
  erased: z.literal(true).optional(),
});
export type Head = z.output<typeof headSchema>;

export const EMPTY_HEAD: Head = {
  version: JOURNAL_VERSION,
  next: 1,
  tasks: 0,
  open: [],
  told: 0,
  waiting: 0,
  timed: 0,
  beside: [],
};

export interface Commit {
  readonly seq: number;
  readonly turn: number;
  readonly at: number;
  readonly facts: readonly Fact[];
}

/** The next free number of the session's counter. */
export type TakeNumber = () => number;

/**
 * Appends commits that belong to one transaction. `headOf` is asked once all numbers are taken. `idempotency` is the hash
 * of the Idempotency-Key of the request that starts the first commit's turn.
 */
export function append(
  database: Database,
  commits: readonly Commit[],
  idempotency: string | null,
  take: TakeNumber,
  headOf: () => Head,
): void {
  const rows = commits.flatMap((commit) => {
    // What could not be read again is never written: a defect costs an attempt then, and not the session.
    factsSchema.parse(commit.facts);
    const pieces = split(JSON.stringify(commit.facts));
    return pieces.map((facts, place) => ({
      commit,
      facts,
      seq: place === 0 ? commit.seq : take(),
      goesOn: place < pieces.length - 1,
    }));
  });
  const head = JSON.stringify(headOf());
  if (idempotency !== null) createIdempotencyIndex(database);
  for (const [place, { commit, facts, seq, goesOn }] of rows.entries())
    database.run(
      "INSERT INTO journal (seq, turn, at, idempotency, head, goes_on, facts) VALUES (?, ?, ?, ?, ?, ?, ?)",
      seq,
      commit.turn,
      commit.at,
      place === 0 ? idempotency : null,
      head,
      goesOn ? 1 : 0,
      facts,
    );
}

/** Pieces of at most ROW_TEXT_UNITS, never cut inside a surrogate pair. */
function split(text: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (text.length - from > ROW_TEXT_UNITS) {
    const to = from + ROW_TEXT_UNITS;
    const last = text.charCodeAt(to - 1);
    const cut = last >= 0xd800 && last <= 0xdbff ? to - 1 : to;
    pieces.push(text.slice(from, cut));
    from = cut;
  }
  pieces.push(text.slice(from));
  return pieces;
}

export function readHead(database: Database): Head {
  const row = database.run("SELECT head FROM journal ORDER BY seq DESC LIMIT 1").toArray()[0];
  return row === undefined ? EMPTY_HEAD : headSchema.parse(JSON.parse(textOf(row, "head")));
}

/** A turn's commits in order, lazily: it begins at the row whose number the turn bears. */
export function readTurn(database: Database, turn: number, from: number = turn): Generator<Commit> {
  return readCommits(
    database.run(
      "SELECT seq, turn, at, goes_on, facts FROM journal WHERE seq >= ? AND turn = ? ORDER BY seq",
      from,
      turn,
    ),
  );
}

/** How a turn began: its first row, however long it became. Undefined for a number that is no turn's. */
export function readStart(database: Database, turn: number): TurnStarted | undefined {
  for (const { facts } of readTurn(database, turn)) {
    const [first] = facts;
    return first?.type === "turn.started" ? first : undefined;
  }
  return undefined;
}

/** Whether a turn that had failed was driven on. */
export function wasRetried(database: Database, turn: number): boolean {
  for (const { facts } of readTurn(database, turn))
    if (facts.some(({ type }) => type === "turn.retried")) return true;
  return false;
}

/** All commits of a session, in order. */
export function readAll(database: Database): Generator<Commit> {
  return readCommits(
    database.run("SELECT seq, turn, at, goes_on, facts FROM journal ORDER BY seq"),
  );
}

interface CommitInParts {
  readonly seq: number;
  readonly turn: number;
  readonly at: number;
  text: string;
  goesOn: boolean;
}

/** In the order of their numbers: one that ends early waits for those that began before it and still go on. */
function* readCommits(rows: Iterable<Row>): Generator<Commit> {
  const begun: CommitInParts[] = [];
  for (const row of rows) {
    const turn = numberOf(row, "turn");
    let commit = begun.find((each) => each.turn === turn && each.goesOn);
    if (commit === undefined) {
      commit = { seq: numberOf(row, "seq"), turn, at: numberOf(row, "at"), text: "", goesOn: true };
      begun.push(commit);
    }
    commit.text += textOf(row, "facts");
    commit.goesOn = row["goes_on"] === 1;
    for (let [first] = begun; first !== undefined && !first.goesOn; [first] = begun) {
      begun.shift();
      const { seq, at, text } = first;
      yield { seq, turn: first.turn, at, facts: factsSchema.parse(JSON.parse(text)) };
    }
  }
}

/** The commit that a request made under an Idempotency-Key, if one did. */
export function findIdempotent(
  database: Database,
  idempotency: string,
): { readonly turn: number; readonly seq: number } | undefined {
  // Without the index no request ever brought a key, and looking for one would read the whole journal.
  if (!hasIdempotencyIndex(database)) return undefined;
  const row = database
    .run("SELECT turn, seq FROM journal WHERE idempotency = ?", idempotency)
    .toArray()[0];
  return row === undefined ? undefined : { turn: numberOf(row, "turn"), seq: numberOf(row, "seq") };
}

/** The numbers of a session's turns below `before`, newest first: a turn bears the number of its first row. */
export function readTurnNumbers(
  database: Database,
  limit: number,
  before: number = Number.MAX_SAFE_INTEGER,
): number[] {
  return database
    .run(
      "SELECT seq FROM journal WHERE turn = seq AND seq < ? ORDER BY seq DESC LIMIT ?",
      before,
      limit,
    )
    .toArray()
    .map((row) => numberOf(row, "seq"));
}

/** The turn that the session began with. */
export function readFirstTurn(database: Database): number | undefined {
  const row = database
    .run("SELECT turn FROM journal WHERE turn <> 0 ORDER BY seq LIMIT 1")
    .toArray()[0];
  return row === undefined ? undefined : numberOf(row, "turn");
}

/** Turns whose rows stand at or just before a number: a run's turn is among them, since a transaction numbers its rows and runs together. */
export function readTurnsBefore(database: Database, number: number, limit: number): number[] {
  const rows = database.run(
    "SELECT turn FROM journal WHERE seq <= ? ORDER BY seq DESC LIMIT ?",
    number,
    limit,
  );
  return [...new Set(Array.from(rows, (row) => numberOf(row, "turn")))];
}

/** The commits after a number, in order. */
export function readSince(database: Database, seq: number): Generator<Commit> {
  return readCommits(
    database.run(
      "SELECT seq, turn, at, goes_on, facts FROM journal WHERE seq > ? ORDER BY seq",
      seq,
    ),
  );
}

/**
 * The number of the first row of the transaction in which the row `seq` stands: from there on every commit is whole.
 * Undefined where there is no such row. The rows of one transaction bear the same head, and no two transactions do.
 */
export function readTransactionStart(database: Database, seq: number): number | undefined {
  let head: unknown;
  let start: number | undefined;
  const rows = database.run("SELECT seq, head FROM journal WHERE seq <= ? ORDER BY seq DESC", seq);
  for (const row of rows) {
    if (start === undefined && row["seq"] !== seq) return undefined;
    head ??= row["head"];
    if (row["head"] !== head) return start;
    start = numberOf(row, "seq");
  }
  return start;
}
