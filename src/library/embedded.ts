/**
 * Owns: the embedded way of running an agent: a run ends as completed, suspended or failed, and the results of its deferred
 * calls resume it. An answer is never a permission: `approveAll` approves tools, and answers no question.
 */

import * as z from "zod";
import { reasonSchema } from "../core/answer.ts";
import { batchSchema } from "../core/batch.ts";
import { parseId, sha256Hex } from "../core/ids.ts";
import { issuesBelow, issuesOf } from "../core/issue.ts";
import { canonicalJson, type Json } from "../core/json.ts";
import { DEFAULT_WORKSPACE } from "../core/key.ts";
import type { Refusal } from "../core/refusal.ts";
import { parseAskUserQuestionRequest, validateUserQuestionAnswer } from "../core/user-question.ts";
import type { TurnView } from "../core/turn-view.ts";
import { HoldpointRefusal, refusalError, valueOf } from "./refusal.ts";
import type { HasReach } from "./target.ts";
import { type GenerateOptions, restingTurn, startAndWait } from "./turns.ts";

export interface DeferredItem {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly arguments: Json;
}

/** All that a suspended run waits for, by category. */
export interface Deferred {
  readonly calls: readonly DeferredItem[];
  readonly approvals: readonly DeferredItem[];
}

export type RunOutcome =
  | {
      readonly status: "completed";
      /** The last text; or the value that was asked for, where one was. */
      readonly output: Json;
    }
  | {
      readonly status: "suspended";
      /** Opaque: names the session, the turn and the run that waits. */
      readonly state: string;
      readonly deferred: Deferred;
    }
  | {
      readonly status: "failed";
      readonly error: { readonly code: string; readonly message: string };
    };

export type RunOptions = Omit<GenerateOptions, "harness">;

export async function run(harness: HasReach, options: RunOptions): Promise<RunOutcome> {
  const { turn } = await startAndWait({ ...options, harness });
  return outcomeOf(turn, options.workspace ?? DEFAULT_WORKSPACE);
}

/** The result of a call that the host could not get: declined, timed out. Known by its class: a value may look like it. */
export class ToolFailed {
  readonly failed: string;

  constructor(message: string) {
    this.failed = message;
  }
}

export function toolFailed(message: string): ToolFailed {
  return new ToolFailed(message);
}

export type ApprovalChoice = boolean | { readonly approve: boolean; readonly reason?: string };

/** What a host hands over may come from its own callers: no word but `true` is a permission. */
const choiceSchema = z.union([
  z.boolean().transform((approve) => ({ approve, reason: undefined })),
  z.strictObject({ approve: z.boolean(), reason: reasonSchema }),
]);

export interface ResultsByCategory {
  /** A value, or `toolFailed(message)`, for each call. */
  readonly calls?: Readonly<Record<string, Json | ToolFailed>>;
  readonly approvals?: Readonly<Record<string, ApprovalChoice>>;
  /** Approves every approval that `approvals` does not name. It never covers a question. */
  readonly approveAll?: boolean;
}

/** Results that cover a request exactly. */
export interface DeferredResults {
  readonly approvals: Readonly<Record<string, unknown>>;
  readonly calls: Readonly<Record<string, unknown>>;
}

/** Checks the results against the request, each item in its own category, and answers against their questions. */
export function buildResults(deferred: Deferred, results: ResultsByCategory): DeferredResults {
  const calls = new Map(Object.entries(results.calls ?? {}));
  const approvals = new Map(Object.entries(results.approvals ?? {}));
  if (results.approveAll === true)
    for (const { toolCallId } of deferred.approvals)
      if (!approvals.has(toolCallId)) approvals.set(toolCallId, true);
  const openApprovals = new Set(deferred.approvals.map((item) => item.toolCallId));
  const openCalls = new Set(deferred.calls.map((item) => item.toolCallId));
  for (const id of calls.keys())
    if (openApprovals.has(id))
      refuse("deferred_approval_invalid", `${id} is an approval: it takes no result of a call`);
  for (const id of approvals.keys())
    if (openCalls.has(id))
      refuse("deferred_approval_invalid", `${id} is a call: an approval does not answer it`);
  const unknown = [...calls.keys(), ...approvals.keys()].filter(
    (id) => !openCalls.has(id) && !openApprovals.has(id),
  );
  if (unknown.length > 0)
    refuse("deferred_request_mismatch", `the request has no ${unknown.join(", ")}`);
  const missing = [...openApprovals]
    .filter((id) => !approvals.has(id))
    .concat([...openCalls].filter((id) => !calls.has(id)));
  if (missing.length > 0)
    refuse("deferred_results_incomplete", `no result for ${missing.join(", ")}`);
  return {
    approvals: Object.fromEntries(
      [...approvals].map(([id, choice]) => [id, approvalOf(id, choice)]),
    ),
    calls: Object.fromEntries(
      deferred.calls.map((item) => [item.toolCallId, resultOf(item, calls.get(item.toolCallId))]),
    ),
  };
}

