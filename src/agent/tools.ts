/**
 * Owns: the tools of an agent as the model sees them and as we check and run them. The model gets names, descriptions
 * and schemas; validation, start, time-out and result are ours. Does not own: when a tool runs (`session/`).
 */

import { asSchema } from "ai";
import type { CallKind, ToolOutput } from "../core/event.ts";
import { sha256Hex } from "../core/ids.ts";
import { issueAt, modelIssues } from "../core/issue.ts";
import { canonicalJson, type Json, type JsonObject } from "../core/json.ts";
import {
  ERROR_MESSAGE_CHARACTERS,
  REFUSAL_ISSUES,
  TOOL_RESULT_BYTES,
  TOOL_TIMEOUT_MS,
} from "../core/limits.ts";
import type { Checked, Issue } from "../core/refusal.ts";
import { failed } from "../core/settlement.ts";
import { shorten } from "../core/text.ts";
import type { Agent } from "./agent.ts";
import type { BoundTool } from "./bound-tool.ts";
import { humanTools } from "./human-tools.ts";
import { RuleTimedOut, withinRuleTime } from "./rule-time.ts";
import { bindToolContext } from "./tool-context.ts";

const SCHEMA_DIGEST_DIGITS = 12;

export type Toolbox = ReadonlyMap<string, BoundTool>;

const toolboxes = new WeakMap<Agent, { whole?: Promise<Toolbox>; undeferred?: Promise<Toolbox> }>();

/**
 * The tools of an agent. Without `deferred` those are left out that would wait for somebody: the human tools and the
 * caller's own. A background tool runs in its call then, since nothing could come back for what it returns later: so
 * no tool returns a task, and none is needed that follows one.
 */
export function toolboxOf(agent: Agent, deferred: boolean): Promise<Toolbox> {
  const cached = toolboxes.get(agent) ?? {};
  toolboxes.set(agent, cached);
  if (deferred) return (cached.whole ??= buildToolbox(agent, true));
  return (cached.undeferred ??= buildToolbox(agent, false));
}

async function buildToolbox(agent: Agent, deferred: boolean): Promise<Toolbox> {
  const own = await Promise.all(
    Object.keys(agent.tools).map((name) => bindTool(agent, name, deferred)),
  );
  const all = deferred
    ? [...own, ...humanTools(agent)]
    : own.filter((tool) => tool.kind !== "client");
  return new Map(all.map((tool) => [tool.name, tool]));
}

async function bindTool(agent: Agent, name: string, deferred: boolean): Promise<BoundTool> {
  const tool = agent.tools[name];
  if (tool === undefined) throw new Error(`agent ${agent.name} has no tool ${name}`);
  const rule = agent.toolRules[name] ?? {};
  const schema = asSchema(tool.inputSchema);
  const { execute } = tool;
  const runsHere: CallKind = rule.background === true && deferred ? "background" : "tool";
  const check = async (input: Json): Promise<Checked<unknown>> => {
    const { validate } = schema;
    if (validate === undefined) return { ok: true, value: input };
    const result = await withinRuleTime("input check", agent, name, () => validate(input));
    return result.success
      ? { ok: true, value: result.value }
      : { ok: false, issues: issuesOfError(result.error) };
  };
  const declared = (await schema.jsonSchema) as JsonObject;
  return {
    name,
    description: typeof tool.description === "string" ? tool.description : "",
    jsonSchema: declared,
    schemaDigest: (await sha256Hex(canonicalJson(declared))).slice(0, SCHEMA_DIGEST_DIGITS),
    kind: execute === undefined ? "client" : runsHere,
    effect: rule.effect ?? true,
    editable: rule.editable ?? false,
    check,
    run: async (invocation) => {
      if (execute === undefined) throw new Error(`${name} is the caller's to run`);
      let checked: Checked<unknown>;
      try {
        checked = await check(invocation.input);
      } catch (error) {
        if (error instanceof RuleTimedOut) return failed(`${error.message}; it was not run`);
        throw error;
      }
      if (!checked.ok)
        return failed(`the input does not fit the tool: ${modelIssues(checked.issues)}`);
      const options = {
        toolCallId: invocation.toolCallId,
        messages: [],
        abortSignal: invocation.signal,
        context: {},
      };
      bindToolContext(options, invocation.context);
      const timeoutMs = rule.timeoutMs ?? TOOL_TIMEOUT_MS;
      return runToResult(() => execute(checked.value, options), timeoutMs, invocation.signal);
    },
  };
}

async function runToResult(
  execute: () => unknown,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ToolOutput> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timedOut = new Promise<ToolOutput>((resolve) => {
    timer = setTimeout(
      () =>
        resolve(failed(`the tool did not return within ${timeoutMs} ms; its outcome is unknown`)),
      timeoutMs,
    );
  });
  const aborted = new Promise<ToolOutput>((resolve) => {
    signal.addEventListener("abort", () => resolve(failed("the tool was cancelled")), {
      once: true,
    });
  });
  try {
    return await Promise.race([runToOutput(execute), timedOut, aborted]);
  } finally {
    if (timer !== undefined) clearTimeout(timer);
  }
}

async function runToOutput(execute: () => unknown): Promise<ToolOutput> {
  try {
    return outputOf(await lastOf(await execute()));
  } catch (error) {
    return failed(messageOf(error));
  }
}

/** A tool may stream preliminary results; its last one is the result. */
async function lastOf(result: unknown): Promise<unknown> {
  if (typeof result !== "object" || result === null || !(Symbol.asyncIterator in result))
    return result;
  let last: unknown;
  for await (const each of result as AsyncIterable<unknown>) last = each;
  return last;
}

/** A tool's return value as a result. What is no JSON, or too large to keep, is an error that the model sees. */
function outputOf(value: unknown): ToolOutput {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    return failed(`the tool ran, but its result is no JSON: ${messageOf(error)}`);
  }
  if (text === undefined) return { type: "json", value: null };
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > TOOL_RESULT_BYTES)
    return failed(
      `the tool ran, but its result of ${bytes} bytes is above the limit of ${TOOL_RESULT_BYTES} and was not kept`,
    );
  if (typeof value === "string") return { type: "text", value };
  return { type: "json", value: JSON.parse(text) as Json };
}

/** A bounded message for the model or the caller, from whatever was thrown. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return shorten(message, ERROR_MESSAGE_CHARACTERS) || "no message";
}

/** What a schema found, of whichever library: bounded, its places written as everywhere else. */
function issuesOfError(error: unknown): readonly Issue[] {
  const found = issuesIn(error instanceof Error ? (error.cause ?? error) : error);
  if (found.length === 0) return [issueAt([], messageOf(error))];
  return found
    .slice(0, REFUSAL_ISSUES)
    .map(({ path = [], message }) => issueAt(path.map(segmentOf), String(message)));
}

interface FoundIssue {
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[];
  readonly message?: unknown;
}

/** Some libraries throw an error that has its issues, and Standard Schema gives them as they are. */
function issuesIn(cause: unknown): readonly FoundIssue[] {
  if (Array.isArray(cause)) return cause;
  if (typeof cause !== "object" || cause === null || !("issues" in cause)) return [];
  return Array.isArray(cause.issues) ? cause.issues : [];
}

function segmentOf(segment: PropertyKey | { readonly key: PropertyKey }): PropertyKey {
  return typeof segment === "object" ? segment.key : segment;
}
