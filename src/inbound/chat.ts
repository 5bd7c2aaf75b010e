/**
 * Owns: the routes of chats under `/v1`: `useChat` of the AI SDK works with them as it is. A chat is a session, and what
 * the client sends of its history counts for nothing: a user's message starts a turn, an assistant's bears answers.
 */

import { Hono } from "hono";
import type { UIMessageChunk } from "ai";
import { type ChatMessage, chatMessageSchema, givenOn, inputOf } from "../core/chat.ts";
import { parseId, type SessionKey } from "../core/ids.ts";
import { isJsonObject, canonicalJson } from "../core/json.ts";
import { issuesBelow, issuesOf } from "../core/issue.ts";
import { OPEN_QUESTIONS, PAGE_ITEMS_MAX } from "../core/limits.ts";
import type { CallResult } from "../core/batch.ts";
import type { Issue, Outcome, Refusal } from "../core/refusal.ts";
import { type ChatRequest, chatSchema, chatStreamQuerySchema } from "../core/requests.ts";
import { type EventPlace, parseEventId } from "../core/session-event.ts";
import type { TurnView } from "../core/turn-view.ts";
import type { SessionFace, Settling } from "../session/face.ts";
import { readBody, readQuery } from "./body.ts";
import { callIdOf } from "./chat-chunks.ts";
import { ChatReading, chatMessages, type ChatReadingOptions } from "./chat-reading.ts";
import type { Caller, CallerContext, Door } from "./door.ts";
import { heldStream } from "./events.ts";
import { idempotencyOf } from "./idempotency.ts";
import { answeredByOf, callerName, needs, refuseWithout } from "./keys.ts";
import { Problem, problemOf } from "./problem.ts";
import { faceOf, type SessionTarget, targetOf } from "./sessions.ts";
import { checkedExtraBody } from "./turns.ts";

const CHAT_ROUTE = "POST /v1/chat";

export function chatRoutes(door: Door): Hono<Caller> {
  const app = new Hono<Caller>();

  app.post("/chat", needs("run"), needs("read"), async (context) => {
    const body = await readBody(context, chatSchema);
    const target = await targetOf(body.id);
    const meant = meantMessage(body);
    const { message } = meant;
    const face = faceOf(context, door, target.key);
    if (message.role === "assistant") {
      const { turn, after } = toldOf(meant, target.key);
      await settleGiven(context, face, { n: turn, message, key: target.key, body });
      return chatResponse(context, face, await turnOf(face, turn), { after });
    }
    const { turn, replayed } = await startTurn(context, door, target, body, meant);
    return chatResponse(context, face, turn, { fresh: !replayed });
  });

  app.get("/chat/:id", needs("read"), async (context) => {
    const target = await targetOf(context.req.param("id"));
    const face = faceOf(context, door, target.key);
    return context.json({ messages: await chatMessages(face, await turnsOf(face, target)) });
  });

  app.get("/chat/:id/stream", needs("read"), async (context) => {
    const follow = readQuery(context, chatStreamQuerySchema).follow === "true";
    const target = await targetOf(context.req.param("id"));
    const face = faceOf(context, door, target.key);
    const turns = await turnsOf(face, target);
    const turn = turns.find(isUnsettled) ?? (follow ? turns[0] : undefined);
    if (turn === undefined) return context.body(null, 204);
    return chatResponse(context, face, turn, { follow });
  });

  return app;
}

