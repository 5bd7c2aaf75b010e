import { expect, it } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, play, readTurn, settled } from "./client.ts";
import {
  accepted,
  ask,
  awaitTasks,
  begin,
  conversation,
  lastResult,
  onlyRequest,
  post,
  refusal,
  results,
  send,
} from "./journey.ts";

function client(toolCallId: string, input: unknown = { n: 1 }): object {
  return { toolName: "client_tool", input, toolCallId };
}

function settle(turn: TurnView, body: unknown): Promise<Response> {
  return post(`/v1/turns/${turn.id}/results`, body);
}

const returned = (value: unknown) => ({ status: "returned", value });
const failed = (message: string) => ({ status: "failed", message });

it("parks on a client tool, and goes on with the value that the caller returns", async () => {
  const turn = await play([{ calls: [client("c1", { a: [1, { b: null }] })] }, { text: "end" }]);
  expect(turn).toMatchObject({
    status: "parked",
    pending: {
      approvals: [],
      calls: [{ toolCallId: "c1", toolName: "client_tool", arguments: { a: [1, { b: null }] } }],
    },
    waitingFor: [{ kind: "call", toolCallId: "c1" }],
  });
  expect(turn.pending?.calls[0]).not.toHaveProperty("requestId");
  const value = { ok: true, list: [1, "2", null], "": {}, "naïve 😀": "\u0000" };
  const resumed = await accepted<TurnView>(
    settle(turn, { approvals: {}, calls: { c1: returned(value) } }),
  );
  expect(resumed).toMatchObject({ id: turn.id, status: "running" });
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  expect(await lastResult(turn.sessionId)).toEqual({
    toolName: "client_tool",
    type: "json",
    value,
  });
});

it("takes any JSON for a returned value", async () => {
  for (const value of [null, false, 0, "", [], {}, "text"]) {
    const turn = await play([{ calls: [client("c1")] }, { text: "end" }]);
    await accepted(settle(turn, { approvals: {}, calls: { c1: returned(value) } }));
    expect(await settled(turn.id)).toMatchObject({ status: "completed" });
    expect(await lastResult(turn.sessionId)).toEqual({
      toolName: "client_tool",
      type: "json",
      value,
    });
  }
});

it("keeps each member of a returned value, one called __proto__ too", async () => {
  const turn = await play([{ calls: [client("__proto__")] }, { text: "end" }]);
  const body =
    '{"approvals":{},"calls":{"__proto__":{"status":"returned","value":{"__proto__":{"a":1}}}}}';
  await accepted(send("POST", `/v1/turns/${turn.id}/results`, body));
  await settled(turn.id);
  expect(JSON.stringify((await lastResult(turn.sessionId)).value)).toBe('{"__proto__":{"a":1}}');
});

it("tells the model of a failed result as an error", async () => {
  const turn = await play([{ calls: [client("c1")] }, { text: "end" }]);
  await accepted(settle(turn, { approvals: {}, calls: { c1: failed("No printer.") } }));
  await settled(turn.id);
  expect(await lastResult(turn.sessionId)).toMatchObject({
    type: "error-text",
    value: "FAILED: No printer.",
  });
});

it("shows an open wait beside a client call, and takes the client's result once the wait is over", async () => {
  const script = [
    { calls: [ask()] },
    { calls: [client("c1"), awaitTasks(["$task:1"])] },
    { text: "end" },
  ];
  const turn = await play(script);
  expect(turn.waitingFor).toMatchObject([
    { kind: "call", toolCallId: "c1" },
    { kind: "question", taskId: "task_1" },
  ]);
  const batch = { approvals: {}, calls: { c1: returned(1) } };
  expect(await refusal(settle(turn, batch))).toMatchObject({ code: "wait_not_client_owned" });
  await answer(turn.waitingFor?.[1]?.requestId ?? "", { text: "x" });
  expect(await readTurn(turn.id)).toMatchObject({ status: "parked" });
  await accepted(settle(turn, batch));
  expect(await settled(turn.id)).toMatchObject({ status: "completed" });
  await conversation(turn.sessionId);
});

it("tells calls with one id apart", async () => {
  const turn = await play([
    { calls: [client("same", { n: 1 }), client("same", { n: 2 })] },
    { calls: [client("same", { n: 3 })] },
    { text: "end" },
  ]);
  expect(turn.pending?.calls).toMatchObject([
    { toolCallId: "same", arguments: { n: 1 } },
    { toolCallId: "same_2", arguments: { n: 2 } },
  ]);
  await accepted(
    settle(turn, { approvals: {}, calls: { same: returned("one"), same_2: returned("two") } }),
  );
  const third = await settled(turn.id);
  expect(third.pending?.calls).toMatchObject([{ toolCallId: "same_3", arguments: { n: 3 } }]);
  await accepted(settle(turn, { approvals: {}, calls: { same_3: returned("three") } }));
  expect(await settled(turn.id)).toMatchObject({ status: "completed" });
  expect((await results(turn.sessionId)).map(({ value }) => value)).toEqual([
    "one",
    "two",
    "three",
  ]);
});

it("runs our own tools of a step before it parks on the caller's", async () => {
  const own = { toolName: "unusual", input: { what: "null" } };
  const turn = await begin([{ calls: [client("c1"), own] }, { text: "end" }], { agent: "staged" });
  const parked = await settled(turn.id);
  expect(parked.pending?.calls).toMatchObject([{ toolCallId: "c1" }]);
  expect(onlyRequest({ ...parked, waitingFor: [{ kind: "call", requestId: "x" }] })).toBe("x");
  await accepted(settle(parked, { approvals: {}, calls: { c1: returned(1) } }));
  await settled(turn.id);
  expect((await results(turn.sessionId)).map(({ value }) => value)).toEqual([1, null]);
});
