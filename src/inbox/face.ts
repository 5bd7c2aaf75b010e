/**
 * Owns: the one door to a workspace's inbox: which shard keeps what, and one list out of several.
 */

import { parseId, type SessionKey } from "../core/ids.ts";
import {
  inOrder,
  type InboxFilter,
  type InboxItem,
  type InboxPlace,
  type InboxReport,
  joinCounts,
  type ParkedBy,
  type ParkedCount,
  shardOf,
} from "../core/inbox.ts";
import type { JsonObject } from "../core/json.ts";
import { PAGE_ITEMS_MAX } from "../core/limits.ts";
import { joinFigures, type Metrics, type ShardFigures } from "../core/metrics.ts";
import { objectAt, type Placement } from "../core/placement.ts";
import type { InboxObject } from "./inbox.ts";

export interface InboxFace {
  tell(report: InboxReport): Promise<void>;
  /** Items of all shards, in order. */
  list(filter: InboxFilter): Promise<readonly InboxItem[]>;
  /**
   * The sessions of parked turns that wait for nothing any more, or whose time to wait is over: those that go on only
   * when they are told to. One that failed to go on is among them once its delay is over.
   */
  readySessions(now: number): Promise<readonly SessionKey[]>;
  /** Every session that any shard knows. */
  sessions(): Promise<readonly SessionKey[]>;
  clear(): Promise<void>;
  /** Sessions in which something was given up that was to reach the outside, by their keys, from after `after`. */
  failing(after: string, limit: number): Promise<readonly SessionKey[]>;
  /** Sessions that should have woken by themselves before a time, as far as they told. */
  toWake(before: number, limit: number): Promise<readonly SessionKey[]>;
  noteWake(session: SessionKey, seq: number, wakeAt: number | undefined): Promise<void>;
  countParked(by: ParkedBy): Promise<readonly ParkedCount[]>;
  /** The figures of all shards; a session is overdue that should have woken before a time. */
  metrics(now: number, overdueBefore: number): Promise<Metrics>;
}

/** The object's methods as they are called from outside. The stub's own types give up on recursive JSON. */
interface Remote {
  tell(report: InboxReport): Promise<void>;
  list(filter: InboxFilter): Promise<readonly InboxItem[]>;
  sessions(after: string, limit: number): Promise<readonly string[]>;
  clear(): Promise<void>;
  failing(after: string, limit: number): Promise<readonly string[]>;
  toWake(before: number, limit: number): Promise<readonly string[]>;
  noteWake(session: SessionKey, seq: number, wakeAt: number | undefined): Promise<void>;
  countParked(by: ParkedBy): Promise<readonly ParkedCount[]>;
  figures(now: number, overdueBefore: number): Promise<ShardFigures>;
}

const SESSIONS_A_CALL = 1_000;

/** `shards` is how many objects share the workspace's sessions; another number is another set of objects. */
export function openInbox(
  namespace: DurableObjectNamespace<InboxObject>,
  workspace: string,
  shards: number,
  placement: Placement,
): InboxFace {
  const shard = (n: number): Remote =>
    objectAt(namespace, `${workspace}/${shards}/${n}`, placement) as unknown as Remote;
  const every = Array.from({ length: shards }, (_, n) => n);
  const list = async (filter: InboxFilter): Promise<readonly InboxItem[]> => {
    const lists = await Promise.all(every.map((n) => shard(n).list(filter)));
    return lists.flat().sort(inOrder).slice(0, filter.limit);
  };
  return {
    list,
    readySessions: (now) => readySessions(list, now),
    tell: (report) => shard(shardOf(report.session, shards)).tell(report),
    sessions: async () => {
      const lists = await Promise.all(every.map((n) => allSessions(shard(n))));
      return lists.flat();
    },
    failing: async (after, limit) => {
      const lists = await Promise.all(every.map((n) => shard(n).failing(after, limit)));
      return lists.flat().sort().slice(0, limit);
    },
    toWake: async (before, limit) => {
      const lists = await Promise.all(every.map((n) => shard(n).toWake(before, limit)));
      return lists.flat().slice(0, limit);
    },
    noteWake: (session, seq, wakeAt) =>
      shard(shardOf(session, shards)).noteWake(session, seq, wakeAt),
    countParked: async (by) => {
      const counts = await Promise.all(every.map((n) => shard(n).countParked(by)));
      return joinCounts(counts.flat());
    },
    metrics: async (now, overdueBefore) =>
      joinFigures(await Promise.all(every.map((n) => shard(n).figures(now, overdueBefore)))),
    clear: async () => {
      await Promise.all(every.map((n) => shard(n).clear()));
    },
  };
}

/** Reads all pages: the turns that are ready may stand behind any number of those that still wait. */
async function readySessions(list: InboxFace["list"], now: number): Promise<SessionKey[]> {
  const ready = new Set<SessionKey>();
  for (let after: InboxPlace | undefined; ;) {
    const page = await list({
      kind: "turn",
      status: "parked",
      limit: PAGE_ITEMS_MAX,
      ...(after !== undefined && { after }),
    });
    for (const { id, view } of page) {
      const key = parseId("turn", id)?.key;
      if (key !== undefined && isReady(view, now)) ready.add(key);
    }
    const last = page.at(-1);
    if (page.length < PAGE_ITEMS_MAX || last === undefined) return [...ready];
    after = { at: last.createdAt, id: last.id };
  }
}

function isReady({ waitingFor, nextRetryAt }: JsonObject, now: number): boolean {
  const isPast = (time: unknown) => typeof time === "string" && Date.parse(time) <= now;
  if (nextRetryAt !== undefined) return isPast(nextRetryAt);
  const waits = Array.isArray(waitingFor) ? (waitingFor as readonly JsonObject[]) : [];
  return waits.every(({ until }) => isPast(until));
}

async function allSessions(remote: Remote): Promise<SessionKey[]> {
  const all: SessionKey[] = [];
  for (let after = ""; ;) {
    const page = await remote.sessions(after, SESSIONS_A_CALL);
    all.push(...page);
    const last = page.at(-1);
    if (page.length < SESSIONS_A_CALL || last === undefined) return all;
    after = last;
  }
}
