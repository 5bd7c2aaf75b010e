/**
 * Owns: how questions, turns and events look in a terminal. All that comes from the Worker goes through `harmless.ts`.
 */

import { pc } from "./colours.ts";
import type { Question, SessionEvent, Turn } from "../client.ts";
import { harmless, harmlessLine } from "./harmless.ts";

const STATUS_COLOURS: ReadonlyMap<string, (text: string) => string> = new Map(
  Object.entries({
    waiting: pc.yellow,
    parked: pc.yellow,
    queued: pc.cyan,
    running: pc.cyan,
    answered: pc.green,
    completed: pc.green,
    declined: pc.red,
    failed: pc.red,
    cancelled: pc.dim,
    expired: pc.dim,
  }),
);

function coloured(status: string, text = status): string {
  return (STATUS_COLOURS.get(status) ?? ((same: string) => same))(harmlessLine(text));
}

function column(status: string, width: number): string {
  return coloured(status) + " ".repeat(Math.max(0, width - status.length));
}

/** How long ago, in the one unit that says most. */
function age(since: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1_000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

export function questionLine(question: Question, now: number): string {
  const { requestId, status, kind, createdAt, to } = question;
  return [
    pc.bold(harmlessLine(requestId)),
    column(status, 9),
    harmlessLine(kind).padEnd(8),
    age(createdAt, now).padStart(4),
    `${harmlessLine(question.question, 100)}${to === undefined ? "" : pc.dim(` → ${harmlessLine(to)}`)}`,
  ].join("  ");
}

/** All of a question that somebody needs who is to answer it. */
export function questionText(question: Question, now: number): string {
  const { options = [], questions = [], context, answerUrl, status } = question;
  const shown = [
    `${pc.bold(harmless(question.question))}`,
    pc.dim(
      `${harmlessLine(question.requestId)}  ${harmlessLine(question.kind)}  ${coloured(status)}  asked ${age(question.createdAt, now)} ago${from(question)}`,
    ),
    ...(context === undefined ? [] : ["", harmless(context)]),
    ...(question.arguments === undefined
      ? []
      : ["", "Arguments:", harmless(JSON.stringify(question.arguments, null, 2))]),
    ...(options.length > 0 ? [""] : []),
    ...options.map(({ id, label, description }) => optionLine(id, label, description)),
    ...questions.flatMap(({ header, question: asked, options: choices, multiSelect }) => [
      "",
      `${pc.bold(harmlessLine(header))}: ${harmless(asked)}${multiSelect ? pc.dim(" (several)") : ""}`,
      ...choices.map(({ label, description }) => optionLine(undefined, label, description)),
    ]),
    ...(question.answerSchema === undefined
      ? []
      : ["", "A value that fits:", harmless(JSON.stringify(question.answerSchema, null, 2))]),
    ...ending(question),
    ...(answerUrl === undefined ? [] : ["", pc.dim(harmlessLine(answerUrl, 1_000))]),
  ];
  return shown.join("\n");
}

function from({ agent, to }: Question): string {
  const by = agent === undefined ? "" : ` by ${harmlessLine(agent)}`;
  return to === undefined ? by : `${by} for ${harmlessLine(to)}`;
}

function optionLine(id: string | undefined, label: string, description?: string): string {
  const name = id === undefined ? "" : `${pc.cyan(harmlessLine(id))}  `;
  const note = description === undefined ? "" : pc.dim(`  ${harmlessLine(description)}`);
  return `  ${name}${harmlessLine(label)}${note}`;
}

function ending({ answer, answeredBy, answeredAt, reason }: Question): readonly string[] {
  const who =
    answeredBy === undefined
      ? ""
      : ` by ${harmlessLine(answeredBy)} at ${harmlessLine(String(answeredAt))}`;
  return [
    ...(answer === undefined ? [] : ["", `Answer${who}:`, harmless(JSON.stringify(answer))]),
    ...(reason === undefined ? [] : ["", `Reason${who}: ${harmless(reason)}`]),
  ];
}

export function turnLine(turn: Turn, now: number): string {
  const { id, status, agent, createdAt } = turn;
  const said = turn.error?.message ?? turn.text ?? inputText(turn.input);
  return [
    pc.bold(harmlessLine(id)),
    column(status, 9),
    harmlessLine(agent).padEnd(12),
    age(createdAt, now).padStart(4),
    harmlessLine(said, 80),
  ].join("  ");
}

export function turnText(turn: Turn, now: number): string {
  const { waitingFor = [], error, text, sessionId, sessionName } = turn;
  return [
    turnLine(turn, now),
    pc.dim(
      `session ${harmlessLine(sessionId)}${sessionName === undefined ? "" : ` (${harmlessLine(sessionName)})`}, ${harmlessLine(String(turn.usage.steps))} steps`,
    ),
    "",
    `Input: ${harmless(inputText(turn.input))}`,
    ...(text === undefined ? [] : ["", harmless(text)]),
    ...(turn.output === undefined ? [] : ["", harmless(JSON.stringify(turn.output, null, 2))]),
    ...(error === undefined
      ? []
      : ["", pc.red(`${harmlessLine(error.code)}: ${harmless(error.message)}`)]),
    ...waitingFor.map(
      ({ kind, requestId, taskId, toolCallId, question }) =>
        `Waits for ${harmlessLine(kind)} ${harmlessLine(requestId ?? taskId ?? toolCallId ?? "")}${question === undefined ? "" : `: ${harmlessLine(question)}`}`,
    ),
  ].join("\n");
}

function inputText(input: unknown): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

/** An event on one line; text under way comes as it is, without a line of its own. */
export function eventLine(event: SessionEvent): string {
  const [kind = "", what = ""] = event.type.split(".");
  const time = pc.dim(harmlessLine(event.at.slice(11, 19)));
  return `${time} ${coloured(what, `${kind}.${what}`)}${pc.reset(eventDetail(event))}`;
}

function eventDetail(event: SessionEvent): string {
  switch (event.type) {
    case "turn.started":
      return ` ${harmlessLine(event.turnId)} ${harmlessLine(event.agent)}: ${harmlessLine(inputText(event.input))}`;
    case "text.delta":
    case "text.finished":
      return ` ${harmlessLine(event.text, 1_000)}`;
    case "tool.called":
      return ` ${harmlessLine(event.toolName)} ${harmlessLine(JSON.stringify(event.arguments))}`;
    case "tool.finished":
      return ` ${harmlessLine(event.toolName)} ${event.isError ? pc.red("failed ") : ""}${harmlessLine(JSON.stringify(event.result))}`;
    case "question.asked":
    case "question.reminded":
    case "question.escalated":
    case "question.assigned":
      return ` ${harmlessLine(event.question.requestId)} ${harmlessLine(event.question.question)}`;
    case "question.settled":
      return ` ${harmlessLine(event.question.requestId)} ${harmlessLine(event.question.status)}`;
    case "turn.parked":
      return ` waits for ${event.waitingFor.map(({ requestId, taskId, toolCallId }) => harmlessLine(requestId ?? taskId ?? toolCallId ?? "")).join(", ")}`;
    case "turn.completed":
      return ` ${harmlessLine(event.text, 1_000)}`;
    case "attempt.failed":
    case "turn.failed":
      return ` ${harmlessLine(event.error.code)}: ${harmlessLine(event.error.message)}`;
    case "turn.cancelled":
      return event.reason === undefined ? "" : ` ${harmlessLine(event.reason)}`;
    case "turn.begun":
    case "turn.resumed":
    case "turn.retried":
    case "step.started":
      return "";
  }
}
