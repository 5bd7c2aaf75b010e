import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { type ModelMessage, tool } from "ai";
import { z } from "zod";
import { scriptModel } from "../../src/agent/script-model.ts";
import type { ModelContext } from "../../src/agent/model-context.ts";
import { defineAgent } from "../../src/options.ts";

/** What the models of these agents were given, call by call. */
export const asked: LanguageModelV4CallOptions[] = [];

/** What the hook of `shortened` does with the conversation: the turn's own `extraBody.prepare` says which. */
const PREPARE: Readonly<
  Record<string, (messages: readonly ModelMessage[]) => readonly ModelMessage[]>
> = {
  latest: (messages) => messages.slice(-1),
  latestStep: (messages) => messages.slice(-2),
  withoutResults: (messages) => messages.filter(({ role }) => role !== "tool"),
  withoutCalls: (messages) => messages.filter(({ role }) => role !== "assistant"),
  nothing: () => [],
  throws: () => {
    throw new Error("the summariser is down");
  },
  looksTwice: (messages) => {
    const [first] = messages;
    if (first?.role === "user" && messages[0] === first) first.content = "seen";
    return messages;
  },
  changes: (messages) => {
    for (const message of messages) message.content = "changed";
    return messages;
  },
};

function observed(context: ModelContext): LanguageModelV4 {
  const model = scriptModel(context);
  return {
    ...model,
    doGenerate: (options) => {
      asked.push(options);
      return model.doGenerate(options);
    },
    doStream: (options) => {
      asked.push(options);
      return model.doStream(options);
    },
  };
}

/** Agents whose input and output have shapes, and one whose author shortens the conversation. */
export const shapeAgents = {
  /** It has no tools, so a provider that holds a schema itself can. */
  bare: defineAgent({ model: observed, system: "You play a script." }),
  shaped: defineAgent({
    model: observed,
    system: "You play a script.",
    humanInput: true,
    inputTypes: {
      loan: {
        schema: z.object({ income: z.number().min(0), debt: z.number().min(0) }),
        output: { schema: z.object({ approve: z.boolean() }) },
      },
      note: { schema: { type: "string", maxLength: 5 } },
    },
  }),
  /** It keeps what was settled for two hours. */
  forgetful: defineAgent({
    model: observed,
    system: "You play a script.",
    humanInput: true,
    retention: { settled: "2h" },
  }),
  /** Works on for as long as it likes, and looks at the last ten steps only. */
  lasting: defineAgent({
    model: scriptModel,
    system: "You play a script.",
    maxSteps: 100_000,
    tools: {
      work: tool({
        description: "Work.",
        inputSchema: z.strictObject({}),
        execute: () => "worked ".repeat(20),
      }),
    },
    prepareMessages: (messages) => messages.slice(-20),
  }),
  shortened: defineAgent({
    model: observed,
    system: "You play a script.",
    humanInput: true,
    maxAttempts: 2,
    prepareMessages: (messages, { extraBody }) => {
      const prepare = PREPARE[String(extraBody?.["prepare"])];
      return prepare === undefined ? messages : prepare(messages);
    },
  }),
};
