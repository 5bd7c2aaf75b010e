/**
 * Owns: the examples of the document of the API: one loan, and what becomes of it. A test holds each to its schema.
 */

import { type ProblemCode, PROBLEMS } from "../core/problem.ts";
import type { ProblemDocument } from "../core/responses.ts";
import type { Question } from "../core/question.ts";
import type { SessionEvent } from "../core/session-event.ts";
import type { ShownTurn } from "../core/turn-schema.ts";

const KEY = "9bbdae028457ab083921d566";
export const IDS = {
  session: `sess_${KEY}`,
  thread: `thread_${KEY}`,
  turn: `turn_${KEY}00000001`,
  entry: `entry_${KEY}00000001`,
  run: `run_${KEY}00000002`,
  question: `q_${KEY}00000004`,
  delivery: `delivery_${KEY}00000005`,
  nextRun: `run_${KEY}00000007`,
  request: "req_7c6f77f010f84ab793b704bb9c1da34d",
  cursor: "MTc2NDQ5NTQxNjczMCBxXzliYmRhZTAyODQ1N2FiMDgzOTIxZDU2NjAwMDAwMDA0",
} as const;

const STARTED = "2026-11-30T09:36:56.695Z";
const ASKED = "2026-11-30T09:36:56.730Z";
const ANSWERED = "2026-11-30T11:02:11.879Z";
const INPUT = "Pre-approve APP-1008: income 5000, debt 2350";
const TEXT = "APP-1008 is pre-approved: dana@lender.example approved its 47% debt-to-income ratio.";
const ASKS = "APP-1008 has a 47% debt-to-income ratio. Approve?";
const URL = `https://ask.example.com/a/AZu9rgKEV6sIOSHVZgAAAAQAAAAAAAADZGV21a4JICXjlaS1jjC-Es15QRyQHBUmaD60hyDFybtOKOE`;

const TURN = {
  id: IDS.turn,
  sessionId: IDS.session,
  agent: "loan-desk",
  input: INPUT,
  attempts: 0,
  createdAt: STARTED,
} as const;

export const RUNNING: ShownTurn = {
  ...TURN,
  status: "running",
  runs: [{ id: IDS.run, status: "running" }],
  usage: { inputTokens: 0, outputTokens: 0, steps: 0 },
  updatedAt: STARTED,
};

export const PARKED: ShownTurn = {
  ...TURN,
  status: "parked",
  runs: [{ id: IDS.run, status: "waiting" }],
  pending: {
    approvals: [],
    calls: [{ toolCallId: "demo_2", toolName: "await_tasks", arguments: { taskIds: ["task_1"] } }],
  },
  waitingFor: [
    {
      kind: "question",
      requestId: IDS.question,
      taskId: "task_1",
      question: ASKS,
      answerUrl: URL,
    },
  ],
  usage: { inputTokens: 2, outputTokens: 110, steps: 2 },
  updatedAt: ASKED,
};

export const COMPLETED: ShownTurn = {
  ...TURN,
  status: "completed",
  text: TEXT,
  runs: [
    { id: IDS.run, status: "waiting" },
    { id: IDS.nextRun, status: "completed" },
  ],
  usage: { inputTokens: 3, outputTokens: 131, steps: 3 },
  updatedAt: ANSWERED,
};

export const CANCELLED: ShownTurn = {
  ...TURN,
  status: "cancelled",
  runs: [{ id: IDS.run, status: "cancelled" }],
  usage: { inputTokens: 2, outputTokens: 110, steps: 2 },
  updatedAt: ANSWERED,
};

export const WAITING: Question = {
  requestId: IDS.question,
  taskId: "task_1",
  kind: "person",
  sessionId: IDS.session,
  turnId: IDS.turn,
  agent: "loan-desk",
  status: "waiting",
  question: ASKS,
  options: [
    { id: "approve", label: "Approve" },
    { id: "deny", label: "Deny" },
  ],
  multiple: false,
  allowText: true,
  context: "Income **5000**, debt **2350**. The policy approves up to 36% and declines above 50%.",
  deliveries: [],
  history: [{ at: ASKED, event: "question.asked" }],
  createdAt: ASKED,
  answerUrl: URL,
};

function settled(fields: Partial<Question>, event: string): Question {
  const { answerUrl: _, ...rest } = WAITING;
  return {
    ...rest,
    ...fields,
    history: [
      ...WAITING.history,
      { at: ANSWERED, event, channel: "api", by: "dana@lender.example" },
    ],
  };
}

const BY_DANA = {
  answeredBy: "dana@lender.example",
  answeredAt: ANSWERED,
  answeredVia: "api",
} as const;

export const ANSWERED_QUESTION = settled(
  { status: "answered", answer: { option: "approve" }, ...BY_DANA },
  "question.answered",
);
export const DECLINED_QUESTION = settled(
  { status: "declined", reason: "Ask the branch.", ...BY_DANA },
  "question.declined",
);
export const CANCELLED_QUESTION: Question = {
  ...settled({ status: "cancelled", reason: "Withdrawn." }, "question.cancelled"),
  history: [...WAITING.history, { at: ANSWERED, event: "question.cancelled" }],
};

/** What a caller is told of a code. */
export function problemExample(code: ProblemCode): ProblemDocument {
  const { status, title } = PROBLEMS[code];
  const said = DETAILS[code] ?? `${title}.`;
  const issues = ISSUES[code];
  return {
    type: "about:blank",
    title,
    status,
    detail: said,
    code,
    instance: IDS.request,
    ...(issues !== undefined && { issues }),
  } as ProblemDocument;
}

const DETAILS: Partial<Readonly<Record<ProblemCode, string>>> = {
  invalid_request: "The body is not valid.",
  invalid_answer:
    "The answer does not fit the question. Nothing was recorded; mend it and send it again.",
  invalid_cursor: "Take the cursor from nextCursor of the page before.",
  unauthenticated: "Send a valid key as Authorization: Bearer <key>.",
  forbidden: "This needs a key with the right answer.",
  not_found: "There is no such turn.",
  already_answered: `Answered by dana@lender.example at ${ANSWERED}.`,
  unsupported_media_type: "Send JSON, with Content-Type: application/json.",
  unavailable: "The session did not answer. Send the request again, with the same Idempotency-Key.",
  internal: "Something went wrong on our side. Quote the request's id when you report it.",
};

const ISSUES: Partial<Readonly<Record<ProblemCode, readonly { path: string; message: string }[]>>> =
  {
    invalid_request: [{ path: "input", message: "must not be blank" }],
    invalid_answer: [{ path: "option", message: "must be the id of an option of this question" }],
    invalid_result: [{ path: "calls.c1", message: "must be an object: { answers?, response? }" }],
    results_incomplete: [{ path: "calls.c1", message: "is open and has no result here" }],
  };

const STEP = { sessionId: IDS.session, turnId: IDS.turn, at: ANSWERED, step: 2 };
const EVENTS: readonly SessionEvent[] = [
  { ...STEP, type: "text.delta", text: "APP-1008 is " },
  { ...STEP, id: "7.0", type: "text.finished", text: TEXT },
];

/** A part of a stream, as it comes. */
export const EVENT_STREAM = `retry: 1000\n\n${EVENTS.map(
  ({ id, ...event }) =>
    `${id === undefined ? "" : `id: ${id}\n`}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
).join("")}`;
