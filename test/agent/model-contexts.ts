/**
 * Owns: what a test hands to a model: the context of a model source, and tools that the SDK does not run.
 */

import { jsonSchema, type ModelMessage, tool } from "ai";
import type { ModelContext } from "../../src/agent/model-context.ts";
import type { Json, JsonObject } from "../../src/core/json.ts";

export interface ContextParts {
  readonly extraBody?: JsonObject;
  readonly steps?: number;
  readonly failures?: number;
  readonly messages?: readonly ModelMessage[];
}

export function modelContext(parts: ContextParts = {}): ModelContext {
  const { extraBody, steps = 0, failures = 0, messages = [] } = parts;
  return { env: {}, agent: "default", extraBody, input: "go", turn: { steps, failures, messages } };
}

/** A tool of any input without `execute`. */
export function callerTool() {
  return tool({
    description: "A tool that the caller runs.",
    inputSchema: jsonSchema<JsonObject>({ type: "object" }),
    outputSchema: jsonSchema<Json>({}),
  });
}
