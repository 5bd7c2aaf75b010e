/**
 * Owns: one call of a model: what the model is handed, and its answer as the AI SDK would form it. A conversation grows and
 * is handed over whole each time, so each message is turned into the provider's form once and kept beside it; the SDK's own
 * call would convert and check all of it again. What is rare (files, tools that the provider runs, warnings) the SDK does.
 * Does not own: what becomes of the answer (`step.ts`).
 */

import {
  generateText,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  type TelemetryOptions,
  tool,
  wrapLanguageModel,
} from "ai";
import type {
  JSONSchema7,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FunctionTool,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCall,
} from "@ai-sdk/provider";
import type { JsonObject } from "../core/json.ts";
import { providerOptions } from "./model-settings.ts";
import type { Toolbox } from "./tools.ts";

/** How a model is asked: in one piece, unless somebody wants it otherwise. */
export type Generate = (
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
) => PromiseLike<LanguageModelV4GenerateResult>;

export interface ModelCall {
  readonly model: Exclude<LanguageModel, string>;
  readonly instructions: string;
  readonly messages: ModelMessage[];
  readonly toolbox: Toolbox;
  readonly responseFormat?: LanguageModelV4CallOptions["responseFormat"];
  readonly signal: AbortSignal;
  readonly generate: Generate;
  /** Whether the agent's author wants the SDK's telemetry; who is registered for every call is told in any case. */
  readonly wantsTelemetry: boolean;
  readonly telemetry: TelemetryOptions;
  readonly runtimeContext: Record<string, unknown>;
}

export interface ModelAnswer {
  /** The content of the assistant's message, in the SDK's form; its calls still have the ids that the model gave them. */
  readonly content: readonly JsonObject[];
  readonly text: string;
  readonly finishReason: unknown;
  /** As the model made them: the SDK merges two calls that share an id. */
  readonly calls: readonly LanguageModelV4ToolCall[];
  /** As the provider counts: what is no number is its own affair. */
  readonly usage: { readonly inputTokens: unknown; readonly outputTokens: unknown };
}

export async function callModel(call: ModelCall): Promise<ModelAnswer> {
  const { model, toolbox, signal } = call;
  const prompt = promptOf(call);
  // Somebody who watches the SDK's calls sees them all.
  const isWatched =
    call.wantsTelemetry || (globalThis.AI_SDK_TELEMETRY_INTEGRATIONS ?? []).length > 0;
  if (prompt === undefined || isWatched || model.specificationVersion !== "v4")
    return callBySdk(call);
  const tools = functionTools(toolbox);
  const result = await call.generate(model, {
    prompt,
    ...(tools.length > 0 && { tools }),
    toolChoice: { type: "auto" },
    ...(call.responseFormat !== undefined && { responseFormat: call.responseFormat }),
    providerOptions,
    abortSignal: signal,
  });
  return plainAnswer(result) ?? callBySdk({ ...call, generate: () => Promise.resolve(result) });
}

/** Tools are declared without `execute`, so the SDK runs none; and without validation, so that its error texts stay out. */
async function callBySdk(call: ModelCall): Promise<ModelAnswer> {
  let calls: readonly LanguageModelV4ToolCall[] = [];
  const watched = wrapLanguageModel({
    model: call.model,
    middleware: {
      specificationVersion: "v4",
      transformParams: async ({ params }) =>
        call.responseFormat === undefined
          ? params
          : { ...params, responseFormat: call.responseFormat },
      wrapGenerate: async ({ model, params }) => {
        const result = await call.generate(model, params);
        calls = ownCalls(result.content);
        return result;
      },
    },
  });
  const result = await generateText({
    model: watched,
    instructions: call.instructions,
    messages: call.messages,
    tools: Object.fromEntries(
      functionTools(call.toolbox).map(({ name, description = "", inputSchema }) => [
        name,
        tool({ description, inputSchema: jsonSchema(inputSchema) }),
      ]),
    ),
    maxRetries: 0,
    abortSignal: call.signal,
    providerOptions,
    runtimeContext: call.runtimeContext,
    telemetry: call.telemetry,
  });
  const content = result.responseMessages.flatMap((message): readonly unknown[] => {
    if (message.role !== "assistant") return [];
    if (typeof message.content !== "string") return message.content;
    return message.content === "" ? [] : [{ type: "text", text: message.content }];
  });
  return {
    content: content as readonly JsonObject[],
    text: result.text,
    finishReason: result.finishReason,
    calls,
    usage: {
      inputTokens: result.usage.inputTokens,
      outputTokens: result.usage.outputTokens,
    },
  };
}

