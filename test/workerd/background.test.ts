import { abortAllDurableObjects } from "cloudflare:test";
import { afterEach, expect, it } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { fireAlarm, play, readTurn, settled } from "./client.ts";
import {
  accepted,
  awaitTasks,
  begin,
  conversation,
  lastResult,
  post,
  questionsOf,
  results,
  resultsSoFar,
} from "./journey.ts";
import { ledger } from "./ledger.ts";
import { stage } from "./stage.ts";

afterEach(() => {
  stage.clear();
  ledger.clear();
});

function beside(gate: string, more: object = {}): object {
  return { toolName: "gated_beside", input: { gate, ...more } };
}

function playStaged(script: unknown, session?: string): Promise<TurnView> {
  return play(script, { agent: "staged", ...(session !== undefined && { session }) });
}

it("starts a background tool, goes on at once, and gets its result when it waits for it", async () => {
  const turn = await playStaged([
    { text: "Started.", calls: [beside("one")] },
    { calls: [awaitTasks(["$task:1"])] },
    { text: "end" },
  ]);
  expect(turn).toMatchObject({
    status: "parked",
    waitingFor: [{ kind: "task", taskId: "task_1" }],
  });
  expect(turn.waitingFor?.[0]).not.toHaveProperty("requestId");
  expect((await resultsSoFar(turn.sessionId))[0]?.value).toEqual({
    status: "started",
    taskId: "task_1",
  });
  stage.open("one");
  expect((await readTurn(turn.id, 30)).status).not.toBe("parked");
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  expect((await lastResult(turn.sessionId)).value).toEqual({
    status: "satisfied",
    tasks: [
      {
        taskId: "task_1",
        kind: "tool",
        toolName: "gated_beside",
        status: "completed",
        result: { passed: "one" },
      },
    ],
    pending: [],
  });
  expect(await questionsOf(turn.sessionId)).toEqual([]);
});

it("gives a turn that can't wait the result itself, and no tools to follow a task with", async () => {
  stage.open("in its call");
  const { id, sessionId } = await begin(
    [{ calls: [beside("in its call"), awaitTasks(["task_1"])] }, { text: "end" }],
    { agent: "staged", deferred: false },
  );
  expect(await settled(id)).toMatchObject({ status: "completed", text: "end" });
  expect(await results(sessionId)).toEqual([
    { toolName: "gated_beside", type: "json", value: { passed: "in its call" } },
    {
      toolName: "await_tasks",
      type: "error-text",
      value: expect.stringMatching(/^FAILED: there is no tool await_tasks/),
    },
  ]);
});

it("finishes a background tool after its turn has ended, for a later one to see", async () => {
  const turn = await playStaged([{ calls: [beside("two")] }, { text: "Did not wait." }]);
  expect(turn).toMatchObject({ status: "completed", text: "Did not wait." });
  const finished = stage.next("task.settled");
  stage.open("two");
  await finished;
  const look = [
    { calls: [{ toolName: "get_task", input: { taskId: "task_1" } }] },
    { text: "end" },
  ];
  expect(await playStaged(look, turn.sessionId)).toMatchObject({ status: "completed" });
  expect((await lastResult(turn.sessionId)).value).toMatchObject({
    status: "completed",
    result: { passed: "two" },
  });
  expect(await fireAlarm(turn.sessionId)).toBe(false);
});

it("shows a background tool that fails as a failed task", async () => {
  const url = "http://example.com/";
  const turn = await play([
    { calls: [{ toolName: "background_http", input: { url } }] },
    { calls: [awaitTasks(["$task:1"])] },
    { text: "end" },
  ]);
  let now = turn;
  while (now.status === "parked") now = await readTurn(turn.id, 5);
  expect(await settled(turn.id)).toMatchObject({ status: "completed" });
  const result = await lastResult(turn.sessionId);
  expect(result.value).toMatchObject({
    status: "satisfied",
    tasks: [{ status: "failed", error: expect.stringMatching(/^FAILED: .*loopback/) }],
  });
});

it("cancels one background task and lets the other go on", async () => {
  const cancel = { toolName: "cancel_task", input: { taskId: "$task:1", reason: "Not needed." } };
  const turn = await playStaged([
    { calls: [beside("three"), beside("four")] },
    { calls: [cancel] },
    { calls: [awaitTasks(["$task:1", "$task:2"])] },
    { text: "end" },
  ]);
  expect(turn).toMatchObject({ status: "parked", waitingFor: [{ taskId: "task_2" }] });
  stage.open("three");
  stage.open("four");
  await readTurn(turn.id, 30);
  expect(await settled(turn.id)).toMatchObject({ status: "completed" });
  expect((await lastResult(turn.sessionId)).value).toMatchObject({
    tasks: [
      { taskId: "task_1", status: "cancelled", reason: "Not needed." },
      { taskId: "task_2", status: "completed" },
    ],
  });
});

it("stops a background tool whose task is cancelled by the model", async () => {
  const cancel = { toolName: "cancel_task", input: { taskId: "$task:1" } };
  const turn = await playStaged([
    { calls: [beside("stopped")] },
    { calls: [cancel] },
    { text: "end" },
  ]);
  expect(turn).toMatchObject({ status: "completed" });
  await stage.reached("stopped, aborted");
});

it("waits for background tasks and times out like for any task", async () => {
  const turn = await playStaged([
    { calls: [beside("slow")] },
    { calls: [awaitTasks(["$task:1"], { maxWaitMs: 60_000 })] },
  ]);
  expect(turn.waitingFor).toMatchObject([
    { kind: "task", taskId: "task_1", until: expect.any(String) },
  ]);
  await accepted(post(`/v1/turns/${turn.id}/cancel`));
});

it("calls a background tool that its object's end interrupted failed, with its outcome unknown", async () => {
  const turn = await playStaged([
    { calls: [beside("crashed")] },
    { calls: [awaitTasks(["$task:1"])] },
    { text: "end" },
  ]);
  expect(turn.status).toBe("parked");
  await stage.reached("crashed");
  await abortAllDurableObjects();
  await fireAlarm(turn.sessionId);
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  const { value } = await lastResult(turn.sessionId);
  expect(value).toMatchObject({
    tasks: [{ status: "failed", error: expect.stringContaining("outcome is unknown") }],
  });
  expect(ledger.tries).toBe(0);
});

it("asks from a background tool after its turn has ended", async () => {
  const turn = await playStaged([{ calls: [beside("asks", { ask: "May I?" })] }, { text: "end" }]);
  expect(turn.status).toBe("completed");
  const asked = stage.next("question.asked");
  stage.open("asks");
  await asked;
  expect(await questionsOf(turn.sessionId)).toMatchObject([
    { kind: "tool", question: "May I?", turnId: turn.id, agent: "staged" },
  ]);
  await conversation(turn.sessionId);
});

it("gives tasks their ids in the order of their calls", async () => {
  const calls = [beside("a"), { toolName: "ask_person", input: { question: "q" } }, beside("b")];
  const turn = await begin([{ calls }, { text: "end" }], { agent: "staged" });
  await settled(turn.id);
  const ids = (await results(turn.sessionId)).map(
    ({ value }) => (value as { taskId: string }).taskId,
  );
  expect(ids.toSorted()).toEqual(["task_1", "task_2", "task_3"]);
  expect(new Set(ids).size).toBe(3);
});
