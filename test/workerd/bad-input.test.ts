import { expect, it } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { call, play, readTurn, settled } from "./client.ts";
import {
  accepted,
  answering,
  ask,
  awaitTasks,
  begin,
  conversation,
  onlyRequest,
  post,
  questionsOf,
  readQuestion,
  refusal,
  send,
  start,
} from "./journey.ts";

const BODY_BYTES = 2 * 1_024 * 1_024;
const PARKING = [{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }, { text: "end" }];
const UNICODE = "a\u0000b \ud800 \udfff 😀 \u2028 \ufeff é e\u0301";

function raw(body: BodyInit, type = "application/json"): Promise<Response> {
  return send("POST", "/v1/turns", body, { "content-type": type });
}

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
}

it("refuses a file in words that say what to give", async () => {
  const input = [{ type: "file", data: "x" }];
  const body = JSON.stringify({ input });
  expect(await refusal(raw(body))).toMatchObject({
    status: 400,
    issues: [{ message: "must be text, json or url: files are not taken, give a url" }],
  });
});

it("refuses a query that says a thing twice", async () => {
  expect(await refusal(call("GET", "/v1/questions?limit=1&limit=500"))).toMatchObject({
    status: 400,
    issues: [{ path: "limit", message: "was given more than once" }],
  });
});

it("takes the same choices in another order as the same answer", async () => {
  const options = ["a", "b", "c"].map((id) => ({ id, label: id }));
  const { requestId } = await accepted<{ requestId: string }>(
    post("/v1/questions", { question: "Which?", options, multiple: true }),
  );
  await accepted(answering(requestId, { options: ["c", "a"] }));
  await accepted(answering(requestId, { options: ["a", "c"] }));
  expect(await refusal(answering(requestId, { options: ["a", "b"] }))).toMatchObject({
    code: "already_answered",
  });
});

it("refuses what is no JSON, and says where a body is wrong", async () => {
  for (const body of [
    "{",
    "nope",
    "{'input':'x'}",
    '{"input":"x",}',
    '{"input":NaN}',
    "[",
    '"\n"',
    "\ufeff\ufeff{}",
    "{}{}",
  ])
    expect(await refusal(raw(body)), body).toMatchObject({ status: 400, code: "invalid_request" });
  for (const body of ["null", "7", '"x"', "[]", "true", "{}"])
    expect(await refusal(raw(body)), body).toMatchObject({
      status: 400,
      code: "invalid_request",
      issues: expect.any(Array),
    });
  expect(await refusal(raw(new Uint8Array([0x7b, 0xff, 0x7d])))).toMatchObject({
    status: 400,
    code: "invalid_request",
  });
});

it("refuses a body of another type, and takes JSON with its parameters", async () => {
  const body = '{"input":"x"}';
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "application/problem+json",
    "",
  ])
    expect(await refusal(raw(body, type)), type).toMatchObject({
      status: 415,
      code: "unsupported_media_type",
    });
  const bytes = new TextEncoder().encode(body);
  expect(await refusal(send("POST", "/v1/turns", bytes, {}))).toMatchObject({ status: 415 });
  expect((await raw(body, "Application/JSON; charset=utf-8")).status).toBe(202);
});

it("refuses a body above its limit before it is read to its end, and takes one at the limit", async () => {
  const padded = (bytes: number) => `{"input":"x"${" ".repeat(bytes - '{"input":"x"}'.length)}}`;
  expect((await raw(padded(BODY_BYTES))).status).toBe(202);
  expect(await refusal(raw(padded(BODY_BYTES + 1)))).toMatchObject({
    status: 413,
    code: "payload_too_large",
  });
  expect(await refusal(raw("[".repeat(BODY_BYTES + 1)))).toMatchObject({ status: 413 });
});

it("refuses nesting that goes too deep, wherever it stands", async () => {
  const turn = await play(PARKING);
  const path = `/v1/questions/${onlyRequest(turn)}/answer`;
  for (const levels of [65, 1_000, 100_000]) {
    expect(await refusal(raw(`{"input":"x","extraBody":${nested(levels)}}`))).toMatchObject({
      status: 400,
    });
    expect(await refusal(raw("[".repeat(levels)))).toMatchObject({ status: 400 });
    expect(
      await refusal(send("POST", path, `{"answeredBy":"x","answer":${nested(levels)}}`)),
    ).toMatchObject({ status: 400 });
  }
  expect((await raw(`{"input":"x","extraBody":${nested(63)}}`)).status).toBe(202);
  expect((await raw(`{"input":"${"[".repeat(1_000)}"}`)).status).toBe(202);
});

it("refuses unknown fields by their names, on every route", async () => {
  const turn = await play(PARKING);
  const requestId = onlyRequest(turn);
  for (const [path, body] of [
    ["/v1/turns", { input: "x", Input: "y" }],
    ["/v1/turns", { input: [{ type: "text", text: "x", more: 1 }] }],
    [`/v1/sessions/${turn.sessionId}/turns`, { input: "x", session: "y" }],
    [`/v1/turns/${turn.id}/cancel`, { because: "x" }],
    [`/v1/turns/${turn.id}/results`, { approvals: {}, calls: {}, more: {} }],
    [`/v1/questions/${requestId}/answer`, { answer: { text: "x" }, answeredBy: "x", at: 1 }],
    [`/v1/questions/${requestId}/decline`, { answeredBy: "x", answer: {} }],
    [`/v1/questions/${requestId}/cancel`, { answeredBy: "x" }],
  ] as const) {
    const problem = await refusal(call("POST", path, body));
    expect(problem, path).toMatchObject({ status: 400, code: "invalid_request" });
    expect(problem.issues?.[0]?.message, path).toContain("is not a known field");
  }
  expect(await refusal(raw('{"input":"x","__proto__":{"a":1}}'))).toMatchObject({ status: 400 });
  expect(await refusal(raw('{"input":"x","constructor":1}'))).toMatchObject({ status: 400 });
  expect((await readTurn(turn.id)).status).toBe("parked");
});

