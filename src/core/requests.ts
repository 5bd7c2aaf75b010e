/**
 * Owns: the bodies and queries that the HTTP surface takes, as schemas; the types of its callers are inferred from them.
 */

import * as z from "zod";
import { PARKED_BY } from "./inbox.ts";
import { inputSchema, typedInputSchema } from "./input.ts";
import { outputSchema } from "./output.ts";
import { metadataSchema, pageLimit } from "./wire.ts";
import type { JsonObject } from "./json.ts";
import {
  IDEMPOTENCY_KEY_CHARACTERS,
  PREFER_WAIT_SECONDS,
  PAGE_ITEMS_MAX,
  RECIPIENT_NAME_CHARACTERS,
  RESUMED_TURNS_DEFAULT,
  SESSION_NAME_CHARACTERS,
} from "./limits.ts";
import { durationSchema } from "./duration.ts";
import { recipientNameSchema, termsShape, writtenTerms } from "./life.ts";
import { answeredBySchema, reasonSchema } from "./answer.ts";
import {
  DELIVERY_STATUSES,
  QUESTION_KINDS,
  QUESTION_STATUSES,
  toolQuestionSchema,
} from "./question.ts";
import { givenJson } from "./schema-parts.ts";
import { TURN_STATUSES } from "./turn.ts";
import { askUserQuestionRequestSchema } from "./user-question.ts";

const agentName = z.string().min(1).max(64);

const extraBodySchema = z.custom<JsonObject>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "must be an object",
);

/** Where the caller wants to be told what becomes of it. Whether a webhook may go there is for the door to say. */
const callbackSchema = z.strictObject({ url: z.string() });
export type CallbackRequest = z.output<typeof callbackSchema>;

const startTurnShape = {
  input: givenJson(),
  /** The agent's named shape that `input` has; without it, `input` is a text or parts. */
  inputType: agentName.optional(),
  /** What the turn's last text must be. */
  output: outputSchema.optional(),
  agent: agentName.optional(),
  /** Handed to the agent's model and tools as it is. */
  extraBody: extraBodySchema.optional(),
  /** `false`: nobody can come back with an answer, so the turn gets no tool that would wait for one. */
  deferred: z.boolean().optional(),
  /** What to do where the session has a turn that is not settled. */
  whenBusy: z.enum(["queue", "reject", "parallel"]).optional(),
  metadata: metadataSchema.optional(),
  callback: callbackSchema.optional(),
};

export const startTurnSchema = z
  .strictObject(startTurnShape)
  .transform(({ input, ...rest }, context) => {
    const checked = (rest.inputType === undefined ? inputSchema : typedInputSchema).safeParse(
      input,
    );
    if (checked.success) return { ...rest, input: checked.data };
    for (const issue of checked.error.issues)
      context.addIssue({ ...issue, path: ["input", ...issue.path] });
    return z.NEVER;
  });
export type StartTurn = z.output<typeof startTurnSchema>;

/**
 * What `useChat` of the AI SDK sends. Its messages are read one by one: only the one that is meant, since the session has
 * the others.
 */
export const chatSchema = z.strictObject({
  /** The session's id, or the caller's name for it. */
  id: z.string(),
  messages: z.array(z.unknown()).min(1, "must hold a message"),
  trigger: z.enum(["submit-message", "regenerate-message"]).default("submit-message"),
  /** The message that is meant, where it is not the last. */
  messageId: z.string().optional(),
  /** Who answers, where the message holds answers; the key's id where it is left out. */
  answeredBy: answeredBySchema.optional(),
  agent: startTurnShape.agent,
  extraBody: startTurnShape.extraBody,
  whenBusy: startTurnShape.whenBusy,
});
export type ChatRequest = z.output<typeof chatSchema>;

export const chatStreamQuerySchema = z.strictObject({
  /** Whether to stay while the turn is parked, until it is over. */
  follow: z.enum(["true", "false"]).default("false"),
});

/**
 * A question that another system asks, without an agent's turn: `questions` make it a form, `answerSchema` one with a
 * value for an answer; else it is a person's. What each may hold is checked by the question's own schema.
 */
