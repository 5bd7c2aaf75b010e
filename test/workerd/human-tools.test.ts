import { expect, it } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, call, play, readTurn, settled } from "./client.ts";
import {
  accepted,
  answering,
  ask,
  awaitTasks,
  conversation,
  FORM,
  FORM_ANSWER,
  FORM_CALL,
  lastResult,
  onlyRequest,
  post,
  questionsOf,
  readQuestion,
  refusal,
  results,
} from "./journey.ts";

const TWO = [ask({ question: "One?" }), ask({ question: "Two?" })];

async function requestIds(turn: TurnView): Promise<readonly string[]> {
  return (await questionsOf(turn.sessionId)).map(({ requestId }) => requestId);
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

it("waits for a task that is asked or started in the very same step, before or behind the wait", async () => {
  const waits = [awaitTasks(["task_1"]), ask(), awaitTasks(["task_1"])];
  const asked = await play([{ calls: waits }, { text: "end" }]);
  expect(asked).toMatchObject({ status: "parked", waitingFor: [{ taskId: "task_1" }] });
  await answer(onlyRequest(asked), { text: "Yes." });
  expect(await settled(asked.id)).toMatchObject({ status: "completed", text: "end" });
  const statuses = (await results(asked.sessionId)).map(({ value }) => value);
  expect(statuses).toMatchObject([
    { status: "satisfied" },
    { status: "asked" },
    { status: "satisfied" },
  ]);
  const tool = { toolName: "ask_tool", input: { question: "From code?" } };
  const fromCode = await play([{ calls: [awaitTasks(["task_1"]), tool] }, { text: "end" }]);
  expect(fromCode).toMatchObject({ status: "parked", waitingFor: [{ question: "From code?" }] });
  await answer(onlyRequest(fromCode), { text: "Yes." });
  expect(await settled(fromCode.id)).toMatchObject({ status: "completed", text: "end" });
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
it("shows a form with its questions, and gives the model the normalised answer", async () => {
  const turn = await play([{ calls: [{ ...FORM_CALL, toolCallId: "ask-1" }] }, { text: "end" }]);
  const requestId = onlyRequest(turn);
  const normalised = { questions: [{ ...FORM.questions[0], multiSelect: false }] };
  expect(turn.pending).toEqual({
    approvals: [],
    calls: [
      { toolCallId: "ask-1", toolName: "ask_user_question", arguments: normalised, requestId },
    ],
  });
  const question = await readQuestion(requestId);
  expect(question).toMatchObject({
    kind: "form",
    question: "Which scope?",
    ...normalised,
    toolCallId: "ask-1",
  });
  expect(question).not.toHaveProperty("taskId");
  for (const wrong of [
    {},
    { answers: {} },
    { answers: { "Which scope?": ["Focused", "Broad"] } },
    { approved: true },
  ])
    expect(await refusal(answering(requestId, wrong))).toMatchObject({
      status: 422,
      code: "invalid_answer",
    });
  await answer(requestId, { answers: { "Which scope?": " Focused " }, response: null });
  expect(await settled(turn.id)).toMatchObject({ status: "completed" });
  expect(await lastResult(turn.sessionId)).toMatchObject({ type: "json", value: FORM_ANSWER });
});

it("tells the model that a form was declined, as an error", async () => {
  const turn = await play([{ calls: [FORM_CALL] }, { text: "end" }]);
  await accepted(
    post(`/v1/questions/${onlyRequest(turn)}/decline`, { answeredBy: "dana", reason: "No time." }),
  );
  await settled(turn.id);
  expect(await lastResult(turn.sessionId)).toMatchObject({
    type: "error-text",
    value: "Declined by dana: No time.",
  });
});

it("never makes a form of a bad request: the model is told what to mend", async () => {
  const long = { ...FORM.questions[0], header: "longer than twelve" };
  const turn = await play([
    { calls: [{ toolName: "ask_user_question", input: { questions: [long] } }] },
    { text: "end" },
  ]);
  expect(turn.status).toBe("completed");
  const result = await lastResult(turn.sessionId);
  expect(result.type).toBe("error-text");
  expect(result.value).toMatch(/header/);
  expect(await questionsOf(turn.sessionId)).toEqual([]);
});
