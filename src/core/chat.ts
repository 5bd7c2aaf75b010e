/**
 * Owns: what a message of the AI SDK's chat says to us: a user's is a turn's input, an assistant's bears the answers that
 * were given on its parts. Nothing else of it counts: the session knows what was said. Does not own: which of the answers
 * are still waited for.
 */

import * as z from "zod";
import type { CallResult } from "./batch.ts";
import { parseId, type SessionKey } from "./ids.ts";
import { type Input, inputSchema } from "./input.ts";
import { issueAt, issuesOf } from "./issue.ts";
import { isJsonObject, type Json } from "./json.ts";
import {
  CALL_ID_CHARACTERS,
  FAILURE_MESSAGE_CHARACTERS,
  IDEMPOTENCY_KEY_CHARACTERS,
  REASON_CHARACTERS,
  REFUSAL_ISSUES,
} from "./limits.ts";
import type { Checked, Issue } from "./refusal.ts";
import { shorten, strip } from "./text.ts";

const partSchema = z.looseObject({ type: z.string() });

export const chatMessageSchema = z.looseObject({
  id: z.string().min(1).max(IDEMPOTENCY_KEY_CHARACTERS),
  role: z.enum(["user", "assistant"], "must be user or assistant"),
  parts: z.array(partSchema),
  metadata: z.unknown().optional(),
});
export type ChatMessage = z.output<typeof chatMessageSchema>;

const textPartSchema = z.looseObject({ type: z.literal("text"), text: z.string() });

/** What a user's message says. */
export function inputOf({ parts }: ChatMessage): Checked<Input> {
  const issues: Issue[] = [];
  const texts = parts.flatMap((part, i) => {
    const parsed = textPartSchema.safeParse(part);
    if (parsed.success) return [parsed.data.text];
    issues.push(issueAt(["parts", i], "must be a text part: a chat takes no others from a user"));
    return [];
  });
  if (issues.length > 0) return { ok: false, issues: issues.slice(0, REFUSAL_ISSUES) };
  const [only, ...more] = texts;
  const input = inputSchema.safeParse(
    more.length === 0 ? (only ?? "") : texts.map((text) => ({ type: "text", text })),
  );
  if (input.success) return { ok: true, value: input.data };
  return { ok: false, issues: [issueAt(["parts"], issuesOf(input.error)[0]?.message ?? "")] };
}

export type GivenAnswer =
  | { readonly action: "answer"; readonly answer: unknown }
  | { readonly action: "decline"; readonly reason?: string };

export interface GivenOnParts {
  /** By the questions' numbers. */
  readonly answers: ReadonlyMap<number, GivenAnswer>;
  /** By the ids of the parts. */
  readonly results: ReadonlyMap<string, CallResult>;
}

const outputPartSchema = z.discriminatedUnion("state", [
  z.looseObject({
    toolCallId: z.string().max(CALL_ID_CHARACTERS * 2),
    state: z.literal("output-available"),
    output: z.unknown(),
  }),
  z.looseObject({
    toolCallId: z.string().max(CALL_ID_CHARACTERS * 2),
    state: z.literal("output-error"),
    errorText: z.string(),
  }),
]);
const approvalPartSchema = z.looseObject({
  state: z.literal("approval-responded"),
  approval: z.looseObject({
    id: z.string(),
    approved: z.boolean(),
    reason: z.string().optional(),
  }),
});

/** What was answered on the parts of an assistant's message, whenever that was. */
export function givenOn({ parts }: ChatMessage, key: SessionKey): GivenOnParts {
  const answers = new Map<number, GivenAnswer>();
  const results = new Map<string, CallResult>();
  for (const part of parts) {
    const approval = approvalPartSchema.safeParse(part).data?.approval;
    const approvalId = parseId("q", approval?.id ?? "");
    if (approval !== undefined && approvalId?.key === key)
      answers.set(approvalId.n, { action: "answer", answer: approvalAnswer(approval) });
    const output = outputPartSchema.safeParse(part).data;
    if (output === undefined) continue;
    const question = parseId("q", output.toolCallId);
    if (question?.key === key) answers.set(question.n, answerIn(output));
    else results.set(output.toolCallId, resultIn(output));
  }
  return { answers, results };
}

type Output = z.output<typeof outputPartSchema>;

/** An output that bears no answer is handed on as it is: the question says what is wrong with it. */
function answerIn(part: Output): GivenAnswer {
  if (part.state === "output-error") {
    const reason = shorten(strip(part.errorText), REASON_CHARACTERS);
    return { action: "decline", ...(reason !== "" && { reason }) };
  }
  const { output } = part;
  const bearsAnswer = isJsonObject(output) && output.answer !== undefined;
  return { action: "answer", answer: bearsAnswer ? output.answer : output };
}

function approvalAnswer({ approved, reason }: { approved: boolean; reason?: string | undefined }) {
  return approved || reason === undefined ? { approved } : { approved, reason };
}

function resultIn(part: Output): CallResult {
  if (part.state === "output-available")
    return { status: "returned", value: (part.output ?? null) as Json };
  const message = shorten(part.errorText, FAILURE_MESSAGE_CHARACTERS);
  return { status: "failed", message: strip(message) === "" ? "it failed" : message };
}
