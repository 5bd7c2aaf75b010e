/**
 * Owns: LangGraph JS as it is measured: its server as a process of its own, on the Node that runs the benchmark.
 */

import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { WORK } from "../../bundle.ts";
import { openClient } from "../../http.ts";
import { FORM_ANSWER } from "../../question.ts";
import type { Target } from "../../target.ts";
import { processOf } from "../../workerd.ts";

export async function langgraphTarget(name = "langgraph"): Promise<Target> {
  const data = join(WORK, "servers", name);
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { recursive: true });
  const started = fork(join(import.meta.dirname, "server.ts"), [join(data, "threads.sqlite")], {
    env: { ...process.env, LANGSMITH_TRACING: "false" },
  });
  const [port] = (await once(started, "message")) as [number];
  if (started.pid === undefined) throw new Error("the server of LangGraph has no process");
  const server = processOf(started, started.pid);
  const client = openClient(`http://127.0.0.1:${port}`);
  return {
    ...server,
    name: "langgraph",
    data,
    differences:
      "One process and one database for all sessions, on Node; no key, no check of the answer, no deadline, no list of what is open; the reader asks for the thread's state.",
    start: async (session) => {
      const { status } = await client.call<{ status: string }>("POST", `/${session}/start`, {});
      if (status !== "parked") throw new Error(`the turn of LangGraph is ${status}`);
      return { session, turn: "", question: "" };
    },
    finish: async ({ session }) => {
      await client.call("POST", `/${session}/answer`, { answer: FORM_ANSWER });
      const { status } = await client.call<{ status: string }>("GET", `/${session}/read`);
      if (status !== "completed") throw new Error(`the turn of LangGraph is ${status}`);
    },
    stop: async () => {
      await client.close();
      await server.stop();
    },
  };
}
