/** Which message the AI SDK makes of a turn's events. */

import { readUIMessageStream, type UIMessage, type UIMessageChunk, uiMessageChunkSchema } from "ai";
import { expect, it } from "vitest";
import type { Question } from "../../src/core/question.ts";
import type { SessionEvent } from "../../src/core/session-event.ts";
import { TurnChunks } from "../../src/inbound/chat-chunks.ts";

const TURN = `turn_${"a".repeat(24)}00000001`;
const ENVELOPE = {
  sessionId: `sess_${"a".repeat(24)}`,
  turnId: TURN,
  at: "2026-11-30T12:00:00.000Z",
};
type WithoutEnvelope<Event> = Event extends unknown ? Omit<Event, "sessionId" | "at"> : never;

/** Events in a row, those that last with ids. */
function events(...bodies: readonly WithoutEnvelope<SessionEvent>[]): SessionEvent[] {
  return bodies.map((body, i) => {
    const isLive = body.type === "step.started" || body.type === "text.delta";
    return { ...ENVELOPE, ...(!isLive && { id: `${i + 1}.0` }), ...body } as SessionEvent;
  });
}

const started = {
  type: "turn.started",
  turnId: TURN,
  runId: "run",
  status: "running",
  agent: "a",
  input: "go",
} as const;
const step = (n: number) => ({ type: "step.started", turnId: TURN, step: n }) as const;
const delta = (n: number, text: string) =>
  ({ type: "text.delta", turnId: TURN, step: n, text }) as const;
const text = (n: number, whole: string) =>
  ({ type: "text.finished", turnId: TURN, step: n, text: whole }) as const;
const called = (n: number, toolName: string, toolCallId = `c${n}`) =>
  ({ type: "tool.called", turnId: TURN, step: n, toolCallId, toolName, arguments: { n } }) as const;
const finished = (n: number, toolName: string, result: string, isError = false) =>
  ({
    type: "tool.finished",
    turnId: TURN,
    step: n,
    toolCallId: `c${n}`,
    toolName,
    isError,
    result,
  }) as const;
const parked = {
  type: "turn.parked" as const,
  turnId: TURN,
  runId: "run",
  waitingFor: [{ kind: "question", requestId: "q_1", answerUrl: "https://x.test/a/secret" }],
} satisfies WithoutEnvelope<SessionEvent>;
const resumed = { type: "turn.resumed", turnId: TURN, runId: "run2" } as const;
const completed = {
  type: "turn.completed",
  turnId: TURN,
  text: "end",
  usage: { inputTokens: 1, outputTokens: 1, steps: 1 },
} as const;
const failed = {
  type: "turn.failed",
  turnId: TURN,
  error: { code: "model", message: "It broke.", retryable: true },
  attempts: 1,
} as const;
const attemptFailed = {
  type: "attempt.failed",
  turnId: TURN,
  error: failed.error,
  attempts: 1,
} as const;

const QUESTION: Question = {
  requestId: "q_1",
  kind: "person",
  sessionId: ENVELOPE.sessionId,
  turnId: TURN,
  status: "waiting",
  question: "Go on?",
  allowText: true,
  to: "ada@example.com",
  recipients: ["bob@example.com"],
  answerUrl: "https://x.test/a/secret",
  deliveries: [{ channel: "email", recipient: "ada@example.com", status: "sent", tries: 1 }],
  history: [],
  createdAt: ENVELOPE.at,
};
const asked = { type: "question.asked", turnId: TURN, question: QUESTION } as const;
const settled = (more: Partial<Question>) =>
  ({
    type: "question.settled",
    turnId: TURN,
    question: { ...QUESTION, status: "answered", ...more } as Question,
  }) as const;

function chunksOf(told: readonly SessionEvent[], chunks = new TurnChunks()): UIMessageChunk[] {
  return [...told.flatMap((event) => chunks.after(event)), ...chunks.end()];
}

/** The message that the SDK makes of them, beginnings of steps as `|`; each chunk is checked by the SDK's schema. */
async function read(chunks: readonly UIMessageChunk[]): Promise<UIMessage & { said: string }> {
  for (const chunk of chunks)
    expect(await uiMessageChunkSchema().validate?.(chunk)).toEqual({
      success: true,
      value: chunk,
    });
  let last: UIMessage | undefined;
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) if (chunk.type !== "error") controller.enqueue(chunk);
      controller.close();
    },
  });
  for await (const message of readUIMessageStream({ stream, terminateOnError: true }))
    last = message;
  if (last === undefined) throw new Error("there is no message");
  const said = last.parts.map((part) => {
    if (part.type === "step-start") return "|";
    if (part.type === "text") return part.text;
    return `[${part.type} ${"state" in part ? part.state : ""}]`;
  });
  return { ...last, said: said.join("") };
}

const message = (...bodies: readonly WithoutEnvelope<SessionEvent>[]) =>
  read(chunksOf(events(...bodies)));

