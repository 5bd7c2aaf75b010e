import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Question } from "../../src/core/question.ts";
import { answer, call, fireAlarm, play, settled, stubOf } from "./client.ts";
import { author } from "./deliver-agents.ts";
import { faults } from "./faults.ts";

const ASKING = [
  { calls: [{ toolName: "ask_person", input: { question: "May we?" } }] },
  { calls: [{ toolName: "await_tasks", input: { taskIds: ["$task:1"] } }] },
  { text: "Done." },
];

beforeEach(() => {
  author.delivered.length = 0;
  author.results.length = 0;
  author.failures = 0;
});
afterEach(() => {
  vi.useRealTimers();
  faults.crashAfter(0);
});

async function read(requestId: string): Promise<Question> {
  return (await call("GET", `/v1/questions/${requestId}`)).json();
}

/** Waits, with a deadline: a chore is done beside the request that wrote it. */
function eventually(check: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 5_000, interval: 5 });
}

it("hands each question to the author's own delivery, with its link, and shows that it was sent", async () => {
  const turn = await play(ASKING, { agent: "delivering" });
  const requestId = turn.waitingFor?.[0]?.requestId ?? "";
  await eventually(async () =>
    expect(await read(requestId)).toMatchObject({
      deliveries: [{ channel: "deliver", status: "sent", tries: 1 }],
    }),
  );
  expect(author.delivered).toMatchObject([
    { requestId, question: "May we?", sessionId: turn.sessionId },
  ]);
  expect(author.delivered[0]?.answerUrl).toMatch(/^https:\/\/holdpoint\.test\/a\//);
});

it("tries a delivery again, and shows it as failed after five tries, with the question still open", async () => {
  author.failures = 99;
  const turn = await play(ASKING, { agent: "delivering" });
  const requestId = turn.waitingFor?.[0]?.requestId ?? "";
  await eventually(async () => expect((await read(requestId)).deliveries[0]?.tries).toBe(1));
  vi.useFakeTimers({ toFake: ["Date"] });
  for (let tries = 2; tries <= 5; tries += 1) {
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(await fireAlarm(turn.sessionId), `try ${tries}`).toBe(true);
    await eventually(async () => expect((await read(requestId)).deliveries[0]?.tries).toBe(tries));
  }
  expect(await read(requestId)).toMatchObject({
    status: "waiting",
    deliveries: [{ status: "failed", error: "the channel is down" }],
  });
  expect(await fireAlarm(turn.sessionId)).toBe(false);
  expect(await answer(requestId, { text: "Yes." })).toMatchObject({ status: "answered" });
});

it("tells the author how each turn ended, once where nothing crashes", async () => {
  const turn = await play([{ text: "Done." }], { agent: "delivering" });
  await eventually(() => expect(author.results).toHaveLength(1));
  expect(author.results[0]).toMatchObject({ status: "completed", text: "Done.", turnId: turn.id });
});

it("tells the author of a result although the object died before it could", async () => {
  faults.crashAfter(2);
  const body = { agent: "delivering", input: "go", extraBody: { script: [{ text: "Done." }] } };
  const started = await call("POST", "/v1/sessions/untold/turns", body);
  const { id, sessionId } = await started.json<{ id: string; sessionId: string }>();
  await settled(id).catch(() => settled(id));
  await fireAlarm(sessionId).catch(() => fireAlarm(sessionId));
  await eventually(() => expect(author.results.length).toBeGreaterThanOrEqual(1));
});

it("delivers what other systems ask by the default agent's delivery", async () => {
  const asked = await call("POST", "/v1/questions", { question: "From outside?" });
  expect(asked.status).toBe(201);
  const { sessionId } = await asked.json<Question>();
  // The default agent of these tests has no delivery, so nothing is owed and no alarm is set.
  expect(await fireAlarm(sessionId)).toBe(false);
});

it("writes at most fourteen rows for a cycle of a question with one delivery", async () => {
  const session = "counted";
  await play([{ text: "warm" }], { agent: "delivering", session });
  await eventually(() => expect(author.results).toHaveLength(1));
  const form = {
    question: "Which scope?",
    header: "Scope",
    options: [
      { label: "A", description: "a" },
      { label: "B", description: "b" },
    ],
  };
  const first = await play(
    [
      { calls: [{ toolName: "ask_user_question", input: { questions: [form] } }] },
      { text: "Done." },
    ],
    { agent: "quiet", session },
  );
  const stub = stubOf(first.sessionId);
  await answer(first.waitingFor?.[0]?.requestId ?? "", { response: "As you like." });
  await settled(first.id);
  await eventually(async () => expect(await fireAlarm(first.sessionId)).toBe(false));
  const before = await stub.rowsWritten();
  const turn = await play(
    [
      { calls: [{ toolName: "ask_user_question", input: { questions: [form] } }] },
      { text: "Done." },
    ],
    { agent: "quiet", session },
  );
  const requestId = turn.waitingFor?.[0]?.requestId ?? "";
  await eventually(async () => expect((await read(requestId)).deliveries[0]?.status).toBe("sent"));
  await answer(requestId, { response: "As you like." });
  expect(await settled(turn.id)).toMatchObject({ status: "completed" });
  const after = await stub.rowsWritten();
  console.log(`rows written for one cycle with one delivery: ${after - before}`);
  expect(after - before).toBeLessThanOrEqual(14);
});
