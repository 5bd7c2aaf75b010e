import { expect, it } from "vitest";
import { conversation, lastResult, questionsOf, results } from "../journey.ts";
import {
  accepted,
  APPROVE,
  failed,
  interrupt,
  poll,
  readEntry,
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
  type Batch,
  type Headers,
} from "./client.ts";
import { ASK, clientCall, FORM_ANSWER, FORM_CALL, guardedCall, MIXED } from "./scripts.ts";

const WHOLE = {
  approvals: { "pay-1": APPROVE, "pay-2": { action: "deny", reason: "Too much." } },
  calls: { "question-1": returned(FORM_ANSWER), "client-1": returned({ printed: true }) },
};
const ANSWERED = { calls: { "question-1": returned(FORM_ANSWER) } };

function mismatch(
  field: string,
  missing: readonly string[],
  unexpected: readonly string[],
): object {
  return {
    status: 400,
    code: "invalid_argument",
    details: { field, reason: "pending_coverage_mismatch", missing, unexpected },
  };
}

/** Sends a batch as it stands, with headers of the test's own. */
function post(runId: string, body: unknown, headers: Headers = { "idempotency-key": "k" }) {
  return send("POST", `/api/v1/runs/${runId}/resume`, body, headers);
}

it("resumes a whole batch at once: approvals run or are denied, results reach the model in call order", async () => {
  const run = await waitingRun(MIXED);
  const { body: successor } = await resume(run.id, WHOLE);
  expect(await runThatIs("completed", successor.id)).toMatchObject({ output: "end" });
  const [form, client, paid, denied] = await results(run.session_id);
  expect(form).toMatchObject({ toolName: "ask_user_question", type: "json", value: FORM_ANSWER });
  expect(client).toMatchObject({ toolName: "client_tool", type: "json", value: { printed: true } });
  expect(paid).toMatchObject({ toolName: "guarded_http", type: "json", value: { status: 599 } });
  expect(denied).toEqual({
    toolName: "guarded_http",
    type: "error-text",
    value: "NOT EXECUTED. Denied by all: Too much.",
  });
});

it("refuses a batch that does not cover exactly what is open, approvals first, ids sorted", async () => {
  const run = await waitingRun(MIXED);
  const { approvals, calls } = WHOLE;
  const cases: readonly (readonly [Batch, object])[] = [
    [{}, mismatch("approvals", ["pay-1", "pay-2"], [])],
    [{ calls }, mismatch("approvals", ["pay-1", "pay-2"], [])],
    [{ approvals }, mismatch("calls", ["client-1", "question-1"], [])],
    [{ approvals: { "pay-2": APPROVE }, calls }, mismatch("approvals", ["pay-1"], [])],
    [
      { approvals: { ...approvals, z: APPROVE, B: APPROVE, a: APPROVE }, calls: {} },
      mismatch("approvals", [], ["B", "a", "z"]),
    ],
    [
      {
        approvals,
        calls: { "question-1": returned(FORM_ANSWER), ä: returned(1), "z-9": failed("no") },
      },
      mismatch("calls", ["client-1"], ["z-9", "ä"]),
    ],
    // The category is part of what is covered.
    [
      { approvals: { "pay-1": APPROVE, "client-1": APPROVE }, calls: { "pay-2": returned(1) } },
      mismatch("approvals", ["pay-2"], ["client-1"]),
    ],
  ];
  for (const [batch, expected] of cases) {
    expect(await refusal(resume(run.id, batch)), JSON.stringify(batch)).toEqual(expected);
    expect(await readRun(run.id)).toEqual(run);
  }
});

it("checks the coverage before any answer", async () => {
  const run = await waitingRun(MIXED);
  const calls = { "question-1": returned({}) };
  expect(await refusal(resume(run.id, { approvals: WHOLE.approvals, calls }))).toEqual(
    mismatch("calls", ["client-1"], []),
  );
});

it("settles nothing of a batch of which one answer does not fit", async () => {
  const run = await waitingRun(MIXED);
  const calls = { ...WHOLE.calls, "question-1": returned({ answers: {} }) };
  expect(await refusal(resume(run.id, { ...WHOLE, calls }))).toMatchObject({
    details: { reason: "invalid_question_response", id: "question-1" },
  });
  expect(await readRun(run.id)).toEqual(run);
  expect((await questionsOf(run.session_id)).map(({ status }) => status)).toEqual([
    "waiting",
    "waiting",
    "waiting",
  ]);
  expect((await resume(run.id, WHOLE)).status).toBe(201);
});

