/**
 * Owns: how a turn and a question look to a caller. Links are added outside, by whoever holds the secret that signs them.
 */

import { formatId, formatSessionId, formatTaskId, type SessionKey } from "../core/ids.ts";
import type { Delivery } from "../core/chore.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { waitsUntil } from "../core/plan.ts";
import type { Question } from "../core/question.ts";
import type { PendingItem, TurnView, WaitView } from "../core/turn-view.ts";
import { questionText, settlementFields, type TaskRecord } from "../core/task.ts";
import { attemptsOf, isWaiting, type ParkedTurn, type Turn, type TurnCall } from "../core/turn.ts";
import { awaitTasksSchema } from "../core/task.ts";
import { parseTaskId } from "../core/ids.ts";

/** What a view needs to know of a session beside the turn itself. */
export interface ViewSource {
  readonly key: SessionKey;
  readonly task: (task: number) => TaskRecord | undefined;
  readonly question: (n: number) => TaskRecord | undefined;
  /** The turn that a queued one waits for. */
  readonly ahead: (turn: Turn) => Turn | undefined;
  /** How often an agent's turn is tried in all. */
  readonly maxAttempts: (agent: string) => number;
}

export function turnView(turn: Turn, source: ViewSource): TurnView {
  const { key } = source;
  const { sessionName, metadata } = turn.started;
  const ahead = turn.status === "queued" ? source.ahead(turn) : undefined;
  return {
    id: formatId("turn", key, turn.n),
    sessionId: formatSessionId(key),
    ...(sessionName !== undefined && { sessionName }),
    agent: turn.started.agent,
    status: turn.status,
    ...inputOf(turn),
    ...(turn.status === "completed" && { text: turn.text }),
    ...(turn.status === "completed" && turn.output !== undefined && { output: turn.output }),
    ...(turn.status === "failed" && { error: turn.failure }),
    ...(turn.status === "running" && turn.retry !== undefined && { error: turn.retry.failure }),
    runs: turn.runs.map((run) => ({
      id: formatId("run", key, run.n),
      status: run.sealed ?? turn.status,
    })),
    ...(turn.status === "parked" && {
      pending: pendingOf(turn, source),
      waitingFor: waitingFor(turn, source),
    }),
    ...(ahead !== undefined && {
      queuedBehind: {
        turnId: formatId("turn", key, ahead.n),
        ...(ahead.status === "parked" && { waitingFor: waitingFor(ahead, source) }),
      },
    }),
    attempts: attemptsOf(turn),
    ...(turn.status === "running" &&
      turn.retry !== undefined && { nextRetryAt: time(turn.retry.at) }),
    usage: { ...turn.usage, steps: turn.steps },
    createdAt: time(turn.createdAt),
    updatedAt: time(turn.updatedAt),
    ...(metadata !== undefined && { metadata }),
  };
}

/** The input as the caller gave it: one of a named shape is kept as a part, and was the value alone. */
function inputOf({ started }: Turn): Pick<TurnView, "input" | "inputType"> {
  const { input, inputType } = started;
  const [part] = typeof input === "string" ? [] : input;
  if (inputType === undefined || part?.type !== "json") return { input: input as Json };
  return { input: part.value, inputType };
}

function pendingOf(turn: ParkedTurn, source: ViewSource): NonNullable<TurnView["pending"]> {
  return pendingItems(turn.calls.filter(isWaiting), source);
}

/** Waiting calls by category: an approval is a person's yes to a call, all else is a call's own result. */
export function pendingItems(
  calls: readonly TurnCall[],
  source: ViewSource,
): NonNullable<TurnView["pending"]> {
  return {
    approvals: calls.filter(isApproval).map((call) => pendingItem(call, source)),
    calls: calls.filter((call) => !isApproval(call)).map((call) => pendingItem(call, source)),
  };
}

export function isApproval(call: TurnCall): boolean {
  return call.approval !== undefined;
}

function pendingItem(call: TurnCall, { key, question }: ViewSource): PendingItem {
  const n = call.now.state === "waiting" ? call.now.question : undefined;
  const content = n === undefined ? undefined : question(n)?.content;
  return {
    toolCallId: call.callId,
    toolName: call.toolName,
    arguments: content?.kind === "form" ? (content.request as unknown as Json) : call.input,
    ...(n !== undefined && { requestId: formatId("q", key, n) }),
  };
}

