import { afterEach, expect, it, vi } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, call, fireAlarm, play, readTurn, settled } from "./client.ts";
import {
  accepted,
  ask,
  awaitTasks,
  conversation,
  FORM_CALL,
  lastResult,
  onlyRequest,
  post,
  questionsOf,
  readQuestion,
  results,
} from "./journey.ts";

afterEach(() => {
  vi.useRealTimers();
});

const TWO = [ask({ question: "One?" }), ask({ question: "Two?" })];

async function requestIds(turn: TurnView): Promise<readonly string[]> {
  return (await questionsOf(turn.sessionId)).map(({ requestId }) => requestId);
}

function passTime(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
}

it("asks at once with a task id of its own, counted up over the session", async () => {
  const turn = await play([{ calls: TWO }, { text: "end" }]);
  expect((await results(turn.sessionId)).map(({ value }) => value)).toEqual([
    { status: "asked", taskId: "task_1" },
    { status: "asked", taskId: "task_2" },
  ]);
  await play([{ calls: [ask()] }], { session: turn.sessionId });
  expect((await lastResult(turn.sessionId)).value).toEqual({ status: "asked", taskId: "task_3" });
});

it("goes on from a wait for all once the last task is settled, in whatever way", async () => {
  const turn = await play([
    { calls: TWO },
    { calls: [awaitTasks(["$task:1", "$task:2", "$task:1"])] },
    { text: "end" },
  ]);
  expect(turn.waitingFor).toMatchObject([{ taskId: "task_1" }, { taskId: "task_2" }]);
  const [one = "", two = ""] = await requestIds(turn);
  await answer(two, { text: "2" });
  expect(await readTurn(turn.id)).toMatchObject({
    status: "parked",
    waitingFor: [{ taskId: "task_1" }],
  });
  await accepted(post(`/v1/questions/${one}/decline`, { answeredBy: "dana" }));
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  expect((await lastResult(turn.sessionId)).value).toMatchObject({
    status: "satisfied",
    tasks: [
      { taskId: "task_1", status: "declined" },
      { taskId: "task_2", status: "answered" },
    ],
    pending: [],
  });
});

it("goes on from a wait for any at the first, and says what is still pending", async () => {
  const turn = await play([
    { calls: TWO },
    { calls: [awaitTasks(["$task:1", "$task:2"], { mode: "any" })] },
    { text: "end" },
  ]);
  const [one = "", two = ""] = await requestIds(turn);
  await answer(two, { text: "2" });
  expect(await settled(turn.id)).toMatchObject({ status: "completed" });
  expect((await lastResult(turn.sessionId)).value).toMatchObject({
    status: "satisfied",
    tasks: [{ taskId: "task_2", answer: { text: "2" } }],
    pending: ["task_1"],
  });
  const later = await answer(one, { text: "1" });
  expect(later).not.toHaveProperty("late");
});

it("does not park where the answer came before the wait", async () => {
  const first = await play([{ calls: TWO }, { text: "asked" }]);
  for (const requestId of await requestIds(first)) await answer(requestId, { text: "Early." });
  const next = await play([{ calls: [awaitTasks(["task_1", "task_2"])] }, { text: "end" }], {
    session: first.sessionId,
  });
  expect(next).toMatchObject({ status: "completed", text: "end" });
  expect(next.runs).toHaveLength(1);
  expect((await lastResult(first.sessionId)).value).toMatchObject({
    status: "satisfied",
    pending: [],
  });
});

it("keeps an answer that comes in the very step that asks, before the wait", async () => {
  const turn = await play([
    { calls: [ask()] },
    { calls: [FORM_CALL] },
    { calls: [awaitTasks(["$task:1"])] },
    { text: "end" },
  ]);
  const [asked = "", form = ""] = await requestIds(turn);
  await answer(asked, { text: "Early." });
  expect((await readTurn(turn.id)).status).toBe("parked");
  await answer(form, { response: "Go." });
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  expect((await lastResult(turn.sessionId)).value).toMatchObject({
    tasks: [{ answer: { text: "Early." } }],
  });
});

it("waits in a later turn for a question of an earlier one", async () => {
  const first = await play([{ calls: [ask({ question: "Old?" })] }, { text: "asked" }]);
  const next = await play([{ calls: [awaitTasks(["task_1"])] }, { text: "end" }], {
    session: first.sessionId,
  });
  expect(next).toMatchObject({ status: "parked", waitingFor: [{ question: "Old?" }] });
  await answer(onlyRequest(next), { text: "New." });
  expect(await settled(next.id)).toMatchObject({ status: "completed", text: "end" });
  expect(await readTurn(first.id)).toMatchObject({ status: "completed", text: "asked" });
});

