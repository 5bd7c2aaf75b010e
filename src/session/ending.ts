/**
 * Owns: how a turn ends before its time: what happens to its open calls and questions when it is cancelled or fails.
 * Every call keeps a result (I7), and no question is left that somebody could answer in vain.
 */

import type { Failure, ToolOutput } from "../core/event.ts";
import { failed, TURN_CANCELLED } from "../core/settlement.ts";
import { isOpen, isUnsettled } from "../core/turn.ts";
import { readOpenTasksOfTurn } from "../journal/tasks.ts";
import type { Draft } from "./draft.ts";
import type { SessionStore } from "./store.ts";

/** Cancels a turn with all that it asked or started and that is still open. */
export function cancelTurn(
  draft: Draft,
  store: SessionStore,
  turn: number,
  reason: string | undefined,
): void {
  for (const record of readOpenTasksOfTurn(store.database, turn))
    draft.settle(record, { status: "cancelled", reason: "the turn was cancelled" });
  settleOpenCalls(draft, turn, TURN_CANCELLED);
  draft.add({ type: "turn.cancelled", turn, ...(reason !== undefined && { reason }) });
}

/** Fails a turn. Its forms and approvals end with it, since only its own calls wait for them; its tasks stay open. */
export function failTurn(
  draft: Draft,
  store: SessionStore,
  turn: number,
  failure: Failure,
  attempts: number | undefined,
): void {
  for (const record of readOpenTasksOfTurn(store.database, turn))
    if (record.task === undefined)
      draft.settle(record, { status: "cancelled", reason: "the turn failed" });
  settleOpenCalls(draft, turn, failed(`the turn failed: ${failure.message}`));
  draft.add({
    type: "turn.failed",
    turn,
    failure,
    ...(attempts !== undefined && { attempts }),
  });
}

function settleOpenCalls(draft: Draft, n: number, output: ToolOutput): void {
  const turn = draft.turn(n);
  if (turn === undefined || !isOpen(turn)) return;
  for (const call of turn.calls.filter(isUnsettled))
    draft.add({ type: "call.settled", turn: n, step: turn.steps - 1, index: call.index, output });
}
