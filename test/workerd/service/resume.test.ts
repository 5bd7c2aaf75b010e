import { expect, it } from "vitest";
import { conversation, questionsOf, results } from "../journey.ts";
import {
  accepted,
  APPROVE,
  failed,
  interrupt,
  readRun,
  refusal,
  resume,
  returned,
  runThatIs,
  say,
  send,
  startThread,
  waitingRun,
  type Batch,
} from "./client.ts";
import { ASK, ANSWERED, clientCall, FORM_ANSWER, FORM_CALL, MIXED, mismatch } from "./scripts.ts";

const WHOLE = {
  approvals: { "pay-1": APPROVE, "pay-2": { action: "deny", reason: "Too much." } },
  calls: { "question-1": returned(FORM_ANSWER), "client-1": returned({ printed: true }) },
};

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
