/**
 * Owns: one model call made as a stream, whose text is handed on as it comes, and whose result is the one that the same
 * call gives in one piece. What becomes of a result is therefore written once, in `step.ts`.
 */

import {
  APICallError,
  getErrorMessage,
  type LanguageModelV4,
  type LanguageModelV4Content,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4StreamPart,
  type LanguageModelV4StreamResult,
} from "@ai-sdk/provider";

/** The two ways to make one model call. */
export interface ModelCall {
  readonly doGenerate: LanguageModelV4["doGenerate"] extends (...args: never) => infer Result
    ? () => Result
    : never;
  readonly doStream: () => PromiseLike<LanguageModelV4StreamResult>;
}

/** Called with each piece of the text, in order. */
export type OnText = (delta: string) => void;

/** A stream that ends without its finish is a failure: half an answer is none. */
export async function generateByStream(
  { doGenerate, doStream }: ModelCall,
  onText: OnText,
  signal: AbortSignal,
): Promise<LanguageModelV4GenerateResult> {
  const started = await startStream(doStream, signal);
  if (started === undefined) return doGenerate();
  const result = new StreamedResult(onText);
  const reader = started.stream.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      signal.throwIfAborted();
      result.add(read.value);
    }
  } catch (error) {
    // Nobody reads on: the provider may stop.
    void reader.cancel(error).catch(() => undefined);
    throw error;
  }
  return result.whole();
}

/** Undefined for a model that can't stream: what a provider refuses comes as an error of its API, and is no such thing. */
async function startStream(
  doStream: ModelCall["doStream"],
  signal: AbortSignal,
): Promise<LanguageModelV4StreamResult | undefined> {
  try {
    return await doStream();
  } catch (error) {
    if (APICallError.isInstance(error) || signal.aborted) throw error;
    return undefined;
  }
}

type WrittenPart = Extract<LanguageModelV4Content, { type: "text" | "reasoning" }>;
type WritingPart = Extract<
  LanguageModelV4StreamPart,
  { type: `${WrittenPart["type"]}-${"start" | "delta" | "end"}` }
>;
type FinishPart = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

/** Puts the parts of a stream together as the provider would have given them in one piece. */
class StreamedResult {
  readonly #content: LanguageModelV4Content[] = [];
  readonly #onText: OnText;
  /** Parts that are still written, by their kind and the stream's id of them. */
  readonly #open = new Map<string, WrittenPart>();
  #response: LanguageModelV4GenerateResult["response"];
  #warnings: LanguageModelV4GenerateResult["warnings"] = [];
  #finish: FinishPart | undefined;

  constructor(onText: OnText) {
    this.#onText = onText;
  }

  add(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.#begin(part.type === "text-start" ? "text" : "reasoning", part.id);
        this.#note(part);
        return;
      case "text-delta":
      case "reasoning-delta":
        this.#note(part).text += part.delta;
        if (part.type === "text-delta" && part.delta !== "") this.#onText(part.delta);
        return;
      case "text-end":
      case "reasoning-end": {
        const written = this.#note(part);
        if (written.type === "text" && part.type === "text-end" && part.citations !== undefined)
          written.citations = part.citations;
        this.#open.delete(`${written.type} ${part.id}`);
        return;
      }
      case "custom":
      case "file":
      case "reasoning-file":
      case "source":
      case "tool-approval-request":
      case "tool-call":
      case "tool-result":
        this.#content.push(part);
        return;
      case "stream-start":
        this.#warnings = part.warnings;
        return;
      case "response-metadata": {
        const { type: _, ...metadata } = part;
        this.#response = { ...this.#response, ...metadata };
        return;
      }
      case "finish":
        this.#finish = part;
        return;
      case "error":
        throw part.error instanceof Error ? part.error : new Error(getErrorMessage(part.error));
      case "tool-input-start":
      case "tool-input-delta":
      case "tool-input-end":
      case "ping":
      case "raw":
        return;
    }
  }

  whole(): LanguageModelV4GenerateResult {
    if (this.#finish === undefined || isCut(this.#finish))
      throw new Error("the model's stream was cut");
    const { finishReason, usage, providerMetadata } = this.#finish;
    return {
      content: this.#content,
      finishReason,
      usage,
      warnings: this.#warnings,
      ...(providerMetadata !== undefined && { providerMetadata }),
      ...(this.#response !== undefined && { response: this.#response }),
    };
  }

  #begin(type: WrittenPart["type"], id: string): WrittenPart {
    const part: WrittenPart = { type, text: "" };
    this.#content.push(part);
    this.#open.set(`${type} ${id}`, part);
    return part;
  }

  /** The part that is written, with what the provider says of it: the last word counts, as a signature comes at the end. */
  #note(part: WritingPart): WrittenPart {
    const type = part.type.startsWith("text") ? "text" : "reasoning";
    const written = this.#open.get(`${type} ${part.id}`) ?? this.#begin(type, part.id);
    if (part.providerMetadata !== undefined) written.providerMetadata = part.providerMetadata;
    return written;
  }
}

/** Providers make up a finish where none came: one that is called so, or one without the model's own word for it. */
function isCut({ finishReason: { unified, raw } }: FinishPart): boolean {
  if (unified === "interrupted" || raw === WORKERS_AI_CUT) return true;
  return unified === "other" && raw === undefined;
}

const WORKERS_AI_CUT = "stream-truncated";
