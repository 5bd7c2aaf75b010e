import { expect, it } from "vitest";
import { eventLine, questionLine, questionText, turnLine, turnText } from "../../src/cli/shown.ts";
import type { Question, SessionEvent, Turn } from "../../src/client.ts";

const BELL = "\u001b]0;root\u0007";

/** The same with the escape in each text, and in place of each number. */
function poisoned(value: unknown): unknown {
  if (typeof value === "string") return `${value}${BELL}`;
  if (typeof value === "number") return BELL;
  if (Array.isArray(value)) return value.map(poisoned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, poisoned(part)]));
}

const OPTION = { id: "a", label: "A", description: "The first." };
const QUESTION = {
  requestId: "q_1",
  status: "answered",
  kind: "person",
  question: "Which?",
  context: "Why.",
  agent: "loans",
  to: "dana",
  createdAt: "2026-11-30T16:00:00.000Z",
  options: [OPTION],
  questions: [{ question: "Q?", header: "Q", options: [OPTION], multiSelect: true }],
  arguments: { to: "kim" },
  answerSchema: { type: "string" },
  answer: { text: "Yes." },
  answeredBy: "dana",
  answeredAt: "2026-11-30T16:00:00.000Z",
  reason: "So.",
  answerUrl: "https://holdpoint.test/a/x",
};
const TURN = {
  id: "turn_1",
  sessionId: "sess_1",
  sessionName: "desk",
  status: "parked",
  agent: "loans",
  createdAt: "2026-11-30T16:00:00.000Z",
  input: "go",
  text: "Asking.",
  output: { a: "b" },
  error: { code: "model_failed", message: "No." },
  usage: { steps: 1 },
  waitingFor: [{ kind: "question", requestId: "q_1", question: "Which?" }],
};

it("shows no question and no turn with an escape in it, in whatever member it stands", () => {
  const question = poisoned(QUESTION) as Question;
  const turn = poisoned(TURN) as Turn;
  for (const shown of [
    questionLine(question, 0),
    questionText(question, 0),
    turnLine(turn, 0),
    turnText(turn, 0),
  ]) {
    expect(shown).not.toContain("\u001b]");
    expect(shown).toContain(String.raw`\u{1b}]`);
  }
});

const EVENT = {
  at: "2026-11-30T16:00:00.000Z",
  turnId: "turn_1",
  agent: "loans",
  input: "go",
  text: "Hello.",
  toolName: "look_up",
  arguments: { id: "a" },
  result: "found",
  isError: true,
  question: QUESTION,
  waitingFor: [{ kind: "question", requestId: "q_1" }],
  error: { code: "model_failed", message: "No." },
  reason: "So.",
};

it.each([
  "turn.started",
  "text.finished",
  "tool.called",
  "tool.finished",
  "question.asked",
  "question.settled",
  "turn.parked",
  "turn.completed",
  "turn.failed",
  "turn.cancelled",
])("shows no escape in an event that is %s, nor in one of a kind that it does not know", (type) => {
  const event = poisoned(EVENT) as object;
  expect(eventLine({ ...event, type } as SessionEvent)).not.toContain("\u001b]");
  const unknown = { ...event, type: `${type}${BELL}` } as unknown as SessionEvent;
  expect(eventLine(unknown)).not.toContain("\u001b]");
});

it("shows a status that is the name of something else as it is", () => {
  for (const status of ["constructor", "__proto__"])
    expect(questionLine({ ...QUESTION, status } as never, 0)).toContain(status);
});
