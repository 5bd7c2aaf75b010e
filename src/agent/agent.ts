/**
 * Owns: what an agent is, as its author writes it down, after its options were checked once.
 */

import type { Tool } from "ai";
import type { Channel } from "../core/channel.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { Directory } from "../core/recipients.ts";
import type { RetryPolicy } from "../core/retry.ts";
import type { Question } from "../core/question.ts";
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
  /** The call returns a task at once; its result is the task's. */
  readonly background?: true;
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
export type Deliver = (
  question: Question,
  context: { readonly env: Readonly<Record<string, unknown>> },
) => Promise<void> | void;

/** Told of each settled turn. */
export type OnResult = (result: TurnResult, turn: TurnView) => Promise<void> | void;

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
    readonly recipients: readonly string[];
    readonly reach: { readonly channels: readonly Channel[]; readonly directory: Directory };
    readonly deliver?: Deliver;
    /** True: a parked turn goes on only when it is told to, not when its wait is over. */
    readonly resumesManually: boolean;
  };
  /** Called for each settled turn: at least once, and once where nothing crashes. */
  readonly onResult?: OnResult;
  readonly userQuestions: boolean;
  readonly maxSteps: number;
  /** Input and output tokens of one turn over all its runs. */
  readonly maxTokens?: number;
  readonly modelTimeoutMs: number;
  /** The size that a turn's `extraBody` may have. */
  readonly extraBodyBytes: number;
}
