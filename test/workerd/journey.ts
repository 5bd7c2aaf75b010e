/**
 * Owns: what the journeys share beyond the bare calls of `client.ts`: a refusal as a value, the results in a
 * conversation, and the proof that a conversation is well formed (I7).
 */

import { expect } from "vitest";
import type { Question } from "../../src/core/question.ts";
import type { TurnView } from "../../src/core/turn-view.ts";
import { call, messages, ORIGIN, fetchDocumented } from "./client.ts";

export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly instance: string;
  readonly issues?: readonly { readonly path: string; readonly message: string }[];
}

/** What a refused request was told; fails where it is no problem document in full. */
export async function refusal(request: Promise<Response>): Promise<ProblemDocument> {
  const response = await request;
  const text = await response.text();
  expect(response.headers.get("content-type"), text).toBe("application/problem+json");
  const problem = JSON.parse(text) as ProblemDocument;
  expect(problem).toEqual({
    type: expect.any(String),
    title: expect.any(String),
    status: response.status,
    detail: expect.any(String),
    code: expect.any(String),
    instance: response.headers.get("x-request-id"),
    ...(problem.issues !== undefined && { issues: expect.any(Array) }),
  });
  return problem;
}

export async function accepted<T>(request: Promise<Response>): Promise<T> {
  const response = await request;
  if (!response.ok) throw new Error(`refused with ${response.status}: ${await response.text()}`);
  return response.json<T>();
}

/** A request whose body is sent as it is, JSON or not. */
export function send(
  method: string,
  path: string,
  body: BodyInit | undefined,
  headers: Record<string, string> = { "content-type": "application/json" },
): Promise<Response> {
  const init = {
    method,
    headers: { authorization: "Bearer dev-key", ...headers },
    ...(body !== undefined && { body }),
  };
  return fetchDocumented(new Request(`${ORIGIN}${path}`, init));
}

export interface Start {
  readonly agent?: string;
  readonly session?: string;
  readonly headers?: Record<string, string>;
  readonly [field: string]: unknown;
}

/** Starts a turn that plays a script. Beside the named ones, the fields of `start` go into the body. */
export function start(
  script: unknown,
  { session, headers, ...body }: Start = {},
): Promise<Response> {
  const path = session === undefined ? "/v1/turns" : `/v1/sessions/${session}/turns`;
  return call(
    "POST",
    path,
    { agent: "playground", input: "go", extraBody: { script }, ...body },
    headers,
  );
}

/** Starts a turn and does not wait for it. */
export function begin(script: unknown, options: Start = {}): Promise<TurnView> {
  return accepted(start(script, options));
}

export function ask(question: object = { question: "Go on?" }): object {
  return { toolName: "ask_person", input: question };
}

export function awaitTasks(taskIds: readonly string[], more: object = {}): object {
  return { toolName: "await_tasks", input: { taskIds, ...more } };
}

export const FORM = {
  questions: [
    {
      question: "Which scope?",
      header: "Scope",
      options: [
        { label: "Focused", description: "Only this." },
        { label: "Broad", description: "All of it." },
      ],
    },
  ],
};

export const FORM_CALL = { toolName: "ask_user_question", input: FORM };
export const FORM_ANSWER = { answers: { "Which scope?": "Focused" } };

export function post(path: string, body?: unknown): Promise<Response> {
  return call("POST", path, body);
}

export function answering(
  requestId: string,
  answer: unknown,
  answeredBy = "dana",
): Promise<Response> {
  return call("POST", `/v1/questions/${requestId}/answer`, { answer, answeredBy });
}

export function readQuestion(requestId: string): Promise<Question> {
  return accepted(call("GET", `/v1/questions/${requestId}`));
}

export async function questionsOf(
  sessionId: string,
  query = "status=all",
): Promise<readonly Question[]> {
  const { items } = await accepted<{ items: Question[] }>(
    call("GET", `/v1/questions?sessionId=${sessionId}&${query}`),
  );
  return items;
}

/** The id of the only question that a parked turn waits for. */
export function onlyRequest(turn: TurnView): string {
  const [wait, ...others] = turn.waitingFor ?? [];
  expect(others).toEqual([]);
  expect(wait?.requestId, `the turn is ${turn.status}`).toBeDefined();
  return wait?.requestId ?? "";
}

interface Part {
  readonly type: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly text?: string;
  readonly input?: unknown;
  readonly output?: { readonly type: string; readonly value: unknown };
}

export interface Message {
  readonly role: string;
  readonly content: string | readonly Part[];
}

/** The conversation, once it is proved well formed: each call has exactly one result, in the next message. */
export async function conversation(sessionId: string): Promise<readonly Message[]> {
  const all = (await messages(sessionId)) as Message[];
  proveWellFormed(all);
  return all;
}

function proveWellFormed(all: readonly Message[]): void {
  for (const [at, message] of all.entries()) {
    const before = all[at - 1];
    switch (message.role) {
      case "assistant": {
        const calls = partsOf(message).filter((part) => part.type === "tool-call");
        if (calls.length === 0) break;
        const next = all[at + 1];
        expect(next?.role, `message ${at} makes calls`).toBe("tool");
        expect(partsOf(next).map(nameOf).sort()).toEqual(calls.map(nameOf).sort());
        expect(new Set(calls.map((part) => part.toolCallId)).size, "call ids are unique").toBe(
          calls.length,
        );
        for (const { input } of calls) expect(input, "an input is an object").toBeTypeOf("object");
        break;
      }
      case "tool":
        expect(before?.role, `message ${at} has results`).toBe("assistant");
        for (const part of partsOf(message)) expect(part.output?.value).not.toBeUndefined();
        break;
      default:
        expect(message.role).toBe("user");
    }
  }
}

function partsOf(message: Message | undefined): readonly Part[] {
  return message === undefined || typeof message.content === "string" ? [] : message.content;
}

function nameOf({ toolCallId, toolName }: Part): string {
  return `${toolCallId} ${toolName}`;
}

export interface Result {
  readonly toolName: string;
  readonly type: string;
  readonly value: unknown;
}

/** All results of a well-formed conversation, in order. */
export async function results(sessionId: string): Promise<readonly Result[]> {
  return resultsIn(await conversation(sessionId));
}

/** The results so far of a conversation whose last turn is parked: what it waits for has none. */
export async function resultsSoFar(sessionId: string): Promise<readonly Result[]> {
  return resultsIn((await messages(sessionId)) as Message[]);
}

function resultsIn(all: readonly Message[]): readonly Result[] {
  return all
    .filter(({ role }) => role === "tool")
    .flatMap(partsOf)
    .map(({ toolName = "", output }) => ({
      toolName,
      type: output?.type ?? "",
      value: output?.value,
    }));
}

/** The result of the last call of a well-formed conversation. */
export async function lastResult(sessionId: string): Promise<Result> {
  const last = (await results(sessionId)).at(-1);
  if (last === undefined) throw new Error("the conversation has no results");
  return last;
}
