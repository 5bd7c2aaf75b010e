/**
 * Owns: how a "no" reaches the Worker's own code: as an error with a code. Inside the house it is a value.
 */

import type { z } from "zod";
import { issuesBelow, issuesOf } from "../core/issue.ts";
import type { Question } from "../core/question.ts";
import type { Issue, Outcome, Refusal, RefusalCode } from "../core/refusal.ts";

/** What only code of the same Worker is refused; those of deferred results begin with `deferred_`. */
export type DeferredCode =
  | "deferred_results_incomplete"
  | "deferred_request_mismatch"
  | "deferred_approval_invalid"
  | "deferred_results_invalid"
  | "deferred_request_completed"
  | "resume_is_automatic";

export class HoldpointRefusal extends Error {
  override readonly name = "HoldpointRefusal";
  readonly code: RefusalCode | DeferredCode;
  readonly issues: readonly Issue[];
  /** The question as it stands, where it was settled before. */
  readonly question?: Question;

  constructor(
    code: RefusalCode | DeferredCode,
    detail: string,
    issues: readonly Issue[] = [],
    question?: Question,
  ) {
    super(detail);
    this.code = code;
    this.issues = issues;
    if (question !== undefined) this.question = question;
  }
}

/** The value of an accepted call; a refusal is thrown. */
export function valueOf<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw refusalError(outcome.refusal);
}

export function refusalError(refusal: Refusal, question?: Question): HoldpointRefusal {
  const issues = "issues" in refusal ? refusal.issues : [];
  return new HoldpointRefusal(refusal.code, refusal.detail, issues, question);
}

/** A value that code handed over, by its schema; a HoldpointRefusal names the option where it doesn't fit. */
export function checked<T>(schema: z.ZodType<T>, value: unknown, option: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new HoldpointRefusal(
    "invalid_request",
    `${option} is not valid.`,
    issuesBelow(option, issuesOf(parsed.error)),
  );
}
