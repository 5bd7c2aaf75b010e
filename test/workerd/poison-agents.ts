/** Agents whose models answer what no model should, and whose models and tools kill the object that they run in. */

import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { tool } from "ai";
import { z } from "zod";
import type { ModelContext } from "../../src/agent/model-context.ts";
import { scriptModel } from "../../src/agent/script-model.ts";
import { harnessToolContext } from "../../src/agent/tool-context.ts";
import { defineAgent } from "../../src/options.ts";
import { faults } from "./faults.ts";
import { ledger } from "./ledger.ts";

class Poison {
  /** What the model of `garbage` answers at the first step of a turn, in place of what a model has to. */
  answer: () => unknown = () => undefined;
  /** What it was given last. */
  given: LanguageModelV4CallOptions["prompt"] = [];
}

export const poison = new Poison();

const SAID = { type: "text", text: "end" };
const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** What a provider returns, with whatever differs from it. */
export function reply(content: unknown, more: object = {}): object {
  const finishReason = { unified: "stop", raw: "stop" };
  return { content, finishReason, usage: USAGE, warnings: [], ...more };
}

function garbageModel({ turn }: ModelContext): LanguageModelV4 {
  const doGenerate = ({ prompt }: LanguageModelV4CallOptions) => {
    poison.given = prompt;
    return Promise.resolve(turn.steps === 0 ? poison.answer() : reply([SAID])) as never;
  };
  return {
    specificationVersion: "v4",
    provider: "test",
    modelId: "garbage",
    supportedUrls: {},
    doGenerate,
    doStream: doGenerate,
  };
}

const charge = tool({
  inputSchema: z.strictObject({ what: z.string() }),
  execute: ({ what }, options) => {
    ledger.record(what, harnessToolContext(options).idempotencyKey);
    return { done: what };
  },
});

const deadly = tool({
  inputSchema: z.looseObject({}),
  execute: (_input, options) => {
    ledger.record("died", harnessToolContext(options).idempotencyKey);
    return faults.die() as Promise<unknown>;
  },
});

export const poisonAgents = {
  garbage: defineAgent({
    model: garbageModel,
    system: "You talk nonsense.",
    tools: { charge },
    humanInput: true,
    userQuestions: true,
    maxAttempts: 1,
  }),
  /** Kills its object with each model call whose turn's input is `die`. */
  deadly_model: defineAgent({
    model: (context) => (context.input === "die" ? faults.die() : scriptModel(context)),
    system: "You die.",
  }),
  deadly: defineAgent({
    model: scriptModel,
    system: "You play a script.",
    tools: { deadly, deadly_reader: deadly, deadly_retried: deadly, deadly_beside: deadly },
    toolRules: {
      deadly_reader: { effect: false },
      deadly_retried: { interrupted: "retry" },
      deadly_beside: { background: true, interrupted: "retry" },
    },
    humanInput: true,
  }),
};
