/**
 * Owns: what a tool is to the engine, whoever wrote it: its declaration, its check, its run.
 */

import type { CallKind, ToolOutput } from "../core/event.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { Checked } from "../core/refusal.ts";
import type { ToolContext } from "./tool-context.ts";

export interface ToolInvocation {
  readonly input: Json;
  readonly toolCallId: string;
  readonly signal: AbortSignal;
  readonly context: ToolContext;
}

/** A tool, ready to be declared, checked and run. */
export interface BoundTool {
  readonly name: string;
  readonly description: string;
  readonly jsonSchema: JsonObject;
  /** Digest of `jsonSchema`, of an author's own tool. */
  readonly schemaDigest?: string;
  readonly kind: CallKind;
  readonly effect: boolean;
  readonly editable: boolean;
  /** Whether a stored input fits the schema that the tool has now. Rejects with RuleTimedOut where that takes too long. */
  check(input: Json): Promise<Checked<unknown>>;
  /** Runs it to a result; what it throws, or its time-out, is an error result. */
  run(invocation: ToolInvocation): Promise<ToolOutput>;
}
