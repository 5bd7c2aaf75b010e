import { generateText } from "ai";
import { describe, expect, it } from "vitest";
import { ScriptError } from "../../src/agent/script.ts";
import { scriptModel } from "../../src/agent/script-model.ts";
import type { Json } from "../../src/core/json.ts";
import { modelContext } from "./model-contexts.ts";
import { played, prompt, thrown } from "./script-step.ts";

describe("the place in the script", () => {
  const script = [{ text: "one" }, { text: "two", repeat: 2 }, { text: "three" }];

  it("plays the entry of the k-th successful model call", async () => {
    const texts = await Promise.all(
      [0, 1, 2, 3].map(async (steps) => (await played(script, { steps })).text),
    );
    expect(texts).toEqual(["one", "two", "two", "three"]);
  });

  it("says done past the end", async () => {
    expect(await played(script, { steps: 4 })).toMatchObject({
      text: "done",
      finishReason: "stop",
    });
    expect(await played([], {})).toMatchObject({ text: "done" });
  });

  it("says done without a script", async () => {
    const bare = await scriptModel(modelContext()).doGenerate({ prompt });
    expect(bare.content).toEqual([{ type: "text", text: "done" }]);
    const other = await scriptModel(modelContext({ extraBody: { other: 1 } })).doGenerate({
      prompt,
    });
    expect(other.content).toEqual([{ type: "text", text: "done" }]);
  });

  it("plays 100 000 repeats from one entry", async () => {
    const long = [{ text: "again", repeat: 100_000 }];
    expect((await played(long, { steps: 99_999 })).text).toBe("again");
    expect((await played(long, { steps: 100_000 })).text).toBe("done");
  });

  it("may reply with nothing at all", async () => {
    expect(await played([{}])).toEqual({ text: "", calls: [], finishReason: "stop" });
  });
});

describe("fail", () => {
  const script = [
    { fail: { status: 429, retryAfter: 7 } },
    { fail: { status: 500, times: 2 } },
    { text: "one", repeat: 2 },
    { fail: { status: 401 } },
  ];

  it("fails at its place as often as it says, then is passed over", async () => {
    const statuses = [];
    for (const failures of [0, 1, 2]) {
      const error = await thrown(script, { failures });
      statuses.push([error.statusCode, error.message, error.isRetryable]);
    }
    expect(statuses).toEqual([
      [429, "scripted failure 429", true],
      [500, "scripted failure 500", true],
      [500, "scripted failure 500", true],
    ]);
    expect((await played(script, { failures: 3 })).text).toBe("one");
  });

  it("carries retryAfter as the header", async () => {
    expect((await thrown(script)).responseHeaders).toEqual({ "retry-after": "7" });
    expect((await thrown(script, { failures: 1 })).responseHeaders).toBeUndefined();
  });

  it("does not stand before a repeat of its entry", async () => {
    expect((await played(script, { steps: 1 })).text).toBe("one");
  });

  it("fails past the last entry too, and for good where its status says so", async () => {
    const error = await thrown(script, { steps: 2 });
    expect([error.statusCode, error.isRetryable]).toEqual([401, false]);
    expect((await played(script, { steps: 2, failures: 1 })).text).toBe("done");
  });

  it("reaches a caller of generateText as it was thrown", async () => {
    const model = scriptModel(modelContext({ extraBody: { script } }));
    await expect(generateText({ model, prompt: "Go.", maxRetries: 0 })).rejects.toMatchObject({
      statusCode: 429,
      isRetryable: true,
    });
  });
});

describe("a malformed script", () => {
  it.each([
    ["is no list", "text", "extraBody.script is a list"],
    ["has an entry that is no object", [{ text: "a" }, 5], "extraBody.script[1]"],
    ["misspells a member", [{ txt: "a" }], 'extraBody.script[0]: Unrecognized key: "txt"'],
    ["gives a call no name", [{ calls: [{ input: {} }] }], "extraBody.script[0].calls[0].toolName"],
    [
      "gives a call two inputs",
      [{ calls: [{ toolName: "a", input: {}, inputRaw: "" }] }],
      "extraBody.script[0].calls[0]: takes input or inputRaw, not both",
    ],
    ["fails without a status", [{ fail: {} }], "extraBody.script[0].fail.status"],
    [
      "fails with a status of success",
      [{ fail: { status: 200 } }],
      "extraBody.script[0].fail.status",
    ],
    ["repeats no times", [{ text: "a", repeat: 0 }], "extraBody.script[0].repeat"],
    ["both fails and speaks", [{ fail: { status: 500 }, text: "a" }], "extraBody.script[0]"],
    ["waits for less than nothing", [{ text: "a", delayMs: -1 }], "extraBody.script[0].delayMs"],
  ] satisfies [string, Json, string][])(
    "that %s is refused, and says where",
    async (_, script, where) => {
      const error = await thrown(script);
      expect(error).toBeInstanceOf(ScriptError);
      expect(error.name).toBe("ScriptError");
      expect(error.message).toContain(where);
      expect(error.statusCode).toBe(400);
      expect(error.isRetryable).toBe(false);
    },
  );

  it("is refused at the first call, wherever in it the fault is", async () => {
    expect((await thrown([{ text: "fine" }, { nonsense: true }])).name).toBe("ScriptError");
  });

  it("is refused in a bounded message", async () => {
    expect((await thrown([{ ["x".repeat(100_000)]: 1 }])).message.length).toBeLessThanOrEqual(512);
  });
});