export function waitingFor(turn: ParkedTurn, source: ViewSource): WaitView[] {
  const seen = new Set<number>();
  return turn.calls.filter(isWaiting).flatMap((call): WaitView[] => {
    if (call.kind === "await") return awaited(turn, call, source, seen);
    const n = call.now.state === "waiting" ? call.now.question : undefined;
    const record = n === undefined ? undefined : source.question(n);
    if (record === undefined) return [{ kind: "call", toolCallId: call.callId }];
    return [{ ...questionWait(record, source.key), toolCallId: call.callId }];
  });
}

function awaited(
  turn: ParkedTurn,
  call: TurnCall,
  source: ViewSource,
  seen: Set<number>,
): WaitView[] {
  const until = waitsUntil({ ...turn, calls: [call] });
  const { taskIds } = awaitTasksSchema.parse(call.input);
  return taskIds.flatMap((taskId): WaitView[] => {
    const task = parseTaskId(taskId);
    const record = task === undefined ? undefined : source.task(task);
    if (
      task === undefined ||
      record === undefined ||
      record.settlement !== undefined ||
      seen.has(task)
    )
      return [];
    seen.add(task);
    return [
      { ...questionWait(record, source.key), ...(until !== undefined && { until: time(until) }) },
    ];
  });
}

function questionWait(record: TaskRecord, key: SessionKey): WaitView {
  const taskId = record.task === undefined ? {} : { taskId: formatTaskId(record.task) };
  if (record.content.kind === "background") return { kind: "task", ...taskId };
  return {
    kind: "question",
    requestId: formatId("q", key, record.n),
    ...taskId,
    question: questionText(record.content),
    ...recipientOf(record),
  };
}

function recipientOf({ content }: TaskRecord): { readonly to?: string } {
  if (content.kind !== "person" && content.kind !== "tool") return {};
  return content.question.to === undefined ? {} : { to: content.question.to };
}

/** A question without its link; undefined for a background tool. */
export function questionView(
  record: TaskRecord,
  deliveries: readonly Delivery[],
  key: SessionKey,
): Question | undefined {
  const { content, settlement } = record;
  if (content.kind === "background") return undefined;
  const view: JsonObject = {
    requestId: formatId("q", key, record.n),
    ...(record.task !== undefined && { taskId: formatTaskId(record.task) }),
    kind: content.kind,
    sessionId: formatSessionId(key),
    ...(record.turn !== 0 && { turnId: formatId("turn", key, record.turn) }),
    ...(record.agent !== undefined && { agent: record.agent }),
    status: settlement?.status ?? "waiting",
    question: questionText(content),
    ...contentFields(record),
    ...(settlement !== undefined && settlementFields(settlement)),
    ...(record.late && { late: true }),
    deliveries: deliveries.map((delivery) => ({ ...delivery })),
    history: historyOf(record),
    createdAt: time(record.createdAt),
  };
  return view as Question;
}

function contentFields({ content, callId }: TaskRecord): JsonObject {
  const toolCallId = callId === undefined ? {} : { toolCallId: callId };
  switch (content.kind) {
    case "person":
    case "tool": {
      const { question: _, ...rest } = content.question;
      return rest as JsonObject;
    }
    case "form":
      return { questions: content.request.questions as unknown as Json, ...toolCallId };
    case "approval":
      return {
        toolName: content.toolName,
        ...toolCallId,
        arguments: content.input,
        ...(content.editable && { editable: true }),
        ...(content.reason !== undefined && { context: content.reason }),
      };
    case "background":
      return {};
  }
}

function historyOf({ createdAt, settlement }: TaskRecord): Json {
  const asked = { at: time(createdAt), event: "question.asked" };
  if (settlement === undefined) return [asked];
  const by = "by" in settlement ? { by: settlement.by, channel: settlement.via } : {};
  return [asked, { at: time(settlement.at), event: `question.${settlement.status}`, ...by }];
}

function time(at: number): string {
  return new Date(at).toISOString();
}
