import { expect, it } from "vitest";
import type { Question } from "../../src/core/question.ts";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, call, play, settled } from "./client.ts";
import {
  accepted,
  answering,
  ask,
  awaitTasks,
  conversation,
  FORM_ANSWER,
  lastResult,
  onlyRequest,
  post,
  questionsOf,
  readQuestion,
  refusal,
} from "./journey.ts";

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const CHOICE = {
  question: "  Approve APP-1008?  ",
  options: [
    { id: "approve", label: "Approve" },
    { id: "deny", label: "Deny", description: "Say no." },
  ],
  allowText: false,
  context: "**47 %** debt.",
};

function parkOn(question: object): Promise<TurnView> {
  return play([{ calls: [ask(question)] }, { calls: [awaitTasks(["$task:1"])] }, { text: "end" }]);
}

interface Page {
  readonly items: readonly Question[];
  readonly nextCursor: string | null;
}

function list(query: string): Promise<Page> {
  return accepted(call("GET", `/v1/questions?${query}`));
}

it("shows a question the same in a list, by its id, and in the session", async () => {
  const turn = await parkOn(CHOICE);
  const requestId = onlyRequest(turn);
  const question = await readQuestion(requestId);
  expect(question).toEqual({
    requestId,
    taskId: "task_1",
    kind: "person",
    sessionId: turn.sessionId,
    turnId: turn.id,
    agent: "playground",
    status: "waiting",
    question: "Approve APP-1008?",
    options: CHOICE.options,
    multiple: false,
    allowText: false,
    context: "**47 %** debt.",
    answerUrl: turn.waitingFor?.[0]?.answerUrl,
    deliveries: [],
    history: [{ at: question.createdAt, event: "question.asked" }],
    createdAt: TIME,
  });
  expect(await list(`sessionId=${turn.sessionId}`)).toEqual({
    items: [question],
    nextCursor: null,
  });
  const session = await accepted<{ questions: unknown[] }>(
    call("GET", `/v1/sessions/${turn.sessionId}`),
  );
  expect(session.questions).toEqual([question]);
});

it("answers an answer with the question itself in its new state, and tells the model", async () => {
  const turn = await parkOn(CHOICE);
  const requestId = onlyRequest(turn);
  const answered = await answer(requestId, { option: "approve", text: "  Fine.  " });
  expect(answered).toMatchObject({
    requestId,
    status: "answered",
    answer: { option: "approve", text: "Fine." },
    answeredBy: "dana",
    answeredAt: TIME,
    answeredVia: "api",
    history: [
      { event: "question.asked" },
      { at: answered.answeredAt, event: "question.answered", by: "dana" },
    ],
  });
  expect(answered).not.toHaveProperty("answerUrl");
  expect(answered).not.toHaveProperty("late");
  expect(await readQuestion(requestId)).toEqual(answered);
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  expect(await lastResult(turn.sessionId)).toEqual({
    toolName: "await_tasks",
    type: "json",
    value: {
      status: "satisfied",
      tasks: [
        {
          taskId: "task_1",
          kind: "input",
          requestId,
          question: "Approve APP-1008?",
          options: CHOICE.options,
          status: "answered",
          answer: { option: "approve", text: "Fine." },
          answeredBy: "dana",
          answeredAt: answered.answeredAt,
          answeredVia: "api",
        },
      ],
      pending: [],
    },
  });
});

it("refuses an answer that does not fit with what is wrong, and records nothing", async () => {
  const turn = await parkOn(CHOICE);
  const requestId = onlyRequest(turn);
  const before = await readQuestion(requestId);
  for (const wrong of [
    { option: "maybe" },
    { option: 7 },
    { text: "Yes." },
    { options: ["approve"] },
    { value: 1 },
    { option: "approve", extra: 1 },
    { option: "approve", text: null },
    { option: "approve", text: "   " },
    { approved: true },
    FORM_ANSWER,
    {},
    [],
    "approve",
    null,
    0,
  ]) {
    const problem = await refusal(answering(requestId, wrong));
    expect(problem, JSON.stringify(wrong)).toMatchObject({ status: 422, code: "invalid_answer" });
    expect(problem.issues?.length, JSON.stringify(wrong)).toBeGreaterThan(0);
  }
  expect(await readQuestion(requestId)).toEqual(before);
  await answer(requestId, { option: "deny" });
});

it("refuses what is wrong around an answer as a bad request", async () => {
  const requestId = onlyRequest(await parkOn(CHOICE));
  const path = `/v1/questions/${requestId}/answer`;
  const fits = { option: "approve" };
  for (const body of [
    {},
    { answer: fits },
    { answeredBy: "dana" },
    { answer: fits, answeredBy: "" },
    { answer: fits, answeredBy: "   " },
    { answer: fits, answeredBy: 7 },
    { answer: fits, answeredBy: "d".repeat(321) },
    { answer: fits, answeredBy: "\ud800" },
    { answer: fits, answeredBy: "dana", answeredVia: "page" },
    [],
    null,
  ]) {
    const problem = await refusal(post(path, body));
    expect(problem, JSON.stringify(body)).toMatchObject({ status: 400, code: "invalid_request" });
  }
  expect(await readQuestion(requestId)).toMatchObject({ status: "waiting" });
  expect(
    await accepted(post(path, { answer: fits, answeredBy: ` ${"😀".repeat(320)} ` })),
  ).toMatchObject({
    answeredBy: "😀".repeat(320),
  });
});

