import { evictDurableObject } from "cloudflare:test";
import { afterEach, expect, it } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { messages, play, readTurn, stubOf } from "./client.ts";
import { accepted, conversation, post, results, start } from "./journey.ts";
import { ledger } from "./ledger.ts";
import { poison, reply } from "./poison-agents.ts";

afterEach(() => ledger.clear());

const MEBIBYTE = 1_024 * 1_024;

/** Lets the model answer this, and proves that the session goes on: in this life of its object, and in the next. */
async function answers(answer: () => unknown): Promise<TurnView> {
  poison.answer = answer;
  const started = await start([], { agent: "garbage", headers: { prefer: "wait=10" } });
  const turn = await accepted<TurnView>(Promise.resolve(started));
  expect(turn.status).toMatch(/^(completed|failed|parked)$/);
  const before = await messages(turn.sessionId);
  await evictDurableObject(stubOf(turn.sessionId));
  expect(await readTurn(turn.id)).toEqual(turn);
  expect(await messages(turn.sessionId)).toEqual(before);
  if (turn.status === "parked") await accepted(post(`/v1/turns/${turn.id}/cancel`));
  const next = await play([{ text: "well" }], { session: turn.sessionId });
  expect(next).toMatchObject({ status: "completed", text: "well" });
  await conversation(turn.sessionId);
  return turn;
}

function made(toolCallId: unknown, input: unknown, toolName: unknown = "charge"): object {
  return { type: "tool-call", toolCallId, toolName, input };
}

const PAY = JSON.stringify({ what: "pay" });

const LENGTH = { finishReason: { unified: "length", raw: "max_tokens" } };
const CUT = { finishReason: { unified: "other", raw: undefined } };

it("runs two calls with one id and different input each with its own input, once", async () => {
  const turn = await answers(() =>
    reply([made("a", PAY), made("a", JSON.stringify({ what: "book" }))]),
  );
  expect(turn).toMatchObject({ status: "completed", text: "end" });
  expect(ledger.effects).toEqual(["book", "pay"]);
  expect((await results(turn.sessionId)).map(({ value }) => value)).toEqual([
    { done: "pay" },
    { done: "book" },
  ]);
});

it("never runs half a call: the model is told that its input is no JSON", async () => {
  for (const more of [LENGTH, CUT, { finishReason: { unified: "content-filter", raw: "x" } }]) {
    const turn = await answers(() =>
      reply([{ type: "text", text: "I shall pay" }, made("a", '{"what":"pa')], more),
    );
    expect(turn).toMatchObject({ status: "completed", text: "end" });
    expect(await results(turn.sessionId)).toMatchObject([{ type: "error-text" }]);
  }
  expect(ledger.tries).toBe(0);
});

it("runs a whole call whatever reason the model gives for its end", async () => {
  const reasons = ["stop", "length", "content-filter", "error", "other", "tool-calls", "nonsense"];
  for (const unified of reasons) {
    const finishReason = { unified, raw: unified };
    const turn = await answers(() => reply([made("a", PAY)], { finishReason }));
    expect(turn, unified).toMatchObject({ status: "completed", text: "end" });
    expect(await results(turn.sessionId), unified).toMatchObject([{ value: { done: "pay" } }]);
  }
  expect(ledger.tries).toBe(reasons.length);
});

it("ends a turn with what came of an answer that was cut, and with nothing where nothing came", async () => {
  const cut = [{ type: "text", text: "Half a sen" }];
  expect(await answers(() => reply(cut, CUT))).toMatchObject({ text: "Half a sen" });
  expect(await answers(() => reply(cut, LENGTH))).toMatchObject({ text: "Half a sen" });
  for (const nothing of [[], [{ type: "text", text: "" }]])
    expect(await answers(() => reply(nothing, CUT))).toMatchObject({
      status: "completed",
      text: "",
    });
});

it("fails a turn whose model says ten megabytes, in words or in a call", async () => {
  for (const content of [
    [{ type: "text", text: "x".repeat(10 * MEBIBYTE) }],
    [made("a", JSON.stringify({ what: "x".repeat(10 * MEBIBYTE) }))],
    Array.from({ length: 20_000 }, (_, n) => made(`a${n}`, PAY)),
  ])
    expect(await answers(() => reply(content))).toMatchObject({
      status: "failed",
      error: { code: "model_output_too_large" },
    });
  expect(ledger.tries).toBe(0);
});

it("fails a turn whose model answers nothing that is an answer", async () => {
  const throws = (thrown: unknown) => () => Promise.reject(thrown as Error);
  for (const answer of [
    () => undefined,
    () => null,
    () => "text",
    () => ({}),
    () => reply(null),
    () => reply("text"),
    throws(undefined),
    throws("just a text"),
    throws(new Error("x".repeat(100_000))),
  ]) {
    const turn = await answers(answer);
    expect(turn, String(answer)).toMatchObject({
      status: "failed",
      error: { code: "model_failed" },
    });
    expect(turn.error?.message.length).toBeLessThan(3_000);
  }
});

it("keeps a session readable whatever a model says of its usage, its reasons and its parts", async () => {
  const text = { type: "text", text: "Said." };
  const used = (total: unknown) => ({
    usage: { inputTokens: { total }, outputTokens: { total } },
  });
  for (const [content, more] of [
    [[text], used(undefined)],
    [[text], used(null)],
    [[text], used(1.5)],
    [[text], used(-3)],
    [[text], used(Number.NaN)],
    [[text], used(Number.POSITIVE_INFINITY)],
    [[text], used(1e300)],
    [[text], used("many")],
    [[text], { usage: undefined }],
    [[text], { finishReason: undefined }],
    [[text], { finishReason: { unified: undefined, raw: undefined } }],
    [[text], { warnings: undefined }],
    [[{ type: "reasoning", text: "Hm.", providerMetadata: { x: { signature: "s" } } }, text], {}],
    [[{ type: "nonsense", value: 1 }, text], {}],
    [[null, text], {}],
    [[{ type: "text", text: null }, text], {}],
    [[{ type: "text", text: "\ud800\u0000" }], {}],
    [[{ type: "source", sourceType: "url", id: "1", url: "https://x.test" }, text], {}],
    [[{ type: "file", mediaType: "text/plain", data: { type: "data", data: "eA==" } }, text], {}],
    [[{ type: "tool-result", toolCallId: "x", toolName: "charge", result: 1 }, text], {}],
  ] as const) {
    const turn = await answers(() => reply(content, more));
    expect(turn.status, JSON.stringify([content, more])).toMatch(/^(completed|failed)$/);
  }
});

it("gives each call exactly one result, whatever it calls itself", async () => {
  const calls = [
    made("", PAY),
    made(undefined, PAY),
    made(7, PAY),
    made("__proto__", PAY),
    made("a", PAY, ""),
    made("a", PAY, undefined),
    made("a", PAY, "__proto__"),
    made("a", undefined),
    made("a", { what: "pay" }),
    made("a", "null"),
    made("a", "[".repeat(100_000)),
    made("a", '{"what":"pay","what":"pay twice"}'),
    made("a", '{"__proto__":{"what":"pay"}}'),
  ];
  for (const call of calls) {
    const turn = await answers(() => reply([call]));
    expect(turn.status, JSON.stringify(call)?.slice(0, 100)).toMatch(/^(completed|failed)$/);
  }
  const turn = await answers(() => reply([made("a", PAY), made("", PAY), made("a_2", "no")]));
  expect(await results(turn.sessionId)).toHaveLength(3);
});
