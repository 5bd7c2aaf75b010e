/**
 * Owns: the model that plays a script which comes with the turn, for tests, benchmarks and demonstrations: waits,
 * replies, fails as told, and writes task ids where the script has `$task:N`.
 * Does not own: the script's form and places (`script.ts`), the SDK's wrapping (`embedded-model.ts`).
 */

import { APICallError, type LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelMessage } from "ai";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { embeddedModel, type Reply, type ReplyCall } from "./embedded-model.ts";
import type { ModelContext } from "./model-context.ts";
import { ScriptError, scriptMove, type ScriptCall, type ScriptFailure } from "./script.ts";

const PAST_THE_END = "done";
const TASK_PATTERN = /^\$task:([1-9][0-9]{0,8})$/;

export function scriptModel(context: ModelContext): LanguageModelV4 {
  return embeddedModel({
    modelId: "script",
    reply: (options) => play(context, options.abortSignal),
  });
}

async function play(context: ModelContext, signal: AbortSignal | undefined): Promise<Reply> {
  const { steps, failures, messages } = context.turn;
  const move = scriptMove(scriptBearer(context), steps, failures);
  switch (move.kind) {
    case "past-the-end":
      return { text: PAST_THE_END, calls: [] };
    case "failure":
      await elapsed(move.failure.delayMs, signal);
      throw scriptedFailure(move.failure);
    case "line": {
      await elapsed(move.line.delayMs, signal);
      const calls = move.line.calls ?? [];
      return {
        text: move.line.text ?? "",
        calls: calls.map((call, index) => written(call, `call_${steps}_${index}`, messages)),
      };
    }
  }
}

/** The script comes in `extraBody`, or where a wire has none, in a `json` part of the input. */
function scriptBearer({ extraBody, input }: ModelContext): JsonObject | undefined {
  if (extraBody?.["script"] !== undefined || typeof input === "string") return extraBody;
  for (const part of input)
    if (part.type === "json" && isJsonObject(part.value) && part.value["script"] !== undefined)
      return part.value;
  return extraBody;
}

function scriptedFailure({ fail }: ScriptFailure): APICallError {
  return new APICallError({
    message: `scripted failure ${fail.status}`,
    url: "script:",
    requestBodyValues: {},
    statusCode: fail.status,
    ...(fail.retryAfter !== undefined && {
      responseHeaders: { "retry-after": String(fail.retryAfter) },
    }),
  });
}

function written(
  call: ScriptCall,
  defaultId: string,
  messages: readonly ModelMessage[],
): ReplyCall {
  const { toolName, toolCallId = defaultId, inputRaw } = call;
  const input = inputRaw ?? writtenInput(call.input === undefined ? {} : call.input, messages);
  return { toolCallId, toolName, input };
}

function writtenInput(input: Json, messages: readonly ModelMessage[]): string {
  const text = JSON.stringify(input);
  // Most inputs name no task: the conversation is read only for those that do.
  if (!text.includes("$task:")) return text;
  const taskIds = turnTaskIds(messages);
  return JSON.stringify(input, (_name, value: unknown) =>
    typeof value === "string" ? standIn(value, taskIds) : value,
  );
}

function standIn(text: string, taskIds: readonly string[]): string {
  const ordinal = TASK_PATTERN.exec(text)?.[1];
  if (ordinal === undefined) return text;
  const taskId = taskIds[Number(ordinal) - 1];
  if (taskId !== undefined) return taskId;
  throw new ScriptError(
    `${text} stands for no task: the results of this turn name ${taskIds.length} so far.`,
  );
}

type ToolMessage = Extract<ModelMessage, { role: "tool" }>;
type ResultPart = Extract<ToolMessage["content"][number], { type: "tool-result" }>;

interface StepResults {
  /** The place of each call id in its step. */
  readonly order: ReadonlyMap<string, number>;
  readonly results: ResultPart[];
}

/** Each task once, in the order in which the turn's results first name a `taskId`; the calls of a step in call order. */
export function turnTaskIds(messages: readonly ModelMessage[]): readonly string[] {
  const found = new Set<string>();
  for (const { order, results } of stepResults(messages)) {
    // Results stand in the order of settling, which a park can make another one than that of the calls.
    const inCallOrder = results.toSorted((a, b) => place(order, a) - place(order, b));
    for (const { output } of inCallOrder) {
      if (output.type === "json" || output.type === "error-json") addTaskIds(output.value, found);
    }
  }
  return [...found];
}

function place(order: ReadonlyMap<string, number>, result: ResultPart): number {
  return order.get(result.toolCallId) ?? order.size;
}

function stepResults(messages: readonly ModelMessage[]): readonly StepResults[] {
  let step: StepResults = { order: new Map(), results: [] };
  const steps = [step];
  for (const message of messages) {
    if (message.role === "assistant") {
      const parts = typeof message.content === "string" ? [] : message.content;
      const calls = parts.filter((part) => part.type === "tool-call");
      step = {
        order: new Map(calls.map((call, index) => [call.toolCallId, index])),
        results: parts.filter((part) => part.type === "tool-result"),
      };
      steps.push(step);
    } else if (message.role === "tool") {
      step.results.push(...message.content.filter((part) => part.type === "tool-result"));
    }
  }
  return steps;
}

function addTaskIds(value: unknown, found: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member !== "string") addTaskIds(member, found);
    else if (name === "taskId") found.add(member);
  }
}

function elapsed(delayMs: number | undefined, signal: AbortSignal | undefined): Promise<void> {
  if (delayMs === undefined || delayMs === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(finish, delayMs);
    signal?.addEventListener("abort", stop, { once: true });

    function finish(): void {
      signal?.removeEventListener("abort", stop);
      resolve();
    }
    function stop(): void {
      clearTimeout(timer);
      reject(signal?.reason);
    }
  });
}
