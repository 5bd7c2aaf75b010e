/**
 * Owns: settling at once all that is still open of a parked turn's batch, by the caller who runs its tools.
 */

import { checkAnswer } from "../core/answer.ts";
import { type Batch, type CallResult, coverageIssues, coverageMismatch } from "../core/batch.ts";
import type { ToolOutput } from "../core/event.ts";
import { TOOL_RESULT_BYTES } from "../core/limits.ts";
import { accepted, type Outcome, refused } from "../core/refusal.ts";
import { denied, failed, fitsInto } from "../core/settlement.ts";
import { isUnsettled, type ParkedTurn, type TurnCall } from "../core/turn.ts";
import { readTask } from "../journal/tasks.ts";
import { invalidAnswer, type QuestionSettlement, type Settler } from "./answers.ts";
import type { Draft } from "./draft.ts";
import type { SessionStore } from "./store.ts";
import { isApproval } from "./views.ts";

/** One call with what is to become of it. */
interface Settlement {
  readonly call: TurnCall;
  readonly output: ToolOutput;
  /** Where a person's question stands behind the call. */
  readonly question?: { readonly n: number; readonly settlement: QuestionSettlement };
}

export function settleBatch(store: SessionStore, n: number, batch: Batch, settler: Settler): Outcome<null> {
  const turn = store.turn(n);
  if (turn === undefined) return refused({ code: "not_found", detail: "There is no such turn." });
  if (turn.status !== "parked")
    return refused({ code: "turn_not_parked", detail: `The turn is ${turn.status}: it waits for no results.` });
  const open = turn.calls.filter(isUnsettled);
  if (open.some((call) => call.kind === "await"))
    return refused({
      code: "wait_not_client_owned",
      detail: "The turn waits for tasks: answer its questions, and it goes on.",
    });
  const mismatch = coverageMismatch(batch, {
    approvals: open.filter(isApproval).map((call) => call.callId),
    calls: open.filter((call) => !isApproval(call)).map((call) => call.callId),
  });
  if (mismatch !== undefined)
    return refused({
      code: "results_incomplete",
      detail: "The results must cover exactly what is open, each item in its own category.",
      issues: coverageIssues(mismatch),
    });
  const settlements: Settlement[] = [];
  for (const call of open) {
    const settlement = settlementOf(store, call, batch, settler);
    if (!settlement.ok) return settlement;
    settlements.push(settlement.value);
  }
  store.transact((draft) => recordBatch(draft, store, turn, settlements, batch));
  return accepted(null);
}

function settlementOf(store: SessionStore, call: TurnCall, batch: Batch, settler: Settler): Outcome<Settlement> {
  const n = call.now.state === "waiting" ? call.now.question : undefined;
  const approval = batch.approvals.get(call.callId);
  if (approval !== undefined && n !== undefined) {
    const answer =
      approval.action === "approve"
        ? ({ approved: true } as const)
        : { approved: false as const, ...(approval.reason !== undefined && { reason: approval.reason }) };
    const reason = approval.action === "deny" ? approval.reason : undefined;
    const settlement = { status: "answered", answer, ...settler } as const;
    return accepted({ call, output: denied(settler.by, reason), question: { n, settlement } });
  }
  const result = batch.calls.get(call.callId);
  if (result === undefined) throw new Error(`call ${call.callId} is not covered`);
  return n === undefined ? clientResult(call, result) : formResult(store, call, n, result, settler);
}

function clientResult(call: TurnCall, result: CallResult): Outcome<Settlement> {
  if (result.status === "failed") return accepted({ call, output: failed(result.message) });
  if (!fitsInto(result.value, TOOL_RESULT_BYTES))
    return refused({
      code: "invalid_request",
      detail: `A result holds at most ${TOOL_RESULT_BYTES} bytes.`,
      issues: [{ path: `calls.${call.callId}.value`, message: "is too large" }],
    });
  return accepted({ call, output: { type: "json", value: result.value } });
}

function formResult(
  store: SessionStore,
  call: TurnCall,
  n: number,
  result: CallResult,
  settler: Settler,
): Outcome<Settlement> {
  const content = readTask(store.database, n)?.content;
  if (content?.kind !== "form") throw new Error(`call ${call.callId} waits for no form`);
  if (result.status === "failed") {
    const settlement = { status: "declined", reason: result.message, ...settler } as const;
    return accepted({ call, output: failed(result.message), question: { n, settlement } });
  }
  const checked = checkAnswer(content, result.value);
  if (!checked.ok)
    return refused(
      invalidAnswer(checked.issues.map(({ path, message }) => ({ path: `calls.${call.callId}.value.${path}`, message }))),
    );
  const settlement = { status: "answered", answer: checked.value, ...settler } as const;
  return accepted({ call, output: { type: "json", value: checked.value as never }, question: { n, settlement } });
}

function recordBatch(
  draft: Draft,
  store: SessionStore,
  turn: ParkedTurn,
  settlements: readonly Settlement[],
  batch: Batch,
): void {
  for (const { call, output, question } of settlements) {
    const record = question === undefined ? undefined : readTask(store.database, question.n);
    if (question !== undefined && record !== undefined) draft.settle(record, question.settlement, output);
    else draft.add({ type: "call.settled", turn: turn.n, step: turn.steps - 1, index: call.index, output });
  }
  if (batch.context !== undefined) draft.resume(turn.n, batch.context);
}
