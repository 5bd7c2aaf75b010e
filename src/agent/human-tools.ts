/**
 * Owns: the tools by which a model asks people and follows tasks: how they are declared, and what those do that are
 * settled at once, inside the transaction that records the call. `await_tasks` and `ask_user_question` wait instead.
 */

import * as z from "zod";
import type { CallKind, ToolOutput } from "../core/event.ts";
import { formatTaskId, parseTaskId, type SessionKey } from "../core/ids.ts";
import { issuesOf } from "../core/issue.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { LISTED_TASKS, OPEN_QUESTIONS } from "../core/limits.ts";
import {
  type PersonQuestion,
  personQuestionJsonSchema,
  personQuestionSchema,
} from "../core/question.ts";
import type { Checked } from "../core/refusal.ts";
import { shorten } from "../core/text.ts";
import { failed } from "../core/settlement.ts";
import {
  awaitTasksSchema,
  cancelTaskSchema,
  getTaskSchema,
  listTasksSchema,
  type TaskRecord,
  taskView,
  taskViews,
  unknownTasks,
} from "../core/task.ts";
import { askUserQuestionJsonSchema, parseAskUserQuestionRequest } from "../core/user-question.ts";
import type { Agent } from "./agent.ts";
import type { BoundTool } from "./bound-tool.ts";

/** What the task tools need of the session, inside its transaction. */
export interface TaskPort {
  readonly key: SessionKey;
  /** Undefined where the session has OPEN_QUESTIONS open ones already. */
  ask(question: PersonQuestion): TaskRecord | undefined;
  /** The newest so many, newest first. */
  newest(limit: number): Iterable<TaskRecord>;
  find(task: number): TaskRecord | undefined;
  cancel(record: TaskRecord, reason: string | undefined): TaskRecord;
}

export function humanTools(agent: Agent): BoundTool[] {
  const { humanInput, userQuestions } = agent;
  const hasTasks =
    humanInput !== undefined ||
    Object.values(agent.toolRules).some((rule) => rule.background === true);
  return [
    ...(humanInput?.askPerson === true ? [askPerson([...humanInput.reach.directory.keys()])] : []),
    ...(hasTasks ? TASK_TOOLS : []),
    ...(userQuestions ? [ASK_USER_QUESTION] : []),
  ];
}

/** What the instructions gain where the agent can ask a person; empty where it can't. */
export function humanInstructions(agent: Agent): string {
  const sentences = [
    ...(agent.humanInput?.askPerson === true ? [ASK_PERSON_INSTRUCTIONS] : []),
    ...(agent.userQuestions ? [USER_QUESTION_INSTRUCTIONS] : []),
  ];
  return sentences.join(" ");
}

/** What a turn is told of the questions that others of its session wait for: it must neither answer nor guess them. */
export function pendingInstructions(questions: readonly string[]): string {
  if (questions.length === 0) return "";
  const list = questions
    .slice(0, PENDING_SHOWN)
    .map((question) => `- ${shorten(question, PENDING_CHARACTERS)}`);
  return [
    "Earlier work in this conversation waits for a person. These questions are open:",
    ...list,
    "The user's message is no answer to them: answers arrive by themselves. Don't answer them, and don't invent what comes of them.",
  ].join("\n");
}

const PENDING_SHOWN = 20;
const PENDING_CHARACTERS = 500;

const ASK_PERSON_INSTRUCTIONS =
  "You can ask a person with ask_person. Ask only when the answer changes the result, and ask once, concisely. " +
  "ask_person returns at once with a taskId and the answer comes later, perhaps after days: go on with what does not " +
  "need it, then call await_tasks with the taskId. Never guess an answer, and never take another message for one.";
const USER_QUESTION_INSTRUCTIONS =
  "You can put structured questions to the user with ask_user_question. Use it only when the choice changes the result.";

function askPerson(recipients: readonly string[]): BoundTool {
  return humanTool(
    "ask_person",
    "immediate",
    ASK_PERSON_DESCRIPTION,
    personQuestionJsonSchema(recipients),
    (input) => {
      const checked = checkedBy(personQuestionSchema, input);
      if (!checked.ok || checked.value.to === undefined || recipients.includes(checked.value.to))
        return checked;
      const message =
        recipients.length === 0
          ? "no recipients are configured: leave it out"
          : `must be one of ${recipients.join(", ")}`;
      return { ok: false, issues: [{ path: "to", message }] };
    },
  );
}

