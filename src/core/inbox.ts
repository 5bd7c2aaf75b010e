/**
 * Owns: what the inbox of a workspace keeps of each session, and how its lists are filtered, ordered and paged. The
 * inbox is a projection: it may lag behind the sessions, and decides nothing (I10).
 */

import type { SessionKey } from "./ids.ts";
import type { JsonObject } from "./json.ts";
import { FAST_MS, TELL_AFTER_MS, TELL_FAST_AFTER_MS } from "./limits.ts";
import { QUESTION_STATUSES } from "./question.ts";
import { TURN_STATUSES } from "./turn.ts";

/** What is listed, with the statuses that it can have. */
export const STATUSES_OF = { question: QUESTION_STATUSES, turn: TURN_STATUSES } as const;
export type InboxKind = keyof typeof STATUSES_OF;

/** A question or a turn as a list shows it, with what lists are filtered by. */
export interface InboxItem {
  readonly kind: InboxKind;
  readonly id: string;
  readonly createdAt: number;
  readonly status: string;
  readonly agent: string;
  /** A question's kind; empty for a turn. */
  readonly questionKind: string;
  /** Who may answer a question, one name a line; empty where it is addressed to nobody, and for a turn. */
  readonly to: string;
  readonly view: JsonObject;
}

/** What a session tells: all that changed up to the number of its last commit. Told late or twice, it changes nothing. */
export interface InboxReport {
  readonly session: SessionKey;
  readonly seq: number;
  readonly items: readonly InboxItem[];
  /** The version of its journal's stored shapes. */
  readonly version: number;
  /** When the session has to wake by itself next, in milliseconds; absent where nothing is due ever. */
  readonly wakeAt?: number;
  /**
   * Whether something that was to reach the outside was given up, and stands there to be tried again; absent where that
   * is as it was told before.
   */
  readonly hasFailed?: boolean;
  /** What it did since it told last: alarms that woke it, and rows that it wrote. Told twice, it is counted twice. */
  readonly did?: { readonly wakes: number; readonly rows: number };
  /** Ids of what was erased; or everything that came before the items. */
  readonly erased?: readonly string[] | "all";
}

export interface InboxFilter {
  readonly kind: InboxKind;
  /** A status, or `all`. */
  readonly status: string;
  readonly agent?: string;
  readonly questionKind?: string;
  readonly to?: string;
  /** Created at or before this time, in milliseconds since the epoch. */
  readonly createdBefore?: number;
  readonly after?: InboxPlace;
  readonly limit: number;
}

/** A place in the order of a list: oldest first, then by id. */
export interface InboxPlace {
  readonly at: number;
  readonly id: string;
}

/** What parked turns can be counted by: what a deploy may change under them. */
export const PARKED_BY = ["agent", "tool", "version"] as const;
export type ParkedBy = (typeof PARKED_BY)[number];

/** So many parked turns that depend on the same. */
export interface ParkedCount {
  readonly agent?: string;
  /** A tool whose call waits, with the digest that its input schema had; a human tool has none. */
  readonly tool?: string;
  readonly schema?: string;
  /** The version of the journal's stored shapes. */
  readonly version?: number;
  readonly parked: number;
}

/** One count out of those of several shards. */
export function joinCounts(counts: readonly ParkedCount[]): ParkedCount[] {
  const joined = new Map<string, ParkedCount>();
  for (const { parked, ...by } of counts) {
    const key = JSON.stringify(by);
    joined.set(key, { ...by, parked: parked + (joined.get(key)?.parked ?? 0) });
  }
  return [...joined].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count);
}

/** Whether a session changes faster than people do, which last reported at `toldAt`, in milliseconds since the epoch. */
export function isFast(toldAt: number | undefined, now: number): boolean {
  return toldAt !== undefined && Math.abs(now - toldAt) < FAST_MS;
}

/**
 * Milliseconds from a commit until the session reports it. `random`, in [0, 1), spreads the reports: sessions that changed
 * at once don't stand in line before one shard.
 */
export function reportDelay(fast: boolean, random: number): number {
  return (fast ? TELL_FAST_AFTER_MS : TELL_AFTER_MS) * (1 + random / 4);
}

/** The shard that keeps a session's items. */
export function shardOf(session: SessionKey, shards: number): number {
  return Number.parseInt(session.slice(0, 8), 16) % shards;
}

export function inOrder(one: InboxItem, other: InboxItem): number {
  return one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1);
}
