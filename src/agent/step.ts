/**
 * Owns: one step of the model, and what came of it as plain JSON: the assistant's message as it will be stored, its calls,
 * its text, its cost; or a failure that says whether to try again. Does not own: how the model is called (`model-call.ts`).
 */

import { APICallError, type LanguageModel, type ModelMessage } from "ai";
import type {
  JSONSchema7,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4ToolCall,
} from "@ai-sdk/provider";
import { base64 } from "../core/bytes.ts";
import type { Failure, Usage } from "../core/event.ts";
import { isJsonObject, type Json, type JsonObject, nestsDeeperThan } from "../core/json.ts";
import { fitsInto } from "../core/json-bounds.ts";
import { CALL_ID_CHARACTERS, JSON_NESTING_LEVELS, MODEL_MESSAGE_BYTES } from "../core/limits.ts";
import type { OutputRequest } from "../core/output.ts";
import type { Agent } from "./agent.ts";
import { EMBEDDED_PROVIDER } from "./embedded-model.ts";
import { humanInstructions } from "./human-tools.ts";
import { generateByStream, type OnText } from "./streaming.ts";
import type { Toolbox } from "./tools.ts";
import { messageOf } from "./tools.ts";
import { callModel } from "./model-call.ts";
import { ModelNotConfigured } from "./model-settings.ts";
import type { ModelContext } from "./model-context.ts";

/** A call as the model made it. `input` is undefined where its text was no JSON. */
export interface MadeCall {
  readonly callId: string;
  readonly toolName: string;
  readonly input: Json | undefined;
}

export interface Step {
  readonly content: readonly Json[];
  readonly text: string;
  readonly finishReason: string;
  readonly calls: readonly MadeCall[];
  readonly usage: Usage;
}

export type StepOutcome =
  | { readonly ok: true; readonly step: Step }
  | { readonly ok: false; readonly failure: Failure; readonly retryAfterMs: number };

export interface StepRequest {
  readonly agent: Agent;
  readonly toolbox: Toolbox;
  readonly deferred: boolean;
  readonly messages: ModelMessage[];
  /** What the model must know beside its agent's instructions: of the rest of the session, of the output that is wanted. */
  readonly notes: readonly string[];
  /** What the turn's last text must be. */
  readonly output?: OutputRequest;
  readonly context: ModelContext;
  /** What spans are found by. */
  readonly ids: { readonly sessionId: string; readonly turnId: string };
  readonly usedCallIds: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly stream: TextStream;
}

export interface TextStream {
  /** Whether somebody reads the text as it comes. */
  readonly isRead: boolean;
  readonly onText: OnText;
}

export async function runStep(request: StepRequest): Promise<StepOutcome> {
  const { agent, signal } = request;
  const late = new AbortController();
  // Cleared as soon as the call is over: a timer left behind would keep a parked object in memory (I11).
  const timer = setTimeout(() => late.abort(), agent.modelTimeoutMs);
  const stop = AbortSignal.any([signal, late.signal]);
  try {
    // A model may ignore its signal; the race doesn't.
    return await Promise.race([generate(request, stop), rejectedBy(stop)]);
  } catch (error) {
    if (late.signal.aborted && !signal.aborted)
      return failedStep(
        "model_timeout",
        `the model did not answer within ${agent.modelTimeoutMs} ms`,
        true,
      );
    return failureOf(error);
  } finally {
    clearTimeout(timer);
  }
}

async function generate(request: StepRequest, stop: AbortSignal): Promise<StepOutcome> {
  const { agent, toolbox, context, deferred, output } = request;
  const instructions = [agent.system, deferred ? humanInstructions(agent) : "", ...request.notes]
    .filter((part) => part !== "")
    .join("\n\n");
  const answer = await callModel({
    model: await modelOf(agent, context),
    instructions,
    messages: request.messages,
    toolbox,
    // A provider that can hold a schema itself does so only where no tools are declared: several drop them then.
    ...(output !== undefined && toolbox.size === 0 && { responseFormat: responseFormat(output) }),
    signal: stop,
    generate: (model, options) => generateFor(request.stream, model, options, stop),
    wantsTelemetry: agent.telemetry !== undefined,
    runtimeContext: { ...request.ids },
    // What was said stays here unless the agent's author wants it told.
    telemetry: {
      functionId: agent.name,
      recordInputs: false,
      recordOutputs: false,
      includeRuntimeContext: { sessionId: true, turnId: true },
      ...agent.telemetry,
    },
  });
  const calls = namedCalls(answer.calls, request);
  const content = storedContent(answer.content, calls);
  if (!fitsInto(content, MODEL_MESSAGE_BYTES)) {
    const bytes = new TextEncoder().encode(JSON.stringify(content)).length;
    const message = `the model returned ${bytes} bytes, above the limit of ${MODEL_MESSAGE_BYTES}`;
    return failedStep("model_output_too_large", message, true);
  }
  if (answer.finishReason === "error" && calls.length === 0)
    return failedStep("model_failed", "the model ended its answer with an error", true);
  return {
    ok: true,
    step: {
      content,
      text: answer.text,
      finishReason: String(answer.finishReason),
      calls,
      usage: {
        inputTokens: tokens(answer.usage.inputTokens),
        outputTokens: tokens(answer.usage.outputTokens),
      },
    },
  };
}

function responseFormat({
  schema,
}: OutputRequest): NonNullable<LanguageModelV4CallOptions["responseFormat"]> {
  if (typeof schema === "boolean") return { type: "json" };
  return { type: "json", schema: schema as JSONSchema7 };
}

