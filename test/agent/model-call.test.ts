import type { LanguageModelV4Content } from "@ai-sdk/provider";
import type { ModelMessage } from "ai";
import { afterEach, expect, it } from "vitest";
import { bySdk, type Situation, stepOf } from "./both-calls.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function call(toolCallId: string, input: string, more: object = {}): LanguageModelV4Content {
  return { type: "tool-call", toolCallId, toolName: "look_up", input, ...more };
}

const signed = { providerMetadata: { anthropic: { signature: "c2lnbmVk" } } };

const answers: Readonly<Record<string, Situation>> = {
  "a text": {},
  "no content at all": { content: [] },
  "texts of which one is empty": {
    content: [
      { type: "text", text: "" },
      { type: "text", text: "One, " },
      { type: "text", text: "two.", ...signed },
      { type: "text", text: "", ...signed },
    ],
  },
  "reasoning that is signed, then a call": {
    content: [
      { type: "reasoning", text: "Let me see.", ...signed },
      { type: "text", text: "I look it up." },
      call("c1", '{"id":"a"}', signed),
    ],
  },
  "calls whose inputs are no objects, or no JSON": {
    content: [
      call("c1", ""),
      call("c2", "[1]"),
      call("c3", "null"),
      call("c4", '{"id":'),
      call("c5", '{"other":1,"id":2}'),
      call("c6", '"text"'),
    ],
  },
  "calls that share an id, or have one that is used": {
    content: [
      call("c1", '{"id":"a"}'),
      call("c1", '{"id":"b"}'),
      call("used", "{}"),
      call("", "{}"),
      call("x".repeat(2_000), "{}"),
    ],
  },
  "a call of a tool that is not there": {
    content: [{ type: "tool-call", toolCallId: "c1", toolName: "nothing", input: '{"a":1}' }],
  },
  "a source beside the text": {
    content: [
      { type: "text", text: "See there." },
      { type: "source", sourceType: "url", id: "s1", url: "https://example.com/" },
    ],
  },
  "a file": {
    content: [
      { type: "file", mediaType: "image/png", data: { type: "data", data: PNG } },
      call("c1", '{"id":"a"}'),
    ],
  },
  "a call that the provider ran itself": {
    content: [
      {
        type: "tool-call",
        toolCallId: "p1",
        toolName: "search",
        input: '{"q":"x"}',
        providerExecuted: true,
        dynamic: true,
      },
      { type: "tool-result", toolCallId: "p1", toolName: "search", result: { hits: 1 } },
      call("c1", '{"id":"a"}'),
    ] as readonly LanguageModelV4Content[],
  },
  "an end by length": { result: { finishReason: { unified: "length", raw: "max" } } },
  "an end by an error, with nothing said": {
    content: [],
    result: { finishReason: { unified: "error", raw: "oops" } },
  },
};

const conversations: Readonly<Record<string, ModelMessage[]>> = {
  "texts and results of every kind": [
    { role: "user", content: "Look it up." },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Hm.", providerOptions: { anthropic: { signature: "c2ln" } } },
        { type: "text", text: "" },
        { type: "text", text: "Yes." },
        { type: "tool-call", toolCallId: "a", toolName: "look_up", input: { id: "1" } },
        { type: "tool-call", toolCallId: "b", toolName: "look_up", input: { id: "2" } },
        { type: "tool-call", toolCallId: "c", toolName: "look_up", input: { id: "3" } },
      ],
    },
    {
      role: "tool",
      content: [
        resultOf("a", { type: "json", value: { found: true } }),
        resultOf("b", { type: "error-text", value: "FAILED: not there" }),
      ],
    },
    { role: "tool", content: [resultOf("c", { type: "text", value: "there" })] },
    { role: "user", content: "And?" },
  ],
  "a user's message in parts, with a file": [
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "text", text: "" },
        { type: "file", mediaType: "image/png", data: PNG },
      ],
    },
  ],
  "an assistant's message that is a text": [
    { role: "user", content: "Hello." },
    { role: "assistant", content: "Hello!" },
    { role: "user", content: "And now?" },
  ],
  "a result with a file in it": [
    { role: "user", content: "Draw." },
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "a", toolName: "look_up", input: {} }],
    },
    {
      role: "tool",
      content: [
        resultOf("a", {
          type: "content",
          value: [{ type: "file", mediaType: "image/png", data: { type: "data", data: PNG } }],
        }),
      ],
    },
  ],
};

function resultOf(toolCallId: string, output: object) {
  return { type: "tool-result" as const, toolCallId, toolName: "look_up", output: output as never };
}

afterEach(() => {
  globalThis.AI_SDK_TELEMETRY_INTEGRATIONS = undefined;
});

it.each(Object.entries(answers))(
  "stores what the SDK would form of %s",
  async (_name, situation) => {
    const [ours, sdk] = [await stepOf(situation), await bySdk(situation)];
    // Byte for byte: the order of the members too.
    expect(JSON.stringify(ours.outcome)).toBe(JSON.stringify(sdk.outcome));
  },
);

it.each(Object.entries(conversations))(
  "hands the model what the SDK would make of %s",
  async (_name, messages) => {
    const [ours, sdk] = [await stepOf({ messages }), await bySdk({ messages })];
    expect(ours.options).toEqual(sdk.options);
  },
);

it("hands a model without tools the form of the output as the SDK would", async () => {
  const situation = { hasTools: false, schema: { type: "object" } };
  const [ours, sdk] = [await stepOf(situation), await bySdk(situation)];
  expect(ours.options.responseFormat).toEqual({ type: "json", schema: { type: "object" } });
  expect(ours.options).toEqual(sdk.options);
});

it("hands over each message in the same form at each call, whatever stands behind it", async () => {
  const messages: ModelMessage[] = [{ role: "user", content: "One." }];
  const first = await stepOf({ messages });
  messages.push(
    { role: "assistant", content: [{ type: "text", text: "Two." }] },
    { role: "user", content: "Three." },
  );
  const second = await stepOf({ messages });
  expect(second.options.prompt[1]).toBe(first.options.prompt[1]);
  expect(second.options).toEqual((await bySdk({ messages })).options);
});
