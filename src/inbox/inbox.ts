/**
 * Owns: one shard of a workspace's inbox: the list of its sessions, and of their questions and turns. A projection that
 * sessions feed; it answers lists and decides nothing (I10).
 */

import { DurableObject } from "cloudflare:workers";
import type { SessionKey } from "../core/ids.ts";
import {
  inOrder,
  type InboxFilter,
  type InboxItem,
  type InboxKind,
  type InboxReport,
  type ParkedBy,
  type ParkedCount,
  STATUSES_OF,
} from "../core/inbox.ts";
import type { JsonObject } from "../core/json.ts";
import { METRICS_QUESTIONS } from "../core/limits.ts";
import type { ShardFigures } from "../core/metrics.ts";
import { hasTables, prepareTables } from "./tables.ts";

const WAITING_CALLS = `
  SELECT items.id, items.agent, call.value ->> 'toolName' AS tool, call.value ->> 'schema' AS schema
  FROM items, json_each(json_array(json_extract(view, '$.pending.approvals'), json_extract(view, '$.pending.calls'))) list,
    json_each(list.value) call
  WHERE items.kind = 'turn' AND items.status = 'parked'`;

/** The counts of parked turns. A turn that waits for two calls of a tool depends on it once. */
const PARKED: Readonly<Record<ParkedBy, string>> = {
  agent:
    "SELECT agent, COUNT(*) AS parked FROM items WHERE kind = 'turn' AND status = 'parked' GROUP BY agent",
  tool: `SELECT agent, tool, schema, COUNT(DISTINCT id) AS parked FROM (${WAITING_CALLS}) GROUP BY agent, tool, schema`,
  version: `SELECT version, COUNT(*) AS parked FROM items JOIN sessions ON sessions.key = substr(items.id, 6, 24)
    WHERE items.kind = 'turn' AND items.status = 'parked' GROUP BY version`,
};

/** Times are in the views, as text: as milliseconds here, like every other time. */
const FIGURES = `
  SELECT
    (SELECT COUNT(*) FROM sessions) AS sessions,
    (SELECT COALESCE(SUM(wakes), 0) FROM sessions) AS wakes,
    (SELECT COALESCE(SUM(rows_written), 0) FROM sessions) AS rowsWritten,
    (SELECT COUNT(*) FROM sessions WHERE wake_at < ?) AS overdueSessions,
    (SELECT COUNT(*) FROM items WHERE kind = 'question' AND status = 'waiting') AS openQuestions,
    (SELECT COUNT(*) FROM items WHERE kind = 'turn' AND status = 'parked') AS parkedTurns,
    (SELECT SUM(ROUND(unixepoch(view ->> 'updatedAt', 'subsec') * 1000)) FROM items
      WHERE kind = 'turn' AND status = 'parked') AS parkedSince`;

/** The questions that were asked last and that a person answered. */
const ANSWERED = `
  SELECT created_at AS asked, view ->> 'answeredAt' AS answered FROM items
  WHERE kind = 'question' AND status = 'answered' AND view ->> 'answeredVia' <> 'default'
  ORDER BY created_at DESC, id DESC LIMIT ?`;

const NO_FIGURES: ShardFigures = {
  sessions: 0,
  openQuestions: 0,
  parkedTurns: 0,
  parkedMs: 0,
  overdueSessions: 0,
  answerMs: [],
  wakes: 0,
  rowsWritten: 0,
};

export class InboxObject extends DurableObject {
  #hasTables = false;

  /** Takes in what a session tells. A report that is older than one before it is ignored. */
  tell(report: InboxReport): void {
    const { sql } = this.ctx.storage;
    this.ctx.storage.transactionSync(() => {
      this.#ready();
      const taken = sql.exec(
        `INSERT INTO sessions (key, seq, version, wake_at, wakes, rows_written) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (key) DO UPDATE SET seq = excluded.seq, version = excluded.version, wake_at = excluded.wake_at,
           wakes = wakes + excluded.wakes, rows_written = rows_written + excluded.rows_written
         WHERE sessions.seq <= excluded.seq RETURNING key`,
        report.session,
        report.seq,
        report.version,
        report.wakeAt ?? null,
        report.did?.wakes ?? 0,
        report.did?.rows ?? 0,
      );
      if (taken.toArray().length === 0) return;
      if (report.hasFailed !== undefined)
        sql.exec(
          report.hasFailed
            ? "INSERT OR IGNORE INTO failing (session) VALUES (?)"
            : "DELETE FROM failing WHERE session = ?",
          report.session,
        );
      this.#erase(report);
      for (const item of report.items) this.#put(item);
    });
  }

