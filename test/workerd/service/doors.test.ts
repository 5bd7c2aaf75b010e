import { expect, it } from "vitest";
import { answering, FORM_ANSWER, questionsOf, refusal as problem, results } from "../journey.ts";
import type { Question } from "../../../src/core/question.ts";
import type { TurnView } from "../../../src/core/turn-view.ts";
import {
  accepted,
  APPROVE,
  failed,
  questionOf,
  readEntry,
  readRun,
  readRuns,
  readThread,
  refusal,
  resume,
  returned,
  runThatIs,
  say,
  send,
  startThread,
  turnIdOf,
  waitingRun,
  type Run,
} from "./client.ts";
import { ANSWERED, ASK, MIXED } from "./scripts.ts";

function readTurn(run: Run): Promise<TurnView> {
  return accepted(send("GET", `/v1/turns/${turnIdOf(run.source_entry_id)}`));
}

function openIds({ pending }: Run): { approvals: string[]; calls: string[] } {
  return {
    approvals: (pending?.approvals ?? []).map((item) => item.tool_call_id),
    calls: (pending?.calls ?? []).map((item) => item.tool_call_id),
  };
}

/** Answers at the question's own door, where a person does. */
async function answerFor(run: Run, callId: string, answer: unknown): Promise<Question> {
  const response = await answering(await questionOf(run, callId), answer);
  expect(response.status).toBe(200);
  return response.json();
}

it("goes on by itself once a question is answered at its own door, and refuses to resume what went on", async () => {
  const run = await waitingRun(ASK);
  await answerFor(run, "question-1", FORM_ANSWER);
  const before = await readRun(run.id);
  const successor = await runThatIs("completed", before.resumed_by_id ?? "");
  expect(successor).toMatchObject({
    trigger: "resume",
    lineage: "continue",
    parent_run_id: run.id,
    resume: null,
    output: "end",
  });
  expect(await refusal(resume(run.id, ANSWERED))).toEqual({
    status: 409,
    code: "conflict",
    details: { kind: "run", id: run.id, reason: "not_idle_waiting_head" },
  });
  expect(await readRun(run.id)).toEqual(before);
  expect(openIds(before)).toEqual({ approvals: [], calls: ["question-1"] });
});

it("tells a person at the question's door that the Service's client was first", async () => {
  const run = await waitingRun(ASK);
  const requestId = await questionOf(run, "question-1");
  await accepted(resume(run.id, ANSWERED), 201);
  expect((await answering(requestId, FORM_ANSWER)).status).toBe(200);
  expect(await problem(answering(requestId, { response: "No." }))).toMatchObject({
    status: 409,
    code: "already_answered",
    detail: expect.stringContaining("Answered by all"),
  });
});

it("shows what is still open while a batch is settled one by one, and the whole batch once it went on", async () => {
  const run = await waitingRun(MIXED);
  expect(openIds(run)).toEqual({
    approvals: ["pay-1", "pay-2"],
    calls: ["question-1", "client-1"],
  });

  await answerFor(run, "question-1", FORM_ANSWER);
  const second = await readRun(run.id);
  expect(openIds(second)).toEqual({ approvals: ["pay-1", "pay-2"], calls: ["client-1"] });
  expect(second).toMatchObject({ status: "waiting", wait_reason: "multiple", resumed_by_id: null });

  await answerFor(run, "pay-1", { approved: false, reason: "Too much." });
  await answerFor(run, "pay-2", { approved: true });
  const third = await readRun(run.id);
  expect(openIds(third)).toEqual({ approvals: [], calls: ["client-1"] });
  expect(third).toMatchObject({ status: "waiting", wait_reason: "call", resumed_by_id: null });

  const { body: successor } = await resume(run.id, { calls: { "client-1": returned("printed") } });
  expect(successor.resume).toEqual({ approvals: {}, calls: { "client-1": returned("printed") } });
  await runThatIs("completed", successor.id);
  const sealed = await readRun(run.id);
  expect(sealed).toEqual({ ...run, resumed_by_id: successor.id });
  expect((await results(run.session_id)).map(({ value }) => value)).toEqual([
    FORM_ANSWER,
    "printed",
    "NOT EXECUTED. Denied by dana: Too much.",
    expect.objectContaining({ status: 599 }),
  ]);
});

it("counts an id that was settled at another door as unexpected", async () => {
  const run = await waitingRun(MIXED);
  await answerFor(run, "question-1", FORM_ANSWER);
  await answerFor(run, "pay-2", { approved: true });
  const open = await readRun(run.id);
  const approvals = { "pay-1": APPROVE };
  const client = { "client-1": returned(1) };
  const mismatch = { reason: "pending_coverage_mismatch", missing: [] };
  const whole = {
    approvals: { ...approvals, "pay-2": APPROVE },
    calls: { ...client, ...ANSWERED.calls },
  };
  expect((await refusal(resume(run.id, whole))).details).toEqual({
    field: "approvals",
    ...mismatch,
    unexpected: ["pay-2"],
  });
  expect((await refusal(resume(run.id, { ...whole, approvals }))).details).toEqual({
    field: "calls",
    ...mismatch,
    unexpected: ["question-1"],
  });
  expect(await readRun(run.id)).toEqual(open);
  expect((await resume(run.id, { approvals, calls: client })).status).toBe(201);
});

