import { expect, it } from "vitest";
import { lastResult, results } from "../journey.ts";
import {
  APPROVE,
  failed,
  readRun,
  refusal,
  resume,
  returned,
  runThatIs,
  send,
  sendText,
  waitingRun,
  type Headers,
} from "./client.ts";
import { ASK, clientCall, FORM_ANSWER, guardedCall, mismatch } from "./scripts.ts";

/** Sends a batch as it stands, with headers of the test's own. */
function post(runId: string, body: unknown, headers: Headers = { "idempotency-key": "k" }) {
  return send("POST", `/api/v1/runs/${runId}/resume`, body, headers);
}

it("refuses a body that is no batch", async () => {
  const run = await waitingRun(ASK);
  const result = { "question-1": returned(FORM_ANSWER) };
  for (const [body, field] of [
    [{ calls: result }, "approvals"],
    [{ approvals: {} }, "calls"],
    [{ approvals: null, calls: result }, "approvals"],
    [{ approvals: [], calls: result }, "approvals"],
    [{ approvals: {}, calls: [result] }, "calls"],
    [{ approvals: {}, calls: { "question-1": null } }, "calls.question-1"],
    [{ approvals: {}, calls: { "question-1": { status: "returned" } } }, "calls.question-1.value"],
    [
      { approvals: {}, calls: { "question-1": { status: "done", value: 1 } } },
      "calls.question-1.status",
    ],
    [{ approvals: {}, calls: { "question-1": { ...failed("no"), value: 1 } } }, "calls.question-1"],
    [
      { approvals: {}, calls: { "question-1": { ...returned(1), message: "no" } } },
      "calls.question-1",
    ],
    [{ approvals: {}, calls: { "question-1": failed("") } }, "calls.question-1.message"],
    [{ approvals: {}, calls: { "question-1": failed(" \n\u0085") } }, "calls.question-1.message"],
    [{ approvals: {}, calls: { "question-1": { status: "failed" } } }, "calls.question-1.message"],
    [
      { approvals: {}, calls: { "question-1": failed("x".repeat(4_097)) } },
      "calls.question-1.message",
    ],
    [{ approvals: { a: { action: "approve", reason: "ok" } }, calls: result }, "approvals.a"],
    [
      { approvals: { a: { action: "deny", reason: "x".repeat(4_097) } }, calls: result },
      "approvals.a.reason",
    ],
    [{ approvals: { a: { action: "allow" } }, calls: result }, "approvals.a.action"],
    [{ approvals: { a: true }, calls: result }, "approvals.a"],
    [{ approvals: {}, calls: result, input: "more" }, "input"],
    [{ approvals: {}, calls: result, input: {} }, "input.content"],
    [{ approvals: {}, calls: result, input: { content: [] } }, "input.content"],
    [
      { approvals: {}, calls: result, input: { content: [{ type: "text", text: "" }] } },
      "input.content[0].text",
    ],
    [{ approvals: {}, calls: result, approve_all: true }, ""],
    [{ approvals: {}, calls: { "": returned(1) } }, "calls"],
    [{ approvals: {}, calls: { ["i".repeat(1_025)]: returned(1) } }, "calls"],
    [{ approvals: { same: APPROVE }, calls: { same: returned(1) } }, ""],
  ] as const) {
    const refused = await refusal(post(run.id, body));
    expect(refused, `${field}: ${JSON.stringify(body).slice(0, 120)}`).toMatchObject({
      status: 400,
      code: "invalid_argument",
      details: { fields: [{ field, reason: expect.stringMatching(/./) }] },
    });
  }
  expect(await readRun(run.id)).toEqual(run);
});

it("counts texts and ids in characters and not in their halves", async () => {
  const id = "😀".repeat(1_024);
  const run = await waitingRun([
    { calls: [clientCall("client-1"), guardedCall("pay-1")] },
    { text: "end" },
  ]);
  expect(await refusal(resume(run.id, { calls: { [id]: returned(1) } }))).toEqual(
    mismatch("approvals", ["pay-1"], []),
  );
  const text = "😀".repeat(4_096);
  const batch = {
    approvals: { "pay-1": { action: "deny", reason: text } },
    calls: { "client-1": failed(text) },
  };
  const { body: successor } = await resume(run.id, batch);
  await runThatIs("completed", successor.id);
  expect((await results(run.session_id)).map(({ value }) => value)).toEqual([
    `FAILED: ${text}`,
    `NOT EXECUTED. Denied by all: ${text}`,
  ]);
});

it("takes ids of 1 to 1024 characters, and settles the calls that bear them", async () => {
  const ids = ["i", "i".repeat(1_024), "a b", "ä/😀", "constructor"];
  const run = await waitingRun([{ calls: ids.map((id) => clientCall(id)) }, { text: "end" }]);
  expect(run.pending?.calls.map((item) => item.tool_call_id)).toEqual(ids);
  const calls = Object.fromEntries(ids.map((id) => [id, returned(id)]));
  const { body: successor } = await resume(run.id, { calls });
  await runThatIs("completed", successor.id);
  expect((await results(run.session_id)).map(({ value }) => value)).toEqual(ids);
});

it("takes 128 results, and refuses one more", async () => {
  const ids = Array.from({ length: 128 }, (_, n) => `client-${n}`);
  const run = await waitingRun([{ calls: ids.map((id) => clientCall(id)) }, { text: "end" }]);
  const calls = Object.fromEntries(ids.map((id) => [id, returned(id)]));
  const tooMany = {
    status: 400,
    code: "invalid_argument",
    details: { fields: [{ reason: expect.any(String) }] },
  };
  expect(await refusal(resume(run.id, { calls: { ...calls, one: returned(1) } }))).toMatchObject(
    tooMany,
  );
  expect(await refusal(resume(run.id, { calls, approvals: { one: APPROVE } }))).toMatchObject(
    tooMany,
  );
  const { body: successor } = await resume(run.id, { calls });
  await runThatIs("completed", successor.id);
  expect((await results(run.session_id)).map(({ value }) => value)).toEqual(ids);
});

it("takes 262144 bytes of canonical JSON, and refuses one more", async () => {
  const run = await waitingRun([{ calls: [clientCall("client-1")] }, { text: "end" }]);
  const frame = JSON.stringify({
    approvals: {},
    calls: { "client-1": { status: "returned", value: "" } },
  });
  // Two bytes each in UTF-8, one in a script's own count, six if they were escaped.
  const value = "ä".repeat(Math.floor((262_144 - frame.length) / 2));
  const full = value + "x".repeat(262_144 - frame.length - 2 * value.length);
  expect(
    await refusal(resume(run.id, { calls: { "client-1": returned(`${full}x`) } })),
  ).toMatchObject({
    status: 413,
    code: "payload_too_large",
  });
  const path = `/api/v1/runs/${run.id}/resume`;
  const spaced = JSON.stringify({ approvals: {}, calls: { "client-1": returned(full) } }, null, 2);
  expect((await sendText("POST", path, spaced, { "idempotency-key": "full" })).status).toBe(201);
  const { resumed_by_id: successor } = await readRun(run.id);
  await runThatIs("completed", successor ?? "");
  expect((await lastResult(run.session_id)).value).toBe(full);
});
