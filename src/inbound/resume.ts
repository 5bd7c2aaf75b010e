/**
 * Owns: `POST /v1/resume`: parked turns whose wait is over go on, for agents that don't let them go on by themselves.
 */

import { Hono } from "hono";
import type { SessionKey } from "../core/ids.ts";
import { resumeParkedSchema } from "../core/requests.ts";
import { resumeSessions } from "../session/face.ts";
import { readBody } from "./body.ts";
import type { Caller, CallerContext, Door } from "./door.ts";
import { needs } from "./keys.ts";
import { withAnswerUrls } from "./links.ts";
import { inboxOf } from "./lists.ts";
import { problemOf } from "./problem.ts";
import { faceOf, targetOf } from "./sessions.ts";
import { checkedExtraBody } from "./turns.ts";

export function resumeRoutes(door: Door): Hono<Caller> {
  const app = new Hono<Caller>();

  app.post("/resume", needs("run"), async (context) => {
    const { sessionId, ...request } = await readBody(context, resumeParkedSchema);
    checkedExtraBody(
      request.extraBody,
      door.extraBodyBytes(context.env, door.defaultAgent(context.env)),
    );
    const sessions =
      sessionId === undefined
        ? await inboxOf(context, door).readySessions(door.now())
        : [await sessionKeyOf(context, door, sessionId)];
    const open = (key: SessionKey) => faceOf(context, door, key);
    return context.json(
      await resumeSessions(sessions, open, request, {
        // A request is not held open for as long as a turn may take: one that goes on is shown as such.
        rest: (_face, turn) => withAnswerUrls(context, door, turn),
        settled: () => Promise.resolve(),
      }),
    );
  });

  return app;
}

/** A name that no session has yet is no mistake; an id that nobody was given is one. */
async function sessionKeyOf(
  context: CallerContext,
  door: Door,
  session: string,
): Promise<SessionKey> {
  const { key, mustExist } = await targetOf(session);
  const read = mustExist ? await faceOf(context, door, key).readSession(1) : undefined;
  if (read?.ok === false) throw problemOf(read.refusal);
  return key;
}
