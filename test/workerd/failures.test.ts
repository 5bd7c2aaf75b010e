import { afterEach, expect, it, vi } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { fireAlarm, play, readTurn, settled } from "./client.ts";
import {
  accepted,
  ask,
  begin,
  conversation,
  lastResult,
  post,
  questionsOf,
  results,
  type Start,
} from "./journey.ts";
import { ledger } from "./ledger.ts";
import { stage } from "./stage.ts";

afterEach(() => {
  vi.useRealTimers();
  stage.clear();
  ledger.clear();
});

function fail(status: number, more: object = {}): object {
  return { fail: { status, ...more } };
}

/** Starts a turn; once an attempt of it has failed, shows it. */
async function beginAndFail(script: unknown, options: Start = {}): Promise<TurnView> {
  const failed = stage.next("attempt.failed");
  const { id } = await begin(script, options);
  await failed;
  return readTurn(id);
}

/** Milliseconds between the failure and the next try. */
function backOff({ nextRetryAt = "", updatedAt }: TurnView): number {
  return Date.parse(nextRetryAt) - Date.parse(updatedAt);
}

/** Moves the clock to the next try, and lets the alarm make it. */
async function retry(turn: TurnView): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(turn.nextRetryAt ?? "") });
  expect(await fireAlarm(turn.sessionId)).toBe(true);
}

/** The same, where that try fails as well. */
async function retryAndFail(turn: TurnView): Promise<TurnView> {
  const failed = stage.next("attempt.failed");
  await retry(turn);
  await failed;
  return readTurn(turn.id);
}

it("tries a failed model call again by the alarm, later each time, without running the tools before it again", async () => {
  const charge = { toolName: "charge", input: { what: "charge" } };
  const script = [{ calls: [charge] }, fail(429, { times: 3 }), { text: "end" }];
  const turn = await beginAndFail(script, { agent: "retrying" });
  const twice = await retryAndFail(turn);
  const thrice = await retryAndFail(twice);
  for (const [place, failed] of [turn, twice, thrice].entries())
    expect(failed).toMatchObject({ status: "running", attempts: place + 1, usage: { steps: 1 } });
  expect([turn, twice, thrice].map(backOff)).toEqual([500, 7_500, 15_000]);
  await retry(thrice);
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end", attempts: 0 });
  expect(ledger.tries).toBe(1);
  await conversation(turn.sessionId);
});

it("does not try before its time, whatever reaches the session", async () => {
  const turn = await beginAndFail([fail(500), { text: "end" }]);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(turn.nextRetryAt ?? "") - 1 });
  await fireAlarm(turn.sessionId);
  expect(await readTurn(turn.id)).toEqual(turn);
  await retry(turn);
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
});

it("keeps what the provider says of when to come back", async () => {
  const turn = await beginAndFail([fail(429, { retryAfter: 120 })]);
  expect(backOff(turn)).toBe(120_000);
  await accepted(post(`/v1/turns/${turn.id}/cancel`));
});

it("fails a turn at once where trying again can't help", async () => {
  for (const status of [400, 401, 404, 422]) {
    const turn = await play([fail(status), { text: "never" }]);
    expect(turn).toMatchObject({
      status: "failed",
      error: {
        code: "model_failed",
        message: expect.stringContaining(String(status)),
        retryable: false,
      },
    });
    expect(turn).not.toHaveProperty("text");
    expect(await fireAlarm(turn.sessionId)).toBe(false);
  }
});

it("fails a turn after its last attempt, and leaves the session usable", async () => {
  let turn = await beginAndFail([fail(503, { times: 9 })]);
  while (turn.attempts < 4) turn = await retryAndFail(turn);
  await retry(turn);
  const failed = await settled(turn.id);
  expect(failed).toMatchObject({
    status: "failed",
    error: { code: "model_failed", retryable: true },
  });
  expect(failed).not.toHaveProperty("nextRetryAt");
  expect(await fireAlarm(turn.sessionId)).toBe(false);
  expect(await play([{ text: "next" }], { session: turn.sessionId })).toMatchObject({
    text: "next",
  });
});

