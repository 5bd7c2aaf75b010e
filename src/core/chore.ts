/**
 * Owns: what must reach somebody outside the session: a row before it is a request, kept until it is done. Each is safe
 * to do twice, since a crash may come between the deed and the commit that notes it.
 */

import type { ToolOutput } from "./event.ts";
import type { RetryPolicy } from "./retry.ts";

export type ChoreContent =
  /** Bring a question to people, by one of its agent's channels. */
  | { readonly kind: "deliver"; readonly question: number; readonly channel: string }
  /** Hand a settled turn to `onResult`. */
  | { readonly kind: "result"; readonly turn: number }
  /** Start the child turn of a task, in a session of its own. */
  | { readonly kind: "startChild"; readonly item: number }
  /** Cancel the child turn of a task that was cancelled. */
  | { readonly kind: "cancelChild"; readonly item: number }
  /** Tell the parent session how this session's turn ended. */
  | { readonly kind: "tellParent"; readonly parent: ParentTask; readonly output: ToolOutput };

/** The task of another session that a turn settles. */
export interface ParentTask {
  /** The key of the parent's session. */
  readonly session: string;
  /** The task's number there. */
  readonly item: number;
}

export interface Chore {
  readonly n: number;
  /** When it has to be done, in milliseconds since the epoch. */
  readonly dueAt: number;
  readonly tries: number;
  readonly content: ChoreContent;
}

/** How far a question's delivery by one channel has come. */
export interface Delivery {
  readonly channel: string;
  readonly status: "pending" | "sent" | "failed";
  readonly tries: number;
  /** What the last try that failed said. */
  readonly error?: string;
}

/** An author's own code gets five tries. Between objects of one Worker nothing fails for long, and a loss strands a parent. */
export function choreRetry(content: ChoreContent): RetryPolicy {
  switch (content.kind) {
    case "deliver":
    case "result":
      return { maxAttempts: 5, retryDelayMs: 15_000 };
    case "startChild":
    case "cancelChild":
    case "tellParent":
      return { maxAttempts: 24, retryDelayMs: 2_000 };
  }
}
