/**
 * Owns: the routes of questions under `/v1`.
 */

import { Hono } from "hono";
import { canonicalJson } from "../core/json.ts";
import type { Question } from "../core/question.ts";
import type { Outcome } from "../core/refusal.ts";
import {
  answerSchema,
  askSchema,
  assignSchema,
  cancelSchema,
  declineSchema,
  emptySchema,
} from "../core/requests.ts";
import type { Settling } from "../session/face.ts";
import { readBody, readIdempotencyKey } from "./body.ts";
import { callbackOf } from "./callbacks.ts";
import type { Caller, CallerContext, Door } from "./door.ts";
import { idempotencyOf } from "./idempotency.ts";
import { answeredByOf, callerName, needs } from "./keys.ts";
import { withAnswerUrl } from "./links.ts";
import { problemOf } from "./problem.ts";
import { faceOf, freshTarget, pathId, targetOf } from "./sessions.ts";

export function questionRoutes(door: Door): Hono<Caller> {
  const app = new Hono<Caller>();

  app.post("/questions", needs("run"), async (context) => {
    const idempotencyKey = readIdempotencyKey(context);
    const body = await readBody(context, askSchema);
    const keyId = context.get("key").id;
    const target =
      body.sessionId === undefined
        ? await freshTarget(keyId, ASK_ROUTE, idempotencyKey)
        : await targetOf(body.sessionId);
    const asked = await faceOf(context, door, target.key).ask({
      question: body.question,
      terms: body.terms,
      ...(body.to !== undefined && { to: body.to }),
      ...(body.callback !== undefined && { callback: callbackOf(context, door, body.callback) }),
      mustExist: target.mustExist,
      fresh: target.fresh,
      ...(body.key !== undefined && { key: body.key }),
      ...(idempotencyKey !== undefined && {
        idempotency: await idempotencyOf(keyId, ASK_ROUTE, idempotencyKey, canonicalJson(body)),
      }),
    });
    if (!asked.ok) throw problemOf(asked.refusal);
    const { question, replayed } = asked.value;
    context.header("location", `/v1/questions/${question.requestId}`);
    return context.json(await withAnswerUrl(context, door, question), replayed ? 200 : 201);
  });

  app.get("/questions/:id", needs("read"), async (context) => {
    const { key, n } = pathId(context, "q");
    return questionResponse(context, door, await faceOf(context, door, key).readQuestion(n));
  });

  app.post("/questions/:id/answer", needs("answer"), async (context) => {
    const { answer, answeredBy } = await readBody(context, answerSchema);
    const by = answeredByOf(context, answeredBy);
    return settle(context, door, { action: "answer", answer, by, via: "api" });
  });

  app.post("/questions/:id/decline", needs("answer"), async (context) => {
    const { reason, answeredBy } = await readBody(context, declineSchema);
    return settle(context, door, {
      action: "decline",
      by: answeredByOf(context, answeredBy),
      via: "api",
      ...(reason !== undefined && { reason }),
    });
  });

  app.post("/questions/:id/cancel", needs("run"), async (context) => {
    const { reason } = await readBody(context, cancelSchema);
    return settle(context, door, { action: "cancel", ...(reason !== undefined && { reason }) });
  });

  app.post("/questions/:id/assign", needs("answer"), async (context) => {
    const { key, n } = pathId(context, "q");
    const { to } = await readBody(context, assignSchema);
    const by = callerName(context);
    return questionResponse(
      context,
      door,
      await faceOf(context, door, key).assignQuestion(n, to, by),
    );
  });

  app.post("/questions/:id/deliver", needs("run"), async (context) => {
    const { key, n } = pathId(context, "q");
    await readBody(context, emptySchema);
    return questionResponse(context, door, await faceOf(context, door, key).deliverQuestion(n));
  });

  return app;
}

const ASK_ROUTE = "POST /v1/questions";

async function settle(context: CallerContext, door: Door, settling: Settling): Promise<Response> {
  const { key, n } = pathId(context, "q");
  return questionResponse(
    context,
    door,
    await faceOf(context, door, key).settleQuestion(n, settling),
  );
}

async function questionResponse(
  context: CallerContext,
  door: Door,
  outcome: Outcome<Question>,
): Promise<Response> {
  if (!outcome.ok) throw problemOf(outcome.refusal);
  return context.json(await withAnswerUrl(context, door, outcome.value));
}
