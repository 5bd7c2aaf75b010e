import { streamText } from "ai";
import { describe, expect, it } from "vitest";
import { resolveModel } from "../../src/agent/models.ts";
import type { Json } from "../../src/core/json.ts";
import { type Answer, loopback } from "./loopback.ts";
import { modelContext } from "./model-contexts.ts";
import { approved, callError, completion, sent, step } from "./model-step.ts";

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
