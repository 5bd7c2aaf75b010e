/**
 * Owns: what a call of the client rejects with: the Worker's own "no", or that there was no answer of it at all.
 */

import type { ProblemDocument } from "../core/responses.ts";

/**
 * The Worker refused, or failed. `problem` is its problem document, a union by `code`: `switch (error.problem.code)`
 * knows each of them.
 */
export class HoldpointProblem extends Error {
  override readonly name = "HoldpointProblem";
  readonly problem: ProblemDocument;
  /** Seconds after which the Worker asked to be tried again, where it said so. */
  readonly retryAfter: number | undefined;

  constructor(problem: ProblemDocument, retryAfter?: number) {
    super(`${problem.code}: ${problem.detail}`);
    this.problem = problem;
    this.retryAfter = retryAfter;
  }

  get code(): ProblemDocument["code"] {
    return this.problem.code;
  }

  get status(): ProblemDocument["status"] {
    return this.problem.status;
  }
}

/** No Worker answered: the network failed, or something else answered in its place, such as a proxy. */
export class HoldpointUnreachable extends Error {
  override readonly name = "HoldpointUnreachable";
  /** Of what answered in its place. */
  readonly status: number | undefined;

  constructor(message: string, options: { readonly status?: number; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.status = options.status;
  }
}

/** The problem document that a text is; undefined where it is none. */
export function parseProblem(text: string): ProblemDocument | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isProblem(value) ? value : undefined;
}

function isProblem(value: unknown): value is ProblemDocument {
  if (typeof value !== "object" || value === null) return false;
  const { code, status, detail, instance, issues } = value as Partial<Record<string, unknown>>;
  return (
    typeof status === "number" &&
    [code, detail, instance].every((member) => typeof member === "string") &&
    (issues === undefined || (Array.isArray(issues) && issues.every(isIssue)))
  );
}

function isIssue(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { path, message } = value as Partial<Record<string, unknown>>;
  return typeof path === "string" && typeof message === "string";
}
