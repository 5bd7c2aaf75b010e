/**
 * Owns: a turn's events as chunks of the AI SDK's UI message stream. The turn is one message under the turn's id, over all
 * its parks; a question is a tool part `question` under its requestId, an approval is asked on the part of its call.
 * Pure but for what it remembers of the turn: the same events make the same chunks.
 *
 * The SDK sends answers by itself once every tool part of the message's last step has its output. So while a part waits
 * for the caller no new step begins, and a turn that rests with nothing to answer ends in a step without tool parts.
 */

import type { UIMessageChunk } from "ai";
import type { Json } from "../core/json.ts";
import type { Question } from "../core/question.ts";
import type { SessionEvent } from "../core/session-event.ts";
import type { TurnView } from "../core/turn-view.ts";

/** What a message says of its turn, as the SDK's `metadata`. */
export interface ChatMetadata {
  readonly sessionId: string;
  readonly status: TurnView["status"];
  /** How far the message tells: sent back with an answer, the stream goes on behind it. */
  readonly eventId?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

const QUESTION_TOOL = "question";

/** Their calls are the question itself, or the wait for it. */
const HIDDEN_TOOLS: ReadonlySet<string> = new Set([
  "ask_person",
  "ask_user_question",
  "await_tasks",
]);

type EventOf<Type extends SessionEvent["type"]> = Extract<SessionEvent, { type: Type }>;
type Ending = EventOf<"turn.completed" | "turn.failed" | "turn.cancelled">;

export class TurnChunks {
  /** Parts that wait for the caller. */
  readonly #open = new Set<string>();
  /** Calls that have no result yet. */
  readonly #running = new Set<string>();
  readonly #denied = new Set<string>();
  #step: number | undefined;
  /** The last step that the client was told to begin: whether there is one, whether it has tool parts, and what lasts of it. */
  #hasStep = false;
  #hasTools = false;
  #kept: UIMessageChunk[] = [];
  /** Text of a model call that is under way. */
  #live: string | undefined;
  #eventId: string | undefined;
  #ending: Ending | undefined;
  #awaitsCaller = false;

  /** Whether the turn is parked until somebody settles what this chat shows, and not only until some work is done. */
  get awaitsCaller(): boolean {
    return this.#awaitsCaller;
  }

  get isOver(): boolean {
    return this.#ending !== undefined;
  }

