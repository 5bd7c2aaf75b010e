import { afterEach, expect, it } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, fireAlarm, play, readTurn, settled } from "./client.ts";
import {
  accepted,
  answering,
  ask,
  awaitTasks,
  begin,
  conversation,
  FORM_CALL,
  lastResult,
  post,
  questionsOf,
  refusal,
  results,
} from "./journey.ts";
import { ledger } from "./ledger.ts";
import { stage } from "./stage.ts";

afterEach(() => {
  stage.clear();
  ledger.clear();
});

function cancel(turn: TurnView, body?: object): Promise<Response> {
  return post(`/v1/turns/${turn.id}/cancel`, body);
}

it("cancels a turn while the model answers, at once", async () => {
  const turn = await begin([{ text: "late", delayMs: 60_000 }]);
  const cancelled = await accepted<TurnView>(cancel(turn, { reason: "Not needed." }));
  expect(cancelled).toMatchObject({
    id: turn.id,
    status: "cancelled",
    runs: [{ status: "cancelled" }],
  });
  expect(cancelled).not.toHaveProperty("text");
  expect(await play([{ text: "next" }], { session: turn.sessionId })).toMatchObject({
    status: "completed",
    text: "next",
  });
  expect(await readTurn(turn.id)).toEqual(cancelled);
  await conversation(turn.sessionId);
});

it("cancels a turn while a tool runs; what the tool still returns is not recorded", async () => {
  const turn = await begin(
    [{ calls: [{ toolName: "gated", input: { gate: "tool" } }] }, { text: "never" }],
    { agent: "staged" },
  );
  await stage.reached("tool");
  const cancelled = await accepted(cancel(turn));
  stage.open("tool");
  expect(await play([{ text: "next" }], { session: turn.sessionId })).toMatchObject({
    status: "completed",
  });
  expect(await readTurn(turn.id)).toEqual(cancelled);
  expect(await lastResult(turn.sessionId)).toMatchObject({
    type: "error-text",
    value: expect.stringMatching(/^CANCELLED/),
  });
});

it("cancels a parked turn with all that it asked, and refuses every answer afterwards", async () => {
  stage.policy = true;
  const turn = await play(
    [
      { calls: [ask({ question: "One?" }), ask({ question: "Two?" })] },
      {
        calls: [
          awaitTasks(["$task:1"]),
          FORM_CALL,
          { toolName: "guarded", input: { what: "x" } },
          { toolName: "client_tool" },
        ],
      },
    ],
    { agent: "staged" },
  );
  expect(turn.status).toBe("parked");
  const open = await questionsOf(turn.sessionId);
  expect(open).toHaveLength(4);
  const cancelled = await accepted<TurnView>(cancel(turn));
  expect(cancelled).toMatchObject({ status: "cancelled", runs: [{ status: "waiting" }] });
  expect(cancelled).not.toHaveProperty("pending");
  expect(cancelled).not.toHaveProperty("waitingFor");
  for (const { requestId, kind } of open) {
    const answers = {
      person: { text: "x" },
      form: { response: "x" },
      approval: { approved: true },
      tool: { text: "x" },
    };
    expect(await refusal(answering(requestId, answers[kind])), kind).toMatchObject({
      status: 409,
      code: "cancelled",
    });
  }
  expect((await questionsOf(turn.sessionId)).map(({ status }) => status)).toEqual(
    open.map(() => "cancelled"),
  );
  const batch = { approvals: {}, calls: { call_1_3: { status: "returned", value: 1 } } };
  expect(await refusal(post(`/v1/turns/${turn.id}/results`, batch))).toMatchObject({
    code: "turn_not_parked",
  });
  expect(await fireAlarm(turn.sessionId)).toBe(false);
  expect(ledger.tries).toBe(0);
  const next = await play([{ text: "next" }], { session: turn.sessionId });
  expect(next).toMatchObject({ status: "completed", text: "next" });
  expect(await results(turn.sessionId)).toHaveLength(6);
});

it("leaves answered questions answered where their turn is cancelled", async () => {
  const turn = await play([
    { calls: [ask({ question: "One?" }), ask({ question: "Two?" })] },
    { calls: [awaitTasks(["$task:1", "$task:2"])] },
  ]);
  const [one] = await questionsOf(turn.sessionId);
  const answered = await answer(one?.requestId ?? "", { text: "x" });
  await accepted(cancel(turn));
  const [still, gone] = await questionsOf(turn.sessionId);
  expect(still).toEqual(answered);
  expect(gone).toMatchObject({ status: "cancelled" });
});