async function chatResponse(
  context: CallerContext,
  face: SessionFace,
  turn: TurnView,
  options: ChatReadingOptions,
): Promise<Response> {
  const reading = await ChatReading.open(face, turn, options);
  const stream = heldStream(reading, {
    begin: ":\n\n",
    frame: (chunks: readonly UIMessageChunk[]) =>
      Promise.resolve(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")),
    end: "data: [DONE]\n\n",
  });
  return context.body(stream, 200, {
    "content-type": "text/event-stream",
    "x-vercel-ai-ui-message-stream": "v1",
  });
}

interface MeantMessage {
  readonly message: ChatMessage;
  /** Where it stands in the body. */
  readonly path: string;
}

/** The one message that counts: the one that the request names, else the last. */
function meantMessage({ messages, messageId, trigger }: ChatRequest): MeantMessage {
  if (trigger === "regenerate-message")
    throw new Problem("invalid_request", "What happened stays: nothing is generated again.", {
      issues: [{ path: "trigger", message: "must be submit-message: send a new message instead" }],
    });
  const named = messages.findIndex(
    (message) => messageId !== undefined && isJsonObject(message) && message.id === messageId,
  );
  const at = named === -1 ? messages.length - 1 : named;
  const path = `messages[${at}]`;
  const parsed = chatMessageSchema.safeParse(messages[at]);
  if (parsed.success) return { message: parsed.data, path };
  throw invalidMessage(path, issuesOf(parsed.error));
}

function invalidMessage(path: string, issues: readonly Issue[]): Problem {
  return new Problem("invalid_request", "The message is not valid.", {
    issues: issuesBelow(path, issues),
  });
}

async function startTurn(
  context: CallerContext,
  door: Door,
  target: SessionTarget,
  body: ChatRequest,
  { message, path }: MeantMessage,
): Promise<{ readonly turn: TurnView; readonly replayed: boolean }> {
  const input = inputOf(message);
  if (!input.ok) throw invalidMessage(path, input.issues);
  const agent = body.agent ?? door.defaultAgent(context.env);
  const { extraBody } = body;
  checkedExtraBody(extraBody, door.extraBodyBytes(context.env, agent));
  const started = await faceOf(context, door, target.key).start({
    agent,
    input: input.value,
    mustExist: target.mustExist,
    fresh: false,
    // Somebody who writes while a question waits is heard: the message is never taken for its answer.
    whenBusy: body.whenBusy ?? "parallel",
    waitMs: 0,
    listeners: 1,
    ...(extraBody !== undefined && { extraBody }),
    ...(target.name !== undefined && { sessionName: target.name }),
    idempotency: await idempotencyOf(
      context.get("key").id,
      CHAT_ROUTE,
      message.id,
      canonicalJson({ agent, input: input.value, extraBody }),
    ),
  });
  if (started.ok) return started.value;
  if (started.refusal.code !== "idempotency_key_reused") throw problemOf(started.refusal);
  throw new Problem(
    "idempotency_key_reused",
    "A message with this id was sent before and said something else. What was said stays: send a new message instead.",
  );
}

/** Which turn an assistant's message tells, and how far. */
function toldOf(
  { message: { id, metadata }, path }: MeantMessage,
  key: SessionKey,
): { readonly turn: number; readonly after: EventPlace } {
  const turn = parseId("turn", id);
  if (turn === undefined || turn.key !== key)
    throw new Problem("not_found", "The message is of no turn of this chat.");
  const eventId = isJsonObject(metadata) ? metadata.eventId : undefined;
  const after = typeof eventId === "string" ? parseEventId(eventId) : undefined;
  if (after !== undefined) return { turn: turn.n, after };
  throw invalidMessage(path, [
    {
      path: "metadata.eventId",
      message: "must be what the message's stream ended with: resume the stream, then answer",
    },
  ]);
}

interface Given {
  readonly n: number;
  readonly message: ChatMessage;
  readonly key: SessionKey;
  readonly body: ChatRequest;
}

/** Settles what was answered on the message's parts, as far as it still waits. */
async function settleGiven(
  context: CallerContext,
  face: SessionFace,
  { n, message, key, body }: Given,
): Promise<void> {
  const { answers, results } = givenOn(message, key);
  const by =
    body.answeredBy === undefined ? callerName(context) : answeredByOf(context, body.answeredBy);
  if (answers.size > 0) {
    const waiting = await face.readQuestions({
      status: "waiting",
      after: 0,
      limit: OPEN_QUESTIONS,
    });
    if (!waiting.ok) throw problemOf(waiting.refusal);
    for (const { requestId } of waiting.value) {
      const question = parseId("q", requestId)?.n ?? 0;
      const given = answers.get(question);
      if (given === undefined) continue;
      refuseWithout(context, "answer");
      const settling: Settling = { ...given, by, via: "api" };
      refuseUnlessSettled(await face.settleQuestion(question, settling));
    }
  }
  if (results.size > 0) await settleCalls(face, { n, turnId: message.id, results, by });
}

/** The results of calls that the client runs itself: of all that are open, as a batch has them. */
async function settleCalls(
  face: SessionFace,
  given: {
    readonly n: number;
    readonly turnId: string;
    readonly results: ReadonlyMap<string, CallResult>;
    readonly by: string;
  },
): Promise<void> {
  const open = (await turnOf(face, given.n)).pending?.calls ?? [];
  const calls = new Map<string, CallResult>();
  for (const [id, result] of given.results) {
    const callId = callIdOf(given.turnId, id);
    if (callId === undefined || !open.some(({ toolCallId }) => toolCallId === callId)) continue;
    calls.set(callId, result);
  }
  if (calls.size === 0) return;
  const settler = { by: given.by, via: "api" } as const;
  refuseUnlessSettled(await face.settleResults(given.n, { approvals: new Map(), calls }, settler));
}

/** That it was settled at another door, meanwhile, is no refusal: the stream tells how. */
function refuseUnlessSettled(outcome: Outcome<unknown>): void {
  if (!outcome.ok && !SETTLED_ELSEWHERE.has(outcome.refusal.code)) throw problemOf(outcome.refusal);
}

const SETTLED_ELSEWHERE: ReadonlySet<Refusal["code"]> = new Set([
  "already_answered",
  "declined",
  "cancelled",
  "expired",
  "turn_settled",
  "turn_not_parked",
]);

async function turnOf(face: SessionFace, n: number): Promise<TurnView> {
  const turn = await face.readTurn(n, 0);
  if (!turn.ok) throw problemOf(turn.refusal);
  return turn.value;
}

/** The newest turns; none where nobody wrote yet in a chat that its client has named. */
async function turnsOf(face: SessionFace, target: SessionTarget): Promise<readonly TurnView[]> {
  const read = await face.readSession(PAGE_ITEMS_MAX);
  if (read.ok) return read.value.turns;
  if (read.refusal.code === "not_found" && !target.mustExist) return [];
  throw problemOf(read.refusal);
}

function isUnsettled({ status }: TurnView): boolean {
  return status === "queued" || status === "running" || status === "parked";
}