it("gives the same answer again the first one's receipt, whoever sends it, and refuses another", async () => {
  const turn = await parkOn(CHOICE);
  const requestId = onlyRequest(turn);
  const first = await answer(requestId, { option: "approve", text: "ok" });
  const again = await accepted<Question>(
    answering(requestId, { text: " ok ", option: "approve" }, "somebody else"),
  );
  expect(again).toEqual(first);
  const problem = await refusal(answering(requestId, { option: "deny" }, "eve"));
  expect(problem).toMatchObject({ status: 409, code: "already_answered" });
  expect(problem.detail).toContain("dana");
  expect(problem.detail).toContain(first.answeredAt);
  expect(await refusal(answering(requestId, { nonsense: 1 }))).toMatchObject({
    status: 409,
    code: "already_answered",
  });
  const by = { answeredBy: "eve" };
  expect(await refusal(post(`/v1/questions/${requestId}/decline`, by))).toMatchObject({
    code: "already_answered",
  });
  expect(await refusal(post(`/v1/questions/${requestId}/cancel`))).toMatchObject({
    code: "already_answered",
  });
  expect(await readQuestion(requestId)).toEqual(first);
  await settled(turn.id);
  expect(await refusal(answering(requestId, { option: "deny" }))).toMatchObject({
    code: "already_answered",
  });
});

it("declines a question with a reason, once", async () => {
  const turn = await parkOn(CHOICE);
  const requestId = onlyRequest(turn);
  const path = `/v1/questions/${requestId}/decline`;
  const declined = await accepted<Question>(
    post(path, { reason: " Not mine. ", answeredBy: "dana" }),
  );
  expect(declined).toMatchObject({
    status: "declined",
    reason: "Not mine.",
    answeredBy: "dana",
    answeredVia: "api",
  });
  expect(await accepted(post(path, { reason: "Not mine.", answeredBy: "dana" }))).toEqual(declined);
  expect(await refusal(answering(requestId, { option: "deny" }))).toMatchObject({
    status: 409,
    code: "declined",
  });
  await settled(turn.id);
  expect((await lastResult(turn.sessionId)).value).toMatchObject({
    status: "satisfied",
    tasks: [{ status: "declined", reason: "Not mine.", answeredBy: "dana", answeredAt: TIME }],
  });
});

it("cancels a question, with a reason or without a body, and the turn goes on", async () => {
  const turn = await parkOn(CHOICE);
  const requestId = onlyRequest(turn);
  const path = `/v1/questions/${requestId}/cancel`;
  const cancelled = await accepted<Question>(post(path, { reason: "Found out." }));
  expect(cancelled).toMatchObject({ status: "cancelled", reason: "Found out." });
  expect(await accepted(post(path))).toEqual(cancelled);
  expect(await refusal(answering(requestId, { option: "deny" }))).toMatchObject({
    status: 409,
    code: "cancelled",
  });
  expect(await settled(turn.id)).toMatchObject({ status: "completed" });
  expect((await lastResult(turn.sessionId)).value).toMatchObject({
    tasks: [{ status: "cancelled", reason: "Found out." }],
  });
});

it("knows no question by an id that is none", async () => {
  const turn = await parkOn(CHOICE);
  const requestId = onlyRequest(turn);
  for (const id of [
    "q_1",
    requestId.toUpperCase(),
    `${requestId}0`,
    requestId.replace("q_", "turn_"),
    `q_${requestId.slice(2, 26)}ffffffff`,
    `q_${requestId.slice(2, 26)}00000000`,
    `q_${"0".repeat(32)}`,
    "%00",
    "%F0%9F%98%80",
  ]) {
    expect(await refusal(call("GET", `/v1/questions/${id}`)), id).toMatchObject({
      status: 404,
      code: "not_found",
    });
    expect(await refusal(answering(id, { option: "approve" })), id).toMatchObject({
      status: 404,
      code: "not_found",
    });
  }
});

it("keeps settled questions answerable by nobody and readable by all, after the turn has ended", async () => {
  const turn = await play([{ calls: [ask()] }, { text: "Did not wait." }]);
  expect(turn.status).toBe("completed");
  const [open] = await questionsOf(turn.sessionId, "");
  expect(open).toMatchObject({ status: "waiting", turnId: turn.id });
  const answered = await answer(open?.requestId ?? "", { text: "Still." });
  expect(answered).toMatchObject({ status: "answered" });
  expect(answered).not.toHaveProperty("late");
  const next = await play([{ calls: [{ toolName: "get_task", input: { taskId: "task_1" } }] }], {
    session: turn.sessionId,
  });
  expect(next.status).toBe("completed");
  expect((await lastResult(turn.sessionId)).value).toMatchObject({
    status: "answered",
    answer: { text: "Still." },
  });
  await conversation(turn.sessionId);
});
