/**
 * Owns: one step against a provider in a test, the wire of chat completions, and what arrived at the server.
 */

import { APICallError } from "@ai-sdk/provider";
import { generateText, type ModelMessage } from "ai";
import { providerOptions } from "../../src/agent/model-settings.ts";
import { resolveModel } from "../../src/agent/models.ts";
import type { Json } from "../../src/core/json.ts";
import type { Answer, Received } from "./loopback.ts";
import { callerTool, modelContext } from "./model-contexts.ts";

export type Environment = Readonly<Record<string, unknown>>;

export interface Asked {
  readonly messages?: ModelMessage[];
  readonly abortSignal?: AbortSignal;
}

/** One step as the harness makes it: no retries of the SDK's, tools declared and never run. */
export async function step(name: string, env: Environment, asked: Asked = {}) {
  const { messages = [{ role: "user", content: "Approve?" }], abortSignal } = asked;
  return generateText({
    model: await resolveModel(name, env)(modelContext()),
    tools: { ask_person: callerTool() },
    instructions: "You pre-approve loans.",
    messages,
    maxRetries: 0,
    providerOptions,
    ...(abortSignal !== undefined && { abortSignal }),
  });
}

export async function callError(promise: Promise<unknown>): Promise<APICallError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (APICallError.isInstance(error)) return error;
  throw new Error("no APICallError was thrown");
}

export function completion(message: Json, finishReason = "stop"): Answer {
  return {
    body: {
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1_790_000_000,
      model: "served",
      choices: [{ index: 0, message, finish_reason: finishReason }],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    },
  };
}

export const approved = () => completion({ role: "assistant", content: "Approved." });

export function sent(received: readonly Received[], index = 0) {
  const request = received[index];
  if (request === undefined) throw new Error(`request ${index} did not arrive`);
  return { ...request, body: JSON.parse(request.text) };
}