function approvalOf(id: string, choice: ApprovalChoice): object {
  const parsed = choiceSchema.safeParse(choice);
  if (!parsed.success)
    return refuse(
      "deferred_approval_invalid",
      `the approval of ${id} must be true, false or { approve, reason? }`,
    );
  const { approve, reason } = parsed.data;
  if (approve) return { action: "approve" };
  return { action: "deny", ...(reason !== undefined && { reason }) };
}

function resultOf(item: DeferredItem, given: Json | ToolFailed | undefined): object {
  if (given instanceof ToolFailed) return { status: "failed", message: given.failed };
  if (item.toolName !== "ask_user_question") return { status: "returned", value: given };
  const request = parseAskUserQuestionRequest(item.arguments);
  if (!request.ok)
    return refuse(
      "deferred_request_mismatch",
      `${item.toolCallId} is no question that can be answered`,
    );
  const answer = validateUserQuestionAnswer(request.value, given);
  if (!answer.ok)
    throw new HoldpointRefusal(
      "deferred_results_invalid",
      `the answer to ${item.toolCallId} does not fit its question`,
      issuesBelow(`calls.${item.toolCallId}`, answer.issues),
    );
  return { status: "returned", value: answer.value };
}

export interface ResumeOptions {
  readonly state: string;
  readonly results: DeferredResults;
}

/** Resumes a suspended run. The same results again are a receipt: they resume nothing, and show what came of them. */
export async function resume(
  harness: HasReach,
  { state, results }: ResumeOptions,
): Promise<RunOutcome> {
  const { workspace, runId, turnId } = readState(state);
  const waiting = parseId("run", runId);
  const turn = parseId("turn", turnId);
  if (waiting === undefined || turn === undefined)
    return refuse("deferred_request_mismatch", NOT_OURS);
  const batch = batchSchema.safeParse(results);
  if (!batch.success)
    throw new HoldpointRefusal(
      "deferred_results_invalid",
      "The results are not valid.",
      issuesOf(batch.error),
    );
  const digest = await sha256Hex(`${waiting.n}\n${canonicalJson(results)}`);
  const face = harness.reach.openSession(workspace, waiting.key);
  const resumed = await face.resumeRun(
    waiting.n,
    batch.data,
    { by: "host", via: "code" },
    { key: `embedded\n${digest}`, digest },
  );
  if (!resumed.ok) throw resumeRefusal(resumed.refusal);
  const now = valueOf(await face.readTurn(turn.n, 0));
  return outcomeOf(await restingTurn(face, now, harness.reach.linkOf(workspace)), workspace);
}

function resumeRefusal(refusal: Refusal): HoldpointRefusal {
  switch (refusal.code) {
    case "not_found":
      return new HoldpointRefusal("deferred_request_mismatch", NOT_OURS);
    case "not_waiting_head":
    case "turn_not_parked":
      return new HoldpointRefusal("deferred_request_completed", refusal.detail);
    case "results_incomplete":
      return new HoldpointRefusal(
        refusal.coverage.unexpected.length > 0
          ? "deferred_request_mismatch"
          : "deferred_results_incomplete",
        refusal.detail,
        refusal.issues,
      );
    case "invalid_result":
      return new HoldpointRefusal("deferred_results_invalid", refusal.detail, refusal.issues);
    default:
      return refusalError(refusal);
  }
}

const stateSchema = z.strictObject({
  workspace: z.string().regex(/^[a-z0-9-]{1,32}$/),
  turnId: z.string(),
  runId: z.string(),
});
const NOT_OURS = "The state is not one that run or resume returned.";

function outcomeOf(turn: TurnView, workspace: string): RunOutcome {
  if (turn.status === "completed")
    return { status: "completed", output: turn.output ?? turn.text ?? "" };
  if (turn.status === "failed" && turn.error !== undefined) {
    const { code, message } = turn.error;
    return { status: "failed", error: { code, message } };
  }
  const last = turn.runs.at(-1);
  if (turn.status !== "parked" || turn.pending === undefined || last === undefined)
    return { status: "failed", error: { code: "cancelled", message: "The turn was cancelled." } };
  const state = btoa(JSON.stringify({ workspace, turnId: turn.id, runId: last.id }));
  const item = ({ toolCallId, toolName, arguments: input }: DeferredItem): DeferredItem => ({
    toolCallId,
    toolName,
    arguments: input,
  });
  return {
    status: "suspended",
    state,
    deferred: { calls: turn.pending.calls.map(item), approvals: turn.pending.approvals.map(item) },
  };
}

function readState(state: string): z.output<typeof stateSchema> {
  try {
    return stateSchema.parse(JSON.parse(atob(state)));
  } catch {
    return refuse("deferred_request_mismatch", NOT_OURS);
  }
}

function refuse(code: HoldpointRefusal["code"], detail: string): never {
  throw new HoldpointRefusal(code, detail);
}
