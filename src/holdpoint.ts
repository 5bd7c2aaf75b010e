/**
 * The library's face: what a user may import, and nothing else.
 */

export type { ApprovalContext, ApprovalDecision, ApprovalRule, ToolRule } from "./agent/agent.ts";
export type { ModelContext, ModelSource } from "./agent/model-context.ts";
export { resolveModel } from "./agent/models.ts";
export {
  type AskResult,
  type ChildRequest,
  type ChildResult,
  type ChildStarted,
  harnessToolContext,
  type ToolContext,
} from "./agent/tool-context.ts";
export type { TurnResult, TurnView } from "./core/turn-view.ts";
export { type Question, questionSchema } from "./core/question.ts";
export { type SessionEvent, sessionEventSchema } from "./core/session-event.ts";
export type { Checked, Issue } from "./core/refusal.ts";
export {
  type AskUserQuestionRequest,
  askUserQuestionRequestSchema,
  type NormalisedUserQuestionAnswers,
  parseAskUserQuestionRequest,
  type UserQuestion,
  type UserQuestionAnswers,
  type UserQuestionOption,
  userQuestionSchema,
  validateUserQuestionAnswer,
} from "./core/user-question.ts";
export { createHarness } from "./harness.ts";
export { type AgentOptions, defineAgent, type HarnessOptions } from "./options.ts";
export {
  type ApprovalChoice,
  buildResults,
  type Deferred,
  type DeferredItem,
  type DeferredResults,
  resume,
  type ResumeOptions,
  run,
  type RunOptions,
  type RunOutcome,
  toolFailed,
} from "./library/embedded.ts";
export {
  answerInputRequest,
  cancelInputRequest,
  declineInputRequest,
  listInputRequests,
} from "./library/questions.ts";
export { resumeParked, type ResumeParkedOptions } from "./library/resume-parked.ts";
export { HoldpointRefusal } from "./library/refusal.ts";
export { streamHarness, type StreamedTurn } from "./library/stream.ts";
export { generateHarness, type GenerateOptions } from "./library/turns.ts";
