/** Owns: the agents of the simulation: models that play scripts, and tools whose effects stand in the ledger. */

import type { LanguageModelV4 } from "@ai-sdk/provider";
import { tool, wrapLanguageModel } from "ai";
import { z } from "zod";
import type { ModelContext } from "../../src/agent/model-context.ts";
import { scriptModel } from "../../src/agent/script-model.ts";
import { harnessToolContext, type ToolContext } from "../../src/agent/tool-context.ts";
import { defineAgent } from "../../src/options.ts";
import { linesOfTurn, malformation, type Message } from "./conversation.ts";
import { formQuestion } from "./script.ts";
import { simulation } from "./simulation.ts";

export const agents = {
  simulated: defineAgent({
    model: (context) => watched(scriptModel(context), context),
    system: "You play a script.",
    tools: {
      pay: effect("pay"),
      book: effect("book"),
      guarded_pay: effect("guarded_pay"),
      guarded_book: effect("guarded_book"),
      pay_beside: effect("pay_beside"),
      book_beside: effect("book_beside"),
      look: simulated(({ what }) => ({ seen: what })),
      fails: simulated(({ what }) => {
        throw new Error(`no paper for ${what}`);
      }),
      hangs: tool({
        inputSchema: z.strictObject({ what: z.string() }),
        execute: async (_input, options) => {
          await inWorld(options, () => undefined);
          return new Promise(() => undefined);
        },
      }),
      asks: simulated(({ what }, context) => context.ask?.({ question: `${what}?` })),
      delegate: tool({
        inputSchema: z.strictObject({ what: z.string(), asks: z.boolean() }),
        execute: ({ what, asks }, options) =>
          inWorld(options, (context) =>
            context.run({
              agent: "helper",
              prompt: `${what} ${asks ? "asks" : ""}`,
              deferred: true,
            }),
          ),
      }),
      client_tool: tool({
        inputSchema: z.strictObject({ what: z.string() }),
        outputSchema: z.json(),
      }),
    },
    toolRules: {
      book: { interrupted: "retry" },
      look: { effect: false },
      hangs: { timeoutMs: 300 },
      asks: { interrupted: "retry" },
      delegate: { interrupted: "retry" },
      guarded_pay: { editable: true },
      guarded_book: { interrupted: "retry", editable: true },
      pay_beside: { background: true },
      book_beside: { background: true, interrupted: "retry" },
    },
    approvals: {
      guarded_pay: async (_input, { sessionId }) => {
        await simulation.stop("rule", keyOf(sessionId));
        return { required: true, reason: "It costs." };
      },
      guarded_book: "always",
    },
    humanInput: {
      deliver: ({ sessionId, requestId }) => {
        simulation.watch.tried(keyOf(sessionId), "deliver", requestId);
        return simulation.around(keyOf(sessionId), "deliver.before", "deliver.after", () => {
          simulation.ledger.deliver(requestId);
        });
      },
    },
    userQuestions: true,
    onResult: ({ sessionId, turnId, status }) => {
      simulation.watch.tried(keyOf(sessionId), "result", turnId);
      return simulation.around(keyOf(sessionId), "result.before", "result.after", () => {
        simulation.ledger.tell(turnId, status);
      });
    },
  }),
  /** Works for another agent: it may have to ask, and then says that it helped. */
  helper: defineAgent({
    model: (context) => {
      const label = String(context.input);
      const calls = label.endsWith("asks")
        ? [
            {
              toolName: "ask_user_question",
              input: { questions: [formQuestion(label.split(" ")[0] ?? "")] },
            },
          ]
        : [];
      const script = [...(calls.length > 0 ? [{ calls }] : []), { text: `helped with ${label}` }];
      return watched(scriptModel({ ...context, extraBody: { script } as never }), context);
    },
    system: "You help.",
    userQuestions: true,
  }),
};

export function keyOf(sessionId: string): string {
  return sessionId.slice("sess_".length);
}

/** Shows the simulation what the model is given and that it answered, and lets a fault strike before and behind it. */
function watched(model: LanguageModelV4, { input, turn }: ModelContext): LanguageModelV4 {
  const label = String(input);
  return wrapLanguageModel({
    // No embedded one: those are streamed.
    providerId: "simulated",
    model,
    middleware: {
      specificationVersion: "v4",
      wrapGenerate: ({ doGenerate, params }) => {
        const session = simulation.watch.sessionOf(label);
        const given = params.prompt.filter(({ role }) => role !== "system") as readonly Message[];
        const flaw = malformation(given);
        if (flaw !== undefined) simulation.watch.violations.push(`${label} was given: ${flaw}`);
        const call = {
          label,
          steps: turn.steps,
          given: linesOfTurn(given, label),
          answered: false,
        };
        simulation.ledger.modelCalls.push(call);
        return simulation.around(session, "model.before", "model.after", async () => {
          const result = await doGenerate();
          call.answered = true;
          return result;
        });
      },
    },
  });
}

function effect(name: string) {
  return simulated(({ what }, { idempotencyKey }) => {
    simulation.ledger.effects.push({ tool: name, what, idempotencyKey });
    return { done: what };
  });
}

function simulated(work: (input: { what: string }, context: ToolContext) => unknown) {
  return tool({
    inputSchema: z.strictObject({ what: z.string() }),
    execute: (input, options) => inWorld(options, (context) => work(input, context)),
  });
}

function inWorld(options: object, work: (context: ToolContext) => unknown): Promise<unknown> {
  const context = harnessToolContext(options);
  return simulation.around(keyOf(context.sessionId), "tool.before", "tool.after", () =>
    work(context),
  );
}
