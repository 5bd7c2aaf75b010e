import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Content,
  type LanguageModelV4FinishReason,
  type LanguageModelV4StreamPart,
  type LanguageModelV4ToolCall,
} from "@ai-sdk/provider";
import type { ModelMessage } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";
import type { Agent } from "../../src/agent/agent.ts";
import { demoModel } from "../../src/agent/demo-model.ts";
import { scriptModel } from "../../src/agent/script-model.ts";
import { runStep, type StepOutcome } from "../../src/agent/step.ts";
import { toolboxOf } from "../../src/agent/tools.ts";
import { agentsByEnvironment } from "../../src/options.ts";
import { loanDesk } from "../../src/loan-desk.ts";
import { modelContext } from "./model-contexts.ts";

interface Made {
  readonly outcome: StepOutcome;
  readonly text: string;
}

/** One step as the engine makes it. Under another provider's name no model is streamed that nobody reads. */
async function step(
  model: LanguageModelV4,
  isRead: boolean,
  messages: ModelMessage[] = [{ role: "user", content: "Go." }],
): Promise<Made> {
  const agents = agentsByEnvironment({
    ...loanDesk,
    model: elsewhere(model),
    humanInput: true,
    userQuestions: true,
  });
  const agent = agents({}).get("default") as Agent;
  let text = "";
  const outcome = await runStep({
    agent,
    toolbox: await toolboxOf(agent, true),
    deferred: true,
    notes: [],
    messages,
    context: modelContext(),
    ids: { sessionId: "sess_1", turnId: "turn_1" },
    usedCallIds: new Set(["used"]),
    signal: new AbortController().signal,
    stream: {
      isRead,
      onText: (delta) => {
        text += delta;
      },
    },
  });
  return { outcome, text };
}

function elsewhere(model: LanguageModelV4): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "elsewhere",
    modelId: model.modelId,
    supportedUrls: {},
    doGenerate: (options: LanguageModelV4CallOptions) => model.doGenerate(options),
    doStream: (options: LanguageModelV4CallOptions) => model.doStream(options),
  };
}

/** Proves that both ways give the same step, byte for byte, and returns it. */
async function same(model: () => LanguageModelV4, messages?: ModelMessage[]) {
  const whole = await step(model(), false, messages);
  const streamed = await step(model(), true, messages);
  expect(JSON.stringify(streamed.outcome)).toBe(JSON.stringify(whole.outcome));
  expect(whole.text, "nobody reads a call in one piece").toBe("");
  if (!streamed.outcome.ok) throw new Error(streamed.outcome.failure.message);
  expect(streamed.text).toBe(streamed.outcome.step.text);
  return streamed.outcome.step;
}

const FINISH = { unified: "stop", raw: "stop" } as const;
const USAGE = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

/** A model that gives the same content in both ways: parts of text and reasoning in single letters. */
function spoken(
  content: LanguageModelV4Content[],
  finishReason: LanguageModelV4FinishReason = FINISH,
): LanguageModelV4 {
  const end = { finishReason, usage: USAGE };
  const parts = content.flatMap((part, index): LanguageModelV4StreamPart[] => {
    if (part.type !== "text" && part.type !== "reasoning") return [part];
    const { type, text, providerMetadata } = part;
    const id = String(index);
    const last = providerMetadata === undefined ? {} : { providerMetadata };
    return [
      { type: `${type}-start`, id },
      ...[...text].map((delta): LanguageModelV4StreamPart => ({
        type: `${type}-delta`,
        id,
        delta,
      })),
      { type: `${type}-end`, id, ...last },
    ];
  });
  return new MockLanguageModelV4({
    doGenerate: { content, ...end, warnings: [] },
    doStream: () =>
      Promise.resolve({
        stream: convertArrayToReadableStream<LanguageModelV4StreamPart>([
          { type: "stream-start", warnings: [] },
          ...parts,
          { type: "finish", ...end },
        ]),
      }),
  });
}

function streaming(...parts: LanguageModelV4StreamPart[]): LanguageModelV4 {
  return new MockLanguageModelV4({
    doStream: { stream: convertArrayToReadableStream(parts) },
  });
}

function toolCall(toolCallId: string, toolName: string, input: string): LanguageModelV4ToolCall {
  return { type: "tool-call", toolCallId, toolName, input };
}

