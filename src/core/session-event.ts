/**
 * Owns: what the readers of a session are told, as a closed list of events in the wire's own shapes, and the ids of those
 * that last. A durable event follows from a fact of the journal (`commit-events.ts`), so it is the same at each reading.
 * `step.started` and `text.delta` are told as they happen and have no id: what they say follows in durable events.
 */

import * as z from "zod";
import { failureSchema } from "./event.ts";
import { questionSchema } from "./question.ts";
import { checkedJson, count, time } from "./schema-parts.ts";
import type { WaitView } from "./turn-view.ts";

const session = {
  /** Of a durable event: `Last-Event-ID` continues behind it. */
  id: z.exactOptional(z.string()),
  sessionId: z.string(),
  at: time,
};
const turn = { ...session, turnId: z.string() };
const question = {
  ...session,
  /** Absent where another system asked, without a turn. */
  turnId: z.exactOptional(z.string()),
  /** The question as it stood then. */
  question: questionSchema,
};
const step = { ...turn, step: count };
const call = { ...step, toolCallId: z.string(), toolName: z.string() };

/** What a parked turn waits for, as its callers see it. */
export const waitShape = {
  kind: z.enum(["question", "task", "call"]),
  requestId: z.exactOptional(z.string()),
  taskId: z.exactOptional(z.string()),
  toolCallId: z.exactOptional(z.string()),
  question: z.exactOptional(z.string()),
  answerUrl: z.exactOptional(z.string()),
  until: z.exactOptional(time),
};

/** With what its link is made of; that stays in the Worker. */
const waitSchema: z.ZodType<WaitView> = z.strictObject({
  ...waitShape,
  to: z.exactOptional(z.string()),
  expiresAt: z.exactOptional(time),
});

export const sessionEventSchema = z.discriminatedUnion("type", [
  z.strictObject({
    ...turn,
    type: z.literal("turn.started"),
    runId: z.string(),
    /** `queued` where an earlier turn must settle first. */
    status: z.enum(["queued", "running"]),
    agent: z.string(),
    /** As the caller gave it: a text, parts, or with `inputType` any JSON. */
    input: checkedJson,
    inputType: z.exactOptional(z.string()),
    sessionName: z.exactOptional(z.string()),
    metadata: z.exactOptional(z.custom<Record<string, string>>((map) => typeof map === "object")),
  }),
  z.strictObject({ ...turn, type: z.literal("turn.begun") }),
  z.strictObject({ ...step, type: z.literal("step.started") }),
  z.strictObject({ ...step, type: z.literal("text.delta"), text: z.string() }),
  z.strictObject({ ...step, type: z.literal("text.finished"), text: z.string() }),
  z.strictObject({ ...call, type: z.literal("tool.called"), arguments: checkedJson }),
  z.strictObject({
    ...call,
    type: z.literal("tool.finished"),
    isError: z.boolean(),
    result: checkedJson,
  }),
  z.strictObject({ ...question, type: z.literal("question.asked") }),
  z.strictObject({ ...question, type: z.literal("question.reminded") }),
  z.strictObject({ ...question, type: z.literal("question.escalated") }),
  z.strictObject({ ...question, type: z.literal("question.assigned") }),
  z.strictObject({ ...question, type: z.literal("question.settled") }),
  z.strictObject({
    ...turn,
    type: z.literal("attempt.failed"),
    error: failureSchema,
    attempts: count,
    /** Absent where it is tried again at once. */
    nextRetryAt: z.exactOptional(time),
  }),
  z.strictObject({
    ...turn,
    type: z.literal("turn.parked"),
    runId: z.string(),
    waitingFor: z.array(waitSchema),
  }),
  z.strictObject({ ...turn, type: z.literal("turn.resumed"), runId: z.string() }),
  z.strictObject({
    ...turn,
    type: z.literal("turn.completed"),
    text: z.string(),
    /** The value that was asked for, where one was. */
    output: z.exactOptional(checkedJson),
    usage: z.strictObject({ inputTokens: count, outputTokens: count, steps: count }),
  }),
  z.strictObject({
    ...turn,
    type: z.literal("turn.failed"),
    error: failureSchema,
    attempts: count,
  }),
  z.strictObject({
    ...turn,
    type: z.literal("turn.cancelled"),
    reason: z.exactOptional(z.string()),
  }),
  z.strictObject({
    ...turn,
    type: z.literal("turn.retried"),
    runId: z.string(),
    status: z.enum(["queued", "running"]),
  }),
]);
export type SessionEvent = z.output<typeof sessionEventSchema>;
export type LiveEvent = Extract<SessionEvent, { type: "step.started" | "text.delta" }>;

/** Where a durable event stands: the number of its commit, and its place among the events of that. */
export interface EventPlace {
  readonly seq: number;
  readonly index: number;
}

export function formatEventId({ seq, index }: EventPlace): string {
  return `${seq}.${index}`;
}

export function parseEventId(id: string): EventPlace | undefined {
  const [, seq, index] = /^([1-9][0-9]{0,9})\.(0|[1-9][0-9]{0,5})$/.exec(id) ?? [];
  return seq === undefined ? undefined : { seq: Number(seq), index: Number(index) };
}

export function isAfter(one: EventPlace, other: EventPlace): boolean {
  return one.seq > other.seq || (one.seq === other.seq && one.index > other.index);
}
