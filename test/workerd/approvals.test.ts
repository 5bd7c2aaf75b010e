import { afterEach, expect, it } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, play, readTurn, settled } from "./client.ts";
import {
  answering,
  lastResult,
  onlyRequest,
  post,
  readQuestion,
  refusal,
  results,
  FORM_CALL,
  accepted,
} from "./journey.ts";
import { ledger } from "./ledger.ts";
import { stage } from "./stage.ts";

afterEach(() => {
  stage.clear();
  ledger.clear();
});

function guarded(what: unknown, more: object = {}): object {
  return { toolName: "guarded", input: { what }, ...more };
}

function playStaged(script: unknown): Promise<TurnView> {
  return play(script, { agent: "staged" });
}

function parkOnApproval(): Promise<TurnView> {
  return playStaged([{ calls: [guarded("pay", { toolCallId: "pay-1" })] }, { text: "end" }]);
}

it("parks a guarded call before it runs, and shows what it would run", async () => {
  stage.policy = { required: true, reason: "Above 100." };
  const turn = await parkOnApproval();
  const requestId = onlyRequest(turn);
  expect(turn).toMatchObject({
    status: "parked",
    pending: {
      approvals: [
        { toolCallId: "pay-1", toolName: "guarded", arguments: { what: "pay" }, requestId },
      ],
      calls: [],
    },
    waitingFor: [{ kind: "question", requestId, toolCallId: "pay-1", question: "Run guarded?" }],
  });
  expect(await readQuestion(requestId)).toMatchObject({
    kind: "approval",
    question: "Run guarded?",
    toolName: "guarded",
    toolCallId: "pay-1",
    arguments: { what: "pay" },
    context: "Above 100.",
  });
  expect(ledger.tries).toBe(0);
});

it("runs an approved call once, with the arguments as they were", async () => {
  const turn = await parkOnApproval();
  const requestId = onlyRequest(turn);
  expect(await answer(requestId, { approved: true })).toMatchObject({
    status: "answered",
    answer: { approved: true },
  });
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  await answer(requestId, { approved: true });
  expect(ledger.effects).toEqual(["pay"]);
  expect(ledger.tries).toBe(1);
  expect(await lastResult(turn.sessionId)).toEqual({
    toolName: "guarded",
    type: "json",
    value: { done: "pay" },
  });
});

it("never runs a denied call, and words the denial for the model", async () => {
  const turn = await parkOnApproval();
  await answer(onlyRequest(turn), { approved: false, reason: "Too much." });
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  expect(await lastResult(turn.sessionId)).toMatchObject({
    type: "error-text",
    value: "NOT EXECUTED. Denied by dana: Too much.",
  });
  expect(await refusal(answering(onlyRequest(turn), { approved: true }))).toMatchObject({
    code: "already_answered",
  });
  expect(ledger.tries).toBe(0);
});

it("takes a declined approval for a denial, and a cancelled one for none", async () => {
  const declined = await parkOnApproval();
  await accepted(post(`/v1/questions/${onlyRequest(declined)}/decline`, { answeredBy: "dana" }));
  await settled(declined.id);
  expect((await lastResult(declined.sessionId)).value).toBe("NOT EXECUTED. Denied by dana");
  const cancelled = await parkOnApproval();
  await accepted(post(`/v1/questions/${onlyRequest(cancelled)}/cancel`));
  expect(await settled(cancelled.id)).toMatchObject({ status: "completed" });
  const result = await lastResult(cancelled.sessionId);
  expect(result.type).toBe("error-text");
  expect(result.value).toMatch(/^NOT EXECUTED/);
  expect(ledger.tries).toBe(0);
});

it("runs an edited call with the edited arguments, and tells the model of the change", async () => {
  const turn = await parkOnApproval();
  const requestId = onlyRequest(turn);
  await answer(requestId, { approved: true, input: { what: "pay less" } });
  expect(await settled(turn.id)).toMatchObject({ status: "completed" });
  expect(ledger.effects).toEqual(["pay less"]);
  const result = await lastResult(turn.sessionId);
  expect(result).toMatchObject({
    type: "json",
    value: { arguments: { what: "pay less" }, result: { done: "pay less" } },
  });
  expect(JSON.stringify(result.value)).toContain("dana");
  expect(await readQuestion(requestId)).toMatchObject({
    arguments: { what: "pay" },
    answer: { approved: true, input: { what: "pay less" } },
  });
});

