/**
 * Owns: the table of questions and background tools. One row is inserted when it is asked or started, and updated when
 * it is settled, and whenever something happens to it on the way.
 */

import * as z from "zod";
import { type Life, nextDue } from "../core/life.ts";
import type { Settlement, TaskContent, TaskRecord } from "../core/task.ts";
import { type Database, numberOf, type Row, textOf } from "./database.ts";

const COLUMNS =
  "n, task, turn, step, call, agent, call_id, created_at, status, settled_at, late, tries, settlement, life, content";

const contentSchema = z.custom<TaskContent>((value) => typeof value === "object" && value !== null);
const lifeSchema = z.custom<Life>((value) => typeof value === "object" && value !== null);
const settlementSchema = z.custom<Settlement>(
  (value) => typeof value === "object" && value !== null,
);

export function insertTask(database: Database, record: TaskRecord): void {
  database.run(
    `INSERT INTO tasks (n, task, turn, step, call, agent, call_id, created_at, status, identity, life, content)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?, ?)`,
    record.n,
    record.task ?? null,
    record.turn,
    record.step,
    record.index,
    record.agent ?? null,
    record.callId ?? null,
    record.createdAt,
    record.identity ?? null,
    record.life === undefined ? null : JSON.stringify(record.life),
    JSON.stringify(record.content),
  );
}

export function settleTask(
  database: Database,
  n: number,
  settlement: Settlement,
  at: number,
  life?: Life,
): void {
  database.run(
    "UPDATE tasks SET status = ?, settled_at = ?, settlement = ?, life = COALESCE(?, life) WHERE n = ?",
    settlement.status,
    at,
    JSON.stringify(settlement),
    life === undefined ? null : JSON.stringify(life),
    n,
  );
}

export function writeLife(database: Database, n: number, life: Life): void {
  database.run("UPDATE tasks SET life = ? WHERE n = ?", JSON.stringify(life), n);
}

/** When something is due next of each waiting question to which something happens by itself. */
export function readTimers(database: Database): Map<number, number> {
  const rows = database.run(
    `SELECT n, created_at, life FROM tasks WHERE status = 'waiting' AND life ->> '$.terms' IS NOT NULL`,
  );
  const timers = new Map<number, number>();
  for (const row of rows) {
    const life = lifeSchema.parse(JSON.parse(textOf(row, "life")));
    const due = nextDue(numberOf(row, "created_at"), life);
    if (due !== undefined) timers.set(numberOf(row, "n"), due.at);
  }
  return timers;
}

/** Marks tasks on which a wait timed out: an answer that still comes is a late one. */
export function markLate(database: Database, tasks: readonly number[]): void {
  database.run(
    "UPDATE tasks SET late = 1 WHERE task IN (SELECT value FROM json_each(?)) AND status = 'waiting'",
    JSON.stringify(tasks),
  );
}

/** Counts that a background tool was begun again after its object died. */
export function countTry(database: Database, n: number): void {
  database.run("UPDATE tasks SET tries = tries + 1 WHERE n = ?", n);
}

export function readTask(database: Database, n: number): TaskRecord | undefined {
  return records(database.run(`SELECT ${COLUMNS} FROM tasks WHERE n = ?`, n))[0];
}

/** By the N of `task_N`. A task's number is never below its id's, which bounds what is read. */
export function readTaskById(database: Database, task: number): TaskRecord | undefined {
  return records(
    database.run(`SELECT ${COLUMNS} FROM tasks WHERE n >= ? AND task = ? LIMIT 1`, task, task),
  )[0];
}

/** The question that a tool's code asked before under the same identity. */
export function readTaskByIdentity(database: Database, identity: string): TaskRecord | undefined {
  return records(
    database.run(`SELECT ${COLUMNS} FROM tasks WHERE identity = ? LIMIT 1`, identity),
  )[0];
}

