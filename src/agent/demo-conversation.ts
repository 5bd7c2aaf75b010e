/**
 * Owns: what the demo model sees of a conversation: the loan request that this turn is about, and the tool results that
 * came since. Does not own: what a message about a loan says (`loan-request.ts`), nor what to do next.
 */

import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { TURN_CANCELLED } from "../core/settlement.ts";
import { readLoanRequest, type LoanRequest } from "./loan-request.ts";

export type ToolOutcome =
  | { readonly ok: true; readonly value: unknown }
  /** `denied`: a person forbade it, so it surely didn't run. */
  | { readonly ok: false; readonly denied: boolean; readonly text: string };

interface ToolResult {
  readonly toolName: string;
  readonly outcome: ToolOutcome;
}

export interface Conversation {
  readonly request: LoanRequest;
  /** The last thing that the user said. */
  readonly lastText: string;
  /** Results since the request, oldest first. */
  readonly results: readonly ToolResult[];
  /** Calls in the whole conversation, from which the next call's id is made. */
  readonly callCount: number;
}

interface UserMessage {
  readonly at: number;
  readonly text: string;
  readonly request: LoanRequest;
}

export function readConversation(prompt: LanguageModelV4Prompt): Conversation {
  const turn = prompt.slice(turnStart(prompt));
  const users = turn.flatMap((message, at) => userMessage(message, at));
  const subject = subjectOf(users.toReversed());
  const sinceSubject = users.filter((user) => user.at >= (subject?.at ?? 0));
  return {
    request: withMailWish(subject?.request ?? readLoanRequest(""), sinceSubject),
    lastText: users.at(-1)?.text ?? "",
    results: turn.slice(subject?.at ?? 0).flatMap(toolResults),
    callCount: prompt.reduce((sum, message) => sum + callsIn(message), 0),
  };
}

export function lastOutcome(conversation: Conversation, toolName: string): ToolOutcome | undefined {
  return conversation.results.findLast((result) => result.toolName === toolName)?.outcome;
}

/** The newest state of a task that any result told of; what only says that it was begun is none. */
export function taskState(conversation: Conversation, taskId: string): JsonObject | undefined {
  for (const { outcome } of conversation.results.toReversed()) {
    const state = outcome.ok ? taskIn(outcome.value, taskId) : undefined;
    if (state !== undefined) return state;
  }
  return undefined;
}

function taskIn(value: unknown, taskId: string): JsonObject | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (isJsonObject(value) && value["taskId"] === taskId && value["kind"] === "input") return value;
  for (const member of Object.values(value)) {
    const found = taskIn(member, taskId);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What follows the last message that ended a turn is this turn's. */
function turnStart(prompt: LanguageModelV4Prompt): number {
  return prompt.findLastIndex(endsTurn) + 1;
}

/** A turn ends with an assistant's message that calls nothing, or with the results that a cancelled turn leaves. */
function endsTurn(message: LanguageModelV4Message): boolean {
  if (message.role === "assistant") return callsIn(message) === 0;
  return toolResults(message).some(
    ({ outcome }) => !outcome.ok && outcome.text === TURN_CANCELLED.value,
  );
}

function callsIn(message: LanguageModelV4Message): number {
  if (message.role !== "assistant") return 0;
  return message.content.filter((part) => part.type === "tool-call").length;
}

function userMessage(message: LanguageModelV4Message, at: number): readonly UserMessage[] {
  if (message.role !== "user") return [];
  const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  return [{ at, text, request: readLoanRequest(text) }];
}

/**
 * The message that the turn is about. A further message may stand beside the answers to a question; it is context, and
 * the loan's figures are in an earlier one. But a message that names another application begins anew.
 */
function subjectOf(newestFirst: readonly UserMessage[]): UserMessage | undefined {
  const named = newestFirst.find((user) => user.request.applicationId !== undefined);
  const complete = newestFirst.find(
    ({ request }) => request.income !== undefined && request.debt !== undefined,
  );
  if (complete !== undefined && !beginsAnew(named, complete)) return complete;
  const partial = newestFirst.find(
    ({ request }) => request.income !== undefined || request.debt !== undefined,
  );
  if (partial !== undefined && !beginsAnew(named, partial)) return partial;
  return named ?? newestFirst[0];
}

function beginsAnew(named: UserMessage | undefined, earlier: UserMessage): boolean {
  if (named === undefined || named.at <= earlier.at) return false;
  const { applicationId } = earlier.request;
  return applicationId !== undefined && applicationId !== named.request.applicationId;
}

function withMailWish(request: LoanRequest, users: readonly UserMessage[]): LoanRequest {
  const wishes = users.map((user) => user.request);
  return {
    ...request,
    wantsMail: wishes.some((wish) => wish.wantsMail),
    mailAddress: wishes.findLast((wish) => wish.mailAddress !== undefined)?.mailAddress,
  };
}

function toolResults(message: LanguageModelV4Message): readonly ToolResult[] {
  if (message.role !== "tool" && message.role !== "assistant") return [];
  return message.content.flatMap((part) =>
    part.type === "tool-result"
      ? [{ toolName: part.toolName, outcome: outcomeOf(part.output) }]
      : [],
  );
}

function outcomeOf(output: LanguageModelV4ToolResultPart["output"]): ToolOutcome {
  switch (output.type) {
    case "json":
      return { ok: true, value: resultIn(output.value) };
    case "text":
      return textOutcome(output.value);
    case "content":
      return textOutcome(
        output.value.map((part) => (part.type === "text" ? part.text : "")).join("\n"),
      );
    case "error-text":
      return failure(output.value);
    case "error-json":
      return failure(errorText(output.value));
    case "execution-denied":
      return { ok: false, denied: true, text: deniedText(output.reason) };
  }
}

/** A provider, or a history from elsewhere, may have turned a JSON result or a failure into plain text. */
function textOutcome(text: string): ToolOutcome {
  if (/^(?:NOT EXECUTED|FAILED:|Declined by )/.test(text)) return failure(text);
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: true, value: text };
  }
}

/** Where a person edited a call's arguments, its result stands beside a note on that. */
function resultIn(value: unknown): unknown {
  const isEdited = isJsonObject(value) && "note" in value && "arguments" in value;
  return isEdited && "result" in value ? value["result"] : value;
}

function failure(text: string): ToolOutcome {
  return { ok: false, denied: text.startsWith("NOT EXECUTED"), text };
}

function errorText(value: unknown): string {
  if (!isJsonObject(value)) return JSON.stringify(value);
  const { message, error } = value;
  if (typeof error === "string") return error;
  return typeof message === "string" ? message : JSON.stringify(value);
}

function deniedText(reason: string | undefined): string {
  if (reason === undefined) return "NOT EXECUTED.";
  return reason.startsWith("NOT EXECUTED") ? reason : `NOT EXECUTED. ${reason}`;
}
