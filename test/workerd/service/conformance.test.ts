import { expect, it } from "vitest";
import {
  accepted,
  expectMembers,
  failed,
  interrupt,
  MEMBERS,
  poll,
  readEntry,
  readRun,
  readThread,
  resume,
  returned,
  runThatIs,
  say,
  send,
  startThread,
  type Entry,
} from "./client.ts";
import {
  ASK,
  clientCall,
  FORM_ANSWER,
  FORM_ARGUMENTS,
  FORM_CALL,
  guardedCall,
  MIXED,
} from "./scripts.ts";
import { expectEntry, expectRun, expectThread, TIME, USAGE } from "./views.ts";

it("takes a client of the Service from a message through a question to the end", async () => {
  const started = await startThread(ASK, {}, { "idempotency-key": "conformance-1" });
  expect(started.status).toBe(201);
  expectMembers(started.body, "thread entry run");
  const { thread, entry, run: first } = started.body;
  if (first === null) throw new Error("the first message of a thread has its run at once");
  expectThread(thread);
  expect(thread).toMatchObject({ current_run_id: first.id, last_run_id: first.id, labels: {} });
  expectEntry(entry, { status: "consumed", assigned_run_id: first.id, finished_at: TIME });
  expectRun(first, entry, { status: "accepted" });

  const consumed = await poll(
    () => readEntry(entry),
    ({ status }) => status !== "pending",
  );
  expectEntry(consumed, { status: "consumed", assigned_run_id: first.id, finished_at: TIME });

  const waiting = await runThatIs("waiting", first.id);
  const sealed = { status: "waiting", usage_at_seal: USAGE, sealed_at: TIME };
  const item = {
    tool_call_id: "question-1",
    tool_name: "ask_user_question",
    arguments: FORM_ARGUMENTS,
    presentation: null,
  };
  expectRun(waiting, entry, {
    ...sealed,
    wait_reason: "call",
    pending: { approvals: [], calls: [item] },
  });
  expectMembers(waiting.pending, MEMBERS.pending);
  expectMembers(waiting.pending?.calls[0] ?? null, MEMBERS.item);
  expect(await readThread(thread.id)).toMatchObject({
    current_run_id: null,
    last_run_id: first.id,
  });

  const batch = { calls: { "question-1": returned(FORM_ANSWER) } };
  const resumed = await resume(first.id, batch);
  expect(resumed.status).toBe(201);
  const successor = resumed.body;
  expect(successor.id).not.toBe(first.id);
  const continued = {
    trigger: "resume",
    lineage: "continue",
    parent_run_id: first.id,
    resume: {
      approvals: {},
      calls: { "question-1": returned({ answers: { "Which scope?": "Focused" } }) },
    },
  };
  expectRun(successor, entry, { ...continued, status: "accepted" });

  const completed = await runThatIs("completed", successor.id);
  expectRun(completed, entry, {
    ...continued,
    status: "completed",
    output: "end",
    usage_at_seal: USAGE,
    sealed_at: TIME,
  });
  expectRun(await readRun(first.id), entry, {
    ...sealed,
    wait_reason: "call",
    pending: { approvals: [], calls: [item] },
    resumed_by_id: successor.id,
    version: waiting.version,
    updated_at: waiting.updated_at,
    sealed_at: waiting.sealed_at,
  });
  const after = await readThread(thread.id);
  expectThread(after);
  expect(after).toMatchObject({ current_run_id: null, last_run_id: successor.id });
  expect(after.version).toBeGreaterThan(thread.version);
  expect(after.created_at).toBe(thread.created_at);
});

it("sends 200 and the same thread, entry and run where a start comes again under its key", async () => {
  const key = { "idempotency-key": "twice" };
  const first = await accepted(startThread(ASK, { labels: { team: "loans" } }, key), 201);
  const waiting = await runThatIs("waiting", first.run?.id ?? "");
  const again = await accepted(startThread(ASK, { labels: { team: "loans" } }, key), 200);
  expect(again.thread.id).toBe(first.thread.id);
  expect(again.entry.id).toBe(first.entry.id);
  expect(again.run).toEqual(waiting);
  expect(again.thread.labels).toEqual({ team: "loans" });
  expect(again.run?.labels).toEqual({ team: "loans" });
  expect((await startThread([{ text: "other" }], {}, key)).status).toBe(409);
});