it("counts the attempts of a turn that failed after the last of them", async () => {
  const turn = await beginAndFail([fail(503, { times: 9 })], { agent: "brief" });
  await retry(turn);
  expect(await settled(turn.id)).toMatchObject({ status: "failed", attempts: 2 });
});

it("leaves the open tasks of a failed turn open", async () => {
  const turn = await play([{ calls: [ask()] }, fail(400)]);
  expect(turn.status).toBe("failed");
  expect(await questionsOf(turn.sessionId, "")).toMatchObject([{ status: "waiting" }]);
});

it("fails a turn that makes more model calls than it may, or uses more tokens", async () => {
  const steps = { text: "again", calls: [{ toolName: "list_tasks" }], repeat: 9 };
  expect(await play([steps], { agent: "brief" })).toMatchObject({
    status: "failed",
    error: { code: "max_steps", retryable: false },
    usage: { steps: 3 },
  });
  const costly = { text: "x".repeat(5_000), calls: [{ toolName: "list_tasks" }] };
  const turn = await play([costly, { text: "never" }], { agent: "brief" });
  expect(turn).toMatchObject({ status: "failed", error: { code: "max_tokens", retryable: false } });
  await conversation(turn.sessionId);
});

it("gives up on a model that does not answer, and tries again", async () => {
  const turn = await beginAndFail([{ text: "late", delayMs: 60_000 }], { agent: "brief" });
  expect(turn).toMatchObject({ attempts: 1 });
  await retry(turn);
  expect(await settled(turn.id)).toMatchObject({
    status: "failed",
    error: { code: "model_timeout", retryable: true },
  });
});

it("says what is wrong with a script, and does not try it again", async () => {
  for (const script of [
    "x",
    [7],
    [{ nonsense: 1 }],
    [{ calls: [{ toolName: "x", input: 1, inputRaw: "1" }] }],
  ]) {
    const turn = await play(script);
    expect(turn, JSON.stringify(script)).toMatchObject({
      status: "failed",
      error: { retryable: false },
    });
    expect(turn.error?.message).toContain("script");
  }
});

it("tells the model of a tool that is not there, and goes on", async () => {
  const calls = [
    "no_such_tool",
    "toString",
    "__proto__",
    "constructor",
    "x".repeat(5_000),
    "näme with space",
  ];
  const turn = await play([{ calls: calls.map((toolName) => ({ toolName })) }, { text: "end" }]);
  expect(turn).toMatchObject({ status: "completed", text: "end" });
  for (const { type, value } of await results(turn.sessionId)) {
    expect(type).toBe("error-text");
    expect(value).toMatch(/^FAILED: there is no tool/);
    expect(String(value).length).toBeLessThan(1_000);
  }
});

it("tells the model of input that does not fit, and stores an object for it", async () => {
  const inputs = [{ bytes: "many" }, {}, { bytes: 1, more: 2 }, 7, null, "text", [1], true];
  const raw = [
    "",
    "{",
    "nul",
    "{'bytes':1}",
    `${"[".repeat(100)}${"]".repeat(100)}`,
    "\u0000",
    "NaN",
    '{"bytes":1e400}',
  ];
  const calls = [
    ...inputs.map((input) => ({ toolName: "big", input })),
    ...raw.map((inputRaw) => ({ toolName: "big", inputRaw })),
  ];
  const turn = await play([{ calls }, { text: "end" }]);
  expect(turn).toMatchObject({ status: "completed", text: "end" });
  const all = await results(turn.sessionId);
  expect(all).toHaveLength(calls.length);
  for (const [place, { type, value }] of all.entries()) {
    expect(type, JSON.stringify(calls[place])).toBe("error-text");
    expect(value).toMatch(/^FAILED: the input of big/);
  }
});

