import { describe, expect, it } from "vitest";
import { ModelNotConfigured } from "../../src/agent/model-settings.ts";
import { resolveModel } from "../../src/agent/models.ts";
import { loopback } from "./loopback.ts";
import { modelContext } from "./model-contexts.ts";
import { callError, type Environment, sent, step } from "./model-step.ts";

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
