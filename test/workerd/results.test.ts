import { evictDurableObject } from "cloudflare:test";
import { afterEach, expect, it } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, play, readTurn, settled, stubOf } from "./client.ts";
import {
  accepted,
  ask,
  awaitTasks,
  conversation,
  FORM_ANSWER,
  FORM_CALL,
  post,
  readQuestion,
  refusal,
  results,
} from "./journey.ts";
import { ledger } from "./ledger.ts";
import { stage } from "./stage.ts";

afterEach(() => {
  stage.clear();
  ledger.clear();
});

function client(toolCallId: string, input: unknown = { n: 1 }): object {
  return { toolName: "client_tool", input, toolCallId };
}

const GUARDED = { toolName: "guarded", input: { what: "pay" }, toolCallId: "pay" };
const BATCH = [
  { calls: [client("c1"), { ...FORM_CALL, toolCallId: "f1" }, GUARDED] },
  { text: "end" },
];

function settle(turn: TurnView, body: unknown): Promise<Response> {
  return post(`/v1/turns/${turn.id}/results`, body);
}

const returned = (value: unknown) => ({ status: "returned", value });
const failed = (message: string) => ({ status: "failed", message });

it("settles a mixed batch at once, each item in its own category", async () => {
  const turn = await play(BATCH, { agent: "staged" });
  expect(turn.pending).toMatchObject({
    approvals: [{ toolCallId: "pay" }],
    calls: [{ toolCallId: "c1" }, { toolCallId: "f1" }],
  });
  const batch = {
    approvals: { pay: { action: "approve" } },
    calls: { c1: returned(1), f1: returned({ answers: { "Which scope?": " Focused " } }) },
  };
  await accepted(settle(turn, batch));
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  expect((await results(turn.sessionId)).map(({ value }) => value)).toEqual([
    1,
    FORM_ANSWER,
    { done: "pay" },
  ]);
  expect(ledger.effects).toEqual(["pay"]);
  const [form, approval] = (turn.waitingFor ?? []).flatMap(({ requestId }) => requestId ?? []);
  expect(await readQuestion(form ?? "")).toMatchObject({
    status: "answered",
    answer: FORM_ANSWER,
    answeredBy: "all",
  });
  expect(await readQuestion(approval ?? "")).toMatchObject({
    status: "answered",
    answer: { approved: true },
  });
});

it("denies and fails in a batch, and closes the questions behind it", async () => {
  const turn = await play(BATCH, { agent: "staged" });
  const batch = {
    // Stripped, as at every other door.
    approvals: { pay: { action: "deny", reason: "  No. " } },
    calls: { c1: failed("x"), f1: failed(" Nobody there.\n") },
  };
  await accepted(settle(turn, batch));
  await settled(turn.id);
  expect((await results(turn.sessionId)).map(({ value }) => value)).toEqual([
    "FAILED: x",
    "FAILED: Nobody there.",
    "NOT EXECUTED. Denied by all: No.",
  ]);
  expect(ledger.tries).toBe(0);
  const [form, approval] = (turn.waitingFor ?? []).flatMap(({ requestId }) => requestId ?? []);
  expect(await readQuestion(form ?? "")).toMatchObject({
    status: "declined",
    reason: "Nobody there.",
  });
  expect(await readQuestion(approval ?? "")).toMatchObject({
    status: "answered",
    answer: { approved: false, reason: "No." },
  });
});

