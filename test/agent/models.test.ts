import { APICallError } from "@ai-sdk/provider";
import { generateText, type ModelMessage, streamText } from "ai";
import { describe, expect, it } from "vitest";
import { ModelNotConfigured, providerOptions, resolveModel } from "../../src/agent/models.ts";
import type { Json } from "../../src/core/json.ts";
import { type Answer, loopback, type Received } from "./loopback.ts";
import { callerTool, modelContext } from "./model-contexts.ts";

type Environment = Readonly<Record<string, unknown>>;

interface Asked {
  readonly messages?: ModelMessage[];
  readonly abortSignal?: AbortSignal;
}

/** One step as the harness makes it: no retries of the SDK's, tools declared and never run. */
async function step(name: string, env: Environment, asked: Asked = {}) {
  const { messages = [{ role: "user", content: "Approve?" }], abortSignal } = asked;
  return generateText({
    model: await resolveModel(name, env)(modelContext()),
    tools: { ask_person: callerTool() },
    instructions: "You pre-approve loans.",
    messages,
    maxRetries: 0,
    providerOptions,
    ...(abortSignal !== undefined && { abortSignal }),
  });
}

async function refusal(name: string, env: Environment = {}): Promise<ModelNotConfigured> {
  const error: unknown = await resolveModel(
    name,
    env,
  )(modelContext()).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ModelNotConfigured) return error;
  throw new Error("no ModelNotConfigured was thrown");
}

async function callError(promise: Promise<unknown>): Promise<APICallError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (APICallError.isInstance(error)) return error;
  throw new Error("no APICallError was thrown");
}

function completion(message: Json, finishReason = "stop"): Answer {
  return {
    body: {
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1_790_000_000,
      model: "served",
      choices: [{ index: 0, message, finish_reason: finishReason }],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    },
  };
}

const approved = () => completion({ role: "assistant", content: "Approved." });

function sent(received: readonly Received[], index = 0) {
  const request = received[index];
  if (request === undefined) throw new Error(`request ${index} did not arrive`);
  return { ...request, body: JSON.parse(request.text) };
}

describe("MODEL", () => {
  it("is demo or script without any key", async () => {
    expect((await resolveModel("demo", {})(modelContext())).modelId).toBe("demo");
    expect((await resolveModel("script", {})(modelContext())).modelId).toBe("script");
  });

  it("is not looked at before a model is asked for", () => {
    expect(() => resolveModel("openai:gpt-5", {})).not.toThrow();
    expect(() => resolveModel("nonsense", {})).not.toThrow();
  });

  it.each(["", "nonsense", "demo:1", "script:x", "gpt-5", "opneai:gpt-5", "OPENAI:gpt-5"])(
    "is refused as %j, with the names that there are",
    async (name) => {
      const error = await refusal(name);
      expect(error.name).toBe("ModelNotConfigured");
      expect(error.isRetryable).toBe(false);
      expect(error.message).toContain("Set MODEL to demo, script, workers-ai:<id>");
    },
  );

  it.each([
    "openai",
    "openai:",
    "anthropic:",
    "compatible:",
    "workers-ai:",
    "gateway:",
    "openai:a b",
  ])("is refused as %j for want of an id", async (name) => {
    expect((await refusal(name)).message).toContain("needs the id of a model");
  });

  it.each(["gateway:openai", "gateway:openai/", "gateway:/gpt-5"])(
    "is refused as %j for want of a provider and an id",
    async (name) => {
      expect((await refusal(name, { GATEWAY_TOKEN: "t" })).message).toContain(
        "gateway:<provider>/<id>",
      );
    },
  );

  it.each([
    ["openai:gpt-5", {}, "OPENAI_API_KEY", "wrangler secret put OPENAI_API_KEY"],
    ["openai:gpt-5", { OPENAI_API_KEY: "  " }, "OPENAI_API_KEY", ".dev.vars"],
    ["anthropic:claude", {}, "ANTHROPIC_API_KEY", "wrangler secret put ANTHROPIC_API_KEY"],
    ["compatible:llama", {}, "COMPATIBLE_BASE_URL", "[vars]"],
    ["gateway:openai/gpt-5", {}, "GATEWAY_TOKEN", "GATEWAY_API_KEY"],
    ["gateway:openai/gpt-5", { GATEWAY_TOKEN: "t" }, "GATEWAY_ACCOUNT_ID", "[vars]"],
    [
      "gateway:openai/gpt-5",
      { GATEWAY_TOKEN: "t", GATEWAY_ACCOUNT_ID: "a" },
      "GATEWAY_ID",
      "[vars]",
    ],
    ["workers-ai:@cf/meta/llama", {}, "AI", "wrangler.toml"],
    ["workers-ai:@cf/meta/llama", { AI: "text" }, "AI", "wrangler.toml"],
  ] satisfies [string, Environment, string, string][])(
    "as %j with %j says that %s is missing, and how to set it",
    async (name, env, missing, how) => {
      const { message } = await refusal(name, env);
      expect(message).toContain(missing);
      expect(message).toContain(how);
    },
  );

  it("never shows a value that was set", async () => {
    const secret = "sk-secret\nwith-a-break";
    const refusals = [
      await refusal("sk-secret", {}),
      await refusal("openai:gpt-5", { OPENAI_API_KEY: secret }),
      await refusal("anthropic:claude", { ANTHROPIC_API_KEY: secret }),
      await refusal("compatible:llama", { COMPATIBLE_BASE_URL: "sk-secret" }),
      await refusal("compatible:llama", {
        COMPATIBLE_BASE_URL: "http://127.0.0.1/v1",
        COMPATIBLE_API_KEY: secret,
      }),
      await refusal("gateway:openai/gpt-5", { GATEWAY_TOKEN: secret }),
      await refusal("openai:gpt-5", { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "ftp://sk-secret" }),
    ];
    for (const { message } of refusals) expect(message).not.toContain("sk-secret");
  });
});

