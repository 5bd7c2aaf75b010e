import { asSchema } from "ai";
import { describe, expect, it } from "vitest";
import type { Agent } from "../src/agent/agent.ts";
import { type AskResult, bindToolContext, type ToolContext } from "../src/agent/tool-context.ts";
import {
  loopbackUrl,
  playgroundApprovals,
  playgroundRules,
  playgroundTools,
} from "../src/playground-tools.ts";
import { loopback } from "./agent/loopback.ts";

const context: ToolContext = {
  sessionId: "sess_1",
  turnId: "turn_1",
  agent: "playground",
  extraBody: undefined,
  env: {},
  idempotencyKey: "key-1",
  run: () => Promise.reject(new Error("no other agent here")),
};

interface Running {
  readonly context?: Partial<ToolContext>;
  readonly signal?: AbortSignal;
}

/** Runs a tool as the harness would: its input checked by its schema, its context bound to the options. */
async function run(name: string, input: unknown, running: Running = {}): Promise<unknown> {
  const { inputSchema, execute } = toolOf(name);
  const checked = await asSchema(inputSchema).validate?.(input);
  if (checked?.success === false) throw checked.error;
  const { signal } = running;
  const options = {
    toolCallId: "call_1",
    messages: [],
    context: {},
    ...(signal !== undefined && { abortSignal: signal }),
  };
  bindToolContext(options, { ...context, ...running.context });
  return execute?.(checked?.value, options);
}

function toolOf(name: string): Agent["tools"][string] {
  const tools: Agent["tools"] = playgroundTools();
  const found = tools[name];
  if (found === undefined) throw new Error(`there is no tool ${name}`);
  return found;
}

describe("loopback URLs", () => {
  it.each([
    ["http://127.0.0.1:8080/a?b=c", "http://127.0.0.1:8080/a?b=c"],
    ["http://localhost:8080", "http://localhost:8080/"],
    ["http://LOCALHOST/", "http://localhost/"],
    ["http://[::1]:8080/", "http://[::1]:8080/"],
    ["http://[0:0:0:0:0:0:0:1]/", "http://[::1]/"],
    ["http://127.1:8080/", "http://127.0.0.1:8080/"],
  ])("include %s", (url, href) => {
    expect(loopbackUrl(url)).toBe(href);
  });

  it.each([
    "https://example.com/",
    "http://example.com/",
    "https://127.0.0.1/",
    "http://127.0.0.1.example.com/",
    "http://localhost.example.com/",
    "http://127.0.0.1@example.com/",
    "http://user:pass@127.0.0.1/",
    "http://10.0.0.1/",
    "http://169.254.169.254/latest/meta-data",
    "http://0.0.0.0/",
    "http://[::ffff:10.0.0.1]/",
    "http://[::]/",
    "http://2852039166/",
    "ftp://127.0.0.1/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "//127.0.0.1/",
    "127.0.0.1:80",
    "",
  ])("do not include %s", (url) => {
    expect(() => loopbackUrl(url)).toThrow("the playground calls loopback URLs only");
  });

  it.each(["call_http", "read_http", "retry_http", "guarded_http", "background_http"] as const)(
    "are the only ones that %s calls",
    async (name) => {
      await expect(run(name, { url: "http://example.com/" })).rejects.toThrow("loopback URLs only");
    },
  );
});