it("times a wait out by the alarm, leaves its question open, and calls a later answer late", async () => {
  const turn = await play([
    { calls: TWO },
    { calls: [awaitTasks(["$task:1", "$task:2"], { maxWaitMs: 60_000 })] },
    { text: "end" },
  ]);
  const [one = "", two = ""] = await requestIds(turn);
  await answer(one, { text: "1" });
  passTime(59_000);
  expect(await fireAlarm(turn.sessionId)).toBe(true);
  expect((await readTurn(turn.id)).status).toBe("parked");
  passTime(1_000);
  expect(await fireAlarm(turn.sessionId)).toBe(true);
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  expect((await lastResult(turn.sessionId)).value).toMatchObject({
    status: "timed_out",
    tasks: [{ taskId: "task_1", status: "answered" }],
    pending: ["task_2"],
  });
  expect(await readQuestion(two)).toMatchObject({
    status: "waiting",
    answerUrl: expect.any(String),
  });
  expect(await answer(two, { text: "2" })).toMatchObject({ status: "answered", late: true });
  expect(await readQuestion(one)).not.toHaveProperty("late");
  await play([{ calls: [{ toolName: "get_task", input: { taskId: "task_2" } }] }], {
    session: turn.sessionId,
  });
  expect((await lastResult(turn.sessionId)).value).toMatchObject({
    taskId: "task_2",
    answer: { text: "2" },
    late: true,
  });
});

it("waits again after a time-out, and gets the answer that comes then", async () => {
  const wait = awaitTasks(["$task:1"], { maxWaitMs: 1_000 });
  const turn = await play([
    { calls: [ask()] },
    { calls: [wait] },
    { calls: [awaitTasks(["$task:1"])] },
    { text: "end" },
  ]);
  passTime(1_000);
  await fireAlarm(turn.sessionId);
  const again = await settled(turn.id);
  expect(again).toMatchObject({
    status: "parked",
    runs: [{ status: "waiting" }, { status: "waiting" }],
  });
  expect(await fireAlarm(turn.sessionId)).toBe(false);
  await answer(onlyRequest(again), { text: "Here." });
  expect(await settled(turn.id)).toMatchObject({ status: "completed" });
  expect((await lastResult(turn.sessionId)).value).toMatchObject({
    status: "satisfied",
    tasks: [{ late: true }],
  });
});

it("counts an answer that comes after the deadline and before the alarm as in time", async () => {
  const turn = await play([
    { calls: [ask()] },
    { calls: [awaitTasks(["$task:1"], { maxWaitMs: 1_000 })] },
  ]);
  passTime(5_000);
  expect(await answer(onlyRequest(turn), { text: "Just." })).not.toHaveProperty("late");
  await settled(turn.id);
  expect((await lastResult(turn.sessionId)).value).toMatchObject({ status: "satisfied" });
});

it("goes on only when both of two waits in one step are over", async () => {
  const waits = [
    awaitTasks(["$task:1"], { maxWaitMs: 60_000 }),
    awaitTasks(["$task:2"], { maxWaitMs: 1_000 }),
  ];
  const turn = await play([{ calls: TWO }, { calls: waits }, { text: "end" }]);
  passTime(1_000);
  await fireAlarm(turn.sessionId);
  expect(await readTurn(turn.id)).toMatchObject({
    status: "parked",
    waitingFor: [{ taskId: "task_1" }],
  });
  const [one = ""] = await requestIds(turn);
  await answer(one, { text: "1" });
  expect(await settled(turn.id)).toMatchObject({ status: "completed" });
  const statuses = (await results(turn.sessionId))
    .slice(2)
    .map(({ value }) => (value as { status: string }).status);
  expect(statuses).toEqual(["satisfied", "timed_out"]);
});

it("sets no alarm for a wait without a deadline", async () => {
  const turn = await play([{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }]);
  expect(turn.status).toBe("parked");
  expect(await fireAlarm(turn.sessionId)).toBe(false);
});

it("tells the model which task it does not know, in every task tool", async () => {
  const turn = await play([
    { calls: [ask()] },
    {
      calls: [
        awaitTasks(["task_1", "task_77"]),
        { toolName: "get_task", input: { taskId: "task_78" } },
        { toolName: "cancel_task", input: { taskId: "task_79" } },
      ],
    },
    { text: "end" },
  ]);
  expect(turn).toMatchObject({ status: "completed", text: "end" });
  const [, ...unknown] = await results(turn.sessionId);
  expect(unknown.map(({ type }) => type)).toEqual(["error-text", "error-text", "error-text"]);
  for (const [place, taskId] of ["task_77", "task_78", "task_79"].entries())
    expect(unknown[place]?.value).toMatch(new RegExp(`^FAILED: .*${taskId}`));
});