it("lets go of a cancelled turn that hangs where no signal reaches, and takes nothing that it still brings", async () => {
  stage.policy = () => stage.stopAt("rule").then(() => false);
  const script = [{ calls: [{ toolName: "guarded", input: { what: "late" } }] }, { text: "never" }];
  const turn = await begin(script, { agent: "staged" });
  await stage.reached("rule");
  const cancelled = await accepted(cancel(turn));
  expect(await play([{ text: "next" }], { session: turn.sessionId })).toMatchObject({
    status: "completed",
    text: "next",
  });
  stage.open("rule");
  stage.policy = true;
  expect(await readTurn(turn.id)).toEqual(cancelled);
  expect(ledger.tries).toBe(0);
  await conversation(turn.sessionId);
});

it("cancels a turn that was cancelled before to the same effect, and none that is settled otherwise", async () => {
  const turn = await begin([{ delayMs: 60_000 }]);
  const first = await accepted(cancel(turn, { reason: "One." }));
  expect(await accepted(cancel(turn, { reason: "Two." }))).toEqual(first);
  const done = await play([{ text: "done" }]);
  expect(await refusal(cancel(done))).toMatchObject({ status: 409, code: "turn_settled" });
  const failed = await play([{ fail: { status: 400 } }]);
  expect(await refusal(cancel(failed))).toMatchObject({ status: 409, code: "turn_settled" });
});

it("cancels a turn that backs off, and never tries again", async () => {
  const failed = stage.next("attempt.failed");
  const turn = await begin([{ fail: { status: 500 } }, { text: "never" }]);
  await failed;
  const cancelled = await accepted<TurnView>(cancel(turn));
  expect(cancelled.status).toBe("cancelled");
  expect(cancelled).not.toHaveProperty("nextRetryAt");
  expect(await fireAlarm(turn.sessionId)).toBe(false);
});

it("wakes those who wait for a turn that is cancelled", async () => {
  const turn = await play([{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }]);
  const [waited] = await Promise.all([
    readTurn(turn.id, 30),
    readTurn(turn.id).then(() => cancel(turn)),
  ]);
  expect(waited.status).toBe("cancelled");
});

it("refuses a reason that is too long, or a body with more in it", async () => {
  const turn = await play([{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }]);
  for (const body of [
    { reason: "x".repeat(4_097) },
    { reason: 7 },
    { reason: null },
    { reason: "x", by: "y" },
    [],
  ])
    expect(await refusal(cancel(turn, body))).toMatchObject({
      status: 400,
      code: "invalid_request",
    });
  expect((await readTurn(turn.id)).status).toBe("parked");
});

it("asks nobody for a turn that was cancelled while its tool ran", async () => {
  const script = [{ calls: [{ toolName: "gated", input: { gate: "asks late", ask: "Still?" } }] }];
  const turn = await begin(script, { agent: "staged" });
  await stage.reached("asks late");
  await accepted(cancel(turn));
  stage.open("asks late");
  await stage.reached("asks late, asked");
  expect(await play([{ text: "next" }], { session: turn.sessionId })).toMatchObject({
    status: "completed",
  });
  expect(ledger.effects).toEqual(["asks late"]);
  expect(await questionsOf(turn.sessionId)).toEqual([]);
});

it("stops a background task with its turn", async () => {
  const script = [
    { calls: [{ toolName: "gated_beside", input: { gate: "beside" } }] },
    { calls: [awaitTasks(["$task:1"])] },
  ];
  const turn = await play(script, { agent: "staged" });
  expect(turn).toMatchObject({
    status: "parked",
    waitingFor: [{ kind: "task", taskId: "task_1" }],
  });
  await accepted(cancel(turn));
  stage.open("beside");
  await play([{ calls: [{ toolName: "get_task", input: { taskId: "task_1" } }] }], {
    session: turn.sessionId,
    agent: "staged",
  });
  expect((await lastResult(turn.sessionId)).value).toMatchObject({
    kind: "tool",
    status: "cancelled",
  });
  expect((await settled(turn.id)).status).toBe("cancelled");
});
