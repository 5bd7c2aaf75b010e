import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { ORIGIN } from "../client.ts";
import { results } from "../journey.ts";
import {
  accepted,
  message,
  readRun,
  refusal,
  resume,
  returned,
  runThatIs,
  say,
  send,
  sendText,
  startThread,
  waitingRun,
  type Run,
  type ServiceError,
} from "./client.ts";
import { ASK, clientCall, INVALID, KEY, routesOf } from "./scripts.ts";

const SECRET = "s3cret-v4lue";

/** The fields that a refusal names; proves on the way that no value that was sent comes back. */
async function fieldsOf(method: string, path: string, body: unknown): Promise<readonly string[]> {
  const { status, body: told } = await send<{ error: ServiceError }>(method, path, body, KEY);
  expect(status, JSON.stringify(told)).toBe(400);
  expect(told.error.code).toBe("invalid_argument");
  expect(JSON.stringify(told)).not.toContain(SECRET);
  const { fields } = told.error.details as { fields: { field: string; reason: string }[] };
  expect(fields.length).toBeLessThanOrEqual(20);
  for (const each of fields) {
    expect(Object.keys(each)).toEqual(["field", "reason"]);
    expect(each.reason).not.toBe("");
  }
  return fields.map(({ field }) => field);
}

it("names the fields of a message that are wrong, by the caller's own names, and echoes no value", async () => {
  const text = { type: "text", text: SECRET };
  const base = { agent_id: "playground", payload: { content: [text] } };
  for (const [body, field] of [
    [{ ...base, agent_id: SECRET }, "agent_id"],
    [{ ...base, agent_id: "" }, "agent_id"],
    [{ ...base, agent_id: { [SECRET.slice(0, 3)]: SECRET } }, "agent_id"],
    [{ payload: base.payload }, "agent_id"],
    [{ agent_id: "playground" }, "payload"],
    [{ ...base, kind: SECRET }, "kind"],
    [{ ...base, delivery: SECRET }, "delivery"],
    [{ ...base, session_id: `${SECRET} with spaces` }, "session_id"],
    [{ ...base, session_id: SECRET.repeat(20) }, "session_id"],
    [{ ...base, unknown: SECRET }, ""],
    [{ ...base, payload: { content: [text], more: SECRET } }, "payload"],
    [{ ...base, payload: SECRET }, "payload"],
    [{ ...base, payload: { content: SECRET } }, "payload.content"],
    [{ ...base, payload: { content: [] } }, "payload.content"],
    [{ ...base, payload: { content: Array.from({ length: 33 }, () => text) } }, "payload.content"],
    [{ ...base, payload: { content: [SECRET] } }, "payload.content[0]"],
    [{ ...base, payload: { content: [{ type: SECRET }] } }, "payload.content[0].type"],
    [
      { ...base, payload: { content: [{ type: "file", file_id: SECRET }] } },
      "payload.content[0].type",
    ],
    [{ ...base, payload: { content: [text, { ...text, extra: SECRET }] } }, "payload.content[1]"],
    [{ ...base, payload: { content: [{ type: "text", text: 7 }] } }, "payload.content[0].text"],
    [
      { ...base, payload: { content: [{ type: "text", text: "x".repeat(65_537) }] } },
      "payload.content[0].text",
    ],
    [{ ...base, payload: { content: [{ type: "url", url: SECRET }] } }, "payload.content[0].url"],
    [{ ...base, options: { labels: [SECRET] } }, "options.labels"],
    [{ ...base, options: { labels: SECRET } }, "options.labels"],
    [{ ...base, options: { model: SECRET } }, "options"],
    [[base], ""],
    [null, ""],
    [SECRET, ""],
    [7, ""],
  ] as const)
    expect(
      await fieldsOf("POST", "/api/v1/threads", body),
      `${field}: ${JSON.stringify(body).slice(0, 99)}`,
    ).toContain(field);
});

it("refuses labels beyond their bounds, and keeps those within them", async () => {
  const labelled = (labels: object) => ({ ...message(ASK), options: { labels } });
  const many = (keys: number) =>
    Object.fromEntries(Array.from({ length: keys }, (_, n) => [`label-${n}`, "x".repeat(512)]));
  for (const labels of [
    many(17),
    { team: 7 },
    { team: SECRET.repeat(50) },
    { ["k".repeat(65)]: "" },
    { "": "" },
  ]) {
    const [field, ...others] = await fieldsOf("POST", "/api/v1/threads", labelled(labels));
    expect(others).toEqual([]);
    expect(field).toMatch(/^options\.labels/);
  }
  const started = await accepted(startThread(ASK, { labels: many(16) }), 201);
  expect(started.thread.labels).toEqual(many(16));
  expect(started.run?.labels).toEqual(many(16));
});

