/**
 * Owns: structured output: what a model is told of the value that it must end with, how its last text is read as that
 * value, and what it is told once where the text does not fit. Does not own: JSON Schema itself (`json-schema.ts`).
 */

import * as z from "zod";
import { modelIssues } from "./issue.ts";
import { type Json, type JsonObject, nestsDeeperThan } from "./json.ts";
import { schemaFindings, validateBySchema } from "./json-schema.ts";
import { JSON_NESTING_LEVELS } from "./limits.ts";
import type { Checked } from "./refusal.ts";

/** A schema as an author writes it, in zod or as JSON Schema, as the JSON Schema that it stands for. */
export function jsonSchemaOf(schema: unknown): unknown {
  return schema instanceof z.ZodType ? z.toJSONSchema(schema) : schema;
}

/** The same at a door: what can't be used is an issue. */
export const authorSchema = z.unknown().transform((given, context): JsonObject | boolean => {
  let schema: unknown;
  try {
    schema = jsonSchemaOf(given);
  } catch {
    context.addIssue({ code: "custom", message: "has no JSON Schema: leave transforms out" });
    return z.NEVER;
  }
  for (const { at, message } of schemaFindings(schema))
    context.addIssue({ code: "custom", path: [...at], message });
  return schema as JsonObject | boolean;
});

/** What a turn's last text must be: one JSON value that fits the schema. */
export const outputSchema = z.strictObject({ schema: authorSchema });
export type OutputRequest = z.output<typeof outputSchema>;

export function outputInstructions({ schema }: OutputRequest): string {
  return `Your last message must be one JSON value and nothing else, no words around it, that fits this JSON Schema:\n${JSON.stringify(schema)}`;
}

/** The value that a last text is, or why it is none. */
export function readOutput({ schema }: OutputRequest, text: string): Checked<Json> {
  const value = parsed(unfenced(text));
  if (value === undefined)
    return { ok: false, issues: [{ path: "", message: "is not one JSON value" }] };
  const issues = validateBySchema(schema, value);
  return issues.length === 0 ? { ok: true, value } : { ok: false, issues };
}

/** What the model is told, once, of a text that is not the output. */
export function repairRequest(issues: Parameters<typeof modelIssues>[0]): string {
  return `Your last message is not the output that was asked for:\n${modelIssues(issues)}\nAnswer with the JSON value alone.`;
}

const FENCED = /^```(?:json)?[ \t]*\n([\s\S]*)\n```$/;

/** Models like to put JSON into a code block, whatever they are told. */
function unfenced(text: string): string {
  const trimmed = text.trim();
  return FENCED.exec(trimmed)?.[1] ?? trimmed;
}

function parsed(text: string): Json | undefined {
  if (nestsDeeperThan(text, JSON_NESTING_LEVELS)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
