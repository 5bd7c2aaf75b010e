import { describe, expect, it } from "vitest";
import { eventsOfCommit, type EventViews } from "../../src/core/commit-events.ts";
import { type Fact, factSchema } from "../../src/core/event.ts";
import type { Question } from "../../src/core/question.ts";
import {
  formatEventId,
  isAfter,
  parseEventId,
  sessionEventSchema,
} from "../../src/core/session-event.ts";
import type { Turn } from "../../src/core/turn.ts";
import { call, STARTED, step, turnAfter } from "./facts.ts";

const KEY = "0123456789abcdef01234567";
const AT = Date.parse("2026-11-30T09:00:00.000Z");

function question(n: number, status: Question["status"]): Question {
  return {
    requestId: `q_${n}`,
    kind: "person",
    sessionId: `sess_${KEY}`,
    status,
    question: "Go on?",
    deliveries: [],
    history: [],
    createdAt: new Date(AT).toISOString(),
  };
}

const views: EventViews = {
  question: (n, then) => question(n, then === "asked" ? "waiting" : "answered"),
  waitingFor: (turn, settled) =>
    turn.calls.map(({ callId }) => ({
      kind: "call",
      toolCallId: callId,
      question: [...settled].join(),
    })),
};

function told(facts: readonly Fact[], before: Turn | undefined, turn = 1) {
  const { events } = eventsOfCommit({ seq: 20, at: AT, turn, facts }, before, KEY, views);
  for (const [index, { place, event }] of events.entries()) {
    expect(sessionEventSchema.parse(event)).toEqual(event);
    expect(place).toEqual({ seq: 20, index });
  }
  return events.map(({ event }) => event);
}

const FAILURE = { code: "model_failed", message: "no", retryable: true };
const PARKED = turnAfter([step(0, [call(0, "client")]), { type: "turn.parked", turn: 1 }]);
const RUNNING = turnAfter([step(0, [call(0, "tool")])]);

/** What each fact tells, by the turn that it meets. A type is missing here only until this compiles. */
const CASES: Readonly<Record<Fact["type"], readonly [Turn | undefined, Fact, object[]]>> = {
  "turn.started": [
    undefined,
    { ...STARTED, sessionName: "desk", metadata: { a: "b" }, extraBody: { secret: 1 } },
    [
      {
        type: "turn.started",
        runId: `run_${KEY}00000002`,
        status: "running",
        agent: "loans",
        input: "Go.",
        sessionName: "desk",
        metadata: { a: "b" },
      },
    ],
  ],
  "turn.begun": [
    turnAfter([], { ...STARTED, queued: true }),
    { type: "turn.begun", turn: 1 },
    [{ type: "turn.begun" }],
  ],
  "step.finished": [
    turnAfter([]),
    step(0, [call(0, "tool", { input: { a: 1 } })], "Done."),
    [
      { type: "text.finished", step: 0, text: "Done." },
      {
        type: "tool.called",
        step: 0,
        toolCallId: "call_0",
        toolName: "a_tool",
        arguments: { a: 1 },
      },
    ],
  ],
  "tool.started": [RUNNING, { type: "tool.started", turn: 1, step: 0, index: 0 }, []],
  "call.approved": [RUNNING, { type: "call.approved", turn: 1, step: 0, index: 0, by: "d" }, []],
  "call.settled": [
    RUNNING,
    {
      type: "call.settled",
      turn: 1,
      step: 0,
      index: 0,
      output: { type: "error-text", value: "FAILED: no" },
    },
    [
      {
        type: "tool.finished",
        step: 0,
        toolCallId: "call_0",
        toolName: "a_tool",
        isError: true,
        result: "FAILED: no",
      },
    ],
  ],
  "question.asked": [
    RUNNING,
    { type: "question.asked", turn: 1, step: 0, index: 0, question: 5, kind: "person" },
    [{ type: "question.asked", question: question(5, "waiting") }],
  ],
  "question.settled": [
    RUNNING,
    { type: "question.settled", turn: 1, question: 5, status: "answered" },
    [{ type: "question.settled", question: question(5, "answered") }],
  ],
  "question.reminded": [
    RUNNING,
    { type: "question.reminded", turn: 1, question: 5 },
    [{ type: "question.reminded", question: question(5, "waiting") }],
  ],
  "question.escalated": [
    RUNNING,
    { type: "question.escalated", turn: 1, question: 5, to: "lead" },
    [{ type: "question.escalated", question: question(5, "waiting") }],
  ],
  "question.assigned": [
    RUNNING,
    { type: "question.assigned", turn: 1, question: 5, to: "lead", by: "app" },
    [{ type: "question.assigned", question: question(5, "waiting") }],
  ],
  "output.refused": [
    turnAfter([step(0)]),
    { type: "output.refused", turn: 1, request: "Mend it." },
    [],
  ],
  "session.erased": [RUNNING, { type: "session.erased", turn: 1 }, []],
  "settled.erased": [RUNNING, { type: "settled.erased", turn: 1, turns: [], questions: [] }, []],
  "task.started": [
    RUNNING,
    { type: "task.started", turn: 1, step: 0, index: 0, item: 5, task: 1 },
    [],
  ],
  "task.settled": [RUNNING, { type: "task.settled", turn: 1, item: 5, task: 1 }, []],
  "turn.parked": [
    turnAfter([step(0, [call(0, "client")])]),
    { type: "turn.parked", turn: 1, system: "secret" },
    [
      {
        type: "turn.parked",
        runId: `run_${KEY}00000002`,
        waitingFor: [{ kind: "call", toolCallId: "call_0", question: "" }],
      },
    ],
  ],
  "turn.resumed": [
    PARKED,
    { type: "turn.resumed", turn: 1, run: 9 },
    [{ type: "turn.resumed", runId: `run_${KEY}00000009` }],
  ],
  "attempt.failed": [
    RUNNING,
    { type: "attempt.failed", turn: 1, failure: FAILURE, retryAt: AT + 1_000 },
    [
      {
        type: "attempt.failed",
        error: FAILURE,
        attempts: 1,
        nextRetryAt: "2026-11-30T09:00:01.000Z",
      },
    ],
  ],
  "turn.recovered": [
    RUNNING,
    { type: "turn.recovered", turn: 1 },
    [
      {
        type: "attempt.failed",
        error: expect.objectContaining({ code: "interrupted", retryable: true }),
        attempts: 1,
      },
    ],
  ],
  "turn.completed": [
    turnAfter([step(0, [], "Done.")]),
    { type: "turn.completed", turn: 1 },
    [
      {
        type: "turn.completed",
        text: "Done.",
        usage: { inputTokens: 1, outputTokens: 2, steps: 1 },
      },
    ],
  ],
  "turn.retried": [
    turnAfter([{ type: "turn.failed", turn: 1, failure: FAILURE }]),
    { type: "turn.retried", turn: 1, run: 9, queued: true },
    [{ type: "turn.retried", runId: `run_${KEY}00000009`, status: "queued" }],
  ],
  "turn.failed": [
    RUNNING,
    { type: "turn.failed", turn: 1, failure: FAILURE, attempts: 5 },
    [{ type: "turn.failed", error: FAILURE, attempts: 5 }],
  ],
  "turn.cancelled": [
    RUNNING,
    { type: "turn.cancelled", turn: 1, reason: "enough" },
    [{ type: "turn.cancelled", reason: "enough" }],
  ],
};