it("names at most 20 fields", async () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`unknown_${n}`, SECRET]));
  expect(await fieldsOf("POST", "/api/v1/threads", many)).toHaveLength(20);
  const run = await waitingRun(ASK);
  const path = `/api/v1/runs/${run.id}/resume`;
  const calls = Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [`call-${n}`, { status: SECRET }]),
  );
  expect(await fieldsOf("POST", path, { approvals: {}, calls })).toHaveLength(20);
  expect(await fieldsOf("POST", path, { ...many, approvals: {}, calls: {} })).toHaveLength(20);
  expect(await readRun(run.id)).toEqual(run);
});

it("echoes no value of a batch that is refused", async () => {
  const run = await waitingRun(ASK);
  const path = `/api/v1/runs/${run.id}/resume`;
  for (const [body, field] of [
    [{ approvals: SECRET, calls: {} }, "approvals"],
    [{ approvals: { a: SECRET }, calls: {} }, "approvals.a"],
    [{ approvals: { a: { action: SECRET } }, calls: {} }, "approvals.a.action"],
    [{ approvals: {}, calls: { c: { status: "failed", message: [SECRET] } } }, "calls.c.message"],
    [{ approvals: {}, calls: { c: { status: "returned", valeu: SECRET } } }, "calls.c.value"],
    [
      { approvals: {}, calls: {}, input: { content: [{ type: "text", text: "" }, SECRET] } },
      "input.content[1]",
    ],
  ] as const)
    expect(await fieldsOf("POST", path, body), JSON.stringify(body)).toContain(field);
  const answer = {
    calls: { "question-1": returned({ answers: { "Which scope?": [SECRET, "Focused"] } }) },
  };
  const { status, body } = await resume(run.id, answer);
  expect(status).toBe(400);
  expect(JSON.stringify(body)).not.toContain(SECRET);
});

it("refuses a body that is no JSON of its kind", async () => {
  const run = await waitingRun(ASK);
  for (const [method, path] of routesOf(run)) {
    if (method === "GET") continue;
    for (const text of ["{", "nonsense", '{"a":1}}', "{'a':1}", "[]", "null", '"text"', "7", "﻿{"])
      expect(await refusal(sendText(method, path, text, KEY)), `${path} ${text}`).toMatchObject(
        INVALID,
      );
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"])
      expect(
        await refusal(sendText(method, path, "{}", { ...KEY, "content-type": type })),
        type,
      ).toMatchObject({
        ...INVALID,
        details: { fields: [{ field: "content-type" }] },
      });
  }
  expect(await readRun(run.id)).toEqual(run);
});

it("refuses a body that is no UTF-8", async () => {
  const response = await exports.default.fetch(
    new Request(`${ORIGIN}/api/v1/threads`, {
      method: "POST",
      headers: { authorization: "Bearer dev-key", "content-type": "application/json" },
      body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]),
    }),
  );
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: "invalid_argument" } });
});

it("refuses a body that nests too deep, and one that is too large", async () => {
  const run = await waitingRun(ASK);
  const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  const large = JSON.stringify({ ...message(ASK), padding: "x".repeat(2 * 1024 * 1024) });
  for (const [method, path] of routesOf(run)) {
    if (method === "GET") continue;
    for (const text of [nested(65), nested(100_000), "[".repeat(1_000_000)])
      expect(await refusal(sendText(method, path, text, KEY)), path).toMatchObject(INVALID);
    expect(await refusal(sendText(method, path, large, KEY)), path).toEqual({
      status: 413,
      code: "payload_too_large",
      details: null,
    });
  }
  const value = (levels: number) =>
    `{"approvals":{},"calls":{"question-1":{"status":"returned","value":${nested(levels)}}}}`;
  const path = `/api/v1/runs/${run.id}/resume`;
  // As deep as is taken, the value is one that answers nothing; any deeper it is not read.
  expect(await refusal(sendText("POST", path, value(61), KEY))).toMatchObject({
    details: { reason: "invalid_question_response" },
  });
  expect(await refusal(sendText("POST", path, value(62), KEY))).toMatchObject({
    ...INVALID,
    details: { fields: [] },
  });
  expect(await readRun(run.id)).toEqual(run);
});

