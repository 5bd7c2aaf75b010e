/**
 * Owns: how a "no" looks on the wire of `/v1`: RFC 9457 problem documents.
 */

import type { Context } from "hono";
import { type ProblemCode, PROBLEMS } from "../core/problem.ts";
import type { Issue, Refusal } from "../core/refusal.ts";
import { SessionUnavailable } from "../session/face.ts";
import type { Caller } from "./door.ts";

/** A refusal on its way out: thrown by the door's own checks, caught by the app's error handler. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ProblemCode;
  readonly issues: readonly Issue[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** What the session refused, where it was the session. */
  readonly refusal: Refusal | undefined;

  constructor(
    code: ProblemCode,
    detail: string,
    options: {
      readonly issues?: readonly Issue[];
      readonly headers?: Readonly<Record<string, string>>;
      readonly refusal?: Refusal;
    } = {},
  ) {
    super(detail);
    this.code = code;
    this.issues = options.issues;
    this.headers = options.headers ?? {};
    this.refusal = options.refusal;
  }
}

export function problemOf(refusal: Refusal): Problem {
  const issues = "issues" in refusal ? { issues: refusal.issues ?? [] } : {};
  return new Problem(refusal.code, refusal.detail, { refusal, ...issues });
}

/** Of a cursor that is of no page before; `field` is where a page says how to go on. */
export function invalidCursor(field: "nextCursor" | "next_cursor" = "nextCursor"): Problem {
  return new Problem("invalid_cursor", `Take the cursor from ${field} of the page before.`);
}

export function problemResponse(context: Context<Caller>, problem: Problem): Response {
  const { status, title } = PROBLEMS[problem.code];
  const body = {
    type: "about:blank",
    title,
    status,
    detail: problem.message,
    code: problem.code,
    instance: context.get("requestId"),
    ...(problem.issues !== undefined && problem.issues.length > 0 && { issues: problem.issues }),
  };
  return context.body(JSON.stringify(body), status, {
    ...problem.headers,
    "content-type": "application/problem+json",
  });
}

/** What a caller is told of an error. Of a defect: only that it was one. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof SessionUnavailable)
    return new Problem(
      "unavailable",
      "The session did not answer. Send the request again, with the same Idempotency-Key.",
      {
        headers: { "retry-after": "1" },
      },
    );
  // By its name: the class belongs to the Worker's top, above this room.
  if (error instanceof Error && error.name === "ConfigurationError")
    return new Problem("not_configured", error.message);
  return new Problem(
    "internal",
    "Something went wrong on our side. Quote the request's id when you report it.",
  );
}
