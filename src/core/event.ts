/**
 * Owns: the vocabulary of the journal. A fact is something that happened, named in the past; the journal is facts in
 * order, written and read through this one schema. What a fact changes is `turn.ts`; where it is kept is `journal/`.
 *
 * Numbers (`turn`, `run`, `question`, `task`) are those of the ids: one counter for a session, see `ids.ts`.
 */

import * as z from "zod";
import { inputSchema, partsSchema } from "./input.ts";
import type { Json, JsonObject } from "./json.ts";
import { QUESTION_KINDS, SETTLED_STATUSES } from "./question.ts";

const number = z.int().min(0);
/** A batch as the wire shows it again; its maps are lists of pairs, which keep every id. */
const storedBatchSchema = z.object({
  approvals: z.array(z.tuple([z.string(), z.unknown()])),
  calls: z.array(z.tuple([z.string(), z.unknown()])),
});
/** JSON that was JSON before it was stored: it is not walked again on each reading. */
const json = z.custom<Json>((value) => value !== undefined);
const jsonObject = z.custom<JsonObject>((value) => typeof value === "object" && value !== null);

/** Where a call stands: providers repeat call ids, so a call is known by its step and its place in it. */
const place = { turn: number, step: number, index: number };

export const failureSchema = z.object({
  /** A stable word for programs, e.g. `model_failed`, `max_steps`. */
  code: z.string(),
  message: z.string(),
  /** False where trying again can't help. */
  retryable: z.boolean(),
});
export type Failure = z.output<typeof failureSchema>;

/** What a call's result says to the model, in the AI SDK's own form. */
const toolOutputSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("json"), value: json }),
  z.object({ type: z.literal("text"), value: z.string() }),
  z.object({ type: z.literal("error-text"), value: z.string() }),
  z.object({ type: z.literal("error-json"), value: json }),
]);
export type ToolOutput = z.output<typeof toolOutputSchema>;

/**
 * Who settles a call: our code (`tool`), our code beside the turn (`background`), the caller (`client`), a person
 * (`form`), tasks (`await`), or the transaction that recorded it (`immediate`: the task tools, and calls refused at once).
 */
const callKindSchema = z.enum(["tool", "background", "client", "form", "await", "immediate"]);
export type CallKind = z.output<typeof callKindSchema>;

export const callSchema = z.object({
  index: number,
  callId: z.string(),
  toolName: z.string(),
  input: json,
  kind: callKindSchema,
  /** Digest of the tool's input schema, where the call waits: a deploy may change the tool meanwhile. */
  schema: z.string().optional(),
  /** Present where a person must allow the call before it runs. */
  approval: z.object({ reason: z.string().optional() }).optional(),
});
export type Call = z.output<typeof callSchema>;

const usageSchema = z.object({ inputTokens: number, outputTokens: number });
export type Usage = z.output<typeof usageSchema>;

const turnStartedSchema = z.object({
  type: z.literal("turn.started"),
  turn: number,
  run: number,
  /** True where it can't begin yet: an earlier turn of the session is not settled. */
  queued: z.boolean(),
  /** True where it may begin beside earlier turns, once all of those are parked. */
  beside: z.literal(true).optional(),
  agent: z.string(),
  input: inputSchema,
  extraBody: jsonObject.optional(),
  deferred: z.literal(false).optional(),
  /** The named shape of the input, which is then one `json` part. */
  inputType: z.string().optional(),
  /** What the turn's last text must be. It was checked when the turn was started. */
  output: z.object({ schema: z.custom<JsonObject | boolean>(() => true) }).optional(),
  /** Not a record of zod's, which drops the key `__proto__` in silence. */
  metadata: z.custom<Record<string, string>>((value) => typeof value === "object").optional(),
  sessionName: z.string().optional(),
  /** The task of another session that this turn's end settles. */
  parent: z.object({ session: z.string(), item: number }).optional(),
  /** Where the caller wants to be told what becomes of it, and the origin of links, where they may be told them. */
  callback: z.object({ url: z.string(), origin: z.string().optional() }).optional(),
  /** As the Service's wire gave it; either way the message runs as a turn of its own. */
  delivery: z.enum(["steer", "next_run"]).optional(),
  /** SHA-256 of the request, to know a repeated one from another under the same Idempotency-Key. */
  requestDigest: z.string().optional(),
});
export type TurnStarted = z.output<typeof turnStartedSchema>;