it("refuses edited arguments that do not fit the tool, or a tool that takes none", async () => {
  const turn = await parkOnApproval();
  for (const input of [{}, { what: 7 }, { what: "x", more: 1 }, null, "x", []]) {
    const problem = await refusal(answering(onlyRequest(turn), { approved: true, input }));
    expect(problem, JSON.stringify(input)).toMatchObject({ status: 422, code: "invalid_answer" });
    expect(problem.issues?.[0]?.path).toMatch(/^input(\.what)?$/);
  }
  for (const wrong of [
    {},
    { approved: "yes" },
    { approved: true, reason: "x" },
    { approved: false, input: {} },
    { text: "yes" },
  ])
    expect(await refusal(answering(onlyRequest(turn), wrong))).toMatchObject({
      code: "invalid_answer",
    });
  await answer(onlyRequest(turn), { approved: false });

  const fixed = await playStaged([
    { calls: [{ toolName: "guarded_beside", input: { what: "x" } }] },
  ]);
  const problem = await refusal(
    answering(onlyRequest(fixed), { approved: true, input: { what: "y" } }),
  );
  expect(problem).toMatchObject({ code: "invalid_answer", issues: [{ path: "input" }] });
  expect(ledger.tries).toBe(0);
});

it("does not run an approved call that the rule forbids at the moment of running", async () => {
  const turn = await parkOnApproval();
  stage.policy = { forbidden: true, reason: "The account is frozen." };
  await answer(onlyRequest(turn), { approved: true });
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  expect(await lastResult(turn.sessionId)).toMatchObject({
    type: "error-text",
    value: "NOT EXECUTED. The account is frozen.",
  });
  expect(ledger.tries).toBe(0);
});

it("does not run an approved call whose rule fails at the moment of running", async () => {
  const turn = await parkOnApproval();
  stage.policy = new Error("the ledger is down");
  await answer(onlyRequest(turn), { approved: true });
  await settled(turn.id);
  expect((await lastResult(turn.sessionId)).value).toMatch(/^NOT EXECUTED\. .*the ledger is down/);
  expect(ledger.tries).toBe(0);
});

it("judges edited arguments by the rule once more", async () => {
  const turn = await parkOnApproval();
  stage.policy = false;
  await answer(onlyRequest(turn), { approved: true, input: { what: "less" } });
  await settled(turn.id);
  expect(ledger.effects).toEqual(["less"]);
});

it("runs a call at once where the rule asks for nobody, and refuses one that it forbids", async () => {
  stage.policy = false;
  expect(await playStaged([{ calls: [guarded("free")] }, { text: "end" }])).toMatchObject({
    status: "completed",
  });
  expect(ledger.effects).toEqual(["free"]);
  for (const policy of [{ forbidden: true, reason: "Never." }, new Error("no rule")] as const) {
    stage.policy = policy;
    const turn = await playStaged([{ calls: [guarded("never")] }, { text: "end" }]);
    expect(turn).toMatchObject({ status: "completed" });
    expect((await lastResult(turn.sessionId)).value).toMatch(/^NOT EXECUTED\. /);
  }
  expect(ledger.effects).toEqual(["free"]);
});

it("never asks about a call whose input does not fit the tool", async () => {
  const turn = await playStaged([{ calls: [guarded(7)] }, { text: "end" }]);
  expect(turn).toMatchObject({ status: "completed" });
  expect((await lastResult(turn.sessionId)).value).toMatch(
    /^FAILED: the input of guarded is not valid/,
  );
});