  list(filter: InboxFilter): readonly InboxItem[] {
    if (this.#isEmpty) return [];
    if (filter.status !== "all") return this.#listOf(filter, filter.status);
    // Status by status, each in the order of the index: all at once would be sorted, however many there are.
    const lists = STATUSES_OF[filter.kind].map((status) => this.#listOf(filter, status));
    return lists.flat().sort(inOrder).slice(0, filter.limit);
  }

  /** The sessions of this shard, by their keys, from after `after`. */
  sessions(after: string, limit: number): readonly string[] {
    if (this.#isEmpty) return [];
    return this.ctx.storage.sql
      .exec<{ key: string }>(
        "SELECT key FROM sessions WHERE key > ? ORDER BY key LIMIT ?",
        after,
        limit,
      )
      .toArray()
      .map(({ key }) => key);
  }

  /** The sessions of this shard that could not reach somebody, by their keys, from after `after`. */
  failing(after: string, limit: number): readonly string[] {
    if (this.#isEmpty) return [];
    return this.ctx.storage.sql
      .exec<{ session: string }>(
        "SELECT session FROM failing WHERE session > ? ORDER BY session LIMIT ?",
        after,
        limit,
      )
      .toArray()
      .map(({ session }) => session);
  }

  /** Sessions that should have woken by themselves before a time, as far as they told, longest overdue first. */
  toWake(before: number, limit: number): readonly string[] {
    if (this.#isEmpty) return [];
    return this.ctx.storage.sql
      .exec<{ key: string }>(
        "SELECT key FROM sessions WHERE wake_at < ? ORDER BY wake_at LIMIT ?",
        before,
        limit,
      )
      .toArray()
      .map(({ key }) => key);
  }

  /** What a session said when it was asked; a report of later commits knows better. */
  noteWake(session: SessionKey, seq: number, wakeAt: number | undefined): void {
    this.#ready();
    this.ctx.storage.sql.exec(
      "UPDATE sessions SET wake_at = ? WHERE key = ? AND seq <= ?",
      wakeAt ?? null,
      session,
      seq,
    );
  }

  /** How many turns are parked, by what a deploy may change under them. */
  countParked(by: ParkedBy): readonly ParkedCount[] {
    if (this.#isEmpty) return [];
    const rows = this.ctx.storage.sql.exec(PARKED[by]);
    return Array.from(
      rows,
      (row) =>
        Object.fromEntries(
          Object.entries(row).filter(([, value]) => value !== null),
        ) as unknown as ParkedCount,
    );
  }

  /** Figures of what is stored. Nothing is written for them. */
  figures(now: number, overdueBefore: number): ShardFigures {
    if (this.#isEmpty) return NO_FIGURES;
    const { sql } = this.ctx.storage;
    const counted = sql
      .exec<Omit<ShardFigures, "answerMs" | "parkedMs"> & { parkedSince: number | null }>(
        FIGURES,
        overdueBefore,
      )
      .one();
    const { parkedSince, ...counts } = counted;
    const answered = sql
      .exec<{ asked: number; answered: string }>(ANSWERED, METRICS_QUESTIONS)
      .toArray();
    return {
      ...counts,
      parkedMs: counts.parkedTurns * now - (parkedSince ?? 0),
      answerMs: answered.map(({ asked, answered: at }) => Date.parse(at) - asked),
    };
  }

  /** Forgets the items of this shard, so that its sessions can tell them anew; their list stays. */
  clear(): void {
    this.#ready();
    this.ctx.storage.sql.exec("DELETE FROM items");
    this.ctx.storage.sql.exec("DELETE FROM failing");
    this.ctx.storage.sql.exec("UPDATE sessions SET seq = 0");
  }

  /** Whether nothing was ever told here: who only reads makes no tables. */
  get #isEmpty(): boolean {
    if (!this.#hasTables && hasTables(this.ctx.storage.sql)) this.#ready();
    return !this.#hasTables;
  }

  #ready(): void {
    if (this.#hasTables) return;
    prepareTables(this.ctx.storage);
    this.#hasTables = true;
  }

  /** The session itself stays known: a report of before the erasure that comes late must still be known as old. */
  #erase({ session, erased }: InboxReport): void {
    const { sql } = this.ctx.storage;
    if (erased !== "all") {
      for (const id of erased ?? []) sql.exec("DELETE FROM items WHERE id = ?", id);
      return;
    }
    // Ids begin with their session's key, in hex digits: "g" is behind them all.
    for (const kind of ["turn", "q"])
      sql.exec(
        "DELETE FROM items WHERE id >= ? AND id < ?",
        `${kind}_${session}`,
        `${kind}_${session}g`,
      );
  }

  #listOf(filter: InboxFilter, status: string): InboxItem[] {
    const conditions = ["kind = ?", "status = ?"];
    const bindings: (string | number)[] = [filter.kind, status];
    const where = (condition: string, ...values: (string | number)[]) => {
      conditions.push(condition);
      bindings.push(...values);
    };
    if (filter.agent !== undefined) where("agent = ?", filter.agent);
    if (filter.questionKind !== undefined) where("question_kind = ?", filter.questionKind);
    if (filter.to !== undefined)
      where("instr(char(10) || recipient || char(10), char(10) || ? || char(10)) > 0", filter.to);
    if (filter.createdBefore !== undefined) where("created_at <= ?", filter.createdBefore);
    if (filter.after !== undefined)
      where("(created_at, id) > (?, ?)", filter.after.at, filter.after.id);
    const rows = this.ctx.storage.sql.exec<ItemRow>(
      `SELECT * FROM items WHERE ${conditions.join(" AND ")} ORDER BY created_at, id LIMIT ?`,
      ...bindings,
      filter.limit,
    );
    return Array.from(rows, itemOf);
  }

  #put(item: InboxItem): void {
    this.ctx.storage.sql.exec(
      `INSERT INTO items (id, kind, created_at, status, agent, question_kind, recipient, view)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET status = excluded.status, recipient = excluded.recipient, view = excluded.view`,
      item.id,
      item.kind,
      item.createdAt,
      item.status,
      item.agent,
      item.questionKind,
      item.to,
      JSON.stringify(item.view),
    );
  }
}

interface ItemRow extends Record<string, SqlStorageValue> {
  id: string;
  kind: string;
  created_at: number;
  status: string;
  agent: string;
  question_kind: string;
  recipient: string;
  view: string;
}

function itemOf(row: ItemRow): InboxItem {
  return {
    id: row.id,
    kind: row.kind as InboxKind,
    createdAt: row.created_at,
    status: row.status,
    agent: row.agent,
    questionKind: row.question_kind,
    to: row.recipient,
    view: JSON.parse(row.view) as JsonObject,
  };
}
