/**
 * Owns: the routes of deliveries under `/v1`: what was to reach the outside of a session and failed, and its new tries.
 */

import { Hono } from "hono";
import { parseId } from "../core/ids.ts";
import { emptySchema, listDeliveriesQuerySchema } from "../core/requests.ts";
import { readBody, readQuery } from "./body.ts";
import type { Caller, Door } from "./door.ts";
import { needs } from "./keys.ts";
import { Problem, problemOf } from "./problem.ts";
import { faceOf, pathId, targetOf } from "./sessions.ts";

export function deliveryRoutes(door: Door): Hono<Caller> {
  const app = new Hono<Caller>();

  app.get("/deliveries", needs("read"), async (context) => {
    const { sessionId, status, limit, cursor } = readQuery(context, listDeliveriesQuerySchema);
    const target = await targetOf(sessionId);
    const from = cursor === undefined ? undefined : parseId("delivery", cursor);
    if (cursor !== undefined && from?.key !== target.key)
      throw new Problem("invalid_cursor", "Take the cursor from nextCursor of the page before.");
    const read = await faceOf(context, door, target.key).readDeliveries({
      status,
      after: from?.n ?? 0,
      // One more than shown tells whether a page follows.
      limit: limit + 1,
    });
    // A name that no session has yet is no mistake; an id that nobody was given is one.
    if (!read.ok && target.mustExist) throw problemOf(read.refusal);
    const found = read.ok ? read.value : [];
    const items = found.slice(0, limit);
    const nextCursor = found.length > limit ? (items.at(-1)?.id ?? null) : null;
    return context.json({ items, nextCursor });
  });

  app.post("/deliveries/:id/retry", needs("run"), async (context) => {
    const { key, n } = pathId(context, "delivery");
    await readBody(context, emptySchema);
    const retried = await faceOf(context, door, key).retryDelivery(n);
    if (!retried.ok) throw problemOf(retried.refusal);
    return context.json(retried.value);
  });

  return app;
}