it("decides parallel approvals each for itself, and resumes nothing before the last", async () => {
  const turn = await playStaged([
    { calls: [guarded("a"), guarded("b"), guarded("c")] },
    { text: "end" },
  ]);
  const [a, b, c] = (turn.waitingFor ?? []).map(({ requestId = "" }) => requestId);
  await answer(c ?? "", { approved: true });
  await answer(a ?? "", { approved: false });
  const still = await readTurn(turn.id);
  expect(still).toMatchObject({ status: "parked", waitingFor: [{ requestId: b }] });
  expect(still.pending).toMatchObject({ approvals: [{ toolCallId: "call_0_1" }], calls: [] });
  expect(ledger.tries).toBe(0);
  await answer(b ?? "", { approved: true, input: { what: "b2" } });
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  expect(ledger.effects).toEqual(["b2", "c"]);
  expect((await results(turn.sessionId)).map(({ type }) => type)).toEqual([
    "error-text",
    "json",
    "json",
  ]);
});

it("keeps an answer from being a permission, and a permission from being an answer", async () => {
  const turn = await playStaged([{ calls: [FORM_CALL, guarded("pay")] }, { text: "end" }]);
  const [form, approval] = (turn.waitingFor ?? []).map(({ requestId = "" }) => requestId);
  expect(await refusal(answering(form ?? "", { approved: true }))).toMatchObject({
    code: "invalid_answer",
  });
  expect(await refusal(answering(approval ?? "", { response: "yes" }))).toMatchObject({
    code: "invalid_answer",
  });
  await answer(form ?? "", { response: "yes" });
  expect((await readTurn(turn.id)).status).toBe("parked");
  expect(ledger.tries).toBe(0);
  await answer(approval ?? "", { approved: false });
  expect(await settled(turn.id)).toMatchObject({ status: "completed" });
  expect(ledger.tries).toBe(0);
});

it("starts an approved background call beside the turn", async () => {
  const turn = await playStaged([
    { calls: [{ toolName: "guarded_beside", input: { what: "slow" } }] },
    { calls: [{ toolName: "await_tasks", input: { taskIds: ["$task:1"] } }] },
    { text: "end" },
  ]);
  await answer(onlyRequest(turn), { approved: true });
  let now = await settled(turn.id);
  while (now.status === "parked") now = await readTurn(turn.id, 5);
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  expect((await lastResult(turn.sessionId)).value).toMatchObject({
    status: "satisfied",
    tasks: [{ taskId: "task_1", kind: "tool", status: "completed", result: { done: "slow" } }],
  });
  expect(ledger.effects).toEqual(["slow"]);
});

it("shows the person that the same call was denied before, by whom and why, and no other call", async () => {
  stage.policy = { required: true, reason: "Above 100." };
  const ask = { calls: [guarded("pay")] };
  const turn = await playStaged([ask, ask, { calls: [guarded("pay less")] }, ask, { text: "end" }]);
  const contexts: (string | undefined)[] = [];
  for (let now = turn; now.status === "parked"; now = await settled(turn.id)) {
    const requestId = onlyRequest(now);
    contexts.push((await readQuestion(requestId)).context);
    await answer(requestId, { approved: false, reason: `No. ${contexts.length}` });
  }
  expect(contexts).toEqual([
    "Above 100.",
    "Above 100.\n\nDenied before by dana: No. 1",
    "Above 100.",
    "Above 100.\n\nDenied before by dana (2 times so far): No. 2",
  ]);
  const next = await play([ask], { agent: "staged", session: turn.sessionId });
  await accepted(post(`/v1/questions/${onlyRequest(next)}/decline`, { answeredBy: "eve" }));
  const last = await play([ask], { agent: "staged", session: turn.sessionId });
  expect((await readQuestion(onlyRequest(last))).context).toContain(
    "Denied before by eve (4 times",
  );
  await answer(onlyRequest(last), { approved: true });
  expect(await settled(last.id)).toMatchObject({ status: "completed" });
  expect(ledger.effects).toEqual(["pay"]);
});

it("asks again where the model makes a denied call again", async () => {
  const turn = await playStaged([
    { calls: [guarded("pay")] },
    { calls: [guarded("pay")] },
    { text: "end" },
  ]);
  const first = onlyRequest(turn);
  await answer(first, { approved: false });
  const again = await settled(turn.id);
  expect(again.status).toBe("parked");
  expect(onlyRequest(again)).not.toBe(first);
  await answer(onlyRequest(again), { approved: false });
  expect(await settled(turn.id)).toMatchObject({ status: "completed" });
  expect(ledger.tries).toBe(0);
});
