/**
 * Owns: what the embedded models share: how a reply that was made up becomes a result, or a stream, of the SDK's model
 * interface. Does not own: what is replied (`script-model.ts`, `demo-model.ts`).
 */

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";

export interface ReplyCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The input as the model writes it: JSON, unless the writer wants it broken. */
  readonly input: string;
}

/** One message: its text first, then its calls. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly ReplyCall[];
}

export interface EmbeddedModel {
  readonly modelId: string;
  /** Throws, or rejects, as a provider's call would. */
  readonly reply: (options: LanguageModelV4CallOptions) => Promise<Reply>;
}

export const EMBEDDED_PROVIDER = "holdpoint";

/** Pieces in which a text or an input is streamed: enough to be seen as a stream, few enough to cost nothing. */
const STREAM_PIECES = 4;
const CHARACTERS_A_TOKEN = 4;
const TEXT_PART_ID = "text_0";

export function embeddedModel(model: EmbeddedModel): LanguageModelV4 {
  const { modelId } = model;
  return {
    specificationVersion: "v4",
    provider: EMBEDDED_PROVIDER,
    modelId,
    supportedUrls: {},
    doGenerate: async (options) => generated(await startedReply(model, options), modelId),
    doStream: async (options) => {
      const reply = await startedReply(model, options);
      return { stream: streamOf(streamParts(reply, modelId), options.abortSignal) };
    },
  };
}

/** The SDK doesn't look at a signal before the first call, so the model does. */
async function startedReply(
  model: EmbeddedModel,
  options: LanguageModelV4CallOptions,
): Promise<Reply> {
  options.abortSignal?.throwIfAborted();
  return model.reply(options);
}

function generated(reply: Reply, modelId: string): LanguageModelV4GenerateResult {
  const content: LanguageModelV4Content[] = [];
  if (reply.text !== "") content.push({ type: "text", text: reply.text });
  for (const call of reply.calls) content.push({ type: "tool-call", ...call });
  return {
    content,
    finishReason: finishReason(reply),
    usage: usage(reply),
    warnings: [],
    response: { modelId },
  };
}

function* streamParts(reply: Reply, modelId: string): Generator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  yield { type: "response-metadata", modelId };
  if (reply.text !== "") {
    yield { type: "text-start", id: TEXT_PART_ID };
    for (const delta of pieces(reply.text)) yield { type: "text-delta", id: TEXT_PART_ID, delta };
    yield { type: "text-end", id: TEXT_PART_ID };
  }
  for (const call of reply.calls) {
    const id = call.toolCallId;
    yield { type: "tool-input-start", id, toolName: call.toolName };
    for (const delta of pieces(call.input)) yield { type: "tool-input-delta", id, delta };
    yield { type: "tool-input-end", id };
    yield { type: "tool-call", ...call };
  }
  yield { type: "finish", finishReason: finishReason(reply), usage: usage(reply) };
}

/** Pulled, not pushed: a reader that stops reading costs nothing, and an abort ends the stream at the next part. */
function streamOf(
  parts: Iterator<LanguageModelV4StreamPart>,
  signal: AbortSignal | undefined,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream<LanguageModelV4StreamPart>({
    pull(controller) {
      if (signal?.aborted === true) {
        controller.error(signal.reason);
        return;
      }
      const next = parts.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
  });
}

/** Cut between code points, so that no piece ends in half a character. */
function pieces(text: string): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / STREAM_PIECES));
  const found: string[] = [];
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + size);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
    found.push(text.slice(at, end));
    at = end;
  }
  return found;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function finishReason(reply: Reply): LanguageModelV4FinishReason {
  return reply.calls.length === 0
    ? { unified: "stop", raw: "stop" }
    : { unified: "tool-calls", raw: "tool_calls" };
}

/** Made up, but the same each time, and from the reply alone: a long conversation must not make a step dearer. */
function usage(reply: Reply): LanguageModelV4Usage {
  const units = reply.calls.reduce(
    (sum, call) => sum + call.toolName.length + call.input.length,
    reply.text.length,
  );
  const output = Math.ceil(units / CHARACTERS_A_TOKEN);
  return {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  };
}
