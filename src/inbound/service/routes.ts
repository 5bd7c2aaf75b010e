/**
 * Owns: the routes of the Service, `/api/v1`. A thread is a session, and both surfaces show the same turns
 * and questions.
 */

import { Hono } from "hono";
import { formatId, parseId } from "../../core/ids.ts";
import { canonicalJson } from "../../core/json.ts";
import type { Outcome } from "../../core/refusal.ts";
import { type Message, messageSchema, runsQuerySchema, threadSchema } from "../../core/service.ts";
import { emptySchema } from "../../core/requests.ts";
import { readBatch } from "../batch.ts";
import { readBody, readIdempotencyKey, readQuery } from "../body.ts";
import type { Caller, CallerContext, Door } from "../door.ts";
import { idempotencyOf } from "../idempotency.ts";
import { callerName, needs } from "../keys.ts";
import { invalidCursor, Problem, problemOf } from "../problem.ts";
import {
  faceOf,
  freshTarget,
  pathId,
  type SessionTarget,
  targetOf,
  threadTarget,
} from "../sessions.ts";
import { entryJson, runJson, threadJson } from "./views.ts";

export function serviceRoutes(door: Door): Hono<Caller> {
  const app = new Hono<Caller>();

  app.use(async (context, next) => {
    const wanted = context.req.header("x-workspace-id");
    if (wanted !== undefined && wanted !== context.get("key").workspace)
      throw new Problem("forbidden", "The key does not belong to this workspace.");
    await next();
  });

  app.post("/threads", needs("run"), async (context) => {
    const idempotencyKey = readIdempotencyKey(context);
    const { session_id: session, ...message } = await readBody(context, threadSchema);
    const route = "POST /api/v1/threads";
    const target =
      session === undefined
        ? await freshTarget(context.get("key").id, route, idempotencyKey)
        : await targetOf(session);
    return startMessage(context, door, target, message, route, idempotencyKey);
  });

  app.get("/threads/:id", needs("read"), async (context) => {
    const target = threadTarget(context.req.param("id"));
    const thread = valueOf(await faceOf(context, door, target.key).readThread());
    return context.json(threadJson(thread, context.get("key").workspace));
  });

  app.get("/threads/:id/runs", needs("read"), async (context) => {
    const target = threadTarget(context.req.param("id"));
    const { limit, cursor } = readQuery(context, runsQuerySchema);
    const before = cursor === undefined ? undefined : readCursor(cursor, target.key);
    const read = await faceOf(context, door, target.key).readRuns(limit, before);
    if (!read.ok && read.refusal.code === "invalid_request") throw invalidCursor("next_cursor");
    const page = valueOf(read);
    return context.json({
      items: page.runs.map((run) => runJson(run, context.get("key").workspace)),
      next_cursor: page.next === undefined ? null : formatId("run", target.key, page.next),
    });
  });

  app.post("/threads/:id/inbox", needs("run"), async (context) => {
    const target = threadTarget(context.req.param("id"));
    const idempotencyKey = readIdempotencyKey(context);
    const message = await readBody(context, messageSchema);
    return startMessage(
      context,
      door,
      target,
      message,
      "POST /api/v1/threads/{id}/inbox",
      idempotencyKey,
    );
  });

  app.get("/threads/:id/inbox/:entry", needs("read"), async (context) => {
    const target = threadTarget(context.req.param("id"));
    const entry = parseId("entry", context.req.param("entry"));
    if (entry?.key !== target.key) throw new Problem("not_found", "There is no such entry.");
    return context.json(
      entryJson(valueOf(await faceOf(context, door, target.key).readEntry(entry.n))),
    );
  });

  app.get("/runs/:id", needs("read"), async (context) => {
    const { key, n } = pathId(context, "run");
    const run = valueOf(await faceOf(context, door, key).readRun(n));
    return context.json(runJson(run, context.get("key").workspace));
  });

  app.post("/runs/:id/resume", needs("run"), async (context) => {
    const idempotencyKey = readIdempotencyKey(context);
    if (idempotencyKey === undefined)
      throw new Problem("invalid_request", "Send an Idempotency-Key.", {
        issues: [{ path: "Idempotency-Key", message: "is required" }],
      });
    const { batch, canonical } = await readBatch(context);
    const { key, n } = pathId(context, "run");
    const { id: keyId, workspace } = context.get("key");
    const route = "POST /api/v1/runs/{id}/resume";
    const said = `${n}\n${canonical}`;
    const idempotency = await idempotencyOf(keyId, route, idempotencyKey, said);
    const settler = { by: callerName(context), via: "service" } as const;
    const resumed = valueOf(
      await faceOf(context, door, key).resumeRun(n, batch, settler, idempotency),
    );
    return context.json(runJson(resumed.run, workspace), resumed.replayed ? 200 : 201);
  });

  app.post("/runs/:id/interrupt", needs("run"), async (context) => {
    await readBody(context, emptySchema);
    const { key, n } = pathId(context, "run");
    const run = valueOf(await faceOf(context, door, key).interruptRun(n));
    return context.json(runJson(run, context.get("key").workspace));
  });

  return app;
}

async function startMessage(
  context: CallerContext,
  door: Door,
  target: SessionTarget,
  message: Message,
  route: string,
  idempotencyKey: string | undefined,
): Promise<Response> {
  const { id: keyId, workspace } = context.get("key");
  const labels = message.options?.labels;
  const started = valueOf(
    await faceOf(context, door, target.key).startMessage({
      agent: message.agent_id,
      input: message.payload.content,
      delivery: message.delivery ?? "next_run",
      mustExist: target.mustExist,
      fresh: target.fresh,
      whenBusy: "queue",
      waitMs: 0,
      ...(labels !== undefined && { metadata: labels }),
      ...(target.name !== undefined && { sessionName: target.name }),
      ...(idempotencyKey !== undefined && {
        idempotency: await idempotencyOf(keyId, route, idempotencyKey, canonicalJson(message)),
      }),
    }),
  );
  const body = {
    thread: threadJson(started.thread, workspace),
    entry: entryJson(started.entry),
    run: started.run === undefined ? null : runJson(started.run, workspace),
  };
  return context.json(body, started.replayed ? 200 : 201);
}

function valueOf<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw problemOf(outcome.refusal);
  return outcome.value;
}

/** A cursor is the id of the run with which the page before ended. */
function readCursor(cursor: string, key: string): number {
  const run = parseId("run", cursor);
  if (run?.key !== key) throw invalidCursor("next_cursor");
  return run.n;
}
