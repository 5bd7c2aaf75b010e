import { expect, it } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, call, messages, play, settled } from "./client.ts";
import {
  accepted,
  answering,
  awaitTasks,
  FORM,
  lastResult,
  onlyRequest,
  post,
  questionsOf,
  readQuestion,
  refusal,
  results,
  resultsSoFar,
  type Result,
} from "./journey.ts";

const OPTIONS = [
  { id: "send", label: "Send" },
  { id: "hold", label: "Hold" },
];

function ask(input: object): object {
  return { toolName: "ask_tool", input };
}

/** Asks, waits for the answer, and asks the same once more. */
function parkBetween(first: object, second: object = first): Promise<TurnView> {
  return play([
    { calls: [ask(first)] },
    { calls: [awaitTasks(["$task:1"])] },
    { calls: [ask(second)] },
    { text: "end" },
  ]);
}

function valueOf(result: Result | undefined): {
  status?: string;
  taskId?: string;
  requestId?: string;
  answer?: unknown;
} {
  return result?.value as object;
}

it("asks at once, and finds the same question again with its answer", async () => {
  const turn = await parkBetween(
    { question: "Send it?", options: OPTIONS },
    { options: OPTIONS, allowText: true, question: " Send it? " },
  );
  const requestId = onlyRequest(turn);
  expect((await resultsSoFar(turn.sessionId))[0]?.value).toEqual({
    status: "waiting",
    taskId: "task_1",
    requestId,
  });
  expect(await readQuestion(requestId)).toMatchObject({
    kind: "tool",
    taskId: "task_1",
    turnId: turn.id,
    agent: "playground",
    question: "Send it?",
    options: OPTIONS,
    allowText: true,
  });
  const answered = await answer(requestId, { option: "send" });
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  expect((await lastResult(turn.sessionId)).value).toEqual({
    status: "answered",
    taskId: "task_1",
    requestId,
    answer: { option: "send" },
    answeredBy: "dana",
    answeredAt: answered.answeredAt,
  });
  expect(await questionsOf(turn.sessionId)).toHaveLength(1);
});

it("tells questions of other content apart, and takes one key for one question", async () => {
  const calls = [
    ask({ question: "A?" }),
    ask({ question: "B?" }),
    ask({ question: "A?", context: "More." }),
    ask({ question: "A?" }),
    ask({ question: "A?", key: "k" }),
    ask({ question: "Something else?", key: "k" }),
    ask({ question: "A?", key: "l" }),
  ];
  const turn = await play([{ calls }, { text: "end" }]);
  const ids = (await results(turn.sessionId)).map((result) => valueOf(result).requestId);
  expect(ids[3]).toBe(ids[0]);
  expect(ids[5]).toBe(ids[4]);
  expect(new Set(ids).size).toBe(5);
  expect(await questionsOf(turn.sessionId)).toHaveLength(5);
});

it("finds a question of an earlier turn of the session, and of no other session", async () => {
  const first = await play([{ calls: [ask({ question: "Same?" })] }]);
  const again = await play([{ calls: [ask({ question: "Same?" })] }], { session: first.sessionId });
  const other = await play([{ calls: [ask({ question: "Same?" })] }]);
  const [one, two] = await results(first.sessionId);
  expect(valueOf(two)).toEqual(valueOf(one));
  expect(valueOf(await lastResult(other.sessionId)).requestId).not.toBe(valueOf(one).requestId);
  expect(again.status).toBe("completed");
});

it("checks a value against the question's schema", async () => {
  const answerSchema = {
    type: "object",
    properties: { amount: { type: "integer", minimum: 1 } },
    required: ["amount"],
    additionalProperties: false,
  };
  const turn = await parkBetween({ question: "How much?", answerSchema });
  const requestId = onlyRequest(turn);
  expect(await readQuestion(requestId)).toMatchObject({ answerSchema, allowText: false });
  for (const wrong of [
    { text: "5" },
    { value: 5 },
    { value: { amount: 0 } },
    { value: { amount: 1, more: 1 } },
    { value: null },
    {},
  ])
    expect(await refusal(answering(requestId, wrong)), JSON.stringify(wrong)).toMatchObject({
      status: 422,
      code: "invalid_answer",
    });
  await answer(requestId, { value: { amount: 5 } });
  await settled(turn.id);
  expect(valueOf(await lastResult(turn.sessionId))).toMatchObject({
    status: "answered",
    answer: { value: { amount: 5 } },
  });
});

