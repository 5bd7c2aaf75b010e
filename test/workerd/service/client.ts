/**
 * Owns: a client of the Service's wire as a test needs one: its views by name, their members in order, what holds for
 * each response, and waiting from outside until a view says what is wanted.
 */

import { expect, vi } from "vitest";
import { ORIGIN, fetchDocumented } from "../client.ts";

export const MEMBERS = {
  thread:
    "id workspace_id session_id origin current_run_id last_run_id labels archived_at version created_at updated_at",
  entry:
    "id thread_id kind delivery position status payload agent_id assigned_run_id failure created_at finished_at",
  run:
    "id workspace_id session_id thread_id agent_id status trigger lineage parent_run_id source_entry_id input resume " +
    "resumed_by_id wait_reason pending attempts max_attempts output failure usage_at_seal labels cancel_requested_at " +
    "version created_at updated_at started_at sealed_at",
  pending: "approvals calls",
  item: "tool_call_id tool_name arguments presentation",
  failure: "code message",
  error: "code message details request_id",
} as const;

export interface Thread {
  readonly id: string;
  readonly session_id: string;
  readonly current_run_id: string | null;
  readonly last_run_id: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Entry {
  readonly id: string;
  readonly thread_id: string;
  readonly delivery: string;
  readonly position: number;
  readonly status: string;
  readonly payload: unknown;
  readonly assigned_run_id: string | null;
  readonly finished_at: string | null;
}

export interface Item {
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly arguments: unknown;
  readonly presentation: object | null;
}

export interface Run {
  readonly id: string;
  readonly session_id: string;
  readonly thread_id: string;
  readonly status: string;
  readonly trigger: string;
  readonly lineage: string;
  readonly parent_run_id: string | null;
  readonly source_entry_id: string;
  readonly resume: unknown;
  readonly resumed_by_id: string | null;
  readonly wait_reason: string | null;
  readonly pending: { readonly approvals: readonly Item[]; readonly calls: readonly Item[] } | null;
  readonly output: string | null;
  readonly failure: { readonly code: string; readonly message: string } | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly started_at: string | null;
  readonly sealed_at: string | null;
}

export interface Started {
  readonly thread: Thread;
  readonly entry: Entry;
  readonly run: Run | null;
}

export interface Page {
  readonly items: readonly Run[];
  readonly next_cursor: string | null;
}

export interface ServiceError {
  readonly code: string;
  readonly message: string;
  readonly details: unknown;
  readonly request_id: string;
}

export interface Answer<T> {
  readonly status: number;
  readonly body: T;
}

export type Headers = Readonly<Record<string, string>>;

export function expectMembers(view: object | null, members: string): void {
  expect(Object.keys(view ?? {}).join(" ")).toBe(members);
}

/** Sends a request, proves what holds for every response of the surface, and reads the body. */
export async function send<T>(
  method: string,
  path: string,
  body?: unknown,
  headers: Headers = {},
): Promise<Answer<T>> {
  return sendText(method, path, body === undefined ? undefined : JSON.stringify(body), headers);
}

/** The same for a body that is sent as it stands. */
export async function sendText<T>(
  method: string,
  path: string,
  body: string | undefined,
  headers: Headers = {},
): Promise<Answer<T>> {
  const response = await fetchDocumented(
    new Request(`${ORIGIN}${path}`, {
      method,
      headers: {
        authorization: "Bearer dev-key",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    }),
  );
  const text = await response.text();
  expect(response.headers.get("x-request-id"), text).toMatch(/^req_[0-9a-f]{32}$/);
  expect(response.headers.get("cache-control"), text).toBe("no-store");
  expect(response.headers.get("content-type"), text).toMatch(/^application\/json/);
  expect([405, 415, 422], text).not.toContain(response.status);
  const parsed = JSON.parse(text) as T;
  if (!response.ok) expectEnvelope(parsed, response);
  return { status: response.status, body: parsed };
}

function expectEnvelope(body: unknown, response: Response): void {
  expectMembers(body as object, "error");
  const { error } = body as { error: ServiceError };
  expectMembers(error, MEMBERS.error);
  expect(error.request_id).toBe(response.headers.get("x-request-id"));
  expect(error.message).not.toBe("");
}

export async function accepted<T>(request: Promise<Answer<T>>, status?: number): Promise<T> {
  const answer = await request;
  expect(answer.status, JSON.stringify(answer.body)).toSatisfy((given: number) =>
    status === undefined ? given === 200 || given === 201 : given === status,
  );
  return answer.body;
}

/** What a refused request was told: its status, its code and its details. */
export async function refusal(
  request: Promise<Answer<unknown>>,
): Promise<{ readonly status: number; readonly code: string; readonly details: unknown }> {
  const { status, body } = await request;
  expect(status, JSON.stringify(body)).toBeGreaterThanOrEqual(400);
  const { code, details } = (body as { error: ServiceError }).error;
  return { status, code, details };
}

export interface Message {
  readonly agent_id?: string;
  readonly delivery?: string;
  readonly session_id?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** The body of a message that brings a script along. */
export function message(script: unknown, { labels, agent_id, ...more }: Message = {}): object {
  return {
    agent_id: agent_id ?? "playground",
    payload: {
      content: [
        { type: "text", text: "go" },
        { type: "json", value: { script } },
      ],
    },
    ...more,
    ...(labels !== undefined && { options: { labels } }),
  };
}

export function startThread(
  script: unknown,
  options: Message = {},
  headers: Headers = {},
): Promise<Answer<Started>> {
  return send("POST", "/api/v1/threads", message(script, options), headers);
}

/** A further message to a thread. */
export function say(
  threadId: string,
  script: unknown,
  headers: Headers = {},
): Promise<Answer<Started>> {
  return send("POST", `/api/v1/threads/${threadId}/inbox`, message(script), headers);
}

export function readThread(id: string): Promise<Thread> {
  return accepted(send("GET", `/api/v1/threads/${id}`), 200);
}

export function readRun(id: string): Promise<Run> {
  return accepted(send("GET", `/api/v1/runs/${id}`), 200);
}

export function readEntry({ id, thread_id }: Entry): Promise<Entry> {
  return accepted(send("GET", `/api/v1/threads/${thread_id}/inbox/${id}`), 200);
}

export function readRuns(threadId: string, query = ""): Promise<Page> {
  return accepted(send("GET", `/api/v1/threads/${threadId}/runs${query}`), 200);
}

/** Between two readings the object has its turn at the outside world, which readings alone would keep from it. */
const PACE = { timeout: 10_000, interval: 2 };

/** Reads again and again, as a client that polls does, until what is read is as wanted. */
export async function poll<T>(read: () => Promise<T>, isWanted: (value: T) => boolean): Promise<T> {
  let last: T | undefined;
  const found = vi.waitUntil(async () => {
    last = await read();
    return isWanted(last) && { value: last };
  }, PACE);
  const { value } = await found.catch((cause: unknown) => {
    throw new Error(`it did not come to what is wanted: ${JSON.stringify(last)}`, { cause });
  });
  return value;
}

export function runThatIs(status: string, id: string): Promise<Run> {
  return poll(
    () => readRun(id),
    (run) => run.status === status,
  );
}

/** Starts a thread with a script, and waits until its run waits for somebody. */
export async function waitingRun(script: unknown, options: Message = {}): Promise<Run> {
  const { run } = await accepted(startThread(script, options), 201);
  return runThatIs("waiting", run?.id ?? "");
}

export interface Batch {
  readonly approvals?: Readonly<Record<string, unknown>>;
  readonly calls?: Readonly<Record<string, unknown>>;
  readonly input?: unknown;
}

export function resume(
  runId: string,
  batch: Batch,
  key: string = crypto.randomUUID(),
): Promise<Answer<Run>> {
  const body = { approvals: {}, calls: {}, ...batch };
  return send("POST", `/api/v1/runs/${runId}/resume`, body, { "idempotency-key": key });
}

export function interrupt(runId: string): Promise<Answer<Run>> {
  return send("POST", `/api/v1/runs/${runId}/interrupt`);
}

export function returned(value: unknown): object {
  return { status: "returned", value };
}

export function failed(text: string): object {
  return { status: "failed", message: text };
}

export const APPROVE = { action: "approve" };

/** The id on `/v1` of the turn that a message began. */
export function turnIdOf(entryId: string): string {
  return entryId.replace("entry_", "turn_");
}

/** The question on `/v1` that stands behind a call, by the turn's own list of what is open. */
export async function questionOf(run: Run, callId: string): Promise<string> {
  const turn = await accepted(
    send<{ pending: Record<string, { toolCallId: string; requestId?: string }[]> }>(
      "GET",
      `/v1/turns/${turnIdOf(run.source_entry_id)}`,
    ),
  );
  const items = Object.values(turn.pending).flat();
  const requestId = items.find(({ toolCallId }) => toolCallId === callId)?.requestId;
  expect(requestId, `no question stands behind ${callId}`).toBeDefined();
  return requestId ?? "";
}
