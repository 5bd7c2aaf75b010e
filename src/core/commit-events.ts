/**
 * Owns: which events follow from a commit. Pure, so each reading of the journal tells the same: what a view needs beside
 * the facts is asked for as it stood at the commit.
 */

import type { Fact, FactOf, ToolOutput } from "./event.ts";
import { formatId, formatSessionId, type SessionKey } from "./ids.ts";
import { shownInput } from "./input.ts";
import type { Question } from "./question.ts";
import type { EventPlace, SessionEvent } from "./session-event.ts";
import type { WaitView } from "./turn-view.ts";
import {
  applyFact,
  attemptsOf,
  type CommitStamp,
  type ParkedTurn,
  startTurn,
  type Turn,
} from "./turn.ts";

/** The parts of the wire's shapes that stand outside the facts. */
export interface EventViews {
  /** As it was asked, or as it was settled. */
  readonly question: (n: number, at: "asked" | "settled") => Question;
  /** `settled` are the questions and tasks that the very same commit had settled before, by their numbers. */
  readonly waitingFor: (turn: ParkedTurn, settled: ReadonlySet<number>) => readonly WaitView[];
}

interface Commit extends CommitStamp {
  readonly turn: number;
  readonly facts: readonly Fact[];
}

export interface ToldEvent {
  readonly place: EventPlace;
  readonly event: DurableEvent;
}

type DurableEvent = Exclude<SessionEvent, { type: "step.started" | "text.delta" }>;

export interface CommitEvents {
  readonly events: readonly ToldEvent[];
  /** The turn after the commit; undefined for what belongs to no turn. */
  readonly turn: Turn | undefined;
}

/** `before` is the turn as the commits before this one made it. */
export function eventsOfCommit(
  commit: Commit,
  before: Turn | undefined,
  key: SessionKey,
  views: EventViews,
): CommitEvents {
  const settled = new Set<number>();
  let turn = before;
  const bodies = commit.facts.flatMap((fact) => {
    if (fact.type === "turn.started") turn = startTurn(fact, commit);
    else if (turn !== undefined) turn = applyFact(turn, fact, commit);
    if (fact.type === "question.settled") settled.add(fact.question);
    if (fact.type === "task.settled") settled.add(fact.item);
    return bodiesOf(fact, turn, { key, views, settled });
  });
  const sessionId = formatSessionId(key);
  const at = new Date(commit.at).toISOString();
  const turnId = commit.turn === 0 ? {} : { turnId: formatId("turn", key, commit.turn) };
  const events = bodies.map(({ type, ...body }, index) => ({
    place: { seq: commit.seq, index },
    event: { type, sessionId, ...turnId, at, ...body } as DurableEvent,
  }));
  return { events, turn };
}

type WithoutEnvelope<Event> = Event extends unknown
  ? Omit<Event, "id" | "sessionId" | "turnId" | "at">
  : never;
type Body = WithoutEnvelope<DurableEvent>;

interface Around {
  readonly key: SessionKey;
  readonly views: EventViews;
  readonly settled: ReadonlySet<number>;
}

/** `turn` is the turn after the fact. */
function bodiesOf(fact: Fact, turn: Turn | undefined, around: Around): readonly Body[] {
  if (fact.type === "question.asked")
    return [{ type: fact.type, question: around.views.question(fact.question, "asked") }];
  if (fact.type === "question.settled")
    return [{ type: fact.type, question: around.views.question(fact.question, "settled") }];
  if (isOfWaitingQuestion(fact))
    return [{ type: fact.type, question: around.views.question(fact.question, "asked") }];
  return turn === undefined ? [] : bodiesOfTurn(fact, turn, around);
}

/** What happens to a question while it waits. */
type QuestionFact = FactOf<"question.reminded" | "question.escalated" | "question.assigned">;

function isOfWaitingQuestion(fact: Fact): fact is QuestionFact {
  return (
    fact.type === "question.reminded" ||
    fact.type === "question.escalated" ||
    fact.type === "question.assigned"
  );
}

type TurnFact = Exclude<Fact, QuestionFact | FactOf<"question.asked" | "question.settled">>;

function bodiesOfTurn(
  fact: TurnFact,
  turn: Turn,
  { key, views, settled }: Around,
): readonly Body[] {
  const runId = formatId("run", key, turn.runs.at(-1)?.n ?? 0);
  switch (fact.type) {
    case "turn.started": {
      const { agent, inputType, sessionName, metadata } = fact;
      const input = shownInput(fact);
      const body = { type: fact.type, runId, status: placeInQueue(fact), agent, input };
      return [
        {
          ...body,
          ...(inputType !== undefined && { inputType }),
          ...(sessionName !== undefined && { sessionName }),
          ...(metadata !== undefined && { metadata }),
        },
      ];
    }
    case "turn.begun":
      return [{ type: fact.type }];
    case "turn.retried":
      return [{ type: fact.type, runId, status: placeInQueue(fact) }];
    case "step.finished": {
      const { step, text } = fact;
      const finished: readonly Body[] = text === "" ? [] : [{ type: "text.finished", step, text }];
      const called = fact.calls.map(({ callId: toolCallId, toolName, input }): Body => ({
        type: "tool.called",
        step,
        toolCallId,
        toolName,
        arguments: input,
      }));
      return [...finished, ...called];
    }
    case "call.settled": {
      const call = turn.calls[fact.index];
      if (call === undefined) return [];
      const { callId: toolCallId, toolName } = call;
      const result = { isError: isError(fact.output), result: fact.output.value };
      return [{ type: "tool.finished", step: fact.step, toolCallId, toolName, ...result }];
    }
    case "attempt.failed": {
      const nextRetryAt = new Date(fact.retryAt).toISOString();
      return [{ type: fact.type, error: fact.failure, attempts: attemptsOf(turn), nextRetryAt }];
    }
    case "turn.recovered":
      return [{ type: "attempt.failed", error: INTERRUPTED, attempts: attemptsOf(turn) }];
    case "turn.parked":
      return turn.status === "parked"
        ? [{ type: fact.type, runId, waitingFor: [...views.waitingFor(turn, settled)] }]
        : [];
    case "turn.resumed":
      return [{ type: fact.type, runId }];
    case "turn.completed":
      return [
        {
          type: fact.type,
          text: turn.text,
          ...(fact.output !== undefined && { output: fact.output }),
          usage: { ...turn.usage, steps: turn.steps },
        },
      ];
    case "turn.failed":
      return [{ type: fact.type, error: fact.failure, attempts: attemptsOf(turn) }];
    case "turn.cancelled": {
      const { reason } = fact;
      return [{ type: fact.type, ...(reason !== undefined && { reason }) }];
    }
    // What these say is seen in the events beside them, or concerns nobody who reads a turn.
    case "output.refused":
    case "session.erased":
    case "settled.erased":
    case "tool.started":
    case "call.approved":
    case "task.started":
    case "task.settled":
      return [];
  }
}

function placeInQueue({ queued }: { readonly queued: boolean }): "queued" | "running" {
  return queued ? "queued" : "running";
}

function isError(output: ToolOutput): boolean {
  return output.type === "error-text" || output.type === "error-json";
}

const INTERRUPTED = {
  code: "interrupted",
  message: "the turn's object stopped in the middle; the turn goes on from its journal",
  retryable: true,
};
