/**
 * Owns: how a "no" looks on the wire of `/v1`: RFC 9457 problem documents, and the one table from refusal to status.
 */

import type { Context } from "hono";
import type { Issue, Refusal, RefusalCode } from "../core/refusal.ts";
import { SessionUnavailable } from "../session/face.ts";
import type { Caller } from "./door.ts";

/** What only the HTTP surface refuses. */
export type WireCode =
  | "unauthenticated"
  | "invalid_signature"
  | "forbidden"
  | "method_not_allowed"
  | "payload_too_large"
  | "unsupported_media_type"
  | "invalid_cursor"
  | "rate_limited"
  | "not_configured"
  | "unavailable"
  | "internal";

type ProblemStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 429 | 500 | 503;

interface ProblemKind {
  readonly status: ProblemStatus;
  readonly title: string;
}

/** Exhaustive: a new refusal does not compile without its line here. The reference is held to it by a test. */
export const PROBLEMS: Readonly<Record<RefusalCode | WireCode, ProblemKind>> = {
  invalid_request: { status: 400, title: "The request is not valid" },
  invalid_answer: { status: 422, title: "The answer does not fit the question" },
  results_incomplete: { status: 400, title: "The results do not cover what is open" },
  invalid_result: { status: 422, title: "A result does not fit its call" },
  invalid_cursor: { status: 400, title: "The cursor is not valid" },
  unauthenticated: { status: 401, title: "A valid key is needed" },
  invalid_signature: { status: 401, title: "The signature is not valid" },
  forbidden: { status: 403, title: "The key may not do this" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  already_answered: { status: 409, title: "The question is answered already" },
  declined: { status: 409, title: "The question was declined" },
  cancelled: { status: 409, title: "The question was cancelled" },
  expired: { status: 409, title: "The question has expired" },
  session_busy: { status: 409, title: "The session is busy" },
  session_full: { status: 409, title: "The session is full" },
  idempotency_key_reused: {
    status: 409,
    title: "The Idempotency-Key was used for another request",
  },
  turn_settled: { status: 409, title: "The turn is settled" },
  turn_not_parked: { status: 409, title: "The turn does not wait for results" },
  not_waiting_head: { status: 409, title: "The run is not the last waiting one" },
  run_sealed: { status: 409, title: "The run is sealed" },
  wait_not_client_owned: { status: 409, title: "The turn waits for tasks" },
  payload_too_large: { status: 413, title: "The body is too large" },
  unsupported_media_type: { status: 415, title: "The body must be JSON" },
  rate_limited: { status: 429, title: "Too many requests" },
  internal: { status: 500, title: "Internal error" },
  not_configured: { status: 503, title: "Holdpoint is not configured" },
  unavailable: { status: 503, title: "The session is not available" },
};

/** A refusal on its way out: thrown by the door's own checks, caught by the app's error handler. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: RefusalCode | WireCode;
  readonly issues: readonly Issue[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** What the session refused, where it was the session. */
  readonly refusal: Refusal | undefined;

  constructor(
    code: RefusalCode | WireCode,
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