it("refuses bad input of the task tools with what to mend, and goes on", async () => {
  const bad = [
    awaitTasks([]),
    awaitTasks(Array.from({ length: 65 }, (_, i) => `task_${i + 1}`)),
    awaitTasks(["task_1"], { maxWaitMs: 999 }),
    awaitTasks(["task_1"], { maxWaitMs: 366 * 86_400_000 + 1 }),
    awaitTasks(["task_1"], { maxWaitMs: 1_000.5 }),
    awaitTasks(["task_1"], { mode: "some" }),
    awaitTasks(["task_1"], { extra: 1 }),
    { toolName: "await_tasks", input: null },
    { toolName: "get_task", input: {} },
    { toolName: "list_tasks", input: { all: true } },
    ask({ question: " " }),
    ask({ question: "q", options: [{ id: "a", label: "A" }] }),
    ask({ question: "q", to: "nobody" }),
    ask({ question: "q", multiple: true }),
  ];
  const turn = await play([{ calls: bad }, { text: "end" }]);
  expect(turn).toMatchObject({ status: "completed", text: "end" });
  const refused = await results(turn.sessionId);
  expect(refused).toHaveLength(bad.length);
  for (const [place, { type, value }] of refused.entries()) {
    expect(type, JSON.stringify(bad[place])).toBe("error-text");
    expect(value).toMatch(/^FAILED: /);
  }
  expect(await questionsOf(turn.sessionId)).toEqual([]);
});

it("lists, shows and cancels tasks without parking", async () => {
  const turn = await play([
    { calls: [...TWO, { toolName: "list_tasks", input: {} }] },
    { calls: [{ toolName: "cancel_task", input: { taskId: "$task:2", reason: "Known." } }] },
    { calls: [{ toolName: "list_tasks" }, { toolName: "get_task", input: { taskId: "$task:1" } }] },
    { calls: [awaitTasks(["$task:2"])] },
    { text: "end" },
  ]);
  expect(turn).toMatchObject({ status: "completed", text: "end" });
  const all = await results(turn.sessionId);
  const tasks = (...statuses: string[]) => ({
    tasks: statuses.map((status, i) => ({ taskId: `task_${i + 1}`, status })),
  });
  expect(all[2]?.value).toMatchObject(tasks("waiting", "waiting"));
  expect(all[3]?.value).toMatchObject({ taskId: "task_2", status: "cancelled", reason: "Known." });
  expect(all[4]?.value).toMatchObject(tasks("waiting", "cancelled"));
  expect(all[5]?.value).toMatchObject({ taskId: "task_1", status: "waiting", question: "One?" });
  expect(all[6]?.value).toMatchObject({ status: "satisfied", tasks: [{ status: "cancelled" }] });
  const [, two] = await questionsOf(turn.sessionId);
  expect(two).toMatchObject({ status: "cancelled", reason: "Known." });
});

it("leaves an answered task as it is where the model cancels it", async () => {
  const first = await play([{ calls: [ask()] }, { text: "x" }]);
  const [requestId = ""] = await requestIds(first);
  const answered = await answer(requestId, { text: "Yes." });
  await play([{ calls: [{ toolName: "cancel_task", input: { taskId: "task_1" } }] }], {
    session: first.sessionId,
  });
  expect((await lastResult(first.sessionId)).value).toMatchObject({
    status: "answered",
    answer: { text: "Yes." },
  });
  expect(await readQuestion(requestId)).toEqual(answered);
});

it("never takes a message for the answer", async () => {
  const turn = await play([
    { calls: [ask()] },
    { calls: [awaitTasks(["$task:1"])] },
    { text: "end" },
  ]);
  const message = {
    agent: "playground",
    input: "yes",
    extraBody: { script: [{ text: "second" }] },
  };
  const queued = await accepted<TurnView>(
    call("POST", `/v1/sessions/${turn.sessionId}/turns`, message),
  );
  expect(queued.status).toBe("queued");
  expect(await readQuestion(onlyRequest(turn))).toMatchObject({ status: "waiting" });
  await answer(onlyRequest(turn), { text: "Yes." });
  expect(await settled(queued.id)).toMatchObject({ status: "completed", text: "second" });
  await conversation(turn.sessionId);
});
