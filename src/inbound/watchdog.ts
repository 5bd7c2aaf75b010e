/**
 * Owns: the watchdog. An alarm that the platform lost would leave a turn asleep for ever, so the inbox's index of when
 * each session should wake is looked through now and then, and whoever is overdue is asked, which sets it going again.
 */

import { Hono } from "hono";
import { formatSessionId, type SessionKey } from "../core/ids.ts";
import { OVERDUE_AFTER_MS, OVERDUE_SESSIONS_A_SWEEP, PAGE_ITEMS_MAX } from "../core/limits.ts";
import { parkedQuerySchema } from "../core/requests.ts";
import { readQuery } from "./body.ts";
import type { Caller, Door } from "./door.ts";
import { needs } from "./keys.ts";
import { inboxOf, inEach } from "./lists.ts";

export function watchdogRoutes(door: Door): Hono<Caller> {
  const app = new Hono<Caller>();

  app.get("/health/overdue", needs("read"), async (context) => {
    // The inbox is needed here, and its absence is said.
    inboxOf(context, door);
    const overdue = await wakeOverdue(door, context.env, context.get("key").workspace);
    const sessions = overdue.slice(0, PAGE_ITEMS_MAX).map(formatSessionId);
    return context.json({ overdue: overdue.length, sessions });
  });

  app.get("/parked", needs("read"), async (context) => {
    const { by } = readQuery(context, parkedQuerySchema);
    const counts = await inboxOf(context, door).countParked(by);
    const items = await Promise.all(
      counts.map(async (count) => {
        if (count.agent === undefined || count.tool === undefined || count.schema === undefined)
          return count;
        const now = await door.schemaDigest(context.env, count.agent, count.tool);
        return { ...count, isChanged: now !== count.schema };
      }),
    );
    return context.json({ items });
  });

  return app;
}

/** Wakes whoever seems overdue in a workspace, and returns the sessions that really were. */
export async function wakeOverdue(
  door: Door,
  env: object,
  workspace: string,
): Promise<readonly SessionKey[]> {
  const inbox = door.openInbox(env, workspace);
  if (inbox === undefined) return [];
  const before = door.now() - OVERDUE_AFTER_MS;
  const overdue: SessionKey[] = [];
  await inEach(await inbox.toWake(before, OVERDUE_SESSIONS_A_SWEEP), async (key) => {
    const { isOverdue, seq, wakeAt } = await door.openSession(env, workspace, key).checkWake();
    await inbox.noteWake(key, seq, wakeAt);
    if (isOverdue) overdue.push(key);
  });
  return overdue;
}
