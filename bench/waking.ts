/**
 * Owns: how long it takes from the sending of an answer until the model is called again: with a model behind HTTP, which is
 * here, so both ends are seen by one clock. The floor has no model and echoes the answer instead.
 */

import { createServer, type IncomingMessage, type Server as HttpServer } from "node:http";
import { once } from "node:events";
import { type FloorTarget, floorTarget } from "./floor/target.ts";
import type { Bundle } from "./bundle.ts";
import { AUTHORIZATION, VARIABLES } from "./ours/target.ts";
import { openClient } from "./http.ts";
import { percentile } from "./statistics.ts";
import { serve } from "./workerd.ts";

export interface Waking {
  readonly oursP50Ms: number;
  readonly oursP99Ms: number;
  readonly floorP50Ms: number;
  readonly floorP99Ms: number;
}

interface Endpoint {
  readonly url: string;
  /** When the last request came. */
  readonly lastMs: () => number;
  readonly close: () => void;
}

export async function measureWaking(floor: Bundle, ours: Bundle, wakings: number): Promise<Waking> {
  const model = await listen(completionFor);
  const echo = await listen(() => ({}));
  const floorServer = floorTarget(
    await serve({ name: "waking-floor", bundle: floor, variables: { ECHO_URL: echo.url } }),
  );
  const ourServer = await serve({
    name: "waking-ours",
    bundle: ours,
    variables: { ...VARIABLES, MODEL: "compatible:bench", COMPATIBLE_BASE_URL: model.url },
  });
  const client = openClient(ourServer.origin, AUTHORIZATION);
  const floorMs: number[] = [];
  const ourMs: number[] = [];
  for (let n = 0; n < wakings; n += 1) {
    const session = `waking-${n % 10}`;
    floorMs.push(await wakeFloor(floorServer, session, echo));
    const path = `/v1/sessions/${session}/turns`;
    const turn = await client.call<{ id: string; waitingFor: { requestId: string }[] }>(
      "POST",
      path,
      { input: "go" },
      { prefer: "wait=20" },
    );
    const question = turn.waitingFor[0]?.requestId ?? "";
    const answered = performance.now();
    const answer = { answer: { text: "Yes." }, answeredBy: "bench" };
    await client.call("POST", `/v1/questions/${question}/answer`, answer);
    await client.call("GET", `/v1/turns/${turn.id}?wait=20`);
    ourMs.push(model.lastMs() - answered);
  }
  await client.close();
  await ourServer.stop();
  await floorServer.stop();
  model.close();
  echo.close();
  return {
    oursP50Ms: percentile(ourMs, 50),
    oursP99Ms: percentile(ourMs, 99),
    floorP50Ms: percentile(floorMs, 50),
    floorP99Ms: percentile(floorMs, 99),
  };
}

async function wakeFloor(floor: FloorTarget, session: string, echo: Endpoint): Promise<number> {
  const parked = await floor.start(session);
  const answered = performance.now();
  await floor.finish(parked);
  // The echo goes out beside the answer's response, and may come after it.
  while (echo.lastMs() < answered) await new Promise((done) => setImmediate(done));
  return echo.lastMs() - answered;
}

async function listen(reply: (body: string) => unknown): Promise<Endpoint> {
  let lastMs = 0;
  const server: HttpServer = createServer((request, response) => {
    lastMs = performance.now();
    void bodyOf(request).then((body) => {
      response.setHeader("content-type", "application/json");
      return response.end(JSON.stringify(reply(body)));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    lastMs: () => lastMs,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += String(chunk);
  return body;
}

interface Sent {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
}

/** Asks a person, awaits the task, and ends: the model's part of a turn, by what was said since the last input. */
function completionFor(body: string): unknown {
  const { messages } = JSON.parse(body) as Sent;
  const since = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
  const results = since.filter(({ role }) => role === "tool");
  const task = /task_[0-9]+/.exec(JSON.stringify(results[0]?.content ?? ""))?.[0];
  const message =
    results.length === 0
      ? call("ask_person", { question: "Go on?" })
      : results.length === 1
        ? call("await_tasks", { taskIds: [task] })
        : { role: "assistant", content: "Understood." };
  return {
    id: "bench",
    object: "chat.completion",
    created: 1,
    model: "bench",
    choices: [{ index: 0, message, finish_reason: results.length < 2 ? "tool_calls" : "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

function call(name: string, input: unknown): unknown {
  const id = crypto.randomUUID();
  return {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(input) } }],
  };
}