it("is one message under the turn's id, whatever was live of it", async () => {
  const durable = [
    started,
    text(0, "Look."),
    called(0, "look"),
    finished(0, "look", "seen"),
    text(1, "end"),
    completed,
  ];
  const whole = await message(...durable);
  expect(whole).toMatchObject({
    id: TURN,
    metadata: { sessionId: ENVELOPE.sessionId, status: "completed", eventId: "6.0" },
    said: "|Look.[tool-look output-available]|end",
  });
  const live = await message(
    started,
    step(0),
    delta(0, "Lo"),
    delta(0, "ok."),
    ...durable.slice(1, 4),
    step(1),
    delta(1, "e"),
    ...durable.slice(4),
  );
  expect(live.parts).toEqual(whole.parts);
});

it("takes back the text of a model call that is tried again", async () => {
  const again = await message(
    started,
    step(0),
    delta(0, "Wro"),
    attemptFailed,
    step(0),
    delta(0, "Ri"),
    text(0, "Right."),
    completed,
  );
  expect(again.said).toBe("|Right.");
  expect(
    (await message(started, step(0), delta(0, "Wrong"), text(0, "Right."), completed)).said,
  ).toBe("|Right.");
  expect((await message(started, step(0), delta(0, "Half"), failed)).said).toBe("|");
});

it("keeps a question that waits in the last step, also where text behind it is taken back", async () => {
  const waits = [started, text(0, "Asking."), called(0, "ask_person"), asked];
  const more = [
    step(1),
    delta(1, "Wro"),
    attemptFailed,
    text(1, "Waiting."),
    called(1, "await_tasks"),
  ];
  expect((await message(...waits, ...more, parked)).said).toBe(
    "|Asking.[tool-question input-available]Waiting.",
  );
  const answer = settled({ answer: { text: "Yes." }, answeredBy: "dana" });
  const rest = [answer, finished(1, "await_tasks", "x"), resumed, text(2, "end"), completed];
  expect((await message(...waits, ...more, parked, ...rest)).said).toBe(
    "|Asking.[tool-question output-available]Waiting.|end",
  );
});

it("shows what a person must see of a question, and no link or address", () => {
  const told = JSON.stringify(chunksOf(events(started, asked, parked)));
  expect(told).toContain("Go on?");
  expect(told).not.toMatch(/secret|example\.com/);
});

it.each([
  [settled({ status: "declined", answeredBy: "dana", reason: "No." }), "Declined by dana: No."],
  [settled({ status: "cancelled" }), "Cancelled"],
  [settled({ status: "expired" }), "Expired"],
])("says how a question ended that was not answered", async (event, errorText) => {
  const { parts } = await message(
    started,
    asked,
    parked,
    event,
    resumed,
    text(1, "end"),
    completed,
  );
  expect(parts).toContainEqual(expect.objectContaining({ state: "output-error", errorText }));
});

it("asks for an approval on the part of its call", async () => {
  const approval = { ...QUESTION, kind: "approval", toolName: "pay", toolCallId: "c0" } as const;
  const asks = [started, called(0, "pay"), { ...asked, question: approval }, parked] as const;
  expect((await message(...asks)).said).toBe("|[tool-pay approval-requested]");
  const ends = async (approved: boolean, result: string) => {
    const answer = approved ? { approved } : { approved, reason: "No." };
    const { parts } = await message(
      ...asks,
      settled({ ...approval, status: "answered", answer }),
      finished(0, "pay", result, !approved),
      resumed,
      text(1, "end"),
      completed,
    );
    return parts.find(({ type }) => type === "tool-pay");
  };
  expect(await ends(true, "paid")).toMatchObject({
    state: "output-available",
    output: "paid",
    approval: { id: "q_1", approved: true },
  });
  expect(await ends(false, "NOT EXECUTED.")).toMatchObject({
    state: "output-denied",
    approval: { id: "q_1", approved: false, reason: "No." },
  });
});

it("ends a turn that failed with the error, and one that was retried without", () => {
  const types = (...bodies: readonly WithoutEnvelope<SessionEvent>[]) =>
    chunksOf(events(...bodies)).map(({ type }) => type);
  expect(types(started, text(0, "x"), failed).at(-1)).toBe("error");
  const retried = { type: "turn.retried", turnId: TURN, runId: "run2", status: "running" } as const;
  expect(types(started, text(0, "x"), failed, retried, text(1, "y"), completed)).not.toContain(
    "error",
  );
});

it("leaves no call open, and no step with tool parts last, where a turn is over", async () => {
  const cancelled = { type: "turn.cancelled", turnId: TURN, reason: "Enough." } as const;
  expect((await message(started, called(0, "look"), cancelled)).said).toBe(
    "|[tool-look output-error]|",
  );
  const waits = [{ kind: "call" as const, toolCallId: "c0" }];
  const ofClient = [started, called(0, "look"), { ...parked, waitingFor: waits }];
  expect((await message(...ofClient)).said).toBe("|[tool-look input-available]");
  expect((await message(...ofClient, cancelled)).said).toBe("|[tool-look output-error]|");
  expect((await message(started, called(0, "look"), finished(0, "look", "x"), failed)).said).toBe(
    "|[tool-look output-available]|",
  );
});
