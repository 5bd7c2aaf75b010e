/**
 * The client's face, `holdpoint/client`: what a caller of a Worker may import, and nothing else.
 */

export {
  type AnswerBody,
  type Ask,
  type Client,
  createClient,
  type DeclineBody,
  type Delivery,
  type Message,
  type Overdue,
  type ParkedCounts,
  type ReasonBody,
  type Results,
  type Resumption,
  type Session,
  type StartOptions,
  type StartTurn,
  type Turn,
} from "./client/client.ts";
export type { EventOptions } from "./client/events.ts";
export type { List, Page } from "./client/pages.ts";
export { HoldpointProblem, HoldpointUnreachable } from "./client/problem.ts";
export type { CallOptions, ClientOptions } from "./client/transport.ts";
export type { Answer } from "./core/answer.ts";
export type { InputPart } from "./core/input.ts";
export type { Question } from "./core/question.ts";
export type { ProblemDocument } from "./core/responses.ts";
export type { SessionEvent } from "./core/session-event.ts";
export type { UserQuestionAnswers } from "./core/user-question.ts";