describe("a streamed call", () => {
  it.each([
    { text: "All is well, 👍 it is." },
    { calls: [{ toolName: "ask_person", input: { question: "Go on?" } }] },
    {
      text: "Both.",
      calls: [
        { toolName: "a", input: {} },
        { toolName: "a", input: [1] },
      ],
    },
    {
      calls: [
        { toolName: "a", inputRaw: "{ no JSON" },
        { toolName: "a", toolCallId: "used" },
      ],
    },
    { text: "" },
  ])("gives the step that the script model gives in one piece: %j", async (entry) => {
    await same(() => scriptModel(modelContext({ extraBody: { script: [entry] } })));
  });

  it("gives the steps that the demo model gives in one piece, over its whole conversation", async () => {
    const messages: ModelMessage[] = [
      { role: "user", content: "Pre-approve APP-1008: income 5000, debt 2350" },
    ];
    const results = [
      { status: "asked", taskId: "task_1" },
      { status: "satisfied", tasks: [], pending: [] },
    ];
    for (const value of results) {
      const { content, calls } = await same(demoModel, messages);
      const call = calls[0];
      if (call === undefined) throw new Error("the model calls nothing");
      const { callId: toolCallId, toolName } = call;
      messages.push(
        { role: "assistant", content: content as never },
        {
          role: "tool",
          content: [{ type: "tool-result", toolCallId, toolName, output: { type: "json", value } }],
        },
      );
    }
    expect((await same(demoModel, messages)).text).not.toBe("");
  });

  it("keeps reasoning with its signature, the order of all parts, and what only the provider knows", async () => {
    const { content, text, calls } = await same(() =>
      spoken([
        { type: "reasoning", text: "Hm.", providerMetadata: { p: { signature: "s1" } } },
        { type: "text", text: "First. " },
        toolCall("c1", "look_up_application", '{"applicationId":"APP-1"}'),
        { type: "reasoning", text: "", providerMetadata: { p: { redacted: "r" } } },
        { type: "text", text: "Second.", providerMetadata: { p: { item: "i" } } },
        { type: "file", mediaType: "image/png", data: { type: "data", data: "AAECAw==" } },
        { ...toolCall("c1", "look_up_application", "{}"), providerMetadata: { p: { n: 1 } } },
        { type: "source", sourceType: "url", id: "s", url: "https://example.com/" },
        { ...toolCall("x", "search", "{}"), providerExecuted: true },
        { type: "tool-result", toolCallId: "x", toolName: "search", result: { found: 1 } },
        toolCall("", "look_up_application", ""),
      ]),
    );
    expect(text).toBe("First. Second.");
    expect(calls.map(({ callId }) => callId)).toEqual(["c1", "c1_2", "call_0_2"]);
    expect(content.map((part) => (part as { type: string }).type)).toEqual([
      "reasoning",
      "text",
      "tool-call",
      "reasoning",
      "text",
      "file",
      "tool-call",
      "tool-call",
      "tool-result",
      "tool-call",
    ]);
  });

  it.each(["length", "content-filter", "tool-calls", "other"] as const)(
    "ends as the model says: %s",
    async (unified) => {
      const finish = { unified, raw: `raw ${unified}` };
      const made = await same(() => spoken([{ type: "text", text: "So" }], finish));
      expect(made.finishReason).toBe(unified);
    },
  );

  it("is a failure where the stream is cut, whatever came before, and may be tried again", async () => {
    const call = toolCall("c1", "look_up_application", "{}");
    const finish = (unified: LanguageModelV4FinishReason["unified"], raw?: string) =>
      ({ type: "finish", finishReason: { unified, raw }, usage: USAGE }) as const;
    for (const parts of [
      [call],
      [call, finish("other")],
      [call, finish("interrupted")],
      [call, finish("error", "stream-truncated")],
      [],
    ])
      expect((await step(streaming(...parts), true)).outcome).toEqual({
        ok: false,
        failure: { code: "model_failed", message: "the model's stream was cut", retryable: true },
        retryAfterMs: 0,
      });
  });

  it("is a failure where the stream brings an error, in the provider's words", async () => {
    for (const error of [new Error("overloaded"), { message: "overloaded" }, "overloaded"]) {
      const { outcome, text } = await step(
        streaming(
          { type: "text-start", id: "0" },
          { type: "text-delta", id: "0", delta: "Hel" },
          { type: "error", error },
        ),
        true,
      );
      expect(text).toBe("Hel");
      expect(outcome).toMatchObject({
        ok: false,
        failure: { message: expect.stringContaining("overloaded"), retryable: true },
      });
    }
  });

  it("fails as the call in one piece does where the provider refuses it", async () => {
    const refused = () => {
      throw new APICallError({
        message: "too many",
        url: "x:",
        requestBodyValues: {},
        statusCode: 429,
        responseHeaders: { "retry-after": "7" },
      });
    };
    const model = new MockLanguageModelV4({ doGenerate: refused, doStream: refused });
    const whole = await step(model, false);
    const streamed = await step(model, true);
    expect(streamed).toEqual(whole);
    expect(whole.outcome).toMatchObject({ ok: false, retryAfterMs: 7_000 });
    expect([model.doGenerateCalls, model.doStreamCalls].map(({ length }) => length)).toEqual([
      1, 1,
    ]);
  });

  it("is made in one piece by a model that can't stream", async () => {
    const content: LanguageModelV4Content[] = [{ type: "text", text: "At once." }];
    const model = new MockLanguageModelV4({
      doGenerate: { content, finishReason: FINISH, usage: USAGE, warnings: [] },
    });
    const { outcome, text } = await step(model, true);
    expect(outcome).toMatchObject({ ok: true, step: { text: "At once." } });
    expect(text).toBe("");
  });
});