it("keeps call ids unique in a turn, whatever the model repeats", async () => {
  const call = (toolCallId: string) => ({ toolName: "big", input: { bytes: 1 }, toolCallId });
  const script = [
    { calls: [call("a"), call("a"), call("a_2"), call("a")] },
    { calls: [call("a"), call("x".repeat(3_000))] },
    { text: "end" },
  ];
  const turn = await play(script);
  expect(turn.status).toBe("completed");
  const all = await conversation(turn.sessionId);
  const ids = all.flatMap(({ role, content }) =>
    role === "tool" && typeof content !== "string"
      ? content.map(({ toolCallId = "" }) => toolCallId)
      : [],
  );
  expect(new Set(ids).size).toBe(6);
  for (const id of ids) expect(id.length).toBeLessThanOrEqual(1_024);
});

it("tells the model of a tool's failure as an error, bounded", async () => {
  const message = "y".repeat(50_000);
  const turn = await play([
    {
      calls: [
        { toolName: "boom", input: { message: "No paper." } },
        { toolName: "boom", input: { message } },
        { toolName: "boom", input: { message: "" } },
      ],
    },
    { text: "end" },
  ]);
  expect(turn).toMatchObject({ status: "completed", text: "end" });
  const [short, long, empty] = await results(turn.sessionId);
  expect(short).toMatchObject({ type: "error-text", value: "FAILED: No paper." });
  expect(long?.type).toBe("error-text");
  expect(String(long?.value).length).toBeLessThan(3_000);
  expect(empty).toMatchObject({ type: "error-text", value: expect.stringMatching(/^FAILED: ./) });
});

it("keeps a result up to its limit, and tells the model of a larger one", async () => {
  const big = (bytes: number) => ({ toolName: "big", input: { bytes } });
  const limit = 1_024 * 1_024 - 2;
  const turn = await play([{ calls: [big(limit)] }, { calls: [big(limit + 1)] }, { text: "end" }]);
  expect(turn).toMatchObject({ status: "completed", text: "end" });
  const [kept, refused] = await results(turn.sessionId);
  expect(kept).toMatchObject({ type: "text" });
  expect(String(kept?.value)).toHaveLength(limit);
  expect(refused).toMatchObject({
    type: "error-text",
    value: expect.stringContaining("above the limit"),
  });
});

it("makes a result of whatever a tool returns or throws", async () => {
  const calls = [
    "nothing",
    "null",
    "function",
    "bigint",
    "date",
    "notANumber",
    "surrogate",
    "cycle",
    "thrownText",
    "thrownNothing",
  ];
  const turn = await play(
    [{ calls: calls.map((what) => ({ toolName: "unusual", input: { what } })) }, { text: "end" }],
    { agent: "staged" },
  );
  expect(turn).toMatchObject({ status: "completed", text: "end" });
  const all = await results(turn.sessionId);
  expect(all.map(({ type }) => type)).toEqual([
    "json",
    "json",
    "json",
    "error-text",
    "json",
    "json",
    "text",
    "error-text",
    "error-text",
    "error-text",
  ]);
  expect(all[4]?.value).toBe("1970-01-01T00:00:00.000Z");
  expect(all[6]?.value).toBe("\ud800");
  expect(all[8]?.value).toBe("FAILED: just a text");
});

it("calls a tool that takes too long failed, and does not know whether it took effect", async () => {
  const turn = await play(
    [{ calls: [{ toolName: "hasty", input: { gate: "never" } }] }, { text: "end" }],
    { agent: "staged" },
  );
  expect(turn).toMatchObject({ status: "completed", text: "end" });
  expect(await lastResult(turn.sessionId)).toMatchObject({
    type: "error-text",
    value: expect.stringContaining("unknown"),
  });
});

it("goes on where a model says nothing at all", async () => {
  const turn = await play([{}]);
  expect(turn).toMatchObject({ status: "completed", text: "" });
  expect(await play([{ text: "next" }], { session: turn.sessionId })).toMatchObject({
    status: "completed",
    text: "next",
  });
  await conversation(turn.sessionId);
});
