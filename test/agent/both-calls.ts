/**
 * Owns: one step against a model that answers as it is told, made by our own call and by the SDK's, for tests that compare
 * them.
 */

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
} from "@ai-sdk/provider";
import { type ModelMessage, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import * as z from "zod";
import { runStep, type StepOutcome } from "../../src/agent/step.ts";
import { toolboxOf } from "../../src/agent/tools.ts";
import { agentsByEnvironment } from "../../src/options.ts";
import { modelContext } from "./model-contexts.ts";

interface Made {
  readonly outcome: StepOutcome;
  readonly options: Omit<LanguageModelV4CallOptions, "abortSignal" | "headers">;
}

export interface Situation {
  readonly content?: readonly LanguageModelV4Content[];
  readonly result?: Partial<LanguageModelV4GenerateResult>;
  readonly messages?: ModelMessage[];
  readonly hasTools?: boolean;
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** One step against a model that answers as told, and what the model was handed. */
export async function stepOf({
  content = [{ type: "text", text: "Done." }],
  result = {},
  messages = [{ role: "user", content: "Approve?" }],
  hasTools = true,
  schema,
}: Situation): Promise<Made> {
  const model = new MockLanguageModelV4({
    doGenerate: {
      content: [...content],
      finishReason: { unified: "stop", raw: "end" },
      usage: {
        inputTokens: { total: 7, noCache: 7, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: undefined, text: undefined, reasoning: undefined },
      },
      warnings: [],
      ...result,
    },
  });
  const lookUp = tool({ description: "Looks up.", inputSchema: z.object({ id: z.string() }) });
  const agent = agentsByEnvironment({
    model,
    system: "You pre-approve loans.",
    ...(hasTools && { tools: { look_up: lookUp }, userQuestions: true }),
  })({}).get("default");
  if (agent === undefined) throw new Error("there is no agent");
  const outcome = await runStep({
    agent,
    toolbox: await toolboxOf(agent, true),
    deferred: true,
    messages,
    notes: ["A note."],
    ...(schema !== undefined && { output: { schema: schema as never } }),
    context: modelContext(),
    ids: { sessionId: "sess_1", turnId: "turn_1" },
    usedCallIds: new Set(["used"]),
    stream: { isRead: false, onText: () => {} },
    signal: new AbortController().signal,
  });
  const {
    abortSignal: _signal,
    headers: _headers,
    ...options
  } = model.doGenerateCalls[0] ?? {
    prompt: [],
  };
  return { outcome, options };
}

/** The same by the SDK's own call, which is made where somebody watches. */
export async function bySdk(situation: Situation): Promise<Made> {
  globalThis.AI_SDK_TELEMETRY_INTEGRATIONS = [{}];
  try {
    return await stepOf(situation);
  } finally {
    globalThis.AI_SDK_TELEMETRY_INTEGRATIONS = undefined;
  }
}