describe("compatible:<id>", () => {
  it("sends the conversation to /chat/completions with the key, and returns the text", async () => {
    await using server = await loopback(approved);
    const env = { COMPATIBLE_BASE_URL: `${server.url}/v1/`, COMPATIBLE_API_KEY: " key-1\n" };
    const result = await step("compatible:org/llama:70b", env);
    expect(result.text).toBe("Approved.");
    expect(result.usage).toMatchObject({ inputTokens: 7, outputTokens: 3 });
    const { method, path, headers, body } = sent(server.received);
    expect([method, path, headers.authorization]).toEqual([
      "POST",
      "/v1/chat/completions",
      "Bearer key-1",
    ]);
    expect(body).toMatchObject({
      model: "org/llama:70b",
      messages: [
        { role: "system", content: "You pre-approve loans." },
        { role: "user", content: "Approve?" },
      ],
      tools: [{ type: "function", function: { name: "ask_person" } }],
    });
    expect(body).not.toHaveProperty("store");
  });

  it("needs no key", async () => {
    await using server = await loopback(approved);
    await step("compatible:llama", { COMPATIBLE_BASE_URL: server.url });
    expect(sent(server.received).headers.authorization).toBeUndefined();
  });

  it("returns tool calls, and runs none", async () => {
    const call = (id: string, args: string) => ({
      id,
      type: "function",
      function: { name: "ask_person", arguments: args },
    });
    await using server = await loopback(() =>
      completion(
        {
          role: "assistant",
          content: null,
          tool_calls: [call("c1", '{"question":"Approve?"}'), call("c2", "{}")],
        },
        "tool_calls",
      ),
    );
    const result = await step("compatible:llama", { COMPATIBLE_BASE_URL: server.url });
    expect(
      result.toolCalls.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input })),
    ).toEqual([
      { toolCallId: "c1", toolName: "ask_person", input: { question: "Approve?" } },
      { toolCallId: "c2", toolName: "ask_person", input: {} },
    ]);
    expect(result.finishReason).toBe("tool-calls");
    expect(server.received).toHaveLength(1);
  });

  it("tells the provider of a call, and of its error in words", async () => {
    await using server = await loopback(approved);
    const call = { toolCallId: "c1", toolName: "ask_person" };
    await step(
      "compatible:llama",
      { COMPATIBLE_BASE_URL: server.url },
      {
        messages: [
          { role: "user", content: "Approve?" },
          {
            role: "assistant",
            content: [{ type: "tool-call", ...call, input: { question: "?" } }],
          },
          {
            role: "tool",
            content: [
              {
                type: "tool-result",
                ...call,
                output: { type: "error-text", value: "NOT EXECUTED. Denied by dana" },
              },
            ],
          },
        ],
      },
    );
    expect(sent(server.received).body.messages.slice(2)).toMatchObject([
      {
        role: "assistant",
        tool_calls: [{ id: "c1", function: { arguments: '{"question":"?"}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "NOT EXECUTED. Denied by dana" },
    ]);
  });

  it("streams", async () => {
    const chunk = (delta: Json, finish: string | null = null) =>
      `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "served", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    await using server = await loopback(() => ({
      headers: { "content-type": "text/event-stream" },
      body: `${chunk({ role: "assistant", content: "Appr" })}${chunk({ content: "oved." })}${chunk({}, "stop")}data: [DONE]\n\n`,
    }));
    const env = { COMPATIBLE_BASE_URL: server.url };
    const model = await resolveModel("compatible:llama", env)(modelContext());
    const result = streamText({ model, prompt: "Approve?", maxRetries: 0 });
    const deltas: string[] = [];
    for await (const delta of result.textStream) deltas.push(delta);
    expect(deltas).toEqual(["Appr", "oved."]);
    expect(sent(server.received).body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it("throws a 429 as retryable, with its Retry-After, after one request", async () => {
    await using server = await loopback(() => ({
      status: 429,
      headers: { "retry-after": "17" },
      body: { error: { message: "slow down" } },
    }));
    const error = await callError(step("compatible:llama", { COMPATIBLE_BASE_URL: server.url }));
    expect([error.statusCode, error.isRetryable, error.message]).toEqual([429, true, "slow down"]);
    expect(error.responseHeaders?.["retry-after"]).toBe("17");
    expect(server.received).toHaveLength(1);
  });

  it("throws a 401 as final, without the key in its words", async () => {
    await using server = await loopback(() => ({
      status: 401,
      body: { error: { message: "wrong key" } },
    }));
    const env = { COMPATIBLE_BASE_URL: server.url, COMPATIBLE_API_KEY: "key-secret" };
    const error = await callError(step("compatible:llama", env));
    expect([error.statusCode, error.isRetryable, error.message]).toEqual([401, false, "wrong key"]);
    expect(JSON.stringify(error)).not.toContain("key-secret");
  });

  it("gives up a slow answer when the signal aborts, and lets go of the connection", async () => {
    const stop = new AbortController();
    const never = Promise.withResolvers<Answer>();
    await using server = await loopback(() => {
      stop.abort(new Error("enough"));
      return never.promise;
    });
    const env = { COMPATIBLE_BASE_URL: server.url };
    await expect(step("compatible:llama", env, { abortSignal: stop.signal })).rejects.toThrow(
      "enough",
    );
    await sent(server.received).closed;
    never.resolve({ body: "" });
  });

  it("throws an unreachable server as retryable", async () => {
    const server = await loopback(approved);
    await server[Symbol.asyncDispose]();
    const error = await callError(step("compatible:llama", { COMPATIBLE_BASE_URL: server.url }));
    expect(error.isRetryable).toBe(true);
  });
});

describe("gateway:<provider>/<id>", () => {
  it("names provider and model, and carries the gateway's token beside no key of a provider", async () => {
    await using server = await loopback(approved);
    const env = { GATEWAY_BASE_URL: `${server.url}/v1/acc/gate/compat`, GATEWAY_TOKEN: "token-1" };
    const result = await step("gateway:workers-ai/@cf/meta/llama", env);
    expect(result.text).toBe("Approved.");
    const { path, headers, body } = sent(server.received);
    expect(path).toBe("/v1/acc/gate/compat/chat/completions");
    expect(headers["cf-aig-authorization"]).toBe("Bearer token-1");
    expect(headers.authorization).toBeUndefined();
    expect(body.model).toBe("workers-ai/@cf/meta/llama");
  });

  it("carries the provider's own key where it is given", async () => {
    await using server = await loopback(approved);
    const env = { GATEWAY_BASE_URL: server.url, GATEWAY_API_KEY: "key-1" };
    await step("gateway:openai/gpt-5", env);
    const { headers } = sent(server.received);
    expect(headers.authorization).toBe("Bearer key-1");
    expect(headers["cf-aig-authorization"]).toBeUndefined();
  });
});

describe("openai:<id>", () => {
  it("asks the Responses API with the key, and has it store nothing", async () => {
    await using server = await loopback(() => ({
      body: {
        id: "resp_1",
        object: "response",
        created_at: 1_790_000_000,
        status: "completed",
        model: "gpt-5",
        output: [
          {
            type: "message",
            id: "msg_1",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: "Approved.", annotations: [] }],
          },
        ],
        usage: { input_tokens: 7, output_tokens: 3 },
      },
    }));
    const env = { OPENAI_API_KEY: "key-1", OPENAI_BASE_URL: `${server.url}/v1` };
    const result = await step("openai:gpt-5", env);
    expect(result.text).toBe("Approved.");
    const { path, headers, body } = sent(server.received);
    expect([path, headers.authorization]).toEqual(["/v1/responses", "Bearer key-1"]);
    expect(body).toMatchObject({
      model: "gpt-5",
      store: false,
      include: ["reasoning.encrypted_content"],
    });
  });
});

describe("anthropic:<id>", () => {
  it("asks the Messages API with the key", async () => {
    await using server = await loopback(() => ({
      body: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude-sonnet-4-5",
        content: [
          { type: "text", text: "I ask." },
          { type: "tool_use", id: "toolu_1", name: "ask_person", input: { question: "?" } },
        ],
        stop_reason: "tool_use",
        stop_sequence: null,
        usage: { input_tokens: 7, output_tokens: 3 },
      },
    }));
    const env = { ANTHROPIC_API_KEY: "key-1", ANTHROPIC_BASE_URL: `${server.url}/v1` };
    const result = await step("anthropic:claude-sonnet-4-5", env);
    expect(result.text).toBe("I ask.");
    expect(result.toolCalls.map(({ toolCallId, input }) => [toolCallId, input])).toEqual([
      ["toolu_1", { question: "?" }],
    ]);
    const { path, headers, body } = sent(server.received);
    expect([path, headers["x-api-key"]]).toEqual(["/v1/messages", "key-1"]);
    expect(body).toMatchObject({ model: "claude-sonnet-4-5" });
  });
});

describe("workers-ai:<id>", () => {
  it("runs the model through the AI binding", async () => {
    const runs: unknown[][] = [];
    const AI = {
      run: (...run: unknown[]) => {
        runs.push(run);
        return Promise.resolve({
          response: "Approved.",
          usage: { prompt_tokens: 7, completion_tokens: 3 },
        });
      },
    };
    const result = await step("workers-ai:@cf/meta/llama-3.3-70b-instruct", { AI });
    expect(result.text).toBe("Approved.");
    expect(runs[0]?.[0]).toBe("@cf/meta/llama-3.3-70b-instruct");
    expect(runs[0]?.[1]).toMatchObject({
      messages: [{ role: "system" }, { role: "user", content: "Approve?" }],
    });
  });

  it("returns the binding's tool calls", async () => {
    const AI = {
      run: () =>
        Promise.resolve({
          response: null,
          tool_calls: [{ name: "ask_person", arguments: { question: "?" } }],
        }),
    };
    const result = await step("workers-ai:@cf/meta/llama-3.3-70b-instruct", { AI });
    expect(result.toolCalls.map(({ toolName, input }) => [toolName, input])).toEqual([
      ["ask_person", { question: "?" }],
    ]);
  });

  it("throws the binding's lack of capacity as retryable", async () => {
    const AI = { run: () => Promise.reject(new Error("3040: Capacity temporarily exceeded")) };
    const error = await callError(step("workers-ai:@cf/meta/llama-3.3-70b-instruct", { AI }));
    expect([error.statusCode, error.isRetryable]).toEqual([429, true]);
  });
});
