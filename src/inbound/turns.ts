/**
 * Owns: the routes of turns and sessions under `/v1`.
 */

import { Hono } from "hono";
import { parseId, sha256Hex } from "../core/ids.ts";
import { canonicalJson, type JsonObject } from "../core/json.ts";
import { PAGE_ITEMS_MAX } from "../core/limits.ts";
import type { Outcome } from "../core/refusal.ts";
import {
  cancelSchema,
  emptySchema,
  readTurnQuerySchema,
  type StartTurn,
  startTurnSchema,
} from "../core/requests.ts";
import { fitsInto } from "../core/json-bounds.ts";
import type { StartRequest } from "../session/face.ts";
import type { TurnView } from "../core/turn-view.ts";
import { readBatch } from "./batch.ts";
import { readBody, readIdempotencyKey, readPreferWait, readQuery } from "./body.ts";
import { callbackOf } from "./callbacks.ts";
import type { Caller, CallerContext, Door } from "./door.ts";
import { eventResponse, readsEvents } from "./events.ts";
import { idempotencyOf } from "./idempotency.ts";
import { callerName, needs, refuseWithout } from "./keys.ts";
import { withAnswerUrl, withAnswerUrls } from "./links.ts";
import { Problem, problemOf } from "./problem.ts";
import { faceOf, freshTarget, pathId, type SessionTarget, targetOf } from "./sessions.ts";

export function turnRoutes(door: Door): Hono<Caller> {
  const app = new Hono<Caller>();

  app.post("/turns", needs("run"), async (context) => {
    const idempotencyKey = readIdempotencyKey(context);
    const body = await readBody(context, startTurnSchema);
    const target = await freshTarget(context.get("key").id, "POST /v1/turns", idempotencyKey);
    return startTurn(context, door, target, body, "POST /v1/turns", idempotencyKey);
  });

  app.post("/sessions/:session/turns", needs("run"), async (context) => {
    const idempotencyKey = readIdempotencyKey(context);
    const body = await readBody(context, startTurnSchema);
    const target = await targetOf(context.req.param("session"));
    return startTurn(
      context,
      door,
      target,
      body,
      "POST /v1/sessions/{session}/turns",
      idempotencyKey,
    );
  });

  app.get("/turns/:id", needs("read"), async (context) => {
    const { key, n } = pathId(context, "turn");
    const { wait } = readQuery(context, readTurnQuerySchema);
    return turnResponse(
      context,
      door,
      await faceOf(context, door, key).readTurn(n, (wait ?? 0) * 1_000),
    );
  });

  app.get("/turns/:id/events", needs("read"), async (context) => {
    const { key, n } = pathId(context, "turn");
    return eventResponse(context, door, key, { turn: n, mustExist: true });
  });

  app.get("/sessions/:session/events", needs("read"), async (context) => {
    const { key, mustExist } = await targetOf(context.req.param("session"));
    return eventResponse(context, door, key, { mustExist });
  });

  app.post("/turns/:id/cancel", needs("run"), async (context) => {
    const { key, n } = pathId(context, "turn");
    const { reason } = await readBody(context, cancelSchema);
    return turnResponse(context, door, await faceOf(context, door, key).cancelTurn(n, reason));
  });

  app.post("/turns/:id/retry", needs("run"), async (context) => {
    const { key, n } = pathId(context, "turn");
    await readBody(context, emptySchema);
    return turnResponse(context, door, await faceOf(context, door, key).retryTurn(n));
  });

  app.post("/turns/:id/results", needs("run"), async (context) => {
    const { key, n } = pathId(context, "turn");
    const { batch, canonical } = await readBatch(context);
    const digest = await sha256Hex(canonical);
    const settler = { by: callerName(context), via: "api" } as const;
    return turnResponse(
      context,
      door,
      await faceOf(context, door, key).settleResults(n, batch, settler, { digest }),
    );
  });

  app.get("/sessions/:session", needs("read"), async (context) => {
    const target = await targetOf(context.req.param("session"));
    const face = faceOf(context, door, target.key);
    const read = await face.readSession(PAGE_ITEMS_MAX);
    if (!read.ok) throw problemOf(read.refusal);
    const { turns, questions } = read.value;
    return context.json({
      id: face.sessionId,
      ...(turns[0]?.sessionName !== undefined && { name: turns[0].sessionName }),
      turns: await Promise.all(turns.map((turn) => withAnswerUrls(context, door, turn))),
      questions: await Promise.all(
        questions.map((question) => withAnswerUrl(context, door, question)),
      ),
    });
  });

  app.delete("/sessions/:session", needs("admin"), async (context) => {
    const target = await targetOf(context.req.param("session"));
    const erased = await faceOf(context, door, target.key).eraseSession();
    if (!erased.ok) throw problemOf(erased.refusal);
    return context.body(null, 204);
  });

  app.get("/sessions/:session/messages", needs("read"), async (context) => {
    const target = await targetOf(context.req.param("session"));
    const read = await faceOf(context, door, target.key).readMessages();
    if (!read.ok) throw problemOf(read.refusal);
    return context.json({ messages: read.value });
  });

  return app;
}

