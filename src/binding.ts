/**
 * Owns: what a Worker sees of Holdpoint by a service binding: the functions, what they take, and that a "no" is a value.
 */

import type { z } from "zod";
import type {
  listQuestionsQuerySchema,
  listTurnsQuerySchema,
  startTurnSchema,
} from "./core/requests.ts";
import type { Json, JsonObject } from "./core/json.ts";
import type { Question } from "./core/question.ts";
import type { Issue } from "./core/refusal.ts";
import type { TurnView } from "./core/turn-view.ts";

/** Why a call was refused: the same code and words as over HTTP. */
export interface Refused {
  readonly code: string;
  /** The HTTP status of the same refusal. */
  readonly status: number;
  readonly detail: string;
  readonly issues?: readonly Issue[];
  readonly requestId?: string;
  readonly retryAfterSeconds?: number;
}

export type Reply<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refused };

export interface Listed<T> {
  readonly items: readonly T[];
  /** `cursor` of the next page; null on the last. */
  readonly nextCursor: string | null;
}

/** A turn to start; with `sessionId` in that session, else in a new one. */
export type TurnStart = z.input<typeof startTurnSchema> & { readonly sessionId?: string };

export interface Answerer {
  readonly answeredBy: string;
}

export interface TurnCalls {
  start(
    turn: TurnStart,
    options?: {
      readonly idempotencyKey?: string;
      /** Waits so long, at most 60, until it is settled or parked. */
      readonly waitSeconds?: number;
    },
  ): Promise<Reply<TurnView>>;
  get(turnId: string): Promise<Reply<TurnView>>;
  /** Once it is settled or parked, however long that takes. */
  wait(turnId: string): Promise<Reply<TurnView>>;
  list(query?: z.input<typeof listTurnsQuerySchema>): Promise<Reply<Listed<TurnView>>>;
  cancel(turnId: string, reason?: string): Promise<Reply<TurnView>>;
  retry(turnId: string): Promise<Reply<TurnView>>;
  /** Results for what is still open of a batch, as `POST /v1/turns/{turn}/results` takes them. */
  results(
    turnId: string,
    batch: { readonly approvals: JsonObject; readonly calls: JsonObject },
  ): Promise<Reply<TurnView>>;
}

export interface QuestionCalls {
  /** Asks without an agent, as `POST /v1/questions`. */
  ask(
    question: JsonObject,
    options?: { readonly idempotencyKey?: string },
  ): Promise<Reply<Question>>;
  get(requestId: string): Promise<Reply<Question>>;
  list(query?: z.input<typeof listQuestionsQuerySchema>): Promise<Reply<Listed<Question>>>;
  answer(requestId: string, answer: Answerer & { readonly answer: Json }): Promise<Reply<Question>>;
  decline(
    requestId: string,
    decline: Answerer & { readonly reason?: string },
  ): Promise<Reply<Question>>;
  cancel(requestId: string, reason?: string): Promise<Reply<Question>>;
  assign(requestId: string, to: string): Promise<Reply<Question>>;
  deliver(requestId: string): Promise<Reply<Question>>;
}

export interface SessionCalls {
  get(sessionId: string): Promise<
    Reply<{
      readonly id: string;
      readonly name?: string;
      readonly turns: readonly TurnView[];
      readonly questions: readonly Question[];
    }>
  >;
  /** The conversation as the model sees it. */
  messages(sessionId: string): Promise<Reply<{ readonly messages: readonly JsonObject[] }>>;
  erase(sessionId: string): Promise<Reply<null>>;
}

/** The type of a binding to `HoldpointEntrypoint`: `env.HOLDPOINT as unknown as HoldpointBinding`. */
export interface HoldpointBinding {
  readonly turns: TurnCalls;
  readonly questions: QuestionCalls;
  readonly sessions: SessionCalls;
  /** Any route of the HTTP surface, without a key. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
}