/** Whether a task is settled, without what it holds. */
export function readTaskState(
  database: Database,
  task: number,
): { readonly isSettled: boolean } | undefined {
  const statement = "SELECT status FROM tasks WHERE n >= ? AND task = ? LIMIT 1";
  const [row] = database.run(statement, task, task).toArray();
  return row === undefined ? undefined : { isSettled: textOf(row, "status") !== "waiting" };
}

/** What has a task id, newest first, one after another: all of them together may be large. */
export function* readTasks(database: Database, limit: number): Generator<TaskRecord> {
  const rows = database.run(
    `SELECT ${COLUMNS} FROM tasks WHERE task IS NOT NULL ORDER BY n DESC LIMIT ?`,
    limit,
  );
  for (const row of rows) yield recordOf(row);
}

/** The approvals of a tool that somebody answered or declined, oldest first. */
export function readDecidedApprovals(database: Database, toolName: string): TaskRecord[] {
  return records(
    database.run(
      `SELECT ${COLUMNS} FROM tasks
       WHERE status IN ('answered', 'declined') AND content ->> 'kind' = 'approval'
         AND content ->> 'toolName' = ? ORDER BY n`,
      toolName,
    ),
  );
}

export interface QuestionFilter {
  /** `all`, or one status. */
  readonly status: string;
  readonly kind?: string;
  readonly agent?: string;
  readonly to?: string;
  /** Asked at or before this time, in milliseconds since the epoch. */
  readonly createdBefore?: number;
  readonly after: number;
  readonly limit: number;
}

/** Questions in the order in which they were asked, from after the number `after`. */
export function readQuestions(database: Database, filter: QuestionFilter): TaskRecord[] {
  return records(
    database.run(
      `SELECT ${COLUMNS} FROM tasks
       WHERE n > ?1 AND (?2 = 'all' OR status = ?2) AND content ->> 'kind' != 'background'
         AND (?3 IS NULL OR content ->> 'kind' = ?3) AND (?4 IS NULL OR agent = ?4)
         AND (?5 IS NULL OR COALESCE(life ->> '$.to', content ->> '$.question.to') = ?5
           OR EXISTS (SELECT 1 FROM json_each(life, '$.recipients') WHERE value = ?5)) AND (?6 IS NULL OR created_at <= ?6)
       ORDER BY n LIMIT ?7`,
      filter.after,
      filter.status,
      filter.kind ?? null,
      filter.agent ?? null,
      filter.to ?? null,
      filter.createdBefore ?? null,
      filter.limit,
    ),
  );
}

/** Open questions that the turn's calls asked, awaited or not. */
export function readOpenTasksOfTurn(database: Database, turn: number): TaskRecord[] {
  return records(
    database.run(
      `SELECT ${COLUMNS} FROM tasks WHERE turn = ? AND status = 'waiting' ORDER BY n`,
      turn,
    ),
  );
}

function records(rows: Iterable<Row>): TaskRecord[] {
  return Array.from(rows, recordOf);
}

function recordOf(row: Row): TaskRecord {
  const settlement = row["settlement"];
  const life = row["life"];
  return {
    n: numberOf(row, "n"),
    ...(row["task"] !== null && { task: numberOf(row, "task") }),
    turn: numberOf(row, "turn"),
    step: numberOf(row, "step"),
    index: numberOf(row, "call"),
    ...(row["agent"] !== null && { agent: textOf(row, "agent") }),
    ...(row["call_id"] !== null && { callId: textOf(row, "call_id") }),
    createdAt: numberOf(row, "created_at"),
    content: contentSchema.parse(JSON.parse(textOf(row, "content"))),
    late: numberOf(row, "late") === 1,
    tries: numberOf(row, "tries"),
    ...(life !== null && { life: lifeSchema.parse(JSON.parse(textOf(row, "life"))) }),
    ...(settlement !== null && {
      settlement: {
        ...settlementSchema.parse(JSON.parse(textOf(row, "settlement"))),
        at: numberOf(row, "settled_at"),
      },
    }),
  };
}
