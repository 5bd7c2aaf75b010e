import { env, exports } from "cloudflare:workers";
import { runDurableObjectAlarm } from "cloudflare:test";
import type { Question } from "../../src/core/question.ts";
import type { TurnView } from "../../src/core/turn-view.ts";
import { expectDocumented } from "./documented.ts";
import type { Session } from "./worker.ts";

export const ORIGIN = "http://holdpoint.test";

/** Whatever a test sends, what comes back is as the document of the API says. */
export async function fetchDocumented(request: Request): Promise<Response> {
  const { method, url } = request;
  const response = await exports.default.fetch(request);
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  await expectDocumented(method, url, isJson ? response.clone() : new Response(null, response));
  return response;
}

export function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetchDocumented(
    new Request(`${ORIGIN}${path}`, {
      method,
      headers: {
        authorization: "Bearer dev-key",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
}

/** Starts a turn that plays a script, and waits until it is settled or parked. */
export async function play(
  script: unknown,
  options: { agent?: string; session?: string } = {},
): Promise<TurnView> {
  const path =
    options.session === undefined ? "/v1/turns" : `/v1/sessions/${options.session}/turns`;
  const body = { agent: options.agent ?? "playground", input: "go", extraBody: { script } };
  const response = await call("POST", path, body, { prefer: "wait=10" });
  return response.json();
}

export async function readTurn(id: string, wait = 0): Promise<TurnView> {
  const response = await call("GET", `/v1/turns/${id}?wait=${wait}`);
  return response.json();
}

/** The turn once it is settled or parked; each change of its status is waited for, never time. */
export async function settled(id: string): Promise<TurnView> {
  let turn = await readTurn(id);
  while (turn.status === "queued" || turn.status === "running") turn = await readTurn(id, 10);
  return turn;
}

export async function answer(requestId: string, body: unknown): Promise<Question> {
  const response = await call("POST", `/v1/questions/${requestId}/answer`, {
    answer: body,
    answeredBy: "dana",
  });
  if (!response.ok) throw new Error(`the answer was refused: ${await response.text()}`);
  return response.json();
}

export async function messages(sessionId: string): Promise<unknown[]> {
  const response = await call("GET", `/v1/sessions/${sessionId}/messages`);
  const { messages: all } = await response.json<{ messages: unknown[] }>();
  return all;
}

export function stubOf(sessionId: string, workspace = "dev"): DurableObjectStub<Session> {
  const namespace = (env as unknown as { SESSION: DurableObjectNamespace<Session> }).SESSION;
  return namespace.getByName(`${workspace}/${sessionId.slice("sess_".length)}`);
}

/** Fires the session's alarm where one is set; false where none is. */
export function fireAlarm(sessionId: string): Promise<boolean> {
  return runDurableObjectAlarm(stubOf(sessionId));
}
