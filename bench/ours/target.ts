/**
 * Owns: Holdpoint as it is measured: the shipped app over HTTP, with the agent that plays a script.
 */

import { openClient } from "../http.ts";
import { FORM, FORM_ANSWER } from "../question.ts";
import type { Target } from "../target.ts";
import type { Server } from "../workerd.ts";

/** The development key, as the README has it: here it opens a server of this machine that lives for minutes. */
export const AUTHORIZATION = { authorization: "Bearer dev-key" };
export const VARIABLES = {
  MODEL: "script",
  PLAYGROUND: "1",
  API_KEYS:
    '[{"id":"bench","sha256":"7e9f8fd111802be56c379d597842e29b2cebd35ff2133d431a49fa556a18704e","workspace":"bench","can":["run","answer","read","admin"]}]',
  LINK_SECRET: "for a benchmark on this machine only",
  // As no other system here writes a line for each request.
  LOGS: "off",
};

export const QUESTION = {
  question: "Which scope?",
  options: [
    { id: "focused", label: "Focused" },
    { id: "broad", label: "Broad" },
  ],
};

/** How the question is asked: by one call that waits, or by one that asks and one that waits. */
export type Manner = "form" | "person";

const MANNERS = {
  form: {
    name: "holdpoint",
    script: [{ calls: [{ toolName: "ask_user_question", input: FORM }] }, { text: "Understood." }],
    answer: FORM_ANSWER,
  },
  person: {
    name: "holdpoint, ask_person and await_tasks",
    script: [
      { calls: [{ toolName: "ask_person", input: QUESTION }] },
      { calls: [{ toolName: "await_tasks", input: { taskIds: ["$task:1"] } }] },
      { text: "Understood." },
    ],
    answer: { option: "focused" },
  },
} as const;

interface TurnView {
  readonly id: string;
  readonly status: string;
  readonly waitingFor?: readonly { readonly requestId?: string }[];
}

export function ourTarget(server: Server, manner: Manner = "form"): Target {
  const client = openClient(server.origin, AUTHORIZATION);
  const { name, script, answer } = MANNERS[manner];
  return {
    ...server,
    name,
    differences:
      "The app that ships: key, checks, journal, conversation, model, answer link, and an inbox that is told; without its lines in the log (`LOGS=off`).",
    start: async (session) => {
      const turn = await client.call<TurnView>(
        "POST",
        `/v1/sessions/${session}/turns`,
        { agent: "playground", input: "go", extraBody: { script } },
        { prefer: "wait=20" },
      );
      const question = turn.waitingFor?.[0]?.requestId;
      if (question === undefined) throw new Error(`our turn is ${turn.status}, not parked`);
      return { session, turn: turn.id, question };
    },
    finish: async ({ turn, question }) => {
      await client.call("POST", `/v1/questions/${question}/answer`, {
        answer,
        answeredBy: "bench",
      });
      const { status } = await client.call<TurnView>("GET", `/v1/turns/${turn}?wait=20`);
      if (status !== "completed") throw new Error(`our turn is ${status}`);
    },
    stop: async () => {
      await client.close();
      await server.stop();
    },
  };
}
