/**
 * Owns: talking to a running Holdpoint as a caller does, over HTTP alone.
 */

import type { Question } from "../../src/core/question.ts";
import type { TurnView } from "../../src/core/turn-view.ts";

export interface Client {
  /** Starts a turn and waits until it is settled or parked. */
  start(body: unknown): Promise<TurnView>;
  /** Starts a turn and returns at once. */
  accept(body: unknown): Promise<TurnView>;
  /** The turn once it is settled or parked. */
  settled(id: string): Promise<TurnView>;
  answer(requestId: string, answer: unknown): Promise<Question>;
  /** Drives a failed turn on. */
  retry(id: string): Promise<TurnView>;
  messages(sessionId: string): Promise<readonly Message[]>;
  /** The completed turns of all sessions, the latest first. */
  completed(): Promise<readonly TurnView[]>;
}

export interface Message {
  readonly role: string;
  readonly content: string | readonly Part[];
}

export type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool-call"; readonly toolCallId: string; readonly toolName: string }
  | {
      readonly type: "tool-result";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly output: { readonly type: string; readonly value: unknown };
    };

export function clientOf(url: string): Client {
  return {
    start: (body) => call(url, "POST", "/v1/turns", body, { prefer: "wait=20" }),
    accept: (body) => call(url, "POST", "/v1/turns", body),
    async settled(id) {
      let turn = await call<TurnView>(url, "GET", `/v1/turns/${id}`);
      while (turn.status === "queued" || turn.status === "running")
        turn = await call(url, "GET", `/v1/turns/${id}?wait=20`);
      return turn;
    },
    answer: (requestId, answer) =>
      call(url, "POST", `/v1/questions/${requestId}/answer`, { answer, answeredBy: "dana" }),
    retry: (id) => call(url, "POST", `/v1/turns/${id}/retry`),
    async completed() {
      const path = "/v1/turns?status=completed";
      return (await call<{ items: readonly TurnView[] }>(url, "GET", path)).items;
    },
    async messages(sessionId) {
      const path = `/v1/sessions/${sessionId}/messages`;
      return (await call<{ messages: readonly Message[] }>(url, "GET", path)).messages;
    },
  };
}

/** What the tools returned, by the name of the tool, in the order of the transcript. */
export function resultsOf(messages: readonly Message[], toolName: string): readonly unknown[] {
  return messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.flatMap((part) =>
          part.type === "tool-result" && part.toolName === toolName ? [part.output.value] : [],
        ),
  );
}

async function call<T>(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<T> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: "Bearer dev-key",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}
