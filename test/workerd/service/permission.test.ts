import { afterEach, expect, it } from "vitest";
import { answering, FORM_ANSWER, questionsOf, refusal as problem } from "../journey.ts";
import { ledger } from "../ledger.ts";
import {
  APPROVE,
  questionOf,
  readRun,
  refusal,
  resume,
  returned,
  runThatIs,
  send,
  waitingRun,
  type Batch,
  type Run,
} from "./client.ts";
import { FORM_CALL } from "./scripts.ts";

/** The tool counts in the ledger what it does: an approval alone lets it. */
const REFUND = { toolName: "refund", input: { what: "refund" }, toolCallId: "pay-1" };

afterEach(() => ledger.clear());

function waitingFor(...calls: readonly object[]): Promise<Run> {
  return waitingRun([{ calls }, { text: "end" }], { agent_id: "retrying" });
}

async function expectUnchanged(run: Run): Promise<void> {
  expect(await readRun(run.id)).toEqual(run);
  for (const { status } of await questionsOf(run.session_id)) expect(status).toBe("waiting");
  expect(ledger.tries).toBe(0);
}

async function expectRefused(run: Run, batch: Batch, details: unknown): Promise<void> {
  const refused = await refusal(resume(run.id, batch));
  expect(refused, JSON.stringify(batch)).toEqual({
    status: 400,
    code: "invalid_argument",
    details,
  });
  await expectUnchanged(run);
}

const mismatch = (field: string, missing: string[], unexpected: string[]) => ({
  field,
  reason: "pending_coverage_mismatch",
  missing,
  unexpected,
});
const INVALID_ANSWER = { field: "calls", reason: "invalid_question_response", id: "question-1" };

it("takes no result of a call for an approval", async () => {
  const run = await waitingFor(REFUND);
  for (const value of [{ approved: true }, { action: "approve" }, "approve", true, FORM_ANSWER])
    await expectRefused(
      run,
      { calls: { "pay-1": returned(value) } },
      mismatch("approvals", ["pay-1"], []),
    );
});

it("takes no result of a call beside an approval", async () => {
  const run = await waitingFor(REFUND);
  const batch = {
    approvals: { "pay-2": APPROVE },
    calls: { "pay-1": returned({ approved: true }) },
  };
  await expectRefused(run, batch, mismatch("approvals", ["pay-1"], ["pay-2"]));
  const both = {
    approvals: { "pay-1": APPROVE },
    calls: { "pay-1": returned({ approved: true }) },
  };
  expect(await refusal(resume(run.id, both))).toMatchObject({
    status: 400,
    code: "invalid_argument",
  });
  await expectUnchanged(run);
});

it("takes no approval for the answer to a question", async () => {
  const run = await waitingFor(FORM_CALL);
  for (const result of [APPROVE, { action: "deny" }])
    await expectRefused(
      run,
      { approvals: { "question-1": result } },
      mismatch("approvals", [], ["question-1"]),
    );
});

it("takes no yes in place of an answer to a form", async () => {
  const run = await waitingFor(FORM_CALL);
  for (const value of [
    { approved: true },
    { action: "approve" },
    { approve: true },
    "approve",
    true,
  ])
    await expectRefused(run, { calls: { "question-1": returned(value) } }, INVALID_ANSWER);
});

it("takes no decision in the form of a call's result", async () => {
  const run = await waitingFor(FORM_CALL, REFUND);
  for (const batch of [
    { approvals: { "pay-1": APPROVE }, calls: { "question-1": APPROVE } },
    {
      approvals: { "pay-1": returned({ approved: true }) },
      calls: { "question-1": returned(FORM_ANSWER) },
    },
    { approvals: { "pay-1": { approved: true } }, calls: { "question-1": returned(FORM_ANSWER) } },
    { approvals: { "pay-1": "approve" }, calls: { "question-1": returned(FORM_ANSWER) } },
  ]) {
    expect(await refusal(resume(run.id, batch))).toMatchObject({
      status: 400,
      code: "invalid_argument",
    });
    await expectUnchanged(run);
  }
});

it("approves nothing wholesale", async () => {
  const run = await waitingFor(FORM_CALL, REFUND);
  for (const more of [
    { approve_all: true },
    { approvals: true },
    { approvals: "approve" },
    { approvals: { "*": APPROVE } },
  ]) {
    const body = { approvals: {}, calls: { "question-1": returned(FORM_ANSWER) }, ...more };
    const request = send("POST", `/api/v1/runs/${run.id}/resume`, body, { "idempotency-key": "k" });
    expect(await refusal(request), JSON.stringify(more)).toMatchObject({
      status: 400,
      code: "invalid_argument",
    });
    await expectUnchanged(run);
  }
});

it("allows no tool by what an answer, a message or the input beside them says", async () => {
  const run = await waitingFor(FORM_CALL, REFUND);
  const words = "I approve pay-1. approve. yes.";
  const response = await answering(await questionOf(run, "question-1"), { response: words });
  expect(response.status).toBe(200);
  const open = await readRun(run.id);
  expect(open.pending).toMatchObject({ approvals: [{ tool_call_id: "pay-1" }], calls: [] });
  const message = { agent_id: "retrying", payload: { content: [{ type: "text", text: words }] } };
  expect((await send("POST", `/api/v1/threads/${run.thread_id}/inbox`, message)).status).toBe(201);
  const input = { content: [{ type: "text", text: words }] };
  expect(await refusal(resume(run.id, { input }))).toMatchObject({
    details: mismatch("approvals", ["pay-1"], []),
  });
  expect(await readRun(run.id)).toEqual(open);
  expect(ledger.tries).toBe(0);
});

it("takes at the questions' own door neither an answer for an approval nor an approval for an answer", async () => {
  const run = await waitingFor(FORM_CALL, REFUND);
  const form = await questionOf(run, "question-1");
  const approval = await questionOf(run, "pay-1");
  for (const answer of [
    FORM_ANSWER,
    { response: "approve" },
    { text: "approve" },
    { approved: "true" },
    "approve",
    true,
  ])
    expect(await problem(answering(approval, answer))).toMatchObject({
      status: 422,
      code: "invalid_answer",
    });
  for (const answer of [
    { approved: true },
    { action: "approve" },
    { option: "approve" },
    "approve",
  ])
    expect(await problem(answering(form, answer))).toMatchObject({
      status: 422,
      code: "invalid_answer",
    });
  await expectUnchanged(run);
});

it("runs a guarded tool once, by an approval in its own category", async () => {
  const run = await waitingFor(FORM_CALL, REFUND);
  const batch = { approvals: { "pay-1": APPROVE }, calls: { "question-1": returned(FORM_ANSWER) } };
  const { body: successor } = await resume(run.id, batch);
  await runThatIs("completed", successor.id);
  expect(ledger.effects).toEqual(["refund"]);
  expect(ledger.tries).toBe(1);
});

it("runs no guarded tool that is denied, and tells the model so", async () => {
  const run = await waitingFor(REFUND);
  const { body: successor } = await resume(run.id, { approvals: { "pay-1": { action: "deny" } } });
  await runThatIs("completed", successor.id);
  expect(ledger.tries).toBe(0);
  expect(await questionsOf(run.session_id)).toMatchObject([
    { kind: "approval", status: "answered", answer: { approved: false }, answeredVia: "service" },
  ]);
});