it("settles a call whose id is __proto__, and knows one that is not open", async () => {
  const run = await waitingRun([
    { calls: [clientCall("__proto__"), clientCall("toString")] },
    { text: "end" },
  ]);
  expect(run.pending?.calls.map((item) => item.tool_call_id)).toEqual(["__proto__", "toString"]);
  const path = `/api/v1/runs/${run.id}/resume`;
  const result = '{"status":"returned","value":{"__proto__":{"a":1}}}';
  expect(
    (
      await refusal(
        sendText("POST", path, `{"approvals":{"__proto__":{"action":"approve"}},"calls":{}}`, KEY),
      )
    ).details,
  ).toEqual({
    field: "approvals",
    reason: "pending_coverage_mismatch",
    missing: [],
    unexpected: ["__proto__"],
  });
  expect(
    (await refusal(resume(run.id, { calls: { toString: returned(1) } }))).details,
  ).toMatchObject({
    missing: ["__proto__"],
  });
  const body = `{"approvals":{},"calls":{"__proto__":${result},"toString":{"status":"returned","value":1}}}`;
  const { body: successor } = await sendText<Run>("POST", path, body, KEY);
  expect(JSON.stringify(successor.resume)).toContain(`"__proto__":${result}`);
  await runThatIs("completed", successor.id);
  expect(JSON.stringify((await results(run.session_id))[0]?.value)).toBe('{"__proto__":{"a":1}}');
});

it("refuses members called __proto__ where only known ones are taken", async () => {
  const run = await waitingRun(ASK);
  const path = `/api/v1/runs/${run.id}/resume`;
  const answer = '{"answers":{"Which scope?":"Focused"}}';
  for (const [text, expected] of [
    [`{"approvals":{},"calls":{},"__proto__":{}}`, { fields: [{ field: "" }] }],
    [
      `{"approvals":{},"calls":{"question-1":{"status":"returned","value":1,"__proto__":1}}}`,
      { fields: [{ field: "calls.question-1" }] },
    ],
    [
      `{"approvals":{},"calls":{"question-1":{"status":"returned","value":{"__proto__":${answer}}}}}`,
      { reason: "invalid_question_response" },
    ],
    [
      `{"approvals":{},"calls":{"question-1":{"status":"returned","value":{"answers":{"Which scope?":"Focused","__proto__":"x"}}}}}`,
      { reason: "invalid_question_response" },
    ],
  ] as const)
    expect(await refusal(sendText("POST", path, text, KEY)), text).toMatchObject({
      ...INVALID,
      details: expected,
    });
  expect(await readRun(run.id)).toEqual(run);
});

it("refuses a malformed Idempotency-Key on a message", async () => {
  const { thread } = await accepted(startThread([{ text: "end" }]), 201);
  for (const key of ["", "a b", "k".repeat(513)]) {
    const headers = { "idempotency-key": key };
    const expected = { ...INVALID, details: { fields: [{ field: "Idempotency-Key" }] } };
    expect(await refusal(startThread([{ text: "end" }], {}, headers))).toMatchObject(expected);
    expect(await refusal(say(thread.id, [{ text: "end" }], headers))).toMatchObject(expected);
  }
});

it("knows a further message again under its key, and another one under the same key", async () => {
  const { thread } = await accepted(startThread([{ text: "one" }]), 201);
  const first = await say(thread.id, [{ text: "two" }], { "idempotency-key": "said" });
  const again = await say(thread.id, [{ text: "two" }], { "idempotency-key": "said" });
  expect([first.status, again.status]).toEqual([201, 200]);
  expect(again.body.entry.id).toBe(first.body.entry.id);
  expect(await refusal(say(thread.id, [{ text: "three" }], { "idempotency-key": "said" }))).toEqual(
    {
      status: 409,
      code: "conflict",
      details: { kind: "thread", id: thread.id, reason: "idempotency_key_reused" },
    },
  );
});

it("keeps text, json and url parts as they came, within their bounds", async () => {
  const content = [
    { type: "text", text: "x".repeat(65_536) },
    { type: "json", value: [null, { a: [1.5, "ä"] }, true] },
    { type: "url", url: "https://example.com/a?b=c#d" },
    ...Array.from({ length: 29 }, () => ({ type: "text", text: " " })),
  ];
  const body = { agent_id: "playground", payload: { content } };
  const { entry, run } = await accepted(
    send<{ entry: { payload: unknown }; run: Run }>("POST", "/api/v1/threads", body),
    201,
  );
  expect(entry.payload).toEqual({ content });
  expect(await runThatIs("completed", run.id)).toMatchObject({
    input: { content },
    output: "done",
  });
});