it("takes the last of two members with one name", async () => {
  const turn = await accepted<TurnView>(raw('{"input":"first","input":"last"}'));
  expect(turn.input).toBe("last");
});

it("refuses an input that is none", async () => {
  const text = (length: number) => ({ type: "text", text: "x".repeat(length) });
  const parts: readonly unknown[] = [
    text(0),
    text(65_537),
    { type: "text" },
    { type: "json" },
    { type: "url", url: "no url" },
    { type: "url", url: 7 },
    { type: "image" },
    "x",
    null,
  ];
  const inputs: readonly unknown[] = [
    "",
    "  \n ",
    null,
    7,
    true,
    {},
    [],
    ...parts.map((part) => [part]),
    Array.from({ length: 33 }, () => text(1)),
  ];
  for (const input of inputs)
    expect(await refusal(start([], { input })), JSON.stringify(input)).toMatchObject({
      status: 400,
      code: "invalid_request",
    });
});

it("refuses metadata, agents and the rest where they do not fit", async () => {
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, "v"]));
  for (const wrong of [
    { metadata: { a: 1 } },
    { metadata: { a: null } },
    { metadata: [] },
    { metadata: many },
    { metadata: { "": "x" } },
    { metadata: { ["k".repeat(65)]: "x" } },
    { metadata: { k: "v".repeat(513) } },
    { agent: "" },
    { agent: "x".repeat(65) },
    { agent: "__proto__" },
    { agent: "constructor" },
    { extraBody: [] },
    { extraBody: "x" },
    { extraBody: null },
    { deferred: "yes" },
    { deferred: null },
    { whenBusy: "sometimes" },
  ])
    expect(await refusal(start([], wrong)), JSON.stringify(wrong)).toMatchObject({
      status: 400,
      code: "invalid_request",
    });
});

it("says at which name metadata does not fit", async () => {
  const wrong = { metadata: { good: "x", k: "v".repeat(513) } };
  expect((await refusal(start([], wrong))).issues).toEqual([
    { path: "metadata.k", message: "must be at most 512 characters" },
  ]);
});

it("never repeats a received value in a refusal, and says few things of a body that is all wrong", async () => {
  const secret = "s3cret-value";
  const problem = await refusal(
    start([], { input: 7, metadata: { a: [secret] }, whenBusy: secret, deferred: secret }),
  );
  expect(JSON.stringify(problem)).not.toContain(secret);
  const fields = Object.fromEntries(
    Array.from({ length: 500 }, (_, n) => [`${"f".repeat(1_000)}${n}`, n]),
  );
  const all = await refusal(start([], fields));
  expect(all.issues?.length).toBeLessThanOrEqual(20);
  expect(JSON.stringify(all).length).toBeLessThan(10_000);
});

it("keeps odd text as it came: NUL, halves of surrogate pairs, line separators", async () => {
  const turn = await begin(
    [
      { text: UNICODE, calls: [ask({ question: "Odd \u0000?" })] },
      { calls: [awaitTasks(["$task:1"])] },
      { text: UNICODE },
    ],
    {
      input: UNICODE,
      metadata: { "k\u0000 😀": UNICODE },
    },
  );
  const parked = await settled(turn.id);
  expect(parked).toMatchObject({ input: UNICODE, metadata: { "k\u0000 😀": UNICODE } });
  const requestId = onlyRequest(parked);
  expect(await readQuestion(requestId)).toMatchObject({ question: "Odd \u0000?" });
  expect(await refusal(answering(requestId, { text: "half \ud800" }))).toMatchObject({
    status: 422,
    code: "invalid_answer",
  });
  expect(await accepted(answering(requestId, { text: "nul \u0000" }, "da\u0000na"))).toMatchObject({
    answer: { text: "nul \u0000" },
    answeredBy: "da\u0000na",
  });
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: UNICODE });
  const [user] = await conversation(turn.sessionId);
  expect(user?.content).toBe(UNICODE);
});

it("never makes a form of odd text either", async () => {
  const turn = await play([{ calls: [ask({ question: "half \ud800?" })] }, { text: "end" }]);
  expect(turn.status).toBe("completed");
  expect(await questionsOf(turn.sessionId)).toEqual([]);
});

it("refuses a number that no JSON value can hold inside an answer", async () => {
  const turn = await play([
    { calls: [{ toolName: "ask_tool", input: { question: "n?", answerSchema: true } }] },
    { calls: [awaitTasks(["$task:1"])] },
  ]);
  const path = `/v1/questions/${onlyRequest(turn)}/answer`;
  expect(
    await refusal(send("POST", path, '{"answeredBy":"x","answer":{"value":1e400}}')),
  ).toMatchObject({ status: 400 });
  const large = await accepted(
    send("POST", path, '{"answeredBy":"x","answer":{"value":[1e308,-0,9007199254740993,1e-400]}}'),
  );
  expect(large).toMatchObject({ answer: { value: [1e308, 0, 9_007_199_254_740_992, 0] } });
});
