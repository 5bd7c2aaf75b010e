/**
 * Owns: what a tool's own code may know and do in a call: who it runs for, the key that makes its effect idempotent,
 * asking a person, running another agent. Bound to the options object that the tool is given, and to nothing global.
 * Does not own: how asking and running are done; the engine passes both in.
 */

import type { ToolAnswer } from "../core/answer.ts";
import type { JsonObject } from "../core/json.ts";
import type { TermsInput } from "../core/life.ts";
import type { ToolQuestionInput } from "../core/question.ts";

/**
 * What asking returns, at once. The same question again returns the same question, with its answer once there is one.
 * `answer` can be read whatever the status: a tool that needs one particular answer need not tell the others apart.
 */
export type AskResult =
  | {
      readonly status: "waiting";
      readonly taskId: string;
      readonly requestId: string;
      readonly answer?: never;
    }
  | {
      readonly status: "answered";
      readonly taskId: string;
      readonly requestId: string;
      readonly answer: ToolAnswer;
      readonly answeredBy: string;
      /** ISO 8601 with milliseconds and Z. */
      readonly answeredAt: string;
    }
  | {
      readonly status: "declined" | "cancelled" | "expired";
      readonly taskId: string;
      readonly requestId: string;
      readonly reason?: string;
      readonly answer?: never;
    };

export interface ChildRequest {
  readonly agent: string;
  readonly prompt: string;
  /** True: the child may park, and its end settles a task. False, the default: it has no human tools. */
  readonly deferred?: boolean;
}

/** How a child that could not park ended. */
export type ChildResult = { readonly sessionId: string; readonly turnId: string } & (
  | { readonly status: "completed"; readonly text: string }
  | {
      readonly status: "failed";
      readonly error: {
        readonly code: string;
        readonly message: string;
        readonly retryable: boolean;
      };
    }
  | { readonly status: "cancelled" }
);

/** A child that may park: its end is the task's. */
export interface ChildStarted {
  readonly status: "started";
  readonly taskId: string;
}

export interface ToolContext {
  readonly sessionId: string;
  readonly turnId: string;
  readonly agent: string;
  readonly extraBody: JsonObject | undefined;
  readonly env: Readonly<Record<string, unknown>>;
  /** The same at each try of one call, and of no other call. */
  readonly idempotencyKey: string;
  /** Runs another agent, in a session of its own. */
  readonly run: (request: ChildRequest) => Promise<ChildResult | ChildStarted>;
  /**
   * Absent where the agent has no human input. Same question = same `key`, or else the same content, in the session; its
   * terms (`remind`, `escalate`, `expire`) are no part of what makes it the same.
   */
  readonly ask?: (
    question: ToolQuestionInput & TermsInput,
    options?: { readonly key?: string },
  ) => Promise<AskResult>;
}

const contexts = new WeakMap<object, ToolContext>();

export function bindToolContext(options: object, context: ToolContext): void {
  contexts.set(options, context);
}

/** Takes the second argument of a tool's `execute`, the object itself and no copy of it. Throws for any other. */
export function harnessToolContext(options: unknown): ToolContext {
  const context =
    typeof options === "object" && options !== null ? contexts.get(options) : undefined;
  if (context === undefined) {
    throw new Error(
      "harnessToolContext takes the options object that Holdpoint gave to the tool's execute, itself and no copy of it.",
    );
  }
  return context;
}