it("tells the model of failed results, and shows a failed question as declined", async () => {
  const run = await waitingRun([{ calls: [FORM_CALL, clientCall("client-1")] }, { text: "end" }]);
  const calls = { "question-1": failed("They hung up."), "client-1": failed("No printer.") };
  const { body: successor } = await resume(run.id, { calls });
  await runThatIs("completed", successor.id);
  expect(await results(run.session_id)).toEqual([
    { toolName: "ask_user_question", type: "error-text", value: "FAILED: They hung up." },
    { toolName: "client_tool", type: "error-text", value: "FAILED: No printer." },
  ]);
  expect(await questionsOf(run.session_id)).toMatchObject([
    { status: "declined", reason: "They hung up.", answeredBy: "all", answeredVia: "service" },
  ]);
});

it("puts the input of a resume behind the results, as context and as no answer", async () => {
  const run = await waitingRun(MIXED);
  const content = [
    { type: "text", text: "Focused" },
    { type: "json", value: { n: 1 } },
  ];
  expect(await refusal(resume(run.id, { input: { content } }))).toEqual(
    mismatch("approvals", ["pay-1", "pay-2"], []),
  );
  const { body: successor } = await resume(run.id, { ...WHOLE, input: { content } });
  expect(successor.resume).toMatchObject({ input: { content } });
  await runThatIs("completed", successor.id);
  const all = await conversation(run.session_id);
  expect(all.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user", "assistant"]);
  expect(all[3]?.content).toBe('Focused\n\n{"n":1}');
});

it("keeps a resumed run sealed for ever", async () => {
  const run = await waitingRun([
    { calls: [FORM_CALL] },
    { calls: [clientCall("client-2")] },
    { text: "end" },
  ]);
  const { body: second } = await resume(run.id, ANSWERED);
  const sealed = await readRun(run.id);
  const { updated_at, version, sealed_at, pending } = run;
  expect(sealed).toMatchObject({
    status: "waiting",
    resumed_by_id: second.id,
    updated_at,
    version,
    sealed_at,
  });
  expect(sealed.pending).toEqual(pending);
  const conflict = {
    status: 409,
    code: "conflict",
    details: { kind: "run", id: run.id, reason: "not_idle_waiting_head" },
  };
  expect(await refusal(resume(run.id, ANSWERED))).toEqual(conflict);
  const waiting = await runThatIs("waiting", second.id);
  expect(await refusal(resume(run.id, { calls: { "client-2": returned(1) } }))).toEqual(conflict);
  const { body: third } = await resume(waiting.id, { calls: { "client-2": returned(1) } });
  expect(third.parent_run_id).toBe(second.id);
  await runThatIs("completed", third.id);
  expect(await refusal(resume(run.id, ANSWERED))).toEqual(conflict);
  expect(await refusal(resume(third.id, {}))).toEqual({
    ...conflict,
    details: { ...conflict.details, id: third.id },
  });
  expect(await readRun(run.id)).toEqual(sealed);
});

it("refuses to resume a run that is under way, failed or cancelled", async () => {
  const { run: slow } = await accepted(startThread([{ text: "late", delayMs: 60_000 }]), 201);
  const { run: broken } = await accepted(startThread([{ fail: { status: 400 } }]), 201);
  const { id: failedId } = await runThatIs("failed", broken?.id ?? "");
  const id = slow?.id ?? "";
  const refused = { status: 409, code: "conflict" };
  const reason = "not_idle_waiting_head";
  expect(await refusal(resume(id, {}))).toEqual({
    ...refused,
    details: { kind: "run", id, reason },
  });
  await accepted(interrupt(id), 200);
  expect(await refusal(resume(id, {}))).toEqual({
    ...refused,
    details: { kind: "run", id, reason },
  });
  expect(await refusal(resume(failedId, {}))).toEqual({
    ...refused,
    details: { kind: "run", id: failedId, reason },
  });
});

it("refuses to resume a wait whose turn was cancelled", async () => {
  const run = await waitingRun(ASK);
  const turn = run.source_entry_id.replace("entry_", "turn_");
  await accepted(send("POST", `/v1/turns/${turn}/cancel`), 200);
  expect(await refusal(resume(run.id, ANSWERED))).toMatchObject({
    status: 409,
    details: { reason: "not_idle_waiting_head" },
  });
  expect(await readRun(run.id)).toEqual(run);
});

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

it("knows no run by the id of something else", async () => {
  const run = await waitingRun(ASK);
  const key = run.id.slice(4, 28);
  const queued = await accepted(say(run.thread_id, [{ text: "later" }]), 201);
  const early = queued.entry.id.replace("entry_", "run_").slice(0, -8);
  const ids = [
    `run_${"0".repeat(32)}`,
    `run_${key}ffffffff`,
    `run_${key}00000000`,
    run.source_entry_id.replace("entry_", "run_"),
    run.source_entry_id,
    `${early}${(queued.entry.position + 1).toString(16).padStart(8, "0")}`,
    "run-1",
  ];
  for (const id of ids) {
    const unknown = { status: 404, code: "not_found", details: { kind: "run", id } };
    expect(await refusal(send("GET", `/api/v1/runs/${id}`)), id).toEqual(unknown);
    expect(await refusal(resume(id, ANSWERED)), id).toEqual(unknown);
    expect(await refusal(interrupt(id)), id).toEqual(unknown);
  }
});

it("leaves a wait for tasks to its tasks, and shows the call that waits", async () => {
  const ask = { toolName: "ask_person", input: { question: "Go on?" } };
  const wait = { toolName: "await_tasks", input: { taskIds: ["$task:1"] }, toolCallId: "wait-1" };
  const run = await waitingRun([{ calls: [ask] }, { calls: [wait, FORM_CALL] }, { text: "end" }]);
  expect(run).toMatchObject({
    wait_reason: "call",
    pending: {
      approvals: [],
      calls: [
        { tool_call_id: "wait-1", tool_name: "await_tasks", arguments: { taskIds: ["task_1"] } },
        { tool_call_id: "question-1", tool_name: "ask_user_question" },
      ],
    },
  });
  for (const calls of [
    {},
    { "wait-1": returned(1), "question-1": returned(FORM_ANSWER) },
    ANSWERED.calls,
  ])
    expect(await refusal(resume(run.id, { calls }))).toEqual({
      status: 409,
      code: "conflict",
      details: { kind: "run", id: run.id, reason: "wait_not_client_owned" },
    });
  const [person] = await questionsOf(run.session_id, "kind=person");
  const path = `/v1/questions/${person?.requestId}/answer`;
  await accepted(send("POST", path, { answer: { text: "Yes." }, answeredBy: "dana" }), 200);
  // The wait for tasks is over; what is left of the batch is the client's own again.
  const open = await readRun(run.id);
  expect(open.pending?.calls.map((item) => item.tool_call_id)).toEqual(["question-1"]);
  const { body: successor } = await resume(run.id, ANSWERED);
  expect(await runThatIs("completed", successor.id)).toMatchObject({ output: "end" });
});

it("interrupts a run that is under way, and lets the next message run", async () => {
  const { run, thread } = await accepted(startThread([{ text: "late", delayMs: 60_000 }]), 201);
  const { entry } = await accepted(say(thread.id, [{ text: "next" }]), 201);
  expect(await accepted(interrupt(run?.id ?? ""), 200)).toMatchObject({
    id: run?.id,
    status: "cancelled",
  });
  const consumed = await poll(
    () => readEntry(entry),
    ({ status }) => status === "consumed",
  );
  expect(await runThatIs("completed", consumed.assigned_run_id ?? "")).toMatchObject({
    output: "next",
  });
  expect(await refusal(interrupt(run?.id ?? ""))).toEqual({
    status: 409,
    code: "conflict",
    details: { kind: "run", id: run?.id, reason: "run_cancelled" },
  });
});

it("refuses to interrupt a run that waits, is completed or has failed", async () => {
  const waiting = await waitingRun(ASK);
  const { run: ended } = await accepted(startThread([{ text: "end" }]), 201);
  const { run: broken } = await accepted(startThread([{ fail: { status: 400 } }]), 201);
  const completed = await runThatIs("completed", ended?.id ?? "");
  const failure = await runThatIs("failed", broken?.id ?? "");
  for (const run of [waiting, completed, failure]) {
    expect(await refusal(interrupt(run.id))).toEqual({
      status: 409,
      code: "conflict",
      details: { kind: "run", id: run.id, reason: `run_${run.status}` },
    });
    expect(await readRun(run.id)).toEqual(run);
  }
});

it("takes an interrupt with an empty body or an empty object, and no other", async () => {
  const start = () => accepted(startThread([{ text: "late", delayMs: 60_000 }]), 201);
  const path = async () => `/api/v1/runs/${(await start()).run?.id}/interrupt`;
  expect(await refusal(send("POST", await path(), { reason: "no" }))).toMatchObject({
    status: 400,
  });
  expect(await refusal(send("POST", await path(), []))).toMatchObject({ status: 400 });
  await accepted(send("POST", await path(), {}), 200);
  await accepted(sendText("POST", await path(), "", { "content-type": "application/json" }), 200);
});

it("cancels with a run what it asked", async () => {
  const ask = { toolName: "ask_person", input: { question: "Go on?" } };
  const { run } = await accepted(
    startThread([{ calls: [ask] }, { text: "late", delayMs: 60_000 }]),
    201,
  );
  const read = () => questionsOf(run?.session_id ?? "");
  await poll(read, (questions) => questions.length === 1);
  await accepted(interrupt(run?.id ?? ""), 200);
  expect(await read()).toMatchObject([{ status: "cancelled" }]);
});
