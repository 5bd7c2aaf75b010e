/**
 * Owns: the floor as it is measured.
 */

import { openClient } from "../http.ts";
import { FORM_ANSWER } from "../question.ts";
import type { Target } from "../target.ts";
import type { Server } from "../workerd.ts";

export interface FloorTarget extends Target {
  /** Makes a session's object that holds nothing. */
  touch(session: string): Promise<void>;
}

export function floorTarget(server: Server): FloorTarget {
  const client = openClient(server.origin);
  return {
    ...server,
    name: "floor",
    differences:
      "One INSERT and an alarm; one UPDATE and one INSERT; one SELECT. No key, no check, no conversation, no model.",
    start: async (session) => {
      const { id } = await client.call<{ id: number }>("POST", `/sessions/${session}/turns`, {
        input: "go",
      });
      return { session, turn: String(id), question: "" };
    },
    finish: async ({ session, turn }) => {
      const path = `/sessions/${session}/turns/${turn}`;
      await client.call("POST", `${path}/answer`, { answer: FORM_ANSWER });
      const { status } = await client.call<{ status: string }>("GET", path);
      if (status !== "completed") throw new Error(`the floor's turn is ${status}`);
    },
    touch: async (session) => {
      await client.call("POST", `/sessions/${session}`, {});
    },
    stop: async () => {
      await client.close();
      await server.stop();
    },
  };
}