it("meets in one thread where two starts come at once under one key", async () => {
  const key = { "idempotency-key": "at-once" };
  const both = await Promise.all([startThread(ASK, {}, key), startThread(ASK, {}, key)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 201]);
  expect(new Set(both.map(({ body }) => body.entry.id)).size).toBe(1);
});

it("lets a message to a waiting thread wait, and runs it afterwards", async () => {
  const { thread, run, entry: before } = await accepted(startThread(ASK), 201);
  const waiting = await runThatIs("waiting", run?.id ?? "");
  const said = await say(thread.id, [{ text: "second" }]);
  expect(said.status).toBe(201);
  expectMembers(said.body, "thread entry run");
  const { entry } = said.body;
  expect(said.body.run).toBeNull();
  expectThread(said.body.thread);
  expectEntry(entry, { status: "pending", assigned_run_id: null, finished_at: null });
  expect(entry.position).toBeGreaterThan(before.position);
  expect(await readRun(waiting.id)).toEqual(waiting);

  const { body: successor } = await resume(waiting.id, {
    calls: { "question-1": returned(FORM_ANSWER) },
  });
  const consumed = await poll(
    () => readEntry(entry),
    ({ status }) => status === "consumed",
  );
  expect((await readRun(successor.id)).status).toBe("completed");
  const second = await runThatIs("completed", consumed.assigned_run_id ?? "");
  expectEntry(consumed, { status: "consumed", assigned_run_id: second.id, finished_at: TIME });
  expectRun(second, entry, {
    status: "completed",
    trigger: "queued",
    output: "second",
    usage_at_seal: USAGE,
    sealed_at: TIME,
  });
  expect(second.created_at >= (await readRun(successor.id)).created_at).toBe(true);
});

it("keeps a thread's delivery as it was given, and runs both kinds as the next turn", async () => {
  const { thread, run } = await accepted(startThread(ASK, { delivery: "steer" }), 201);
  await runThatIs("waiting", run?.id ?? "");
  const content = [{ type: "text", text: "more" }];
  for (const delivery of ["steer", "next_run"]) {
    const body = { agent_id: "playground", kind: "message", delivery, payload: { content } };
    const said = await accepted(
      send<{ entry: Entry }>("POST", `/api/v1/threads/${thread.id}/inbox`, body),
      201,
    );
    expect(said.entry).toMatchObject({ delivery, status: "pending", payload: { content } });
  }
});

it("opens a thread in the session that a start names by its id", async () => {
  const { thread } = await accepted(startThread([{ text: "one" }]), 201);
  const again = await accepted(
    startThread([{ text: "two" }], { session_id: thread.session_id }),
    201,
  );
  expect(again.thread.id).toBe(thread.id);
});

it("opens the thread of a session by the caller's own name, and finds a start there again under its key", async () => {
  const named = { session_id: "service:42" };
  const key = { "idempotency-key": "named" };
  const first = await accepted(startThread([{ text: "one" }], named, key), 201);
  const again = await accepted(startThread([{ text: "one" }], named, key), 200);
  expect(again.entry.id).toBe(first.entry.id);
  const second = await accepted(startThread([{ text: "two" }], named), 201);
  expect(second.thread.id).toBe(first.thread.id);
  expect((await startThread([{ text: "three" }], named, key)).status).toBe(409);
});

it("names why a run waits: for approvals, for calls, or for both", async () => {
  for (const [calls, reason] of [
    [[guardedCall("pay-1")], "approval"],
    [[clientCall("client-1"), FORM_CALL], "call"],
    [[clientCall("client-1"), guardedCall("pay-1")], "multiple"],
  ] as const) {
    const { run } = await accepted(startThread([{ calls }]), 201);
    expect(await runThatIs("waiting", run?.id ?? "")).toMatchObject({ wait_reason: reason });
  }
});