export const factSchema = z.discriminatedUnion("type", [
  turnStartedSchema,
  z.object({ type: z.literal("turn.begun"), turn: number }),
  z.object({
    type: z.literal("step.finished"),
    turn: number,
    step: number,
    /** The assistant message's content as the provider gave it, byte-stable: signed reasoning must come back unchanged. */
    content: z.array(json),
    text: z.string(),
    finishReason: z.string(),
    calls: z.array(callSchema),
    usage: usageSchema,
  }),
  z.object({ type: z.literal("tool.started"), ...place }),
  z.object({
    type: z.literal("call.approved"),
    ...place,
    /** Edited arguments, where the person changed them. */
    input: json.optional(),
    by: z.string(),
  }),
  z.object({
    type: z.literal("call.settled"),
    ...place,
    output: toolOutputSchema,
    /** Tasks that a wait was still pending on when its time ran out. */
    timedOut: z.array(number).optional(),
  }),
  z.object({
    type: z.literal("question.asked"),
    ...place,
    question: number,
    kind: z.enum(QUESTION_KINDS),
    task: number.optional(),
    /** SHA-256 of the request that asked it from outside a turn, to know a repeated one. */
    requestDigest: z.string().optional(),
  }),
  z.object({
    type: z.literal("question.settled"),
    turn: number,
    question: number,
    status: z.enum(SETTLED_STATUSES),
  }),
  /** Nobody had answered yet, and it was time to say so. */
  z.object({ type: z.literal("question.reminded"), turn: number, question: number }),
  z.object({
    type: z.literal("question.escalated"),
    turn: number,
    question: number,
    /** Who may answer as well from here on. */
    to: z.string(),
  }),
  z.object({
    type: z.literal("question.assigned"),
    turn: number,
    question: number,
    /** Who may answer from here on, and nobody else. */
    to: z.string(),
    by: z.string(),
  }),
  z.object({ type: z.literal("task.started"), ...place, item: number, task: number }),
  z.object({ type: z.literal("task.settled"), turn: number, item: number, task: number }),
  z.object({
    type: z.literal("turn.parked"),
    turn: number,
    /** The agent's system prompt, the first time that the turn parks: a deploy must not change a turn's rules midway. */
    system: z.string().optional(),
  }),
  z.object({
    type: z.literal("turn.resumed"),
    turn: number,
    run: number,
    /** What the caller said beside the results: context for the model, never an answer. */
    context: partsSchema.optional(),
    /** In place of the turn's own from here on, where whoever resumed it gave another. */
    extraBody: jsonObject.optional(),
    /** How often and when it is tried again, where it was told to go on: it then waits to be told so once more. */
    told: z.object({ maxAttempts: number, retryDelayMs: number }).optional(),
    /** The results that ended the wait, where one batch of them did, and the digest of the request that brought them. */
    resume: z.object({ batch: storedBatchSchema, requestDigest: z.string().optional() }).optional(),
  }),
  z.object({
    type: z.literal("attempt.failed"),
    turn: number,
    failure: failureSchema,
    retryAt: number,
  }),
  z.object({ type: z.literal("turn.recovered"), turn: number }),
  /** The last text is not the output that was asked for; the model is told what is wrong, once. */
  z.object({ type: z.literal("output.refused"), turn: number, request: z.string() }),
  z.object({
    type: z.literal("turn.completed"),
    turn: number,
    /** The last text as the value that was asked for. */
    output: json.optional(),
  }),
  /** A failed turn is driven on from where it stands, in a new run. */
  z.object({ type: z.literal("turn.retried"), turn: number, run: number, queued: z.boolean() }),
  z.object({
    type: z.literal("turn.failed"),
    turn: number,
    failure: failureSchema,
    /** The attempts in a row that failed, where it was one too many of them that failed the turn. */
    attempts: number.optional(),
  }),
  /** Everything was deleted. Turn 0: this is what the session has left. */
  z.object({ type: z.literal("session.erased"), turn: number }),
  /** Settled turns were deleted with their questions, and questions that no turn asked, which is turn 0. */
  z.object({
    type: z.literal("settled.erased"),
    turn: number,
    turns: z.array(number),
    questions: z.array(number),
  }),
  z.object({ type: z.literal("turn.cancelled"), turn: number, reason: z.string().optional() }),
]);
export type Fact = z.output<typeof factSchema>;

export const factsSchema = z.array(factSchema);

/** The fact of one type, e.g. `FactOf<"step.finished">`. */
export type FactOf<T extends Fact["type"]> = Extract<Fact, { type: T }>;
