/**
 * Owns: what must reach somebody outside the session: a row before it is a request, kept until it is done. Each is safe
 * to do twice, since a crash may come between the deed and the commit that notes it.
 */

import type { NoticeEvent } from "./channel.ts";
import type { ToolOutput } from "./event.ts";
import type { JsonObject } from "./json.ts";
import type { RetryPolicy } from "./retry.ts";

export type TurnEvent = "turn.parked" | "turn.completed" | "turn.failed" | "turn.cancelled";

export type ChoreContent =
  /** Bring a question, and what happens to it, to one recipient by one channel. */
  | {
      readonly kind: "deliver";
      readonly question: number;
      readonly channel: string;
      /** Whom it is for, by name; absent where it is for nobody in particular. */
      readonly recipient?: string;
      /** What has to be told, in order; empty once all was. */
      readonly notices: readonly OwedNotice[];
    }
  /** Tell the caller who started a turn what became of it. */
  | {
      readonly kind: "callback";
      readonly turn: number;
      readonly event: TurnEvent;
      /** When it happened, in milliseconds since the epoch. */
      readonly at: number;
    }
  /** Hand a settled turn to `onResult`. */
  | { readonly kind: "result"; readonly turn: number }
  /** Start the child turn of a task, in a session of its own. */
  | { readonly kind: "startChild"; readonly item: number }
  /** Cancel the child turn of a task that was cancelled. */
  | { readonly kind: "cancelChild"; readonly item: number }
  /** Tell the parent session how this session's turn ended. */
  | { readonly kind: "tellParent"; readonly parent: ParentTask; readonly output: ToolOutput };

export type TurnCallback = Extract<ChoreContent, { kind: "callback" }>;
export type Deliver = Extract<ChoreContent, { kind: "deliver" }>;

export interface OwedNotice {
  readonly event: NoticeEvent;
  /** Its place in the question's history, from 0: by it the notice keeps its id at each try. */
  readonly place: number;
}

/** The task of another session that a turn settles. */
export interface ParentTask {
  /** The key of the parent's session. */
  readonly session: string;
  /** The task's number there. */
  readonly item: number;
}

export interface Chore<C extends ChoreContent = ChoreContent> {
  readonly n: number;
  /** When it has to be done, in milliseconds since the epoch. */
  readonly dueAt: number;
  readonly tries: number;
  readonly content: C;
}

/** A delivery as it stands. It stays when all was told, since its question shows what became of it. */
export interface DeliveryChore extends Chore<Deliver> {
  readonly state: "due" | "sent" | "failed";
  /** When the question first reached the recipient. */
  readonly sentAt?: number;
  /** What the channel returned when it last sent something. */
  readonly reference?: JsonObject;
  /** What the last try that failed said. */
  readonly error?: string;
}

/** A channel's own name for the caller who asked a question from outside and wants to be told. */
export const CALLBACK_CHANNEL = "callback";
/** The channel of an author's own `deliver`. */
export const OWN_CHANNEL = "deliver";
const WEBHOOK_CHANNEL = "webhook";

const WEBHOOK_RETRY: RetryPolicy = { maxAttempts: 12, retryDelayMs: 15_000 };
const AUTHOR_RETRY: RetryPolicy = { maxAttempts: 5, retryDelayMs: 15_000 };
/** Between objects of one Worker nothing fails for long, and a loss strands a parent. */
const SIBLING_RETRY: RetryPolicy = { maxAttempts: 24, retryDelayMs: 2_000 };

/** Another system may be away for hours; an author's own code, or a service for messages, is not. */
export function choreRetry(content: ChoreContent): RetryPolicy {
  switch (content.kind) {
    case "deliver":
      return content.channel === WEBHOOK_CHANNEL || content.channel === CALLBACK_CHANNEL
        ? WEBHOOK_RETRY
        : AUTHOR_RETRY;
    case "callback":
      return WEBHOOK_RETRY;
    case "result":
      return AUTHOR_RETRY;
    case "startChild":
    case "cancelChild":
    case "tellParent":
      return SIBLING_RETRY;
  }
}

/** A notice that asks for an answer: it is dropped where the question is settled, or no longer the recipient's. */
export function asksForAnswer(event: NoticeEvent): boolean {
  switch (event) {
    case "question.asked":
    case "question.reminded":
    case "question.escalated":
    case "question.assigned":
      return true;
    case "question.answered":
    case "question.declined":
    case "question.cancelled":
    case "question.expired":
      return false;
  }
}