it("goes on where what is left of a batch is settled at the other surface", async () => {
  const run = await waitingRun(MIXED);
  const turn = turnIdOf(run.source_entry_id);
  for (const callId of ["pay-1", "pay-2"]) await answerFor(run, callId, { approved: false });
  await answerFor(run, "question-1", FORM_ANSWER);
  const calls = { "client-1": failed("No printer.") };
  await accepted(send("POST", `/v1/turns/${turn}/results`, { approvals: {}, calls }));
  const { resumed_by_id: successor } = await readRun(run.id);
  // Settled as a batch, though at the other surface: the run shows what it was resumed with.
  expect(await runThatIs("completed", successor ?? "")).toMatchObject({
    resume: { approvals: {}, calls },
  });
});

it("declines a question at its own door as a failure of the run's call", async () => {
  const run = await waitingRun(ASK);
  const requestId = await questionOf(run, "question-1");
  const body = { answeredBy: "dana", reason: "Not now." };
  await accepted(send("POST", `/v1/questions/${requestId}/decline`, body));
  const { resumed_by_id: successor } = await readRun(run.id);
  await runThatIs("completed", successor ?? "");
  expect(await results(run.session_id)).toEqual([
    { toolName: "ask_user_question", type: "error-text", value: "Declined by dana: Not now." },
  ]);
});

it("shows the same turns, runs and questions on both surfaces", async () => {
  const run = await waitingRun(MIXED);
  const turn = await readTurn(run);
  expect(turn).toMatchObject({ status: "parked", sessionId: run.session_id, agent: "playground" });
  expect(turn.runs.map(({ id }) => id)).toEqual([run.id]);
  for (const category of ["approvals", "calls"] as const)
    expect(
      turn.pending?.[category].map(({ toolCallId, toolName }) => [toolCallId, toolName]),
    ).toEqual(
      run.pending?.[category].map(({ tool_call_id, tool_name }) => [tool_call_id, tool_name]),
    );
  expect(turn.pending?.calls[0]?.arguments).toEqual(run.pending?.calls[0]?.arguments);
  const questions = await questionsOf(run.session_id);
  expect(questions.map(({ toolCallId }) => toolCallId)).toEqual(["question-1", "pay-1", "pay-2"]);
  expect(questions.map(({ turnId }) => turnId)).toEqual([turn.id, turn.id, turn.id]);

  const approvals = { "pay-1": { action: "deny" }, "pay-2": { action: "deny" } };
  const calls = { ...ANSWERED.calls, "client-1": returned(1) };
  const { body: successor } = await resume(run.id, { approvals, calls });
  await runThatIs("completed", successor.id);
  const done = await readTurn(run);
  expect(done).toMatchObject({ status: "completed", text: "end" });
  expect(done.runs.map(({ id }) => id)).toEqual([run.id, successor.id]);
  expect((await questionsOf(run.session_id)).map(({ status }) => status)).toEqual(
    Array(3).fill("answered"),
  );
});

it("shows a turn that was started on the other surface as an entry and a run of its thread", async () => {
  const body = {
    agent: "playground",
    input: "hello",
    extraBody: { script: ASK },
    metadata: { team: "loans" },
  };
  const turn = await accepted(send<TurnView>("POST", "/v1/turns", body), 202);
  const threadId = turn.sessionId.replace("sess_", "thread_");
  const [started] = (await readRuns(threadId)).items;
  const run = await runThatIs("waiting", started?.id ?? "");
  expect(run).toMatchObject({ labels: { team: "loans" }, thread_id: threadId });
  const entry = await readEntry({
    ...(await accepted(say(threadId, [{ text: "second" }]), 201)).entry,
    id: turn.id.replace("turn_", "entry_"),
  });
  expect(entry).toMatchObject({
    status: "consumed",
    assigned_run_id: run.id,
    payload: { content: [{ type: "text", text: "hello" }] },
  });
  const { body: successor } = await resume(run.id, ANSWERED);
  expect(await runThatIs("completed", successor.id)).toMatchObject({ output: "end" });
  expect((await readThread(threadId)).labels).toEqual({ team: "loans" });
});