it("tells the tool that its question was declined, or cancelled", async () => {
  const declined = await parkBetween({ question: "D?" });
  await accepted(
    post(`/v1/questions/${onlyRequest(declined)}/decline`, { answeredBy: "dana", reason: "No." }),
  );
  await settled(declined.id);
  expect(valueOf(await lastResult(declined.sessionId))).toMatchObject({
    status: "declined",
    reason: "No.",
    taskId: "task_1",
  });
  const cancelled = await parkBetween({ question: "C?" });
  await accepted(post(`/v1/questions/${onlyRequest(cancelled)}/cancel`));
  await settled(cancelled.id);
  expect(valueOf(await lastResult(cancelled.sessionId))).toMatchObject({
    status: "cancelled",
    taskId: "task_1",
  });
});

it("fails a tool that asks what can't be asked, in words for its author", async () => {
  const bad = [
    ask({ question: "" }),
    ask({ question: 7 }),
    ask({ question: "q", options: [] }),
    ask({ question: "q", answerSchema: { type: "nonsense" } }),
    ask({ question: "q", answerSchema: { $ref: "https://example.com/schema" } }),
    ask({ question: "q", answerSchema: true, options: OPTIONS }),
    ask({ question: "q", unknown: 1 }),
    ask({}),
  ];
  const turn = await play([{ calls: bad }, { text: "end" }]);
  expect(turn).toMatchObject({ status: "completed", text: "end" });
  for (const [place, { type, value }] of (await results(turn.sessionId)).entries()) {
    expect(type, JSON.stringify(bad[place])).toBe("error-text");
    expect(value).toMatch(/^FAILED: /);
  }
  expect(await questionsOf(turn.sessionId)).toEqual([]);
});

it("refuses the key of a form, which has no task to wait for", async () => {
  const { sessionId } = await accepted<{ sessionId: string }>(
    post("/v1/questions", { ...FORM, sessionId: "key-of-a-form", key: "K" }),
  );
  await play([{ calls: [ask({ question: "Send?", key: "K" })] }, { text: "end" }], {
    session: "key-of-a-form",
  });
  expect(await lastResult(sessionId)).toMatchObject({
    type: "error-text",
    value: "FAILED: the question can't be asked: its key is that of a form; take another key",
  });
});

it("asks once where the same is asked many times at once", async () => {
  const calls = Array.from({ length: 10 }, () => ask({ question: "Once?" }));
  const turn = await play([{ calls }, { calls: [awaitTasks(["$task:1"])] }, { text: "end" }]);
  expect(await questionsOf(turn.sessionId)).toHaveLength(1);
  await answer(onlyRequest(turn), { text: "Yes." });
  expect(await settled(turn.id)).toMatchObject({ status: "completed" });
});

it("lets tools ask where the model can't", async () => {
  const turn = await play(
    [{ calls: [{ toolName: "ask_person", input: { question: "q" } }] }, { text: "end" }],
    { agent: "brief" },
  );
  expect((await lastResult(turn.sessionId)).value).toMatch(/there is no tool ask_person/);
});

it("gives a tool nobody to ask in a turn that can't wait", async () => {
  const script = [
    { calls: [{ toolName: "ask_tool", input: { question: "Anybody?" } }] },
    { text: "end" },
  ];
  const body = { agent: "playground", input: "go", deferred: false, extraBody: { script } };
  const response = await call("POST", "/v1/turns", body, { prefer: "wait=10" });
  const turn = await response.json<TurnView>();
  expect(turn).toMatchObject({ status: "completed" });
  expect(JSON.stringify(await messages(turn.sessionId))).toContain("can't ask");
});