async function startTurn(
  context: CallerContext,
  door: Door,
  target: SessionTarget,
  body: StartTurn,
  route: string,
  idempotencyKey: string | undefined,
): Promise<Response> {
  const agent = body.agent ?? door.defaultAgent(context.env);
  checkedExtraBody(body.extraBody, door.extraBodyBytes(context.env, agent));
  const listens = readsEvents(context);
  if (listens) refuseWithout(context, "read");
  const waitSeconds = listens ? 0 : readPreferWait(context);
  const { input, extraBody, metadata } = body;
  const request: StartRequest = {
    agent,
    input,
    mustExist: target.mustExist,
    fresh: target.fresh,
    whenBusy: body.whenBusy ?? "queue",
    waitMs: waitSeconds * 1_000,
    ...(listens && { listeners: 1 }),
    ...(extraBody !== undefined && { extraBody }),
    ...(metadata !== undefined && { metadata }),
    ...(body.inputType !== undefined && { inputType: body.inputType }),
    ...(body.output !== undefined && { output: body.output }),
    ...(body.callback !== undefined && { callback: callbackOf(context, door, body.callback) }),
    ...(body.deferred === false && { deferred: false }),
    ...(target.name !== undefined && { sessionName: target.name }),
    ...(idempotencyKey !== undefined && {
      idempotency: await idempotencyOf(
        context.get("key").id,
        route,
        idempotencyKey,
        canonicalJson(body),
      ),
    }),
  };
  const started = await faceOf(context, door, target.key).start(request);
  if (!started.ok) throw problemOf(started.refusal);
  const { turn, replayed } = started.value;
  const isOver = turn.status !== "queued" && turn.status !== "running";
  context.header("location", `/v1/turns/${turn.id}`);
  if (listens) {
    const n = parseId("turn", turn.id)?.n ?? 0;
    return eventResponse(context, door, target.key, { turn: n, mustExist: true });
  }
  if (waitSeconds > 0) context.header("preference-applied", `wait=${waitSeconds}`);
  const status = replayed || (waitSeconds > 0 && isOver) ? 200 : 202;
  return context.json(await withAnswerUrls(context, door, turn), status);
}

/** Refuses an `extraBody` that is larger than its agent takes. */
export function checkedExtraBody(extraBody: JsonObject | undefined, bytes: number): void {
  if (extraBody === undefined || fitsInto(extraBody, bytes)) return;
  throw new Problem("invalid_request", "The body is not valid.", {
    issues: [{ path: "extraBody", message: `must take at most ${bytes} bytes` }],
  });
}

async function turnResponse(
  context: CallerContext,
  door: Door,
  outcome: Outcome<TurnView>,
): Promise<Response> {
  if (!outcome.ok) throw problemOf(outcome.refusal);
  return context.json(await withAnswerUrls(context, door, outcome.value));
}
