/**
 * Owns: what goes on beside a turn until it is settled, once: a question to a person, or a background tool; what the
 * model sees of it; and when a wait for tasks is over.
 */

import * as z from "zod";
import { type Answer, reasonSchema } from "./answer.ts";
import type { ToolOutput } from "./event.ts";
import { formatId, formatTaskId, parseTaskId, type SessionKey } from "./ids.ts";
import type { Json, JsonObject } from "./json.ts";
import { AWAITED_TASKS, TOOL_RESULT_BYTES, WAIT_MS_MAX, WAIT_MS_MIN } from "./limits.ts";
import type { Life } from "./life.ts";
import { formQuestionText, approvalQuestionText } from "./question.ts";
import type { AnsweredVia, PersonQuestion, ToolQuestion } from "./question.ts";
import type { Addressed } from "./recipients.ts";
import { failed } from "./settlement.ts";
import type { AskUserQuestionRequest } from "./user-question.ts";

/** What was asked or started. */
export type TaskContent =
  | { readonly kind: "person"; readonly question: PersonQuestion }
  | { readonly kind: "tool"; readonly question: ToolQuestion }
  | { readonly kind: "form"; readonly request: AskUserQuestionRequest }
  | {
      readonly kind: "approval";
      readonly toolName: string;
      readonly input: Json;
      readonly editable: boolean;
      readonly reason?: string;
    }
  | {
      readonly kind: "background";
      readonly toolName: string;
      readonly input: Json;
      /** Present where another agent does the work, in a session of its own. */
      readonly child?: { readonly agent: string; readonly prompt: string };
    };

/** What a question asks, of whichever kind. */
export type QuestionContent = Exclude<TaskContent, { kind: "background" }>;

/** How it ended. A background tool's result is `finished`; all else ends a question. */
export type Settlement =
  | {
      readonly status: "answered";
      readonly answer: Answer;
      readonly by: string;
      readonly via: AnsweredVia;
    }
  | {
      readonly status: "declined";
      readonly reason?: string;
      readonly by: string;
      readonly via: AnsweredVia;
    }
  | { readonly status: "cancelled"; readonly reason?: string }
  | { readonly status: "expired" }
  | { readonly status: "finished"; readonly output: ToolOutput };

/** How a question ended. */
export type QuestionSettlement = Exclude<Settlement, { status: "finished" }>;

/** One row of the table of questions and background tools. */
export interface TaskRecord {
  /** The number in its id `q_…`. */
  readonly n: number;
  /** The N of `task_N`; forms and approvals have none, since their call waits for them itself. */
  readonly task?: number;
  /** The call that asked; a question from outside a turn has turn 0. */
  readonly turn: number;
  readonly step: number;
  readonly index: number;
  readonly agent?: string;
  readonly callId?: string;
  /** What makes it the same question as one asked again; only where asking again finds it. */
  readonly identity?: string;
  readonly content: TaskContent;
  readonly createdAt: number;
  /** Of a question that has more to it than what it asks. */
  readonly life?: Life;
  readonly settlement?: Settlement & { readonly at: number };
  /** True where a wait for it had timed out before it was settled. */
  readonly late: boolean;
  /** How often a background tool was begun again because its object died under it. */
  readonly tries: number;
}

/** The text that a list shows for a question. */
export function questionText(content: TaskContent): string {
  switch (content.kind) {
    case "person":
    case "tool":
      return content.question.question;
    case "form":
      return formQuestionText(content.request);
    case "approval":
      return approvalQuestionText(content.toolName);
    case "background":
      return content.toolName;
  }
}

/** Whom a question is addressed to now. */
export function addressedOf({ content, life }: TaskRecord): Addressed {
  if (life?.to !== undefined || life?.recipients !== undefined)
    return { to: life.to, recipients: life.recipients };
  return content.kind === "person" || content.kind === "tool" ? { to: content.question.to } : {};
}

/** A task as the model sees it. */
export function taskView(record: TaskRecord, key: SessionKey): JsonObject {
  const { content, settlement } = record;
  const taskId = record.task === undefined ? undefined : formatTaskId(record.task);
  if (content.kind === "background") return backgroundView(record, content, taskId);
  return {
    taskId,
    kind: "input",
    requestId: formatId("q", key, record.n),
    question: questionText(content),
    ...(questionOptions(content) !== undefined && { options: questionOptions(content) }),
    status: settlement?.status ?? "waiting",
    ...(settlement !== undefined && settlementFields(settlement)),
    ...(isLate(record) && { late: true }),
  };
}

/** Whether an answer came, or may still come, after a wait for it had run out. What was taken back has none. */
export function isLate({ late, settlement }: TaskRecord): boolean {
  return late && settlement?.status !== "cancelled" && settlement?.status !== "expired";
}

/**
 * Tasks in one result. The first is shown whole, since it was within its limits when it was kept; of the others those that
 * fit beside it into a result, and the rest by name, to be looked at one by one.
 */
export function taskViews(records: Iterable<TaskRecord>, key: SessionKey): JsonObject[] {
  const views: JsonObject[] = [];
  let bytes = 0;
  for (const record of records) {
    const view = taskView(record, key);
    const taken = new TextEncoder().encode(JSON.stringify(view)).length;
    const isWhole = views.length === 0 || bytes + taken <= TOOL_RESULT_BYTES;
    if (isWhole) bytes += taken;
    views.push(isWhole ? view : shortView(view));
  }
  return views;
}