it("gives the model what is said beside the results behind them, also where an approved call has still to run", async () => {
  for (const approval of [{ action: "approve" }, { action: "deny" }]) {
    const turn = await play(BATCH, { agent: "staged" });
    const input = { content: [{ type: "text", text: "And be quick." }] };
    const calls = { c1: returned(1), f1: returned(FORM_ANSWER) };
    await accepted(settle(turn, { approvals: { pay: approval }, calls, input }));
    expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
    const all = await conversation(turn.sessionId);
    expect(all.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user", "assistant"]);
    expect(all[3]?.content).toBe("And be quick.");
    await evictDurableObject(stubOf(turn.sessionId));
    expect(await conversation(turn.sessionId)).toEqual(all);
    const next = await play([{ text: "next" }], { session: turn.sessionId });
    expect(next).toMatchObject({ status: "completed", text: "next" });
  }
});

it("refuses results that do not cover exactly what is open, approvals first, and settles nothing", async () => {
  const turn = await play(BATCH, { agent: "staged" });
  const whole = {
    approvals: { pay: { action: "approve" } },
    calls: { c1: returned(1), f1: returned(FORM_ANSWER) },
  };
  const cases: readonly [unknown, readonly string[]][] = [
    [{ approvals: {}, calls: {} }, ["approvals.pay"]],
    [{ ...whole, approvals: {} }, ["approvals.pay"]],
    [{ ...whole, calls: { c1: returned(1) } }, ["calls.f1"]],
    [{ ...whole, calls: { ...whole.calls, zz: returned(1) } }, ["calls.zz"]],
    [
      { approvals: { f1: { action: "approve" } }, calls: { c1: returned(1), pay: returned(1) } },
      ["approvals.pay", "approvals.f1"],
    ],
    [
      {
        approvals: { ...whole.approvals, c1: { action: "approve" } },
        calls: { f1: returned(FORM_ANSWER) },
      },
      ["approvals.c1"],
    ],
  ];
  for (const [body, paths] of cases) {
    const problem = await refusal(settle(turn, body));
    expect(problem, JSON.stringify(body)).toMatchObject({
      status: 400,
      code: "results_incomplete",
    });
    expect(problem.issues?.map(({ path }) => path)).toEqual(paths);
  }
  expect(await readTurn(turn.id)).toEqual(turn);
  await accepted(settle(turn, whole));
  expect(await settled(turn.id)).toMatchObject({ status: "completed" });
});

it("refuses a returned value that does not answer its form, and leaves the wait as it was", async () => {
  const turn = await play(BATCH, { agent: "staged" });
  const calls = { c1: returned(1), f1: returned({ answers: { "Which scope?": [] } }) };
  const problem = await refusal(settle(turn, { approvals: { pay: { action: "approve" } }, calls }));
  expect(problem.status).toBe(422);
  expect(problem.issues?.[0]?.path).toBe('calls.f1.value.answers["Which scope?"]');
  const empty = await refusal(
    settle(turn, {
      approvals: { pay: { action: "approve" } },
      calls: { ...calls, f1: returned(7) },
    }),
  );
  expect(empty.issues?.[0]?.path).toBe("calls.f1.value");
  expect(await readTurn(turn.id)).toEqual(turn);
  expect(ledger.tries).toBe(0);
});

it("refuses results of a wrong form", async () => {
  const turn = await play([{ calls: [client("c1")] }, { text: "end" }]);
  for (const body of [
    {},
    { calls: { c1: returned(1) } },
    { approvals: {} },
    { approvals: [], calls: { c1: returned(1) } },
    { approvals: {}, calls: { c1: { status: "returned" } } },
    { approvals: {}, calls: { c1: { status: "failed" } } },
    { approvals: {}, calls: { c1: failed("  ") } },
    { approvals: {}, calls: { c1: failed("x".repeat(4_097)) } },
    { approvals: {}, calls: { c1: { status: "returned", value: 1, more: 1 } } },
    { approvals: {}, calls: { c1: 1 } },
    { approvals: { c1: { action: "approve" } }, calls: { c1: returned(1) } },
    { approvals: {}, calls: { c1: returned(1) }, input: { content: [] } },
    { approvals: {}, calls: { c1: returned(1) }, input: "text" },
    {
      approvals: {},
      calls: Object.fromEntries(Array.from({ length: 129 }, (_, i) => [`c${i}`, returned(1)])),
    },
  ])
    expect(await refusal(settle(turn, body)), JSON.stringify(body)).toMatchObject({
      status: 400,
      code: "invalid_request",
    });
  expect(await readTurn(turn.id)).toEqual(turn);
});

it("takes no results for a turn that does not wait for them", async () => {
  const done = await play([{ text: "x" }]);
  expect(await refusal(settle(done, { approvals: {}, calls: {} }))).toMatchObject({
    status: 409,
    code: "turn_not_parked",
  });
  const once = await play([{ calls: [client("c1")] }, { text: "end" }]);
  const statuses = await Promise.all(
    [1, 2].map(
      async (value) =>
        (await settle(once, { approvals: {}, calls: { c1: returned(value) } })).status,
    ),
  );
  expect(statuses.sort()).toEqual([200, 409]);
  const waiting = await play([{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }]);
  const toolCallId = waiting.pending?.calls[0]?.toolCallId ?? "";
  expect(
    await refusal(settle(waiting, { approvals: {}, calls: { [toolCallId]: returned(1) } })),
  ).toMatchObject({
    status: 409,
    code: "wait_not_client_owned",
  });
});

it("takes the same results again for a receipt, whatever the turn waits for by then", async () => {
  const turn = await play([{ calls: [client("c1")] }, { calls: [client("c2")] }, { text: "end" }]);
  const first = { approvals: {}, calls: { c1: returned(1) } };
  await accepted(settle(turn, first));
  const next = await settled(turn.id);
  expect(next).toMatchObject({ status: "parked", pending: { calls: [{ toolCallId: "c2" }] } });
  expect(await accepted(settle(turn, { calls: { c1: returned(1) }, approvals: {} }))).toEqual(next);
  expect(await refusal(settle(turn, { approvals: {}, calls: { c1: returned(2) } }))).toMatchObject({
    status: 400,
    code: "results_incomplete",
  });
  const second = { approvals: {}, calls: { c2: failed("No paper.") } };
  await accepted(settle(turn, second));
  const done = await settled(turn.id);
  expect(done).toMatchObject({ status: "completed", runs: [{}, {}, {}] });
  expect(await accepted(settle(turn, second))).toEqual(done);
  expect(await refusal(settle(turn, first))).toMatchObject({ code: "turn_not_parked" });
});

it("takes only what is still open once others were answered one by one", async () => {
  const turn = await play(BATCH, { agent: "staged" });
  const [form, approval] = (turn.waitingFor ?? []).flatMap(({ requestId }) => requestId ?? []);
  await answer(approval ?? "", { approved: true });
  await answer(form ?? "", FORM_ANSWER);
  const still = await readTurn(turn.id);
  expect(still).toMatchObject({
    status: "parked",
    waitingFor: [{ kind: "call", toolCallId: "c1" }],
  });
  expect(still.pending).toMatchObject({ approvals: [], calls: [{ toolCallId: "c1" }] });
  const settledElsewhere = { approvals: { pay: { action: "deny" } }, calls: { c1: returned(1) } };
  const problem = await refusal(settle(turn, settledElsewhere));
  expect(problem).toMatchObject({
    code: "results_incomplete",
    issues: [{ path: "approvals.pay" }],
  });
  expect(ledger.tries).toBe(0);
  await accepted(settle(turn, { approvals: {}, calls: { c1: returned(1) } }));
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  expect((await results(turn.sessionId)).map(({ value }) => value)).toEqual([
    1,
    FORM_ANSWER,
    { done: "pay" },
  ]);
  expect(ledger.effects).toEqual(["pay"]);
});