  /** What an event adds to the message. */
  after(event: SessionEvent): readonly UIMessageChunk[] {
    if (event.id !== undefined) this.#eventId = event.id;
    switch (event.type) {
      case "turn.started":
        return this.start(event);
      case "turn.begun":
        return [metadata({ status: "running" })];
      case "turn.retried":
        this.#ending = undefined;
        return [metadata({ status: event.status })];
      case "step.started":
        return [...this.#void(), ...this.#begin(event.step)];
      case "text.delta":
        return [...this.#begin(event.step), ...this.#grow(event)];
      case "text.finished":
        return [...this.#begin(event.step), ...this.#finishText(event)];
      case "attempt.failed":
        return this.#void();
      case "tool.called":
        return [...this.#begin(event.step), ...this.#call(event)];
      case "tool.finished":
        return this.#finishCall(event);
      case "question.asked":
        return this.#ask(event.question);
      case "question.settled":
        return this.#settle(event.question);
      case "question.reminded":
      case "question.escalated":
      case "question.assigned":
        return [];
      case "turn.parked":
        return this.#park(event);
      case "turn.resumed":
        this.#awaitsCaller = false;
        return [metadata({ status: "running" })];
      case "turn.completed":
      case "turn.failed":
      case "turn.cancelled":
        this.#ending = event;
        return this.#void();
    }
  }

  /** Begins the message, or goes on in it. */
  start({
    turnId,
    sessionId,
    status = "running",
  }: Pick<EventOf<"turn.started">, "turnId" | "sessionId"> & {
    status?: ChatMetadata["status"];
  }): readonly UIMessageChunk[] {
    return [
      {
        type: "start",
        messageId: turnId,
        messageMetadata: { sessionId, status } satisfies ChatMetadata,
      },
    ];
  }

  /** Ends the stream of a turn that is over, or is parked. */
  end(): readonly UIMessageChunk[] {
    const closed: UIMessageChunk[] = [];
    if (this.#ending !== undefined)
      for (const toolCallId of this.#running) {
        this.#open.delete(toolCallId);
        closed.push({ type: "tool-output-error", toolCallId, errorText: NOT_FINISHED });
      }
    if (this.#hasTools && this.#open.size === 0) closed.push(...this.#newStep());
    if (this.#hasStep) closed.push({ type: "finish-step" });
    return [...closed, ...this.#lastChunks()];
  }

  #lastChunks(): readonly UIMessageChunk[] {
    const ending = this.#ending;
    const eventId = this.#eventId === undefined ? {} : { eventId: this.#eventId };
    switch (ending?.type) {
      case undefined: {
        const messageMetadata = { status: "parked", ...eventId } satisfies Partial<ChatMetadata>;
        return [{ type: "finish", finishReason: "tool-calls", messageMetadata }];
      }
      case "turn.completed": {
        const messageMetadata = { status: "completed", ...eventId } satisfies Partial<ChatMetadata>;
        return [{ type: "finish", finishReason: "stop", messageMetadata }];
      }
      case "turn.failed": {
        const { code, message } = ending.error;
        return [
          metadata({ status: "failed", ...eventId, error: { code, message } }),
          { type: "error", errorText: message },
        ];
      }
      case "turn.cancelled":
        return [
          metadata({ status: "cancelled", ...eventId }),
          { type: "abort", ...(ending.reason !== undefined && { reason: ending.reason }) },
        ];
    }
  }

  #begin(step: number): readonly UIMessageChunk[] {
    if (step === this.#step) return [];
    this.#step = step;
    return this.#hasStep && this.#open.size > 0 ? [] : this.#newStep();
  }

  #newStep(): readonly UIMessageChunk[] {
    const before: readonly UIMessageChunk[] = this.#hasStep ? [{ type: "finish-step" }] : [];
    this.#hasStep = true;
    this.#hasTools = false;
    this.#kept = [];
    return [...before, { type: "start-step" }];
  }

  /** Text that was told and does not last is taken back. */
  #void(): readonly UIMessageChunk[] {
    if (this.#live === undefined) return [];
    this.#live = undefined;
    return [{ type: "reset-step" }, ...this.#kept];
  }

  #grow({ step, text: delta }: EventOf<"text.delta">): readonly UIMessageChunk[] {
    const id = textId(step);
    const begun: readonly UIMessageChunk[] =
      this.#live === undefined ? [{ type: "text-start", id }] : [];
    this.#live = (this.#live ?? "") + delta;
    return [...begun, { type: "text-delta", id, delta }];
  }

  #finishText({ step, text }: EventOf<"text.finished">): readonly UIMessageChunk[] {
    const id = textId(step);
    const taken = this.#live !== undefined && !text.startsWith(this.#live) ? this.#void() : [];
    const told = this.#live;
    this.#live = undefined;
    const begun: UIMessageChunk = { type: "text-start", id };
    const ended: UIMessageChunk = { type: "text-end", id };
    this.#kept.push(begun, { type: "text-delta", id, delta: text }, ended);
    const rest = text.slice(told?.length ?? 0);
    return [
      ...taken,
      ...(told === undefined ? [begun] : []),
      ...(rest === "" ? [] : [{ type: "text-delta" as const, id, delta: rest }]),
      ended,
    ];
  }

  #call({ turnId, toolCallId, toolName, arguments: input }: EventOf<"tool.called">) {
    if (HIDDEN_TOOLS.has(toolName)) return [];
    const id = partId(turnId, toolCallId);
    this.#running.add(id);
    return this.#keep({ type: "tool-input-available", toolCallId: id, toolName, input });
  }

  #finishCall({ turnId, toolCallId, isError, result }: EventOf<"tool.finished">) {
    const id = partId(turnId, toolCallId);
    if (!this.#running.delete(id)) return [];
    this.#open.delete(id);
    if (!isError)
      return this.#keep({ type: "tool-output-available", toolCallId: id, output: result });
    if (this.#denied.has(id)) return this.#keep({ type: "tool-output-denied", toolCallId: id });
    return this.#keep({ type: "tool-output-error", toolCallId: id, errorText: errorText(result) });
  }

  #ask(question: Question): readonly UIMessageChunk[] {
    const { requestId: approvalId, kind, turnId = "", toolCallId = "" } = question;
    const begun = this.#hasStep ? [] : this.#newStep();
    this.#open.add(kind === "approval" ? partId(turnId, toolCallId) : approvalId);
    const asked: UIMessageChunk =
      kind === "approval"
        ? { type: "tool-approval-request", approvalId, toolCallId: partId(turnId, toolCallId) }
        : {
            type: "tool-input-available",
            toolCallId: approvalId,
            toolName: QUESTION_TOOL,
            input: shownQuestion(question),
          };
    return [...begun, ...this.#keep(asked)];
  }

  #settle(question: Question): readonly UIMessageChunk[] {
    const { requestId, kind, turnId = "", toolCallId = "" } = question;
    if (kind === "approval") return this.#settleApproval(question, partId(turnId, toolCallId));
    this.#open.delete(requestId);
    if (question.status !== "answered")
      return this.#keep({
        type: "tool-output-error",
        toolCallId: requestId,
        errorText: endingOf(question),
      });
    return this.#keep({
      type: "tool-output-available",
      toolCallId: requestId,
      output: shownAnswer(question),
    });
  }

