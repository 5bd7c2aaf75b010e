/**
 * Owns: the routes of questions under `/v1`.
 */

import { Hono } from "hono";
import { parseId, type SessionKey } from "../core/ids.ts";
import { canonicalJson } from "../core/json.ts";
import type { Question } from "../core/question.ts";
import type { Outcome } from "../core/refusal.ts";
import {
  answerSchema,
  cancelSchema,
  declineSchema,
  listQuestionsQuerySchema,
} from "../core/requests.ts";
import type { Settling } from "../session/face.ts";
import { readBody, readQuery } from "./body.ts";
import type { Caller, CallerContext, Door } from "./door.ts";
import { needs } from "./keys.ts";
import { withAnswerUrl } from "./links.ts";
import { Problem, problemOf } from "./problem.ts";
import { faceOf, pathId, targetOf } from "./sessions.ts";

export function questionRoutes(door: Door): Hono<Caller> {
  const app = new Hono<Caller>();

  app.get("/questions", needs("read"), async (context) => {
    const { sessionId, status, kind, limit, cursor } = readQuery(context, listQuestionsQuerySchema);
    const target = await targetOf(sessionId);
    const after = cursor === undefined ? 0 : readCursor(cursor, target.key);
    const read = await faceOf(context, door, target.key).readQuestions({
      status,
      after,
      // One more than shown tells whether a page follows.
      limit: limit + 1,
      ...(kind !== undefined && { kind }),
    });
    // A name that no session has yet is no mistake; an id that nobody was given is one.
    if (!read.ok && target.mustExist) throw problemOf(read.refusal);
    const found = read.ok ? read.value : [];
    const shown = found.slice(0, limit);
    const items = await Promise.all(
      shown.map((question) => withAnswerUrl(context, door, question)),
    );
    const last = shown.at(-1);
    return context.json({
      items,
      nextCursor: found.length > limit && last !== undefined ? cursorAfter(last) : null,
    });
  });

  app.get("/questions/:id", needs("read"), async (context) => {
    const { key, n } = pathId(context, "q");
    return questionResponse(context, door, await faceOf(context, door, key).readQuestion(n));
  });

  app.post("/questions/:id/answer", needs("answer"), async (context) => {
    const { answer, answeredBy } = await readBody(context, answerSchema);
    return settle(context, door, { action: "answer", answer, by: answeredBy, via: "api" });
  });

  app.post("/questions/:id/decline", needs("answer"), async (context) => {
    const { reason, answeredBy } = await readBody(context, declineSchema);
    return settle(context, door, {
      action: "decline",
      by: answeredBy,
      via: "api",
      ...(reason !== undefined && { reason }),
    });
  });

  app.post("/questions/:id/cancel", needs("run"), async (context) => {
    const { reason } = await readBody(context, cancelSchema);
    return settle(context, door, { action: "cancel", ...(reason !== undefined && { reason }) });
  });

  return app;
}

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

/** A cursor says after which question the next page begins; stable, since questions are only ever added behind. */
function cursorAfter(question: Question): string {
  return btoa(canonicalJson({ after: question.requestId }))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function readCursor(cursor: string, session: SessionKey): number {
  const id = cursorId(cursor);
  const parsed = id === undefined ? undefined : parseId("q", id);
  if (parsed?.key !== session)
    throw new Problem("invalid_cursor", "Take the cursor from nextCursor of the page before.");
  return parsed.n;
}

function cursorId(cursor: string): string | undefined {
  try {
    const value: unknown = JSON.parse(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")));
    return typeof value === "object" &&
      value !== null &&
      "after" in value &&
      typeof value.after === "string"
      ? value.after
      : undefined;
  } catch {
    return undefined;
  }
}
