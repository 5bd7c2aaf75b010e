import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { generateText, type ModelMessage, streamText } from "ai";
import { describe, expect, it } from "vitest";
import { scriptModel, turnTaskIds } from "../../src/agent/script-model.ts";
import type { Json } from "../../src/core/json.ts";
import { callerTool, modelContext } from "./model-contexts.ts";
import { played, prompt, thrown } from "./script-step.ts";

function assistant(...toolCallIds: string[]): ModelMessage {
  return {
    role: "assistant",
    content: toolCallIds.map((toolCallId) => ({
      type: "tool-call",
      toolCallId,
      toolName: "ask_person",
      input: {},
    })),
  };
}

function results(...entries: [toolCallId: string, value: Json][]): ModelMessage {
  return {
    role: "tool",
    content: entries.map(([toolCallId, value]) => ({
      type: "tool-result",
      toolCallId,
      toolName: "ask_person",
      output: { type: "json", value: JSON.parse(JSON.stringify(value)) },
    })),
  };
}

describe("calls", () => {
  it("come after the text, in order, with inputs handed on unchecked", async () => {
    const script = [
      {
        text: "Two calls.",
        calls: [
          { toolName: "a", input: { n: 1 } },
          { toolName: "no such tool", input: null },
          { toolName: "c", input: "text" },
          { toolName: "d" },
        ],
      },
    ];
    expect(await played(script)).toEqual({
      text: "Two calls.",
      calls: [
        { toolCallId: "call_0_0", toolName: "a", input: '{"n":1}' },
        { toolCallId: "call_0_1", toolName: "no such tool", input: "null" },
        { toolCallId: "call_0_2", toolName: "c", input: '"text"' },
        { toolCallId: "call_0_3", toolName: "d", input: "{}" },
      ],
      finishReason: "tool-calls",
    });
  });

  it("have default ids that no other step of the turn has", async () => {
    const script = [{ calls: [{ toolName: "a", input: {} }], repeat: 2 }];
    const ids = await Promise.all(
      [0, 1].map(async (steps) => (await played(script, { steps })).calls[0]?.toolCallId),
    );
    expect(ids).toEqual(["call_0_0", "call_1_0"]);
  });

  it("keep an id that the script gives, a repeated one too", async () => {
    const call = { toolName: "a", input: {}, toolCallId: "same" };
    const { calls } = await played([{ calls: [call, call] }]);
    expect(calls.map(({ toolCallId }) => toolCallId)).toEqual(["same", "same"]);
  });

  it("send inputRaw as it is, JSON or not", async () => {
    const { calls } = await played([
      { calls: [{ toolName: "a", inputRaw: '{"broken": $task:1' }] },
    ]);
    expect(calls[0]?.input).toBe('{"broken": $task:1');
  });
});

describe("$task:N", () => {
  const messages = [
    { role: "user", content: "Go." } satisfies ModelMessage,
    assistant("call_0_0", "call_0_1"),
    // Settled in another order than called.
    results(
      ["call_0_1", { status: "asked", taskId: "task_8" }],
      ["call_0_0", { deep: [{ taskId: "task_7" }], other: { taskId: 4 } }],
    ),
    assistant("call_1_0"),
    results([
      "call_1_0",
      {
        status: "timed_out",
        tasks: [{ taskId: "task_7" }, { taskId: "task_9" }],
        pending: ["task_1"],
      },
    ]),
  ];

  it("stands for tasks in the order in which results first name them, calls of one step in call order", () => {
    expect(turnTaskIds(messages)).toEqual(["task_7", "task_8", "task_9"]);
  });

  it("is replaced anywhere in an input, as a whole string only", async () => {
    const input = { taskIds: ["$task:1", "$task:3"], deep: { at: "$task:2" }, text: "of $task:1" };
    const { calls } = await played([{ calls: [{ toolName: "await_tasks", input }] }], { messages });
    expect(JSON.parse(calls[0]?.input ?? "")).toEqual({
      taskIds: ["task_7", "task_9"],
      deep: { at: "task_8" },
      text: "of $task:1",
    });
  });

  it("is replaced where it is the whole input", async () => {
    const { calls } = await played([{ calls: [{ toolName: "a", input: "$task:2" }] }], {
      messages,
    });
    expect(calls[0]?.input).toBe('"task_8"');
  });

  it("counts results by the step that called, where ids repeat over steps", () => {
    const repeated = [
      assistant("x", "y"),
      results(["y", { taskId: "task_2" }], ["x", { taskId: "task_1" }]),
      assistant("y", "x"),
      results(["x", { taskId: "task_4" }], ["y", { taskId: "task_3" }]),
    ];
    expect(turnTaskIds(repeated)).toEqual(["task_1", "task_2", "task_3", "task_4"]);
  });

  it("takes results that came in two messages as one step's", () => {
    const split = [
      assistant("a", "b"),
      results(["b", { taskId: "task_2" }]),
      { role: "user", content: "Still there?" } satisfies ModelMessage,
      results(["a", { taskId: "task_1" }]),
    ];
    expect(turnTaskIds(split)).toEqual(["task_1", "task_2"]);
  });

  it("is refused where no result has named so many tasks", async () => {
    const script = [{ calls: [{ toolName: "a", input: { taskId: "$task:4" } }] }];
    const error = await thrown(script, { messages });
    expect(error.message).toContain("$task:4 stands for no task");
    expect(error.isRetryable).toBe(false);
  });
});

