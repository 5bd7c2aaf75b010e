/**
 * Owns: settling at once all that is still open of a parked turn's batch, by the caller who runs its tools.
 */

import { checkAnswer } from "../core/answer.ts";
import { type Batch, type CallResult, coverageIssues, coverageMismatch } from "../core/batch.ts";
import type { ToolOutput } from "../core/event.ts";
import { TOOL_RESULT_BYTES } from "../core/limits.ts";
import { issuesBelow } from "../core/issue.ts";
import { fitsInto } from "../core/json-bounds.ts";
import { accepted, type Issue, type Outcome, type Refusal, refused } from "../core/refusal.ts";
import { denied, failed } from "../core/settlement.ts";
import { isWaiting, type ParkedTurn, type TurnCall } from "../core/turn.ts";
import { readTask } from "../journal/tasks.ts";
import type { Settler } from "./answers.ts";
import type { QuestionSettlement } from "../core/task.ts";
import type { Draft } from "./draft.ts";
import { turnNotFound } from "./starting.ts";
import type { SessionStore } from "./store.ts";
import { isApproval } from "./views.ts";

/** One call with what is to become of it. */
interface Settlement {
  readonly call: TurnCall;
  readonly output: ToolOutput;
  /** Where a person's question stands behind the call. */
  readonly question?: { readonly n: number; readonly settlement: QuestionSettlement };
}

/** How a request to settle a batch is known again: by what it says, and where it brought an Idempotency-Key, by that. */
export interface BatchRequest {
  readonly digest: string;
  readonly key?: string;
}

/**
 * Settles them, and answers with the run that goes on. The same request again is a receipt: the results by which the turn
 * last went on are known by their digest, whatever it waits for by now.
 */
export function settleBatch(
  store: SessionStore,
  n: number,
  batch: Batch,
  settler: Settler,
  request?: BatchRequest,
): Outcome<number> {
  const turn = store.turn(n);
  if (turn === undefined) return refused(turnNotFound());
  const before = turn.runs.findLast(({ results }) => results !== undefined);
  if (before !== undefined && before.results === request?.digest) return accepted(before.n);
  if (turn.status !== "parked")
    return refused({
      code: "turn_not_parked",
      detail: `The turn is ${turn.status}: it waits for no results.`,
    });
  const open = turn.calls.filter(isWaiting);
  if (open.some((call) => call.kind === "await"))
    return refused({
      code: "wait_not_client_owned",
      detail: "The turn waits for tasks: answer its questions, and it goes on.",
    });
  const coverage = coverageMismatch(batch, {
    approvals: open.filter(isApproval).map((call) => call.callId),
    calls: open.filter((call) => !isApproval(call)).map((call) => call.callId),
  });
  if (coverage !== undefined)
    return refused({
      code: "results_incomplete",
      detail: "The results must cover exactly what is open, each item in its own category.",
      issues: coverageIssues(coverage),
      coverage,
    });
  const settlements: Settlement[] = [];
  for (const call of open) {
    const settlement = settlementOf(store, call, batch, settler);
    if (!settlement.ok) return settlement;
    settlements.push(settlement.value);
  }
  const run = store.transact((draft) => {
    if (request?.key !== undefined) draft.recordRequest(request.key);
    return recordBatch(draft, store, turn, settlements, batch, request?.digest);
  });
  return accepted(run);
}

function settlementOf(
  store: SessionStore,
  call: TurnCall,
  batch: Batch,
  settler: Settler,
): Outcome<Settlement> {
  const n = call.now.state === "waiting" ? call.now.question : undefined;
  const approval = batch.approvals.get(call.callId);
  if (approval !== undefined && n !== undefined) {
    const answer =
      approval.action === "approve"
        ? ({ approved: true } as const)
        : {
            approved: false as const,
            ...(approval.reason !== undefined && { reason: approval.reason }),
          };
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
    return refused(
      invalidResult(call, [{ path: "", message: `must take at most ${TOOL_RESULT_BYTES} bytes` }]),
    );
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
  if (!checked.ok) return refused(invalidResult(call, checked.issues));
  const settlement = { status: "answered", answer: checked.value, ...settler } as const;
  return accepted({
    call,
    output: { type: "json", value: checked.value as never },
    question: { n, settlement },
  });
}

function invalidResult({ callId }: TurnCall, issues: readonly Issue[]): Refusal {
  return {
    code: "invalid_result",
    detail:
      "A result does not fit its call. Nothing was recorded; mend it and send the batch again.",
    issues: issuesBelow(`calls.${callId}.value`, issues),
    callId,
  };
}

function recordBatch(
  draft: Draft,
  store: SessionStore,
  turn: ParkedTurn,
  settlements: readonly Settlement[],
  batch: Batch,
  requestDigest: string | undefined,
): number {
  for (const { call, output, question } of settlements) {
    const record = question === undefined ? undefined : readTask(store.database, question.n);
    if (question !== undefined && record !== undefined)
      draft.settle(record, question.settlement, output);
    else
      draft.add({
        type: "call.settled",
        turn: turn.n,
        step: turn.steps - 1,
        index: call.index,
        output,
      });
  }
  const calls = settlements.flatMap(normalisedResult(batch));
  return draft.resume(turn.n, {
    ...(batch.context !== undefined && { context: batch.context }),
    resume: {
      batch: { approvals: [...batch.approvals], calls },
      ...(requestDigest !== undefined && { requestDigest }),
    },
  });
}

/** A call's result as it was recorded: an answer in its normalised form. */
function normalisedResult(batch: Batch): (settlement: Settlement) => [string, CallResult][] {
  return ({ call, output }) => {
    const result = batch.calls.get(call.callId);
    if (result === undefined) return [];
    const isValue = result.status === "returned" && output.type === "json";
    return [[call.callId, isValue ? { status: "returned", value: output.value } : result]];
  };
}