it("withdraws a message that is cancelled before its turn came, and makes no run of it", async () => {
  const run = await waitingRun(ASK);
  const { entry } = await accepted(say(run.thread_id, [{ text: "never" }]), 201);
  await accepted(send("POST", `/v1/turns/${turnIdOf(entry.id)}/cancel`));
  expect(await readEntry(entry)).toMatchObject({
    status: "withdrawn",
    assigned_run_id: null,
    finished_at: expect.any(String),
  });
  expect((await readRuns(run.thread_id)).items.map(({ id }) => id)).toEqual([run.id]);
  const { body: successor } = await resume(run.id, ANSWERED);
  await runThatIs("completed", successor.id);
  expect((await readThread(run.thread_id)).last_run_id).toBe(successor.id);
});

it("shows a failed run that was driven on as failed for ever, with its successor", async () => {
  const script = [{ fail: { status: 400 } }, { text: "end" }];
  const { entry, run } = await accepted(startThread(script), 201);
  const broken = await runThatIs("failed", run?.id ?? "");
  await accepted(send("POST", `/v1/turns/${turnIdOf(entry.id)}/retry`));
  const sealed = await readRun(broken.id);
  expect(sealed).toEqual({ ...broken, resumed_by_id: expect.stringMatching(/^run_/) });
  expect(await runThatIs("completed", sealed.resumed_by_id ?? "")).toMatchObject({
    lineage: "continue",
    parent_run_id: broken.id,
    resume: null,
    failure: null,
    output: "end",
  });
  expect(await readEntry(entry)).toMatchObject({ status: "consumed", assigned_run_id: broken.id });
});

it("keeps an entry consumed while its turn waits to be driven on", async () => {
  const { thread, entry, run } = await accepted(startThread([{ fail: { status: 400 } }]), 201);
  await runThatIs("failed", run?.id ?? "");
  const consumed = await readEntry(entry);
  const { run: second } = await accepted(say(thread.id, ASK), 201);
  const waiting = await runThatIs("waiting", second?.id ?? "");
  await accepted(send("POST", `/v1/turns/${turnIdOf(entry.id)}/retry`));
  expect(await readEntry(entry)).toEqual(consumed);
  const { resumed_by_id: id } = await readRun(run?.id ?? "");
  expect(await readRun(id ?? "")).toMatchObject({ status: "accepted", started_at: null });
  await accepted(resume(waiting.id, ANSWERED), 201);
  expect(await runThatIs("completed", id ?? "")).toMatchObject({ started_at: expect.any(String) });
});

it("names the run that is under way as the thread's present one, beside one that waits", async () => {
  const run = await waitingRun(ASK);
  const body = {
    agent: "playground",
    input: "meanwhile",
    whenBusy: "parallel",
    extraBody: { script: [{ text: "late", delayMs: 60_000 }] },
  };
  const beside = await accepted(
    send<TurnView>("POST", `/v1/sessions/${run.session_id}/turns`, body),
    202,
  );
  const id = beside.runs[0]?.id;
  expect(await readThread(run.thread_id)).toMatchObject({ current_run_id: id, last_run_id: id });
  const { body: successor } = await resume(run.id, ANSWERED);
  await accepted(send("POST", `/v1/turns/${beside.id}/cancel`));
  expect(await runThatIs("completed", successor.id)).toMatchObject({ output: "end" });
  const { items } = await readRuns(run.thread_id, "?limit=1");
  expect(items).toHaveLength(1);
});

it("finds the run of a turn that was driven on long after", async () => {
  const script = [{ fail: { status: 400 } }, { text: "end" }];
  const { thread, entry, run } = await accepted(startThread(script), 201);
  await runThatIs("failed", run?.id ?? "");
  for (let n = 0; n < 70; n += 1) {
    const { run: later } = await accepted(say(thread.id, [{ text: "later" }]), 201);
    await runThatIs("completed", later?.id ?? "");
  }
  await accepted(send("POST", `/v1/turns/${turnIdOf(entry.id)}/retry`));
  const { resumed_by_id: id } = await readRun(run?.id ?? "");
  expect(await runThatIs("completed", id ?? "")).toMatchObject({ output: "end" });
}, 30_000);

it("resumes with an empty batch a run of which nothing is open, where its agent waits to be told", async () => {
  const ask = { toolName: "ask_person", input: { question: "Go on?" } };
  const wait = { toolName: "await_tasks", input: { taskIds: ["$task:1"] } };
  const script = [{ calls: [ask] }, { calls: [wait] }, { text: "end" }];
  const run = await waitingRun(script, { agent_id: "manual" });
  const [question] = await questionsOf(run.session_id);
  expect((await answering(question?.requestId ?? "", { text: "Yes." })).status).toBe(200);
  expect(await readRun(run.id)).toMatchObject({
    status: "waiting",
    resumed_by_id: null,
    pending: { approvals: [], calls: [] },
  });
  const { body: successor } = await resume(run.id, {});
  expect(await runThatIs("completed", successor.id)).toMatchObject({ output: "end" });
});
