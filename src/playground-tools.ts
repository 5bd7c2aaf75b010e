/**
 * Owns: the playground's own tools, by which anything that Holdpoint does can be driven over HTTP alone: effects and
 * reads on a loopback server, a client tool, a question from a tool's code, a large result, a failure.
 * Does not own: the human tools, the script model, nor where the playground is allowed.
 */

import { jsonSchema, tool } from "ai";
import * as z from "zod";
import { harnessToolContext } from "./agent/tool-context.ts";
import { isJsonObject, type Json, type JsonObject } from "./core/json.ts";
import type { ToolQuestionInput } from "./core/question.ts";

export interface PlaygroundDeps {
  /** The platform's own where it is left out. */
  readonly fetch?: typeof fetch;
}

export interface HttpResult {
  readonly status: number;
  /** Parsed where it is JSON, else text. What is longer than RESPONSE_BYTES is cut. */
  readonly body: Json;
}

const RESPONSE_BYTES = 64 * 1024;
/** Well above the limit of a tool's result, which a large result is there to try. */
const BIG_BYTES_MAX = 16 * 1024 * 1024;
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

const postInput = z.strictObject({ url: z.string(), body: z.json().optional() });
/** Written by hand: a record of zod's drops the key __proto__ in silence. */
const anyObjectSchema = jsonSchema<JsonObject>(
  { type: "object", additionalProperties: true },
  {
    validate: (value) =>
      isJsonObject(value)
        ? { success: true, value }
        : { success: false, error: new TypeError("must be an object") },
  },
);
const urlInput = z.strictObject({ url: z.string() });

export const playgroundRules = {
  read_http: { effect: false },
  retry_http: { interrupted: "retry" },
  guarded_http: { editable: true },
  // The same question again is the same question, so asking it once more after a crash repeats nothing.
  ask_tool: { interrupted: "retry" },
  background_http: { background: true },
} as const;

export const playgroundApprovals = { guarded_http: "always" } as const;

export function playgroundTools(deps: PlaygroundDeps = {}) {
  return {
    call_http: postTool(deps, "POST JSON to a loopback URL."),
    read_http: tool({
      description: "GET a loopback URL.",
      inputSchema: urlInput,
      execute: ({ url }, options) => exchange(deps, url, { method: "GET" }, options.abortSignal),
    }),
    retry_http: postTool(deps, "POST JSON to a loopback URL; run again if it is interrupted."),
    guarded_http: postTool(deps, "POST JSON to a loopback URL, once a person has approved it."),
    client_tool: tool({
      description: "A tool that the caller runs. Takes any object.",
      inputSchema: anyObjectSchema,
      // Whatever the caller returns. Said, because without it the SDK's type of a tool fits no record of tools here.
      outputSchema: jsonSchema<Json>({}),
    }),
    ask_tool: tool({
      description: "Ask a person from a tool's own code. Returns what asking returned.",
      // Loose: what a question may hold is for `ask` to check, with the same words as everywhere.
      inputSchema: z.looseObject({ question: z.unknown(), key: z.string().optional() }),
      execute: async ({ key, ...question }, options) => {
        const { ask } = harnessToolContext(options);
        if (ask === undefined)
          throw new Error("this agent has no humanInput, so its tools can't ask");
        return ask(question as ToolQuestionInput, key === undefined ? {} : { key });
      },
    }),
    background_http: postTool(deps, "POST to a loopback URL beside the turn."),
    big: tool({
      description: "Return a text of so many bytes.",
      inputSchema: z.strictObject({ bytes: z.int().min(0).max(BIG_BYTES_MAX) }),
      execute: ({ bytes }) => "x".repeat(bytes),
    }),
    boom: tool({
      description: "Fail with a message.",
      inputSchema: z.strictObject({ message: z.string() }),
      execute: ({ message }): string => {
        throw new Error(message);
      },
    }),
  };
}

function postTool(deps: PlaygroundDeps, description: string) {
  return tool({
    description,
    inputSchema: postInput,
    execute: ({ url, body }, options) => {
      const { idempotencyKey } = harnessToolContext(options);
      return exchange(deps, url, postRequest(body, idempotencyKey), options.abortSignal);
    },
  });
}

function postRequest(body: Json | undefined, idempotencyKey: string): RequestInit {
  const headers = { "Idempotency-Key": idempotencyKey };
  if (body === undefined) return { method: "POST", headers };
  return {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
}

/** A redirect is shown, not followed: it could lead away from loopback. Any status is a result, not a failure. */
async function exchange(
  deps: PlaygroundDeps,
  url: string,
  request: RequestInit,
  signal: AbortSignal | undefined,
): Promise<HttpResult> {
  const target = loopbackUrl(url);
  const send = deps.fetch ?? fetch;
  const response = await send(target, {
    ...request,
    redirect: "manual",
    ...(signal !== undefined && { signal }),
  });
  return { status: response.status, body: parsed(await boundedText(response)) };
}

/** The URL in its normal form; throws for any that does not lead to this machine, however it is spelt. */
export function loopbackUrl(url: string): string {
  const parts = URL.parse(url);
  const isAllowed =
    parts !== null &&
    parts.protocol === "http:" &&
    LOOPBACK_HOSTS.has(parts.hostname) &&
    parts.username === "" &&
    parts.password === "";
  if (isAllowed) return parts.href;
  throw new Error(
    "the playground calls loopback URLs only: http://127.0.0.1:{port}, http://localhost:{port} or http://[::1]:{port}",
  );
}

async function boundedText(response: Response): Promise<string> {
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let left = RESPONSE_BYTES;
  while (left > 0) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    const kept = value.subarray(0, left);
    left -= kept.length;
    // Streaming: a character that the cut, or the end of a chunk, goes through is held back, not garbled.
    text += decoder.decode(kept, { stream: true });
  }
  await reader.cancel();
  return text;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