export const askSchema = z
  .looseObject({
    sessionId: z.string().min(1).max(SESSION_NAME_CHARACTERS).optional(),
    /** The same key in the same session is the same question. */
    key: z.string().min(1).max(IDEMPOTENCY_KEY_CHARACTERS).optional(),
    callback: callbackSchema.optional(),
    to: recipientNameSchema.optional(),
    ...termsShape,
  })
  .transform(({ sessionId, key, callback, to, remind, escalate, expire, ...asked }, context) => {
    const isForm = "questions" in asked;
    // What a person is asked says itself to whom; a form does not.
    const checked = isForm
      ? askUserQuestionRequestSchema.safeParse(asked)
      : toolQuestionSchema.safeParse({ ...asked, ...(to !== undefined && { to }) });
    if (!checked.success) {
      for (const issue of checked.error.issues) context.addIssue({ ...issue });
      return z.NEVER;
    }
    return {
      question: checked.data,
      terms: writtenTerms({ remind, escalate, expire }),
      ...(isForm && to !== undefined && { to }),
      ...(sessionId !== undefined && { sessionId }),
      ...(key !== undefined && { key }),
      ...(callback !== undefined && { callback }),
    };
  });

export const assignSchema = z.strictObject({ to: recipientNameSchema });

export const answerSchema = z.strictObject({
  answer: givenJson(),
  /** Left out by a person, who answers alone for themselves; whoever answers for others has to say for whom. */
  answeredBy: answeredBySchema.optional(),
});
export const declineSchema = z.strictObject({
  reason: reasonSchema,
  answeredBy: answeredBySchema.optional(),
});
export const cancelSchema = z.strictObject({ reason: reasonSchema });

/** A request that says all by its path: no body, or an empty one. */
export const emptySchema = z.strictObject({});

const seconds = z
  .string()
  .regex(/^[0-9]{1,9}$/, "must be a whole number of seconds")
  .transform((text) => Math.min(Number(text), PREFER_WAIT_SECONDS));

export const readTurnQuerySchema = z.strictObject({ wait: seconds.optional() });

const pageQuery = {
  agent: agentName.optional(),
  /** Older than so long: a duration such as `4h`. */
  olderThan: durationSchema.optional(),
  limit: pageLimit,
  cursor: z.string().optional(),
};

export const listQuestionsQuerySchema = z.strictObject({
  ...pageQuery,
  sessionId: z.string().min(1, "must name a session").optional(),
  status: z.enum([...QUESTION_STATUSES, "all"]).default("waiting"),
  kind: z.enum(QUESTION_KINDS).optional(),
  to: z.string().min(1).max(RECIPIENT_NAME_CHARACTERS).optional(),
});
export type ListQuestionsQuery = z.output<typeof listQuestionsQuerySchema>;

const resumption = {
  limit: z.int().min(1).max(PAGE_ITEMS_MAX).default(RESUMED_TURNS_DEFAULT),
  extraBody: extraBodySchema.optional(),
};

/** Parked turns whose wait is over go on, for agents that don't let them go on by themselves. */
export const resumeParkedSchema = z.strictObject({
  sessionId: z.string().min(1).max(SESSION_NAME_CHARACTERS).optional(),
  ...resumption,
});

/** The same from the Worker's own code, which also says when a failed try is made again. */
export const resumeOptionsSchema = z.object({
  ...resumption,
  retryDelayMs: z.int().min(0).optional(),
  maxAttempts: z.int().min(1).optional(),
});

export const parkedQuerySchema = z.strictObject({ by: z.enum(PARKED_BY).default("agent") });

export const rebuildSchema = z.strictObject({
  /** How many objects shared the inbox before, where INBOX_SHARDS was changed. */
  fromShards: z.int().min(1).max(1_024).optional(),
});

/** What was to reach the outside, of one session; or of all, what was given up. */
export const listDeliveriesQuerySchema = z.strictObject({
  sessionId: z.string().min(1, "must name a session").optional(),
  status: z.enum([...DELIVERY_STATUSES, "all"]).default("failed"),
  limit: pageLimit,
  cursor: z.string().optional(),
});

export const listTurnsQuerySchema = z.strictObject({
  ...pageQuery,
  status: z.enum([...TURN_STATUSES, "all"]).default("all"),
});
