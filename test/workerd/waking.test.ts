import { abortAllDurableObjects } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, fireAlarm, play, readTurn, settled } from "./client.ts";
import {
  accepted,
  ask,
  awaitTasks,
  begin,
  FORM_ANSWER,
  FORM_CALL,
  lastResult,
  onlyRequest,
  post,
  questionsOf,
  readQuestion,
  results,
} from "./journey.ts";
import { ledger } from "./ledger.ts";
import { stage } from "./stage.ts";

const LEASE_MS = 15_000;
const YEAR_MS = 365 * 24 * 60 * 60 * 1_000;

const TWO = [ask({ question: "One?" }), ask({ question: "Two?" })];

afterEach(() => {
  vi.useRealTimers();
  stage.clear();
  ledger.clear();
});

function passTime(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
}

async function requestIds(turn: TurnView): Promise<readonly string[]> {
  return (await questionsOf(turn.sessionId)).map(({ requestId }) => requestId);
}

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

it("calls nothing late that was taken back", async () => {
  const turn = await play([
    { calls: [ask()] },
    { calls: [awaitTasks(["$task:1"], { maxWaitMs: 1_000 })] },
    { text: "end" },
  ]);
  const requestId = onlyRequest(turn);
  passTime(1_000);
  await fireAlarm(turn.sessionId);
  await settled(turn.id);
  expect(await readQuestion(requestId)).toMatchObject({ status: "waiting", late: true });
  await accepted(post(`/v1/questions/${requestId}/cancel`));
  expect(await readQuestion(requestId)).not.toHaveProperty("late");
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

it("lets a long tool run on when the lease's alarm fires, and arms the next", async () => {
  const calls = [{ toolName: "gated", input: { gate: "long" } }];
  const turn = await begin([{ calls }, { text: "end" }], { agent: "staged" });
  await stage.reached("long");
  for (let lease = 1; lease <= 3; lease += 1) {
    passTime(LEASE_MS);
    expect(await fireAlarm(turn.sessionId)).toBe(true);
    expect(await readTurn(turn.id)).toMatchObject({ status: "running", attempts: 0 });
  }
  stage.open("long");
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  expect(ledger.tries).toBe(1);
  expect(await fireAlarm(turn.sessionId)).toBe(false);
});

it("takes up a turn whose object died by the alarm alone", async () => {
  const { id, sessionId } = await begin([{ text: "end", delayMs: 50 }]);
  await abortAllDurableObjects();
  const completed = stage.next("turn.completed");
  expect(await fireAlarm(sessionId)).toBe(true);
  await completed;
  expect(await readTurn(id)).toMatchObject({ status: "completed", text: "end" });
});

it.each([
  ["a form", [{ calls: [FORM_CALL] }], FORM_ANSWER],
  ["a question", [{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }], { text: "Here." }],
  [
    "an approval, whose call then has all the time of its tool",
    [{ calls: [{ toolName: "guarded_hasty", input: { what: "pay" } }] }],
    { approved: true },
  ],
])(
  "counts no time that a person takes for %s: in no timeout, no attempt, no budget",
  async (_kind, asking, given) => {
    const turn = await play([...asking, { text: "end" }], { agent: "staged" });
    const { usage } = turn;
    passTime(YEAR_MS);
    expect(await fireAlarm(turn.sessionId)).toBe(false);
    expect(await readTurn(turn.id)).toMatchObject({ status: "parked", attempts: 0, usage });
    await answer(onlyRequest(turn), given);
    expect(await settled(turn.id)).toMatchObject({
      status: "completed",
      text: "end",
      attempts: 0,
      usage: { steps: usage.steps + 1 },
    });
    expect((await lastResult(turn.sessionId)).type).toBe("json");
  },
);

it("times a wait out at once that ran out long ago, and not before the alarm", async () => {
  const wait = awaitTasks(["$task:1"], { maxWaitMs: 1_000 });
  const turn = await play([{ calls: [ask()] }, { calls: [wait] }, { text: "end" }]);
  await abortAllDurableObjects();
  passTime(YEAR_MS);
  expect(await readTurn(turn.id)).toMatchObject({ status: "parked" });
  expect(await fireAlarm(turn.sessionId)).toBe(true);
  expect(await settled(turn.id)).toMatchObject({ status: "completed" });
  expect((await lastResult(turn.sessionId)).value).toMatchObject({ status: "timed_out" });
});

it("arms the earliest of what is due in a session", async () => {
  const waits = [60_000, 30_000, 90_000].map((maxWaitMs, n) =>
    awaitTasks([`$task:${n + 1}`], { maxWaitMs }),
  );
  const turn = await play([
    { calls: [ask({ question: "1?" }), ask({ question: "2?" }), ask({ question: "3?" })] },
    { calls: waits },
    { text: "end" },
  ]);
  for (const [ms, left] of [
    [30_000, 2],
    [30_000, 1],
    [30_000, 0],
  ] as const) {
    passTime(ms);
    expect(await fireAlarm(turn.sessionId)).toBe(true);
    const now = await (left === 0 ? settled(turn.id) : readTurn(turn.id));
    expect(now.waitingFor ?? []).toHaveLength(left);
  }
  expect(await readTurn(turn.id)).toMatchObject({ status: "completed", text: "end" });
});