const ASK_PERSON_DESCRIPTION =
  "Ask a person a question. Returns { status: 'asked', taskId } at once; the answer comes later through await_tasks.";

const TASK_TOOLS: readonly BoundTool[] = [
  zodTool(
    "await_tasks",
    "await",
    "Wait until tasks are settled: all of them, or any. The turn pauses, if it must, until they are. With maxWaitMs the wait ends by itself.",
    awaitTasksSchema,
  ),
  zodTool(
    "list_tasks",
    "immediate",
    "List the tasks of this conversation: questions to people and background tools.",
    listTasksSchema,
  ),
  zodTool("get_task", "immediate", "Look at one task without waiting for it.", getTaskSchema),
  zodTool("cancel_task", "immediate", "Cancel a task that is no longer needed.", cancelTaskSchema),
];

const ASK_USER_QUESTION = humanTool(
  "ask_user_question",
  "form",
  "Ask the user one to four structured questions. Returns their answers.",
  askUserQuestionJsonSchema,
  parseAskUserQuestionRequest,
);

/** Settles a call of kind `immediate` that was checked before. */
export function settleImmediate(toolName: string, input: Json, port: TaskPort): ToolOutput {
  switch (toolName) {
    case "ask_person":
      return asked(port.ask(personQuestionSchema.parse(input)));
    case "list_tasks":
      return listed(port);
    case "get_task": {
      const { taskId } = getTaskSchema.parse(input);
      return withTask(taskId, port, (record) => record);
    }
    case "cancel_task": {
      const { taskId, reason } = cancelTaskSchema.parse(input);
      return withTask(taskId, port, (record) =>
        record.settlement === undefined ? port.cancel(record, reason) : record,
      );
    }
    default:
      throw new Error(`${toolName} is not settled at once`);
  }
}

function asked(record: TaskRecord | undefined): ToolOutput {
  if (record?.task === undefined)
    return failed(
      `this session has ${OPEN_QUESTIONS} open questions already: wait for answers, or cancel some`,
    );
  return { type: "json", value: { status: "asked", taskId: formatTaskId(record.task) } };
}

function listed(port: TaskPort): ToolOutput {
  // One more than is listed tells whether there are others.
  const newest = taskViews(port.newest(LISTED_TASKS + 1), port.key);
  const tasks = newest.slice(0, LISTED_TASKS).toReversed();
  const note = "older tasks are not listed: look at one with get_task";
  return {
    type: "json",
    value: newest.length > LISTED_TASKS ? { tasks, note } : { tasks },
  };
}

function withTask(
  taskId: string,
  port: TaskPort,
  use: (record: TaskRecord) => TaskRecord,
): ToolOutput {
  const task = parseTaskId(taskId);
  const record = task === undefined ? undefined : port.find(task);
  if (record === undefined) return unknownTasks([taskId]);
  return { type: "json", value: taskView(use(record), port.key) };
}

function zodTool(name: string, kind: CallKind, description: string, schema: z.ZodType): BoundTool {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io: "input" });
  return humanTool(name, kind, description, jsonSchema as JsonObject, (input) =>
    checkedBy(schema, input),
  );
}

function humanTool(
  name: string,
  kind: CallKind,
  description: string,
  jsonSchema: JsonObject,
  check: (input: Json) => Checked<unknown>,
): BoundTool {
  return {
    name,
    description,
    jsonSchema,
    kind,
    effect: false,
    editable: false,
    check: (input) => Promise.resolve(check(input)),
    run: () => Promise.reject(new Error(`${name} is settled by the session`)),
  };
}

function checkedBy<T>(schema: z.ZodType<T>, input: unknown): Checked<T> {
  const parsed = schema.safeParse(input);
  return parsed.success
    ? { ok: true, value: parsed.data }
    : { ok: false, issues: issuesOf(parsed.error) };
}
