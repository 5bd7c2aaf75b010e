/**
 * Owns: every code with which the HTTP surface says "no", with its status and its title. Does not own: how such a "no" is
 * written (`inbound/problem.ts`), nor the schema that tells its callers of it (`responses.ts`).
 */

import type { RefusalCode } from "./refusal.ts";

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

export type ProblemCode = RefusalCode | WireCode;
export type ProblemStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 429 | 500 | 503;

interface ProblemKind {
  readonly status: ProblemStatus;
  readonly title: string;
}

/** Exhaustive: a new refusal does not compile without its line here. The reference is held to it by a test. */
export const PROBLEMS = {
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
} as const satisfies Readonly<Record<ProblemCode, ProblemKind>>;
