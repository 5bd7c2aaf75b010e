/**
 * Owns: what the routes of `/v1` answer beside turns, questions and events, as schemas. Used by the document of the API,
 * by the types of its callers, and by tests: the Worker does not carry them. That they are what the rooms return is a
 * test's to prove (`test/workerd/response-types.ts`).
 */

import * as z from "zod";
import { type ProblemCode, PROBLEMS } from "./problem.ts";
import { DELIVERY_STATUSES, questionSchema } from "./question.ts";
import { count } from "./schema-parts.ts";
import { turnSchema, waitSchema } from "./turn-schema.ts";

const json = z.unknown();

const issueSchema = z.strictObject({ path: z.string(), message: z.string() });

type ProblemOf<C extends ProblemCode> = {
  readonly type: "about:blank";
  readonly title: string;
  readonly status: (typeof PROBLEMS)[C]["status"];
  /** What to do. */
  readonly detail: string;
  readonly code: C;
  /** The request's id. */
  readonly instance: string;
  readonly issues?: readonly z.output<typeof issueSchema>[];
};
/** A problem document, told apart by its code. */
export type ProblemDocument = { [C in ProblemCode]: ProblemOf<C> }[ProblemCode];

/** The problem documents with one of these codes, which share a status. */
function problemSchemaOf(codes: readonly ProblemCode[]) {
  const [first, ...rest] = codes;
  if (first === undefined) throw new Error("a problem has a code");
  return z.strictObject({
    type: z.literal("about:blank"),
    title: z.string(),
    status: z.literal(PROBLEMS[first].status),
    detail: z.string(),
    code: z.enum([first, ...rest]),
    instance: z.string(),
    issues: z.exactOptional(z.array(issueSchema)),
  });
}

const CODES = Object.keys(PROBLEMS) as ProblemCode[];

export const problemSchema = z.union(
  [...Map.groupBy(CODES, (code) => PROBLEMS[code].status).values()].map(problemSchemaOf),
);

function page<S extends z.ZodType>(item: S) {
  return z.strictObject({
    items: z.array(item),
    /** Null on the last page, else the next page's `cursor`. */
    nextCursor: z.nullable(z.string()),
  });
}

export const turnPageSchema = page(turnSchema);
export const questionPageSchema = page(questionSchema);

export const sessionSchema = z.strictObject({
  id: z.string(),
  name: z.exactOptional(z.string()),
  /** The newest first. */
  turns: z.array(turnSchema),
  /** Those that wait. */
  questions: z.array(questionSchema),
});

/** A message as the AI SDK has it: its parts are that library's to say. */
export const messageSchema = z.looseObject({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
});
export const messagesSchema = z.strictObject({ messages: z.array(messageSchema) });

export const deliverySchema = z.strictObject({
  id: z.string(),
  requestId: z.exactOptional(z.string()),
  turnId: z.exactOptional(z.string()),
  channel: z.string(),
  recipient: z.exactOptional(z.string()),
  event: z.exactOptional(z.string()),
  status: z.enum(DELIVERY_STATUSES),
  tries: count,
  error: z.exactOptional(z.string()),
});
export const deliveryPageSchema = page(deliverySchema);

const ids = { turnId: z.string(), sessionId: z.string() };

/** What a turn came to that was let go on. */
const turnResultSchema = z.discriminatedUnion("status", [
  z.strictObject({
    ...ids,
    status: z.literal("completed"),
    text: z.string(),
    output: z.exactOptional(json),
    steps: count,
    usage: z.strictObject({ inputTokens: count, outputTokens: count }),
  }),
  z.strictObject({ ...ids, status: z.literal("parked"), waitingFor: z.array(waitSchema) }),
  z.strictObject({
    ...ids,
    status: z.literal("failed"),
    error: z.strictObject({ code: z.string(), message: z.string(), retryable: z.boolean() }),
  }),
  z.strictObject({ ...ids, status: z.literal("cancelled") }),
]);

export const resumptionSchema = z.strictObject({
  resumed: z.array(z.strictObject({ ...ids, result: turnResultSchema })),
  failed: z.array(
    z.strictObject({
      ...ids,
      error: z.strictObject({ code: z.string(), message: z.string() }),
      attempts: count,
      willRetry: z.boolean(),
    }),
  ),
});

export const parkedCountsSchema = z.strictObject({
  items: z.array(
    z.strictObject({
      agent: z.exactOptional(z.string()),
      tool: z.exactOptional(z.string()),
      schema: z.exactOptional(z.string()),
      version: z.exactOptional(z.int()),
      parked: count,
      /** Of a tool: whether its input schema is another one by now. */
      isChanged: z.exactOptional(z.boolean()),
    }),
  ),
});

/** The AI SDK's own. */
const uiMessageSchema = z.looseObject({
  id: z.string(),
  role: z.enum(["user", "assistant"]),
  parts: z.array(z.looseObject({ type: z.string() })),
});
export const chatMessagesSchema = z.strictObject({ messages: z.array(uiMessageSchema) });

const seconds = z.nullable(z.number().min(0));
export const metricsSchema = z.strictObject({
  sessions: count,
  openQuestions: count,
  parkedTurns: count,
  parkedHours: z.number().min(0),
  overdueSessions: count,
  timeToAnswer: z.strictObject({ questions: count, p50Seconds: seconds, p95Seconds: seconds }),
  wakes: count,
  rowsWritten: count,
});

export const overdueSchema = z.strictObject({ overdue: count, sessions: z.array(z.string()) });
export const rebuiltSchema = z.strictObject({ sessions: count });
export const triggeredSchema = z.strictObject(ids);
export const challengeSchema = z.strictObject({ challenge: z.string() });
export const healthSchema = z.strictObject({ status: z.literal("ok") });
