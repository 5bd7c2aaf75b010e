/** Agents for the tests of children: one that delegates to others, and those that it delegates to. */

import { tool } from "ai";
import { z } from "zod";
import type { ModelContext } from "../../src/agent/model-context.ts";
import { scriptModel } from "../../src/agent/script-model.ts";
import { harnessToolContext } from "../../src/agent/tool-context.ts";
import { defineAgent } from "../../src/options.ts";
import type { Json } from "../../src/core/json.ts";

/** The tools that each child was offered, as its model saw them. */
export const offered: string[][] = [];

/** A model that plays its own script, whatever the turn brings. */
function plays(script: Json) {
  return (context: ModelContext) => scriptModel({ ...context, extraBody: { script } });
}

const delegate = tool({
  description: "Let another agent do it.",
  inputSchema: z.strictObject({ agent: z.string(), deferred: z.boolean().optional() }),
  execute: ({ agent, deferred }, options) =>
    harnessToolContext(options).run({
      agent,
      prompt: "Do it.",
      ...(deferred !== undefined && { deferred }),
    }),
});

const ASKING = [
  { calls: [{ toolName: "ask_person", input: { question: "May the child go on?" } }] },
  { calls: [{ toolName: "await_tasks", input: { taskIds: ["$task:1"] } }] },
  { text: "The child went on." },
];

export const childAgents = {
  delegating: defineAgent({
    model: scriptModel,
    system: "You delegate.",
    tools: { delegate },
    toolRules: { delegate: { interrupted: "retry" } },
    humanInput: true,
  }),
  quick: defineAgent({
    model: plays([{ text: "The child is done." }]),
    system: "You are quick.",
    humanInput: true,
    userQuestions: true,
  }),
  asking: defineAgent({ model: plays(ASKING), system: "You ask.", humanInput: true }),
  failing: defineAgent({ model: plays([{ fail: { status: 400 } }]), system: "You fail." }),
};
