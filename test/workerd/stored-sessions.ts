/**
 * Owns: the sessions of `test/fixtures/journals`: how each is brought to where it was recorded, and how it comes to its
 * end. One folder entry for each released version of the journal: sessions that it wrote must load and finish for ever.
 */

import { expect } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, call, settled } from "./client.ts";
import {
  accepted,
  ask,
  awaitTasks,
  begin,
  FORM_ANSWER,
  FORM_CALL,
  post,
  questionsOf,
} from "./journey.ts";
import { stage } from "./stage.ts";

export interface StoredSession {
  readonly name: string;
  /** Brings a new session of that name to where it is recorded. */
  readonly begin: (session: string) => Promise<void>;
  /** Goes on with it in a later version. The turn that is given is its first. */
  readonly finish: (turn: TurnView) => Promise<void>;
}

const CHARGE = { toolName: "charge", input: { what: "stored" } };
const REFUND = { toolName: "refund", input: { what: "stored" } };
const END = { text: "The end." };

async function rest(script: unknown, agent: string, session: string): Promise<TurnView> {
  return settled((await begin(script, { agent, session })).id);
}

function requestsOf({ waitingFor = [] }: TurnView): readonly string[] {
  return waitingFor.flatMap(({ requestId }) => requestId ?? []);
}

async function proveCompleted({ id }: TurnView): Promise<void> {
  expect(await settled(id)).toMatchObject({ status: "completed", text: END.text });
}

export const STORED_SESSIONS: readonly StoredSession[] = [
  {
    name: "two questions, of which one is answered",
    begin: async (session) => {
      const script = [
        { calls: [CHARGE, ask({ question: "One?" }), ask({ question: "Two?" })] },
        { calls: [awaitTasks(["$task:1", "$task:2"])] },
        END,
      ];
      const turn = await rest(script, "retrying", session);
      await answer(requestsOf(turn)[0] ?? "", { text: "Yes." });
    },
    finish: async (turn) => {
      expect(turn).toMatchObject({ status: "parked", waitingFor: [{ question: "Two?" }] });
      await answer(requestsOf(turn)[0] ?? "", { text: "No." });
      await proveCompleted(turn);
    },
  },
  {
    name: "a form",
    begin: async (session) => void (await rest([{ calls: [FORM_CALL] }, END], "retrying", session)),
    finish: async (turn) => {
      await answer(requestsOf(turn)[0] ?? "", FORM_ANSWER);
      await proveCompleted(turn);
    },
  },
  {
    name: "a question with a life of its own",
    begin: async (session) => {
      await rest(
        [{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }, END],
        "retrying",
        session,
      );
      const question = { question: "Soon?", remind: ["1h"], expire: { after: "30d" } };
      await accepted(call("POST", "/v1/questions", { sessionId: session, ...question }));
    },
    finish: async (turn) => {
      const [request = ""] = requestsOf(turn);
      await answer(request, { text: "Yes." });
      await proveCompleted(turn);
      const [other] = await questionsOf(turn.sessionId, "status=waiting");
      await answer(other?.requestId ?? "", { text: "Yes." });
    },
  },
  {
    name: "an approval",
    begin: async (session) => void (await rest([{ calls: [REFUND] }, END], "retrying", session)),
    finish: async (turn) => {
      await answer(requestsOf(turn)[0] ?? "", { approved: true, input: { what: "edited" } });
      await proveCompleted(turn);
    },
  },
  {
    name: "the caller's own call",
    begin: async (session) => {
      const calls = [{ toolName: "client_tool", input: {} }];
      await rest([{ calls }, END], "staged", session);
    },
    finish: async (turn) => {
      const [pending] = turn.pending?.calls ?? [];
      const calls = { [pending?.toolCallId ?? ""]: { status: "returned", value: { ok: true } } };
      await accepted(post(`/v1/turns/${turn.id}/results`, { approvals: {}, calls }));
      await proveCompleted(turn);
    },
  },
  {
    name: "a turn behind a parked one",
    begin: async (session) => {
      await rest(
        [{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }, END],
        "retrying",
        session,
      );
      await begin([END], { agent: "retrying", session, whenBusy: "queue" });
    },
    finish: async (turn) => {
      await answer(requestsOf(turn)[0] ?? "", { text: "Yes." });
      await proveCompleted(turn);
      const { turns } = await accepted<{ turns: readonly TurnView[] }>(
        call("GET", `/v1/sessions/${turn.sessionId}`),
      );
      for (const one of turns) await proveCompleted(one);
      expect(turns).toHaveLength(2);
    },
  },
  {
    name: "a turn that failed",
    begin: async (session) =>
      void (await rest([{ fail: { status: 400 } }, END], "retrying", session)),
    finish: async (turn) => {
      expect(turn.status).toBe("failed");
      await accepted(post(`/v1/turns/${turn.id}/retry`));
      await proveCompleted(turn);
    },
  },
  {
    name: "a tool in the midst of its work",
    begin: async (session) => {
      const calls = [{ toolName: "gated", input: { gate: session } }];
      await begin([{ calls }, END], { agent: "staged", session });
      await stage.reached(session);
    },
    finish: proveCompleted,
  },
];