describe("call_http, retry_http, guarded_http and background_http", () => {
  it.each(["call_http", "retry_http", "guarded_http", "background_http"] as const)(
    "%s posts JSON with the call's idempotency key, and returns status and JSON body",
    async (name) => {
      await using server = await loopback(() => ({ status: 201, body: { made: [1, null] } }));
      const result = await run(name, { url: `${server.url}/make`, body: { a: 1 } });
      expect(result).toEqual({ status: 201, body: { made: [1, null] } });
      const [request] = server.received;
      expect([request?.method, request?.path, request?.text]).toEqual(["POST", "/make", '{"a":1}']);
      expect(request?.headers["idempotency-key"]).toBe("key-1");
      expect(request?.headers["content-type"]).toBe("application/json");
    },
  );

  it("posts nothing where no body is given, and null where null is", async () => {
    await using server = await loopback(() => ({ body: "ok" }));
    await run("call_http", { url: server.url });
    await run("call_http", { url: server.url, body: null });
    expect(server.received.map(({ text }) => text)).toEqual(["", "null"]);
    expect(server.received[0]?.headers["content-type"]).toBeUndefined();
  });

  it("returns a failing status as a result, and text as text", async () => {
    await using server = await loopback(() => ({ status: 503, body: "not now" }));
    expect(await run("call_http", { url: server.url })).toEqual({ status: 503, body: "not now" });
  });

  it("shows a redirect instead of following it", async () => {
    await using server = await loopback(() => ({
      status: 302,
      headers: { location: "http://example.com/" },
      body: "moved",
    }));
    expect(await run("call_http", { url: server.url })).toEqual({ status: 302, body: "moved" });
    expect(server.received).toHaveLength(1);
  });

  it("cuts a long body at 64 KiB, between characters", async () => {
    await using server = await loopback(() => ({ body: `a${"é".repeat(100_000)}` }));
    const result = await run("call_http", { url: server.url });
    expect(result).toEqual({ status: 200, body: `a${"é".repeat(32_767)}` });
  });

  it("stops when the signal aborts", async () => {
    const stop = new AbortController();
    const never = Promise.withResolvers<{ body: string }>();
    await using server = await loopback(() => {
      stop.abort(new Error("enough"));
      return never.promise;
    });
    await expect(run("call_http", { url: server.url }, { signal: stop.signal })).rejects.toThrow(
      "enough",
    );
    never.resolve({ body: "" });
  });
});

describe("read_http", () => {
  it("gets, without an idempotency key", async () => {
    await using server = await loopback(() => ({ body: { n: 1 } }));
    expect(await run("read_http", { url: server.url })).toEqual({ status: 200, body: { n: 1 } });
    expect(server.received[0]?.method).toBe("GET");
    expect(server.received[0]?.headers["idempotency-key"]).toBeUndefined();
  });
});

describe("ask_tool", () => {
  it("asks by its key, and returns what asking returned", async () => {
    const answer: AskResult = { status: "waiting", taskId: "task_1", requestId: "q_1" };
    const asked: unknown[][] = [];
    const ask = (...question: unknown[]) => {
      asked.push(question);
      return Promise.resolve(answer);
    };
    const question = { question: "Send?", options: [{ id: "a", label: "A" }], multiple: true };
    expect(await run("ask_tool", { ...question, key: "k" }, { context: { ask } })).toEqual(answer);
    await run("ask_tool", question, { context: { ask } });
    expect(asked).toEqual([
      [question, { key: "k" }],
      [question, {}],
    ]);
  });

  it("fails clearly where the agent can't ask", async () => {
    await expect(run("ask_tool", { question: "Send?" })).rejects.toThrow("no humanInput");
  });
});

describe("the other tools", () => {
  it("big returns so many bytes, and boom throws its message", async () => {
    expect(await run("big", { bytes: 2_000_000 })).toHaveLength(2_000_000);
    await expect(run("boom", { message: "bang" })).rejects.toThrow("bang");
  });

  it("client_tool has no execute, and takes any object and nothing else", async () => {
    const { inputSchema, execute } = toolOf("client_tool");
    const { validate } = asSchema(inputSchema);
    expect(execute).toBeUndefined();
    const odd = JSON.parse('{"__proto__":1,"deep":{"a":[null]}}');
    expect(await validate?.(odd)).toEqual({ success: true, value: odd });
    expect(await validate?.([])).toMatchObject({ success: false });
  });

  it("rules and approvals name tools that there are", () => {
    const names = Object.keys(playgroundTools());
    expect(names).toEqual(expect.arrayContaining(Object.keys(playgroundRules)));
    expect(names).toEqual(expect.arrayContaining(Object.keys(playgroundApprovals)));
  });
});