it("lists what is pending by category, in the order of the calls", async () => {
  const { run } = await accepted(startThread(MIXED), 201);
  const { pending } = await runThatIs("waiting", run?.id ?? "");
  const guarded = {
    tool_name: "guarded_http",
    arguments: { url: "http://127.0.0.1:9/" },
    presentation: null,
  };
  expect(pending).toEqual({
    approvals: [
      { tool_call_id: "pay-1", ...guarded },
      { tool_call_id: "pay-2", ...guarded },
    ],
    calls: [
      {
        tool_call_id: "question-1",
        tool_name: "ask_user_question",
        arguments: FORM_ARGUMENTS,
        presentation: null,
      },
      {
        tool_call_id: "client-1",
        tool_name: "client_tool",
        arguments: { n: 1 },
        presentation: null,
      },
    ],
  });
});

it("shows why a run failed, and no output", async () => {
  const { run, entry } = await accepted(startThread([{ fail: { status: 400 } }]), 201);
  const sealed = await runThatIs("failed", run?.id ?? "");
  expectMembers(sealed.failure, MEMBERS.failure);
  expectRun(sealed, entry, {
    status: "failed",
    failure: { code: "model_failed", message: expect.stringContaining("scripted failure 400") },
    attempts: 1,
    usage_at_seal: USAGE,
    sealed_at: TIME,
  });
  expectEntry(await readEntry(entry), {
    status: "consumed",
    assigned_run_id: sealed.id,
    finished_at: TIME,
  });
});

it("shows an interrupted run as cancelled, and when that was asked for", async () => {
  const { run, entry } = await accepted(startThread([{ text: "late", delayMs: 60_000 }]), 201);
  const cancelled = await accepted(interrupt(run?.id ?? ""), 200);
  expectRun(cancelled, entry, {
    status: "cancelled",
    usage_at_seal: USAGE,
    cancel_requested_at: TIME,
    sealed_at: TIME,
  });
});

it("shows the batch that resumed a run as it was taken: normalised answers, reasons, messages and context", async () => {
  const { run, entry } = await accepted(startThread(MIXED), 201);
  const waiting = await runThatIs("waiting", run?.id ?? "");
  const input = { content: [{ type: "text", text: "By the way." }] };
  const approvals = {
    "pay-1": { action: "deny", reason: "Too much." },
    "pay-2": { action: "approve" },
  };
  const answer = { answers: { " Which scope? ": "  Focused " }, response: null };
  const calls = { "question-1": returned(answer), "client-1": failed("No printer.") };
  const { body: successor } = await resume(waiting.id, { approvals, calls, input });
  expectRun(successor, entry, {
    status: "accepted",
    trigger: "resume",
    lineage: "continue",
    parent_run_id: waiting.id,
    resume: {
      approvals,
      calls: { ...calls, "question-1": returned({ answers: { "Which scope?": "Focused" } }) },
      input,
    },
  });
  expectMembers(successor.resume as object, "approvals calls input");
});

it("shows a run as running from when it is taken up, long before its first step is done", async () => {
  const { run } = await accepted(startThread([{ text: "end", delayMs: 60_000 }]), 201);
  expect(run?.status).toBe("accepted");
  const underWay = await readRun(run?.id ?? "");
  expect(underWay).toMatchObject({ status: "running", started_at: TIME, sealed_at: null });
  await interrupt(run?.id ?? "");
});

it("keeps created, started and sealed in their order", async () => {
  const { run } = await accepted(startThread([{ text: "end" }]), 201);
  const done = await runThatIs("completed", run?.id ?? "");
  const times = [done.created_at, done.started_at, done.sealed_at].map((time) => time ?? "");
  expect(times).toEqual([...times].sort());
  expect(done.updated_at).toBe(done.sealed_at);
});
