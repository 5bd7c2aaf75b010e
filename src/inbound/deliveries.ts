/**
 * Owns: the routes of deliveries under `/v1`: what was to reach the outside of a session and failed, and its new tries.
 */

import { Hono } from "hono";
import type { z } from "zod";
import { parseId, type SessionKey } from "../core/ids.ts";
import { emptySchema, listDeliveriesQuerySchema } from "../core/requests.ts";
import { readBody, readQuery } from "./body.ts";
import type { Caller, CallerContext, Door } from "./door.ts";
import type { DeliveryView } from "../session/face.ts";
import { needs } from "./keys.ts";
import { inboxOf } from "./lists.ts";
import { invalidCursor, Problem, problemOf } from "./problem.ts";
import { faceOf, pathId, targetOf } from "./sessions.ts";

export function deliveryRoutes(door: Door): Hono<Caller> {
  const app = new Hono<Caller>();

  app.get("/deliveries", needs("read"), async (context) => {
    const query = readQuery(context, listDeliveriesQuerySchema);
    const from = query.cursor === undefined ? undefined : placeOf(query.cursor);
    const found =
      query.sessionId === undefined
        ? await failedOfWorkspace(context, door, query, from)
        : await deliveriesOfSession(context, door, query, query.sessionId, from);
    const items = found.slice(0, query.limit);
    const nextCursor = found.length > query.limit ? (items.at(-1)?.id ?? null) : null;
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

type Query = z.output<typeof listDeliveriesQuerySchema>;
/** A delivery, behind which the next page begins. */
type Place = NonNullable<ReturnType<typeof parseId>>;

function placeOf(cursor: string): Place {
  const place = parseId("delivery", cursor);
  if (place === undefined) throw invalidCursor();
  return place;
}

/** One more than shown tells whether a page follows. */
async function deliveriesOfSession(
  context: CallerContext,
  door: Door,
  { status, limit }: Query,
  sessionId: string,
  from: Place | undefined,
): Promise<readonly DeliveryView[]> {
  const target = await targetOf(sessionId);
  if (from !== undefined && from.key !== target.key) throw invalidCursor();
  const filter = { status, after: from?.n ?? 0, limit: limit + 1 };
  const read = await faceOf(context, door, target.key).readDeliveries(filter);
  if (read.ok) return read.value;
  // A name that no session has yet is no mistake; an id that nobody was given is one.
  if (target.mustExist) throw problemOf(read.refusal);
  return [];
}

/** Sessions that are asked at once. */
const AT_ONCE = 16;

/** The inbox knows in which sessions something was given up; what it was, each of them says itself. */
async function failedOfWorkspace(
  context: CallerContext,
  door: Door,
  { status, limit }: Query,
  from: Place | undefined,
): Promise<readonly DeliveryView[]> {
  if (status !== "failed")
    throw new Problem("invalid_request", "Of a whole workspace what failed is listed.", {
      issues: [
        {
          path: "sessionId",
          message: "is missing: with another status than failed it must name a session",
        },
      ],
    });
  const inbox = inboxOf(context, door);
  const read = async (key: SessionKey, after: number): Promise<readonly DeliveryView[]> => {
    const filter = { status, after, limit: limit + 1 };
    const outcome = await faceOf(context, door, key).readDeliveries(filter);
    return outcome.ok ? outcome.value : [];
  };
  const found = from === undefined ? [] : [...(await read(from.key, from.n))];
  for (let after: string = from?.key ?? ""; found.length <= limit;) {
    const keys = await inbox.failing(after, AT_ONCE);
    const lists = await Promise.all(keys.map((key) => read(key, 0)));
    found.push(...lists.flat());
    const last = keys.at(-1);
    if (last === undefined || keys.length < AT_ONCE) break;
    after = last;
  }
  return found;
}
