/**
 * Owns: what an agent is, as its author writes it down, after its options were checked once.
 */

import type { ModelMessage, TelemetryOptions, Tool } from "ai";
import type { Json, JsonObject } from "../core/json.ts";
import type { OutputRequest } from "../core/output.ts";
import type { RetryPolicy } from "../core/retry.ts";
import type { NoticeEvent, Recipient } from "../core/channel.ts";
import type { Question } from "../core/question.ts";
import type { Reach } from "../core/recipients.ts";
import type { TurnResult, TurnView } from "../core/turn-view.ts";
import type { ModelSource } from "./model-context.ts";

/** A tool of any input and output, in the SDK's own types. The second form is one that has no `execute`. */
// oxlint-disable-next-line typescript/no-explicit-any -- the SDK's tools are invariant in their input
export type AnyTool = Tool<any, any, any> | Tool<any, never, any>;

export interface ToolRule {
  /** `false`: the tool changes nothing, so it may be run again at any time and needs no start row. */
  readonly effect?: false;
  /** After a crash in the middle: tell the model that the outcome is unknown, or run it again with the same key (I3). */
  readonly interrupted?: "report" | "retry";
  /** The call returns a task at once; its result is the task's. In a turn that can't wait it returns the result itself. */
  readonly background?: true;
  /** Of one run of the tool; where it is shorter than 30 s, of its approval rule and its input check too. */
  readonly timeoutMs?: number;
  /** A person who approves a call may change its arguments. */
  readonly editable?: boolean;
}

export interface ApprovalContext {
  readonly sessionId: string;
  readonly turnId: string;
  readonly agent: string;
  readonly extraBody: JsonObject | undefined;
  readonly env: Readonly<Record<string, unknown>>;
}

/**
 * `forbidden` refuses the call whatever a person says: rules are asked again at the moment of running, and a present
 * refusal beats an earlier yes.
 */
export type ApprovalDecision =
  | boolean
  | { readonly required: boolean; readonly reason?: string }
  | { readonly forbidden: true; readonly reason: string };

export type ApprovalRule =
  | "always"
  | "never"
  | ((input: Json, context: ApprovalContext) => ApprovalDecision | Promise<ApprovalDecision>);

/** An author's own delivery of a question. Called until it returns: five tries, then the delivery shows as failed. */
export type Deliver = (question: Question, context: DeliverContext) => Promise<void> | void;

export interface DeliverContext {
  readonly env: Readonly<Record<string, unknown>>;
  /** Why it is delivered: asked, reminded, escalated or assigned. */
  readonly event: NoticeEvent;
  /** Whom it is for, with their addresses; absent where the question is addressed to nobody. */
  readonly recipient?: Recipient;
}

/** Told of each settled turn. */
export type OnResult = (result: TurnResult, turn: TurnView) => Promise<void> | void;

/** A named shape of input, and what a turn that is given one ends with. */
export interface InputType {
  readonly schema: JsonObject | boolean;
  readonly output?: OutputRequest;
}

/**
 * May shorten what the model sees of the conversation, before each model call; it changes nothing that is stored.
 * Every tool call must keep its result, and the messages of the turn's last step must stay. Throwing fails the attempt.
 */
export type PrepareMessages = (
  messages: readonly ModelMessage[],
  context: ApprovalContext,
) => readonly ModelMessage[] | Promise<readonly ModelMessage[]>;

export interface Agent extends RetryPolicy {
  readonly name: string;
  readonly model: ModelSource;
  readonly system: string;
  /** AI SDK tools. One without `execute` is the caller's to run. */
  readonly tools: Readonly<Record<string, AnyTool>>;
  readonly toolRules: Readonly<Record<string, ToolRule>>;
  readonly approvals: Readonly<Record<string, ApprovalRule>>;
  /** Undefined: neither the model nor a tool may ask a person. */
  readonly humanInput?: {
    readonly askPerson: boolean;
    readonly reach: Reach;
    /** True: a parked turn goes on only when it is told to, not when its wait is over. */
    readonly resumesManually: boolean;
  };
  /** Called for each settled turn: at least once, and once where nothing crashes. */
  readonly onResult?: OnResult;
  readonly userQuestions: boolean;
  /** How long a settled turn is kept, in milliseconds; without it, for ever. */
  readonly keepSettledMs?: number;
  readonly inputTypes: Readonly<Record<string, InputType>>;
  readonly prepareMessages?: PrepareMessages;
  /** Of the AI SDK: where it tells of model calls. */
  readonly telemetry?: TelemetryOptions;
  readonly maxSteps: number;
  /** Input and output tokens of one turn over all its runs. */
  readonly maxTokens?: number;
  readonly modelTimeoutMs: number;
  /** The size that a turn's `extraBody` may have. */
  readonly extraBodyBytes: number;
}