/**
 * In one piece a call is the same with every provider, and costs less, so it is streamed only for somebody who reads. Of an
 * embedded model, which has its whole text at once, somebody who came while it waited has missed nothing.
 */
async function generateFor(
  { isRead, onText }: TextStream,
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  stop: AbortSignal,
): Promise<LanguageModelV4GenerateResult> {
  const doGenerate = () => model.doGenerate(options);
  if (isRead) {
    const doStream = () => model.doStream(options);
    return generateByStream({ doGenerate, doStream }, onText, stop);
  }
  const result = await doGenerate();
  if (model.provider === EMBEDDED_PROVIDER)
    for (const part of result.content) if (part.type === "text") onText(part.text);
  return result;
}

/** A provider's count as a whole number; what is none counts as nothing. */
function tokens(count: unknown): number {
  return Number.isSafeInteger(count) && Number(count) > 0 ? Number(count) : 0;
}

async function modelOf(
  agent: Agent,
  context: ModelContext,
): Promise<Exclude<LanguageModel, string>> {
  const model = typeof agent.model === "function" ? await agent.model(context) : agent.model;
  if (typeof model === "string")
    throw new ModelNotConfigured(
      `agent ${agent.name}: the model is a bare name; give a model object, or set MODEL`,
    );
  return model;
}

/** The calls with ids that are unique in the turn, and inputs that are JSON or known not to be. */
function namedCalls(raw: readonly LanguageModelV4ToolCall[], request: StepRequest): MadeCall[] {
  // The turn's own are not copied: there may be thousands.
  const here = new Set<string>();
  const isUsed = (id: string): boolean => here.has(id) || request.usedCallIds.has(id);
  return raw.map(({ toolCallId, toolName, input }, index) => {
    const isId = toolCallId !== "" && toolCallId.length <= CALL_ID_CHARACTERS;
    const wanted = isId ? toolCallId : `call_${request.context.turn.steps}_${index}`;
    const callId = isUsed(wanted) ? repeatedId(wanted, isUsed) : wanted;
    here.add(callId);
    return { callId, toolName, input: parsedInput(input) };
  });
}

/**
 * `{id}_2`, or with a later number that is free. Some providers name each call alike, so the numbers that are used are not
 * tried one by one: a free one is found by doubling, and the end of the used ones by halving.
 */
function repeatedId(id: string, isUsed: (id: string) => boolean): string {
  const numbered = (n: number): string => `${id}_${n}`;
  let used = 1;
  let free = 2;
  while (isUsed(numbered(free))) {
    used = free;
    free *= 2;
  }
  while (free - used > 1) {
    const middle = Math.floor((used + free) / 2);
    if (isUsed(numbered(middle))) used = middle;
    else free = middle;
  }
  return numbered(free);
}

function parsedInput(text: string): Json | undefined {
  if (text.trim() === "") return {};
  if (nestsDeeperThan(text, JSON_NESTING_LEVELS)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The assistant's message as it is stored: as the SDK formed it, with our call ids and inputs that any provider takes. */
function storedContent(content: readonly JsonObject[], calls: readonly MadeCall[]): Json[] {
  let place = 0;
  return content.map((part): Json => {
    if (part["type"] !== "tool-call" || part["providerExecuted"] === true) return plainPart(part);
    const call = calls[place];
    place += 1;
    if (call === undefined)
      throw new Error("the SDK reported a call that the provider did not make");
    const { dynamic: _dynamic, invalid: _invalid, error: _error, ...rest } = part;
    return plainPart({
      ...rest,
      toolCallId: call.callId,
      toolName: call.toolName,
      // A provider refuses a conversation whose calls have inputs that are no objects.
      input: isJsonObject(call.input) ? call.input : {},
    });
  });
}

/** A part as JSON has it. Text and calls that a provider adds nothing to are JSON as they are. */
function plainPart(part: JsonObject): Json {
  return "providerOptions" in part || !PLAIN_PARTS.has(part["type"]) ? plain(part) : part;
}

const PLAIN_PARTS: ReadonlySet<unknown> = new Set(["text", "reasoning", "tool-call"]);

/** Bytes become base64: a bare byte array does not survive JSON. */
function plain(part: JsonObject): Json {
  return JSON.parse(
    JSON.stringify(part, (_name, value: unknown) =>
      value instanceof Uint8Array ? base64(value) : value,
    ),
  ) as Json;
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stopped = () => reject(new Error("the model call was stopped"));
    if (signal.aborted) stopped();
    else signal.addEventListener("abort", stopped, { once: true });
  });
}

function failureOf(error: unknown): StepOutcome {
  if (error instanceof ModelNotConfigured)
    return failedStep("model_not_configured", error.message, false);
  if (!APICallError.isInstance(error)) return failedStep("model_failed", messageOf(error), true);
  const status = error.statusCode === undefined ? "" : ` (HTTP ${error.statusCode})`;
  const retryAfterMs = retryAfter(error.responseHeaders?.["retry-after"]);
  return failedStep(
    "model_failed",
    `${messageOf(error)}${status}`,
    error.isRetryable,
    retryAfterMs,
  );
}

/** `Retry-After` in milliseconds where it gives seconds; a date is left to our own back-off. */
function retryAfter(header: string | undefined): number {
  const seconds = header === undefined ? Number.NaN : Number(header);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 0;
}

function failedStep(
  code: string,
  message: string,
  retryable: boolean,
  retryAfterMs = 0,
): StepOutcome {
  return { ok: false, failure: { code, message, retryable }, retryAfterMs };
}
