/**
 * Owns: how a turn and a question look to a caller. Links are added outside, by whoever holds the secret that signs them.
 */

import { formatId, formatSessionId, formatTaskId, type SessionKey } from "../core/ids.ts";
import { CALLBACK_CHANNEL, type DeliveryChore } from "../core/chore.ts";
import { shownInput } from "../core/input.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { expiresAt } from "../core/life.ts";
import { waitsUntil } from "../core/plan.ts";
import type { Question } from "../core/question.ts";
import type { PendingItem, TurnView, WaitView } from "../core/turn-view.ts";
import {
  addressedOf,
  questionText,
  isLate,
  settlementFields,
  type TaskRecord,
} from "../core/task.ts";
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
  const retry = turn.status === "running" || turn.status === "parked" ? turn.retry : undefined;
  return {
    id: formatId("turn", key, turn.n),
    sessionId: formatSessionId(key),
    ...(sessionName !== undefined && { sessionName }),
    agent: turn.started.agent,
    status: turn.status,
    input: shownInput(turn.started),
    ...(turn.started.inputType !== undefined && { inputType: turn.started.inputType }),
    ...(turn.status === "completed" && { text: turn.text }),
    ...(turn.status === "completed" && turn.output !== undefined && { output: turn.output }),
    ...(turn.status === "failed" && { error: turn.failure }),
    ...(retry !== undefined && { error: retry.failure }),
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
    ...(retry !== undefined && { nextRetryAt: time(retry.at) }),
    usage: { ...turn.usage, steps: turn.steps },
    createdAt: time(turn.createdAt),
    updatedAt: time(turn.updatedAt),
    ...(metadata !== undefined && { metadata }),
  };
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
    ...(call.schema !== undefined && { schema: call.schema }),
  };
}

type WaitSource = Pick<ViewSource, "key" | "task" | "question">;

export function waitingFor(turn: ParkedTurn, source: WaitSource): WaitView[] {
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
  source: WaitSource,
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
    ...linkFields(record),
  };
}

/** What a question's link is made of. */
function linkFields(record: TaskRecord): { readonly to?: string; readonly expiresAt?: string } {
  const { to } = addressedOf(record);
  const until = expiresAt(record.createdAt, record.life);
  return {
    ...(to !== undefined && { to }),
    ...(until !== undefined && { expiresAt: time(until) }),
  };
}

/** A question without its link; undefined for a background tool. */
export function questionView(
  record: TaskRecord,
  deliveries: readonly DeliveryChore[],
  key: SessionKey,
): Question | undefined {
  const { content, settlement } = record;
  const { recipients } = addressedOf(record);
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
    ...linkFields(record),
    ...(recipients !== undefined && { recipients }),
    ...(settlement !== undefined && settlementFields(settlement)),
    ...(isLate(record) && { late: true }),
    deliveries: deliveries.map(deliveryView),
    history: historyOf(record, deliveries),
    createdAt: time(record.createdAt),
  };
  return view as Question;
}

function contentFields({ content, callId }: TaskRecord): JsonObject {
  const toolCallId = callId === undefined ? {} : { toolCallId: callId };
  switch (content.kind) {
    case "person":
    case "tool": {
      const { question: _question, to: _to, ...rest } = content.question;
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

function deliveryView({ content, state, tries, error }: DeliveryChore): JsonObject {
  const event = content.notices[0]?.event ?? "question.asked";
  return {
    channel: content.channel,
    ...(content.recipient !== undefined && { recipient: content.recipient }),
    ...(event !== "question.asked" && { event }),
    status: state === "due" ? "pending" : state,
    tries,
    ...(error !== undefined && { error }),
  };
}

function historyOf(
  { createdAt, settlement, life }: TaskRecord,
  deliveries: readonly DeliveryChore[],
): Json {
  const asked = { at: createdAt, event: "question.asked" };
  const delivered = deliveries.flatMap(({ sentAt, content: { channel, recipient: to } }) =>
    // Word of what happened later is no delivery of the question.
    sentAt === undefined || channel === CALLBACK_CHANNEL
      ? []
      : [{ at: sentAt, event: "question.delivered", channel, ...(to !== undefined && { to }) }],
  );
  const settled =
    settlement === undefined
      ? []
      : [
          {
            at: settlement.at,
            event: `question.${settlement.status}`,
            ...("by" in settlement && { channel: settlement.via, by: settlement.by }),
          },
        ];
  return [asked, ...delivered, ...(life?.events ?? []), ...settled]
    .toSorted((one, other) => one.at - other.at)
    .map((entry) => ({ ...entry, at: time(entry.at) }));
}

function time(at: number): string {
  return new Date(at).toISOString();
}
