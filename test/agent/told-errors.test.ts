import { expect, it } from "vitest";
import { Transcript } from "../../src/agent/transcript.ts";
import type { ToolOutput } from "../../src/core/event.ts";
import type { JsonObject } from "../../src/core/json.ts";
import {
  denied,
  editedResult,
  failed,
  notExecuted,
  OUTCOME_UNKNOWN,
} from "../../src/core/settlement.ts";
import { call, STARTED, step as stepOf } from "../core/facts.ts";
import { loopback } from "./loopback.ts";
import { approved, type Environment, sent, step } from "./model-step.ts";

/** Each way in which a call ends without its effect, or without anybody knowing. */
const ERRORS: readonly ToolOutput[] = [
  denied("dana", "too risky"),
  notExecuted("The approval has expired: nobody decided in time"),
  failed("the bank is closed"),
  OUTCOME_UNKNOWN,
  editedResult("dana", { amount: 5 }, failed("the bank is closed")),
];
const WORDS = ERRORS.map(({ value }) =>
  typeof value === "string" ? value : JSON.stringify(value),
);

/** What the provider is sent by the engine's own way: facts, transcript, one step. */
async function toldWith(name: string, env: Environment): Promise<void> {
  const calls = ERRORS.map((_, index) => call(index, "tool", { toolName: "ask_person" }));
  const content = calls.map(({ callId: toolCallId, toolName, input }) => ({
    type: "tool-call",
    toolCallId,
    toolName,
    input,
  }));
  const transcript = new Transcript();
  transcript.add(1, [STARTED, { ...stepOf(0, calls), content }]);
  for (const [index, output] of ERRORS.entries())
    transcript.add(1, [{ type: "call.settled", turn: 1, step: 0, index, output }]);
  // What the server says to it does not matter here.
  await step(name, env, { messages: transcript.messages(1) }).catch(() => undefined);
}

async function bodyOf(name: string, env: (url: string) => Environment) {
  await using server = await loopback(approved);
  await toldWith(name, env(server.url));
  return sent(server.received).body;
}

it("tells Anthropic of a denial, a failure and an unknown outcome with its flag for errors", async () => {
  const body = await bodyOf("anthropic:claude-sonnet-4-5", (url) => ({
    ANTHROPIC_API_KEY: "key-1",
    ANTHROPIC_BASE_URL: url,
  }));
  expect(body.messages.at(-1).content).toEqual(
    WORDS.map((words, index) => ({
      type: "tool_result",
      tool_use_id: `call_${index}`,
      content: words,
      is_error: true,
    })),
  );
});

it("tells OpenAI of them as errors", async () => {
  const body = await bodyOf("openai:gpt-5", (url) => ({
    OPENAI_API_KEY: "key-1",
    OPENAI_BASE_URL: url,
  }));
  const outputs = body.input.filter(({ type }: JsonObject) => type === "function_call_output");
  expect(
    outputs.map((output: { call_id: string; output: string }) => [
      output.call_id,
      JSON.parse(output.output),
    ]),
  ).toEqual(ERRORS.map(({ value }, index) => [`call_${index}`, { error: value }]));
});

const TOOL_MESSAGES = WORDS.map((content, index) => ({
  role: "tool",
  tool_call_id: `call_${index}`,
  content,
}));

it.each([
  ["an OpenAI-compatible endpoint", "compatible:llama", "COMPATIBLE_BASE_URL", {}],
  [
    "the gateway",
    "gateway:openai/gpt-5",
    "GATEWAY_BASE_URL",
    { GATEWAY_TOKEN: "t", GATEWAY_ACCOUNT_ID: "a", GATEWAY_ID: "g" },
  ],
])(
  "tells %s of them in words that say what they are, since its wire has no flag",
  async (_provider, name, address, more) => {
    const body = await bodyOf(name, (url) => ({ ...more, [address]: url }));
    expect(body.messages.slice(-ERRORS.length)).toEqual(TOOL_MESSAGES);
    for (const words of WORDS) expect(words).toMatch(/NOT EXECUTED|FAILED/);
  },
);

it("tells Workers AI of them in the same words", async () => {
  const asked: { messages: readonly JsonObject[] }[] = [];
  const AI = {
    run: (_model: string, input: { messages: readonly JsonObject[] }) => {
      asked.push(input);
      return Promise.resolve({ response: "Approved." });
    },
  };
  await toldWith("workers-ai:@cf/meta/llama-3.3-70b-instruct", { AI });
  expect(asked[0]?.messages.slice(-ERRORS.length)).toEqual(
    TOOL_MESSAGES.map((message) => ({ ...message, name: "ask_person" })),
  );
});
