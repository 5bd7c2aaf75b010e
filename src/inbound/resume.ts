/**
 * Owns: `POST /v1/resume`: parked turns whose wait is over go on, for agents that don't let them go on by themselves.
 */

import { Hono } from "hono";
import { parseId, type SessionKey } from "../core/ids.ts";
import { PAGE_ITEMS_MAX } from "../core/limits.ts";
import { resumeParkedSchema } from "../core/requests.ts";
import { resumeSessions } from "../session/face.ts";
import { readBody } from "./body.ts";
import type { Caller, CallerContext, Door } from "./door.ts";
import { needs } from "./keys.ts";
import { inboxOf } from "./lists.ts";
import { faceOf, targetOf } from "./sessions.ts";
import { checkedExtraBody } from "./turns.ts";

export function resumeRoutes(door: Door): Hono<Caller> {
  const app = new Hono<Caller>();

  app.post("/resume", needs("run"), async (context) => {
    const { sessionId, limit, extraBody } = await readBody(context, resumeParkedSchema);
    checkedExtraBody(extraBody, door.extraBodyBytes(context.env, door.defaultAgent(context.env)));
    const sessions =
      sessionId === undefined
        ? await parkedSessions(context, door)
        : [(await targetOf(sessionId)).key];
    const open = (key: SessionKey) => faceOf(context, door, key);
    return context.json(
      await resumeSessions(sessions, open, limit, extraBody, () => Promise.resolve()),
    );
  });

  return app;
}

async function parkedSessions(context: CallerContext, door: Door): Promise<SessionKey[]> {
  const items = await inboxOf(context, door).list({
    kind: "turn",
    status: "parked",
    limit: PAGE_ITEMS_MAX,
  });
  return [...new Set(items.flatMap(({ id }) => parseId("turn", id)?.key ?? []))];
}
