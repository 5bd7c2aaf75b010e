/**
 * Owns: the Service's views on the wire: every member present, nulls included, in the order of the Service.
 */

import type { EntryView, RunView, ThreadView } from "../../session/face.ts";

export function threadJson(thread: ThreadView, workspace: string) {
  return {
    id: threadId(thread.sessionId),
    workspace_id: workspace,
    session_id: thread.sessionId,
    origin: "new",
    current_run_id: thread.currentRunId ?? null,
    last_run_id: thread.lastRunId ?? null,
    labels: thread.labels,
    archived_at: null,
    version: thread.version,
    created_at: time(thread.createdAt),
    updated_at: time(thread.updatedAt),
  };
}

export function entryJson(entry: EntryView) {
  return {
    id: entry.id,
    thread_id: threadId(entry.sessionId),
    kind: "message",
    delivery: entry.delivery,
    position: entry.position,
    status: entry.status,
    payload: { content: entry.content },
    agent_id: entry.agent,
    assigned_run_id: entry.runId ?? null,
    failure: entry.failure ?? null,
    created_at: time(entry.createdAt),
    finished_at: timeOrNull(entry.finishedAt),
  };
}

export function runJson(run: RunView, workspace: string) {
  const isSealed = run.sealedAt !== undefined;
  return {
    id: run.id,
    workspace_id: workspace,
    session_id: run.sessionId,
    thread_id: threadId(run.sessionId),
    agent_id: run.agent,
    status: run.status,
    trigger: run.trigger,
    lineage: run.parentRunId === undefined ? "root" : "continue",
    parent_run_id: run.parentRunId ?? null,
    source_entry_id: run.entryId,
    input: { content: run.input },
    resume: run.resume ?? null,
    resumed_by_id: run.successorRunId ?? null,
    wait_reason: waitReason(run.pending),
    pending: run.pending === undefined ? null : pendingJson(run.pending),
    attempts: run.attempts,
    max_attempts: run.maxAttempts,
    output: run.status === "completed" ? run.text : null,
    failure: run.failure ?? null,
    usage_at_seal: isSealed
      ? { input_tokens: run.usage.inputTokens, output_tokens: run.usage.outputTokens }
      : null,
    labels: run.labels,
    cancel_requested_at: run.status === "cancelled" ? timeOrNull(run.sealedAt) : null,
    version: run.version,
    created_at: time(run.acceptedAt),
    updated_at: time(run.updatedAt),
    started_at: timeOrNull(run.startedAt),
    sealed_at: timeOrNull(run.sealedAt),
  };
}

type Pending = NonNullable<RunView["pending"]>;

function pendingJson({ approvals, calls }: Pending) {
  return { approvals: approvals.map(pendingItemJson), calls: calls.map(pendingItemJson) };
}

function pendingItemJson(item: Pending["calls"][number]) {
  return {
    tool_call_id: item.toolCallId,
    tool_name: item.toolName,
    arguments: item.arguments,
    presentation: null,
  };
}

function waitReason(pending: Pending | undefined): "approval" | "call" | "multiple" | null {
  if (pending === undefined) return null;
  if (pending.approvals.length > 0 && pending.calls.length > 0) return "multiple";
  return pending.approvals.length > 0 ? "approval" : "call";
}

function threadId(sessionId: string): string {
  return sessionId.replace(/^sess_/, "thread_");
}

function time(at: number): string {
  return new Date(at).toISOString();
}

function timeOrNull(at: number | undefined): string | null {
  return at === undefined ? null : time(at);
}