  /** The call has its own result, which follows. */
  #settleApproval({ requestId, answer }: Question, id: string): readonly UIMessageChunk[] {
    this.#open.delete(id);
    const given = answer as { readonly approved: boolean; readonly reason?: string } | undefined;
    if (given === undefined) return [];
    if (!given.approved) this.#denied.add(id);
    const reason = given.reason === undefined ? {} : { reason: given.reason };
    return this.#keep({
      type: "tool-approval-response",
      approvalId: requestId,
      approved: given.approved,
      ...reason,
    });
  }

  #park({ id, turnId, waitingFor }: EventOf<"turn.parked">): readonly UIMessageChunk[] {
    this.#awaitsCaller = waitingFor.some(
      ({ kind, requestId }) => kind !== "task" || requestId !== undefined,
    );
    for (const { kind, toolCallId } of waitingFor)
      if (kind === "call" && toolCallId !== undefined) this.#open.add(partId(turnId, toolCallId));
    return [metadata({ status: "parked", ...(id !== undefined && { eventId: id }) })];
  }

  #keep(chunk: UIMessageChunk): readonly UIMessageChunk[] {
    this.#hasTools = true;
    this.#kept.push(chunk);
    return [chunk];
  }
}

const NOT_FINISHED = "NOT FINISHED: the turn was over before.";

function metadata(messageMetadata: Partial<ChatMetadata>): UIMessageChunk {
  return { type: "message-metadata", messageMetadata };
}

function textId(step: number): string {
  return `text-${step}`;
}

/** Unique over the turns of a chat, as the ids that a model gives are not. */
function partId(turnId: string, toolCallId: string): string {
  return `${turnId}:${toolCallId}`;
}

/** The id of a turn's call, of the part that shows it. */
export function callIdOf(turnId: string, id: string): string | undefined {
  return id.startsWith(`${turnId}:`) ? id.slice(turnId.length + 1) : undefined;
}

function errorText(result: Json): string {
  return typeof result === "string" ? result : JSON.stringify(result);
}

/** What a person must see of a question to answer it: no link to it, and nobody's address. */
function shownQuestion(question: Question): Partial<Question> {
  const { kind, options, multiple, allowText, context, questions, answerSchema, expiresAt } =
    question;
  return {
    kind,
    question: question.question,
    ...(options !== undefined && { options }),
    ...(multiple !== undefined && { multiple }),
    ...(allowText !== undefined && { allowText }),
    ...(context !== undefined && { context }),
    ...(questions !== undefined && { questions }),
    ...(answerSchema !== undefined && { answerSchema }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

function shownAnswer({ answer, answeredBy, answeredAt, answeredVia }: Question): Partial<Question> {
  return {
    ...(answer !== undefined && { answer }),
    ...(answeredBy !== undefined && { answeredBy }),
    ...(answeredAt !== undefined && { answeredAt }),
    ...(answeredVia !== undefined && { answeredVia }),
  };
}

function endingOf({ status, answeredBy, reason }: Question): string {
  const by = answeredBy === undefined ? "" : ` by ${answeredBy}`;
  const why = reason === undefined ? "" : `: ${reason}`;
  return `${status.charAt(0).toUpperCase()}${status.slice(1)}${by}${why}`;
}
