import { expect, it } from "vitest";
import {
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
import { ASK, ANSWERED, FORM_ANSWER, FORM_CALL } from "./scripts.ts";

/** Sends a batch as it stands, with headers of the test's own. */
function post(runId: string, body: unknown, headers: Headers = { "idempotency-key": "k" }) {
  return send("POST", `/api/v1/runs/${runId}/resume`, body, headers);
}

it("sends the same successor, in its present state, where a resume comes again", async () => {
  const run = await waitingRun(ASK);
  const first = await resume(run.id, ANSWERED, "again");
  expect(first).toMatchObject({ status: 201, body: { status: "accepted" } });
  const done = await runThatIs("completed", first.body.id);
  expect(await resume(run.id, ANSWERED, "again")).toEqual({ status: 200, body: done });
  // The same body is the same JSON, however it is written.
  const spaced = `{ "calls": ${JSON.stringify(ANSWERED.calls)} , "approvals" :{} }`;
  const path = `/api/v1/runs/${run.id}/resume`;
  expect(await sendText("POST", path, spaced, { "idempotency-key": "again" })).toEqual({
    status: 200,
    body: done,
  });
});

it("refuses another body under a key that was used, before it looks at the run", async () => {
  const run = await waitingRun(ASK);
  const { body: successor } = await resume(run.id, ANSWERED, "used");
  await runThatIs("completed", successor.id);
  const reused = {
    status: 409,
    code: "conflict",
    details: { kind: "run", id: run.id, reason: "idempotency_key_reused" },
  };
  for (const batch of [
    { calls: { "question-1": returned({ response: "Other." }) } },
    { ...ANSWERED, input: { content: [{ type: "text", text: "more" }] } },
    {},
  ])
    expect(await refusal(resume(run.id, batch, "used"))).toEqual(reused);
});

it("knows a key by the request it came with, and not by another one like it", async () => {
  const run = await waitingRun([
    { calls: [FORM_CALL] },
    { calls: [{ ...FORM_CALL }] },
    { text: "end" },
  ]);
  const { body: second } = await resume(run.id, ANSWERED, "first-key");
  const waiting = await runThatIs("waiting", second.id);
  const batch = {
    calls: { [waiting.pending?.calls[0]?.tool_call_id ?? ""]: returned(FORM_ANSWER) },
  };
  // The first run's key on the second run is another request.
  expect(await refusal(resume(second.id, batch, "first-key"))).toMatchObject({
    status: 409,
    details: { reason: "idempotency_key_reused" },
  });
  const { body: third } = await resume(second.id, batch, "second-key");
  // The first run's body under the second run's key is none that was sent before either.
  expect(await refusal(resume(run.id, ANSWERED, "second-key"))).toMatchObject({
    status: 409,
    details: { id: run.id, reason: "idempotency_key_reused" },
  });
  expect(await resume(run.id, ANSWERED, "first-key")).toMatchObject({
    status: 200,
    body: { id: second.id },
  });
  expect(await resume(second.id, batch, "second-key")).toMatchObject({
    status: 200,
    body: { id: third.id },
  });
});

it("uses up no key by a refusal", async () => {
  const run = await waitingRun(ASK);
  await refusal(resume(run.id, {}, "spare"));
  await refusal(resume(run.id, { calls: { "question-1": returned({}) } }, "spare"));
  expect((await resume(run.id, ANSWERED, "spare")).status).toBe(201);
});

it("needs an Idempotency-Key of 1 to 512 visible ASCII characters", async () => {
  const run = await waitingRun(ASK);
  const body = { approvals: {}, ...ANSWERED };
  for (const headers of [
    {},
    ...["", "a b", "é", "k".repeat(513)].map((key) => ({ "idempotency-key": key })),
  ]) {
    const refused = await refusal(post(run.id, body, headers));
    expect(refused, JSON.stringify(headers)).toMatchObject({
      status: 400,
      code: "invalid_argument",
      details: { fields: [{ field: "Idempotency-Key" }] },
    });
  }
  expect(await readRun(run.id)).toEqual(run);
  expect((await post(run.id, body, { "idempotency-key": "~".repeat(512) })).status).toBe(201);
});
