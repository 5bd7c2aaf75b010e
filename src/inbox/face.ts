/**
 * Owns: the one door to a workspace's inbox: which shard keeps what, and one list out of several.
 */

import type { SessionKey } from "../core/ids.ts";
import {
  inOrder,
  type InboxFilter,
  type InboxItem,
  type InboxReport,
  shardOf,
} from "../core/inbox.ts";
import type { InboxObject } from "./inbox.ts";

export interface InboxFace {
  tell(report: InboxReport): Promise<void>;
  /** Items of all shards, in order. */
  list(filter: InboxFilter): Promise<readonly InboxItem[]>;
  /** Every session that any shard knows. */
  sessions(): Promise<readonly SessionKey[]>;
  clear(): Promise<void>;
}

/** The object's methods as they are called from outside. The stub's own types give up on recursive JSON. */
interface Remote {
  tell(report: InboxReport): Promise<void>;
  list(filter: InboxFilter): Promise<readonly InboxItem[]>;
  sessions(after: string, limit: number): Promise<readonly string[]>;
  clear(): Promise<void>;
}

const SESSIONS_A_CALL = 1_000;

/** `shards` is how many objects share the workspace's sessions; another number is another set of objects. */
export function openInbox(
  namespace: DurableObjectNamespace<InboxObject>,
  workspace: string,
  shards: number,
): InboxFace {
  const shard = (n: number): Remote =>
    namespace.getByName(`${workspace}/${shards}/${n}`) as unknown as Remote;
  const every = Array.from({ length: shards }, (_, n) => n);
  return {
    tell: (report) => shard(shardOf(report.session, shards)).tell(report),
    list: async (filter) => {
      const lists = await Promise.all(every.map((n) => shard(n).list(filter)));
      return lists.flat().sort(inOrder).slice(0, filter.limit);
    },
    sessions: async () => {
      const lists = await Promise.all(every.map((n) => allSessions(shard(n))));
      return lists.flat();
    },
    clear: async () => {
      await Promise.all(every.map((n) => shard(n).clear()));
    },
  };
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
