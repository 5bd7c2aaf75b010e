/**
 * Owns: what must reach somebody outside the session: a row before it is a request, kept until it is done. Each is safe
 * to do twice, since a crash may come between the deed and the commit that notes it.
 */

import type { ToolOutput } from "./event.ts";
import type { RetryPolicy } from "./retry.ts";

export type ChoreContent =
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
  readonly dueAt: number;
  readonly tries: number;
  readonly content: ChoreContent;
}

/** Between objects of one Worker nothing fails for long, and what is lost here would strand a parked parent. */
export const CHORE_RETRY: RetryPolicy = { maxAttempts: 24, retryDelayMs: 2_000 };
