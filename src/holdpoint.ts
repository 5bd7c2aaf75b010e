/**
 * The library's face: what a user may import, and nothing else.
 */

export type {
  ApprovalContext,
  ApprovalDecision,
  ApprovalRule,
  PrepareMessages,
  DeliverContext,
  ToolRule,
} from "./agent/agent.ts";
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
export type { ToolAnswer } from "./core/answer.ts";
export type { Channel, ChannelContext, Notice, NoticeEvent, Recipient } from "./core/channel.ts";
export type { TurnResult, TurnView } from "./core/turn-view.ts";
export { type Question, questionSchema, type ToolQuestionInput } from "./core/question.ts";
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
export type {
  HoldpointBinding,
  Listed,
  QuestionCalls,
  Refused,
  Reply,
  SessionCalls,
  TurnCalls,
  TurnStart,
} from "./binding.ts";
export type { BindingProps } from "./binding-props.ts";
export { createHarness, type Harness } from "./harness.ts";
export {
  type AgentOptions,
  defineAgent,
  type HarnessOptions,
  type InputTypeOptions,
} from "./options.ts";
export type { TriggerOptions, TriggerRequest } from "./inbound/trigger.ts";
export {
  githubSignature,
  type SignedDelivery,
  slackSignature,
  standardWebhooks,
  type WebhookVerifier,
} from "./inbound/webhook-signatures.ts";
export type { HumanInputOptions } from "./human-input.ts";
export type { MailOptions } from "./mail-options.ts";
export { email, type EmailOptions } from "./outbound/email.ts";
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
export { slack, type SlackOptions } from "./outbound/slack.ts";
export { webhook, type WebhookOptions } from "./outbound/webhook.ts";