describe("delayMs", () => {
  it("ends at once when the signal aborts, with its reason", async () => {
    const model = scriptModel(
      modelContext({ extraBody: { script: [{ text: "late", delayMs: 600_000 }] } }),
    );
    const stop = new AbortController();
    const reply = model.doGenerate({ prompt, abortSignal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(reply).rejects.toThrow("enough");
  });

  it("is not begun where the signal was aborted before", async () => {
    const model = scriptModel(modelContext());
    const abortSignal = AbortSignal.abort(new Error("too late"));
    await expect(model.doGenerate({ prompt, abortSignal })).rejects.toThrow("too late");
    await expect(model.doStream({ prompt, abortSignal })).rejects.toThrow("too late");
  });

  it("waits, then replies", async () => {
    expect((await played([{ text: "late", delayMs: 1 }])).text).toBe("late");
  });
});

describe("doStream", () => {
  const script = [
    { text: "A text in pieces 👩‍🚀.", calls: [{ toolName: "look", input: { id: 1 } }] },
  ];

  it("streams the text in pieces, then the call, and finishes", async () => {
    const { stream } = await scriptModel(modelContext({ extraBody: { script } })).doStream({
      prompt,
    });
    const parts: LanguageModelV4StreamPart[] = [];
    for await (const part of stream) parts.push(part);
    const deltas = parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : []));
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join("")).toBe("A text in pieces 👩‍🚀.");
    expect(deltas.every((delta) => delta.isWellFormed())).toBe(true);
    expect(parts.map((part) => part.type).filter((type) => !type.endsWith("-delta"))).toEqual([
      "stream-start",
      "response-metadata",
      "text-start",
      "text-end",
      "tool-input-start",
      "tool-input-end",
      "tool-call",
      "finish",
    ]);
  });

  it("says through streamText what doGenerate says through generateText", async () => {
    const tools = { look: callerTool() };
    const model = scriptModel(modelContext({ extraBody: { script } }));
    const streamed = streamText({ model, tools, prompt: "Go." });
    await streamed.consumeStream();
    const generated = await generateText({ model, tools, prompt: "Go." });
    expect(await streamed.text).toBe(generated.text);
    expect((await streamed.toolCalls).map(({ input }) => input)).toEqual([{ id: 1 }]);
    expect(generated.toolCalls.map(({ input }) => input)).toEqual([{ id: 1 }]);
    expect(await streamed.usage).toMatchObject({ outputTokens: generated.usage.outputTokens });
  });

  it("fails before the stream begins", async () => {
    const model = scriptModel(modelContext({ extraBody: { script: [{ fail: { status: 503 } }] } }));
    await expect(model.doStream({ prompt })).rejects.toMatchObject({ statusCode: 503 });
  });

  it("ends with the abort's reason in mid-stream", async () => {
    const stop = new AbortController();
    const model = scriptModel(modelContext({ extraBody: { script } }));
    const { stream } = await model.doStream({ prompt, abortSignal: stop.signal });
    const reader = stream.getReader();
    await reader.read();
    stop.abort(new Error("enough"));
    const rest = async () => {
      while (!(await reader.read()).done);
    };
    await expect(rest()).rejects.toThrow("enough");
  });
});

describe("usage", () => {
  it("counts the reply alone, so that a long conversation makes no step dearer", async () => {
    const { usage } = await scriptModel(
      modelContext({ extraBody: { script: [{ text: "12345678" }] } }),
    ).doGenerate({ prompt: Array.from({ length: 1_000 }, () => prompt).flat() });
    expect([usage.inputTokens.total, usage.outputTokens.total]).toEqual([1, 2]);
  });
});
