/**
 * Owns: Cloudflare's `agents` as it is measured.
 */

import { openClient } from "../../http.ts";
import { FORM_ANSWER } from "../../question.ts";
import type { Target } from "../../target.ts";
import type { Server } from "../../workerd.ts";

export function agentsTarget(server: Server): Target {
  const client = openClient(server.origin);
  return {
    ...server,
    name: "agents",
    differences:
      "A chat agent with its conversation and the AI SDK's loop. No key, no check of the answer, no deadline, no list of what is open, no journal of steps.",
    start: async (session) => {
      const path = `/sessions/${session}/turns`;
      const { question } = await client.call<{ question: string }>("POST", path, {});
      return { session, turn: "", question };
    },
    finish: async ({ session, question }) => {
      const path = `/sessions/${session}/questions/${question}/answer`;
      await client.call("POST", path, { answer: FORM_ANSWER });
      const { status } = await client.call<{ status: string }>("GET", `/sessions/${session}`);
      if (status !== "completed") throw new Error(`the turn of agents is ${status}`);
    },
    stop: async () => {
      await client.close();
      await server.stop();
    },
  };
}