describe("the events of a commit", () => {
  it.each(Object.entries(CASES))("tell of %s what readers need", (_, [before, fact, expected]) => {
    const every = {
      sessionId: `sess_${KEY}`,
      turnId: `turn_${KEY}00000001`,
      at: "2026-11-30T09:00:00.000Z",
    };
    expect(told([fact], before)).toEqual(expected.map((event) => ({ ...event, ...every })));
  });

  it("are known for every fact", () => {
    const types = factSchema.options.map((option) => option.shape.type.value);
    expect(Object.keys(CASES).toSorted()).toEqual(types.toSorted());
  });

  it("stand in the order of the facts, each in its place", () => {
    const events = told(
      [
        step(0, [call(0, "immediate"), call(1, "form")], "Asking."),
        { type: "question.asked", turn: 1, step: 0, index: 1, question: 5, kind: "form" },
        {
          type: "call.settled",
          turn: 1,
          step: 0,
          index: 0,
          output: { type: "json", value: { taskId: "task_1" } },
        },
        { type: "turn.parked", turn: 1 },
      ],
      turnAfter([]),
    );
    expect(events.map(({ type }) => type)).toEqual([
      "text.finished",
      "tool.called",
      "tool.called",
      "question.asked",
      "tool.finished",
      "turn.parked",
    ]);
  });

  it("leave out an empty text", () => {
    expect(told([step(0)], turnAfter([]))).toEqual([]);
  });

  it("tell a park what its own commit had settled before", () => {
    const facts: Fact[] = [
      { type: "question.settled", turn: 1, question: 5, status: "cancelled" },
      { type: "task.settled", turn: 1, item: 6, task: 2 },
      step(0, [call(0, "client")]),
      { type: "turn.parked", turn: 1 },
    ];
    const parked = told(facts, turnAfter([])).find((event) => event.type === "turn.parked");
    expect(parked).toMatchObject({ waitingFor: [{ question: "5,6" }] });
  });

  it("name no turn where a question was asked from outside any", () => {
    const asked: Fact = {
      type: "question.asked",
      turn: 0,
      step: 0,
      index: 0,
      question: 5,
      kind: "person",
    };
    const [event] = told([asked], undefined, 0);
    expect(event).toMatchObject({ type: "question.asked", sessionId: `sess_${KEY}` });
    expect(event).not.toHaveProperty("turnId");
  });
});

describe("the id of an event", () => {
  it("says where it stands, and is read again", () => {
    for (const place of [
      { seq: 1, index: 0 },
      { seq: 4_294_967_295, index: 12 },
    ])
      expect(parseEventId(formatEventId(place))).toEqual(place);
    for (const id of ["", "1", "1.", ".1", "0.0", "01.0", "1.00", "1.0.0", " 1.0", "1.0 ", "-1.0"])
      expect(parseEventId(id), id).toBeUndefined();
  });

  it("is behind another one by its commit, then by its place in it", () => {
    expect(isAfter({ seq: 2, index: 0 }, { seq: 1, index: 9 })).toBe(true);
    expect(isAfter({ seq: 1, index: 1 }, { seq: 1, index: 0 })).toBe(true);
    expect(isAfter({ seq: 1, index: 0 }, { seq: 1, index: 0 })).toBe(false);
    expect(isAfter({ seq: 1, index: 9 }, { seq: 2, index: 0 })).toBe(false);
  });
});