const declared = new WeakMap<Toolbox, readonly LanguageModelV4FunctionTool[]>();

function functionTools(toolbox: Toolbox): LanguageModelV4FunctionTool[] {
  const tools =
    declared.get(toolbox) ??
    Array.from(toolbox.values(), ({ name, description, jsonSchema: schema }) => ({
      type: "function" as const,
      name,
      description,
      inputSchema: schema as JSONSchema7,
    }));
  declared.set(toolbox, tools);
  return [...tools];
}

/** Undefined where a message holds what only the SDK turns into the provider's form. */
function promptOf({ instructions, messages }: ModelCall): LanguageModelV4Prompt | undefined {
  const prompt: LanguageModelV4Prompt = [{ role: "system", content: instructions }];
  for (const message of messages) {
    const converted = convertedOnce(message);
    if (converted === undefined) return undefined;
    const last = prompt.at(-1);
    // Results of one step are one message, and what is kept of a message stays as it is.
    if (converted.role === "tool" && last?.role === "tool")
      prompt[prompt.length - 1] = { ...last, content: [...last.content, ...converted.content] };
    else prompt.push(converted);
  }
  return prompt;
}

const conversions = new WeakMap<ModelMessage, LanguageModelV4Message | "by the SDK">();

function convertedOnce(message: ModelMessage): LanguageModelV4Message | undefined {
  let converted = conversions.get(message);
  if (converted === undefined) {
    converted = convert(message) ?? "by the SDK";
    conversions.set(message, converted);
  }
  return converted === "by the SDK" ? undefined : converted;
}

/** Messages that the journal holds are changed by nobody. Undefined for one with a part that takes more than a copy. */
function convert(message: ModelMessage): LanguageModelV4Message | undefined {
  if (message.providerOptions !== undefined) return undefined;
  switch (message.role) {
    case "system":
      return undefined;
    case "user":
      return typeof message.content === "string"
        ? { role: "user", content: [{ type: "text", text: message.content }] }
        : undefined;
    case "assistant": {
      if (typeof message.content === "string") return undefined;
      const isPlain = message.content.every(
        ({ type }) => type === "text" || type === "reasoning" || type === "tool-call",
      );
      const content = message.content.filter(
        (part) => part.type !== "text" || part.text !== "" || part.providerOptions !== undefined,
      );
      return isPlain ? ({ role: "assistant", content } as LanguageModelV4Message) : undefined;
    }
    case "tool": {
      const isPlain = message.content.every(
        (part) => part.type === "tool-result" && part.output.type !== "content",
      );
      return isPlain && message.content.length > 0
        ? ({ role: "tool", content: [...message.content] } as LanguageModelV4Message)
        : undefined;
    }
  }
}

/** Undefined for an answer with anything in it but text, reasoning and calls of our tools. */
function plainAnswer(result: LanguageModelV4GenerateResult): ModelAnswer | undefined {
  if (result.warnings.length > 0) return undefined;
  const content: JsonObject[] = [];
  let text = "";
  for (const part of result.content) {
    const formed = formedPart(part);
    if (formed === undefined) return undefined;
    if (part.type === "text") text += part.text;
    // An empty text says nothing, unless the provider wants to see it again.
    if (part.type === "text" && part.text === "" && part.providerMetadata === undefined) continue;
    content.push(formed);
  }
  const { usage, finishReason } = result;
  return {
    content,
    text,
    finishReason: finishReason.unified,
    calls: ownCalls(result.content),
    usage: {
      inputTokens: usage.inputTokens.total,
      outputTokens: usage.outputTokens.total,
    },
  };
}

function formedPart(part: LanguageModelV4Content): JsonObject | undefined {
  const { providerMetadata } = part;
  const options = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
  switch (part.type) {
    case "text":
    case "reasoning":
      return { type: part.type, text: part.text, ...options } as JsonObject;
    case "tool-call": {
      const { toolCallId, toolName } = part;
      // Its input is read, and written into the message, by whoever gives the calls their ids.
      return part.providerExecuted === true
        ? undefined
        : ({ type: "tool-call", toolCallId, toolName, input: {}, ...options } as JsonObject);
    }
    case "source":
    case "file":
    case "reasoning-file":
    case "custom":
    case "tool-result":
    case "tool-approval-request":
      return undefined;
  }
}

function ownCalls(content: readonly LanguageModelV4Content[]): LanguageModelV4ToolCall[] {
  return content.filter(
    (part): part is LanguageModelV4ToolCall =>
      part.type === "tool-call" && part.providerExecuted !== true,
  );
}
