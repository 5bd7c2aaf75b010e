/**
 * Owns: one call of the script model in a test: what it replies, or what it throws.
 */

import { APICallError } from "@ai-sdk/provider";
import { scriptModel } from "../../src/agent/script-model.ts";
import type { Json } from "../../src/core/json.ts";
import { type ContextParts, modelContext } from "./model-contexts.ts";

export interface Call {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: string;
}

export const prompt = [
  { role: "user" as const, content: [{ type: "text" as const, text: "Go." }] },
];

export async function played(script: Json, parts: ContextParts = {}) {
  const model = scriptModel(modelContext({ ...parts, extraBody: { script } }));
  const { content, finishReason } = await model.doGenerate({ prompt });
  const calls: Call[] = [];
  let text = "";
  for (const part of content) {
    if (part.type === "text") text += part.text;
    if (part.type === "tool-call") {
      const { toolCallId, toolName, input } = part;
      calls.push({ toolCallId, toolName, input });
    }
  }
  return { text, calls, finishReason: finishReason.unified };
}

export async function thrown(script: Json, parts: ContextParts = {}): Promise<APICallError> {
  const error: unknown = await played(script, parts).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!APICallError.isInstance(error)) throw new Error("no APICallError was thrown");
  return error;
}