function shortView({ taskId, kind, status }: JsonObject): JsonObject {
  return { taskId, kind, status, note: "too long to be shown here: look at it with get_task" };
}

function questionOptions(content: TaskContent): Json | undefined {
  if (content.kind !== "person" && content.kind !== "tool") return undefined;
  return content.question.options?.map((option) => ({ ...option }));
}

function backgroundView(
  record: TaskRecord,
  content: Extract<TaskContent, { kind: "background" }>,
  taskId: string | undefined,
): JsonObject {
  const { settlement } = record;
  const base = { taskId, kind: "tool", toolName: content.toolName };
  if (settlement === undefined) return { ...base, status: "running" };
  if (settlement.status !== "finished")
    return {
      ...base,
      status: settlement.status,
      ...("reason" in settlement && { reason: settlement.reason }),
    };
  const { output } = settlement;
  return output.type === "error-text" || output.type === "error-json"
    ? { ...base, status: "failed", error: output.value }
    : { ...base, status: "completed", result: output.value };
}

/** How a question ended, in the names of the wire. `at` is in milliseconds, the wire's in ISO 8601. */
export function settlementFields(settlement: Settlement & { readonly at: number }): JsonObject {
  switch (settlement.status) {
    case "answered":
      return {
        answer: settlement.answer as Json,
        answeredBy: settlement.by,
        answeredAt: new Date(settlement.at).toISOString(),
        answeredVia: settlement.via,
      };
    case "declined":
      return {
        ...(settlement.reason !== undefined && { reason: settlement.reason }),
        answeredBy: settlement.by,
        answeredAt: new Date(settlement.at).toISOString(),
        answeredVia: settlement.via,
      };
    case "cancelled":
      return settlement.reason === undefined ? {} : { reason: settlement.reason };
    case "expired":
    case "finished":
      return {};
  }
}

const taskIdSchema = z.string().regex(/^task_[1-9][0-9]{0,8}$/, "must be a task id such as task_1");

export const awaitTasksSchema = z.strictObject({
  taskIds: z.array(taskIdSchema).min(1).max(AWAITED_TASKS),
  mode: z.enum(["all", "any"]).default("all"),
  maxWaitMs: z.int().min(WAIT_MS_MIN).max(WAIT_MS_MAX).optional(),
});
export const listTasksSchema = z.strictObject({});
export const getTaskSchema = z.strictObject({ taskId: taskIdSchema });
export const cancelTaskSchema = z.strictObject({
  taskId: taskIdSchema,
  reason: reasonSchema,
});

/** When an `await_tasks` call runs out by itself. Its input was checked before it was stored. */
export function awaitDeadline(input: Json, calledAt: number): number | undefined {
  const { maxWaitMs } = awaitTasksSchema.parse(input);
  return maxWaitMs === undefined ? undefined : calledAt + maxWaitMs;
}

export type AwaitOutcome =
  | { readonly over: false }
  | { readonly over: true; readonly status: "unknown"; readonly unknown: readonly string[] }
  | {
      readonly over: true;
      readonly status: "satisfied" | "timed_out";
      readonly settled: readonly number[];
      readonly pending: readonly number[];
    };

/** Whether a task is settled; undefined for a number that the session never gave. What it holds may be large, and is not asked. */
export type TaskLookup = (task: number) => { readonly isSettled: boolean } | undefined;

export type AwaitOver = Extract<AwaitOutcome, { over: true }>;

/** Whether a wait is over. A task settled before the wait began counts; time runs out only if the tasks did not suffice. */
export function awaitOutcome(
  input: Json,
  calledAt: number,
  lookup: TaskLookup,
  now: number,
): AwaitOutcome {
  const { taskIds, mode } = awaitTasksSchema.parse(input);
  const settled: number[] = [];
  const pending: number[] = [];
  const unknown: string[] = [];
  for (const taskId of new Set(taskIds)) {
    const task = parseTaskId(taskId);
    const found = task === undefined ? undefined : lookup(task);
    if (task === undefined || found === undefined) unknown.push(taskId);
    else if (found.isSettled) settled.push(task);
    else pending.push(task);
  }
  if (unknown.length > 0) return { over: true, status: "unknown", unknown };
  const satisfied = mode === "all" ? pending.length === 0 : settled.length > 0;
  if (satisfied) return { over: true, status: "satisfied", settled, pending };
  const deadline = awaitDeadline(input, calledAt);
  if (deadline === undefined || deadline > now) return { over: false };
  return { over: true, status: "timed_out", settled, pending };
}

/** What `await_tasks` returns to the model. `read` is asked for one task after another: together they may be large. */
export function awaitResult(
  outcome: AwaitOver,
  key: SessionKey,
  read: (task: number) => TaskRecord | undefined,
): ToolOutput {
  if (outcome.status === "unknown") return unknownTasks(outcome.unknown);
  return {
    type: "json",
    value: {
      status: outcome.status,
      tasks: taskViews(readEach(outcome.settled, read), key),
      pending: outcome.pending.map(formatTaskId),
    },
  };
}

function* readEach(
  tasks: readonly number[],
  read: (task: number) => TaskRecord | undefined,
): Generator<TaskRecord> {
  for (const task of tasks) {
    const record = read(task);
    if (record !== undefined) yield record;
  }
}

export function unknownTasks(taskIds: readonly string[]): ToolOutput {
  return failed(`this session has no task ${taskIds.join(", ")}`);
}
