/**
 * Owns: how a "no" looks on `/api/v1`: the Service's error envelope, its few codes, and the details that its clients read.
 */

import type { Context } from "hono";
import type { Issue, Refusal } from "../../core/refusal.ts";
import { SERVICE_STATUS, type ServiceCode } from "../../core/service.ts";
import type { Caller } from "../door.ts";
import type { Problem } from "../problem.ts";

interface Envelope {
  readonly code: ServiceCode;
  readonly details: Readonly<Record<string, unknown>> | null;
}

export function envelopeResponse(context: Context<Caller>, problem: Problem): Response {
  const { code, details } = envelopeOf(problem, subjectOf(context.req.path));
  const body = {
    error: { code, message: problem.message, details, request_id: context.get("requestId") },
  };
  return context.body(JSON.stringify(body), SERVICE_STATUS[code], {
    ...problem.headers,
    "content-type": "application/json",
  });
}

/** An unknown route, or a known one under another method: both are not found here. */
export function unknownRoute(context: Context<Caller>): Response {
  const { method, path } = context.req;
  const body = {
    error: {
      code: "not_found",
      message: "There is no such route.",
      details: { kind: "route", id: `${method} ${path}` },
      request_id: context.get("requestId"),
    },
  };
  return context.json(body, 404);
}

interface Subject {
  readonly kind: string;
  readonly id: string;
}

/** What a path is about: the last thing that it names. */
function subjectOf(path: string): Subject | undefined {
  const match = /^\/api\/v1\/(thread|run)s\/([^/]+)(?:\/inbox\/([^/]+))?/.exec(path);
  const [, kind, id, entry] = match ?? [];
  if (kind === undefined || id === undefined) return undefined;
  return entry === undefined ? { kind, id } : { kind: "entry", id: entry };
}

function envelopeOf(problem: Problem, subject: Subject | undefined): Envelope {
  if (problem.refusal !== undefined) return refusalEnvelope(problem.refusal, subject);
  switch (problem.code) {
    case "unauthenticated":
    case "forbidden":
    case "payload_too_large":
    case "invalid_cursor":
    case "rate_limited":
    case "internal":
      return { code: problem.code, details: null };
    case "not_configured":
    case "unavailable":
      return { code: "unavailable", details: null };
    case "not_found":
      return { code: "not_found", details: subject === undefined ? null : { ...subject } };
    case "unsupported_media_type":
      return invalid([{ path: "content-type", message: "must be application/json" }]);
    case "already_answered":
    case "declined":
    case "cancelled":
    case "expired":
    case "session_busy":
    case "session_full":
    case "idempotency_key_reused":
    case "turn_settled":
    case "turn_not_parked":
    case "not_waiting_head":
    case "run_sealed":
    case "wait_not_client_owned":
      return conflict(subject, problem.code);
    case "invalid_request":
    case "invalid_answer":
    case "results_incomplete":
    case "invalid_result":
    case "invalid_signature":
    case "method_not_allowed":
      return invalid(problem.issues ?? []);
  }
}

function refusalEnvelope(refusal: Refusal, subject: Subject | undefined): Envelope {
  switch (refusal.code) {
    case "invalid_request":
      return invalid(refusal.issues ?? []);
    case "invalid_answer":
      return invalid(refusal.issues);
    case "not_found":
      return { code: "not_found", details: subject === undefined ? null : { ...subject } };
    case "results_incomplete": {
      const { field, missing, unexpected } = refusal.coverage;
      const details = { field, reason: "pending_coverage_mismatch", missing, unexpected };
      return { code: "invalid_argument", details };
    }
    case "invalid_result":
      return {
        code: "invalid_argument",
        details: { field: "calls", reason: "invalid_question_response", id: refusal.callId },
      };
    case "not_waiting_head":
    case "turn_not_parked":
      return conflict(subject, "not_idle_waiting_head");
    case "run_sealed":
      return conflict(subject, `run_${refusal.status}`);
    case "wait_not_client_owned":
    case "idempotency_key_reused":
    case "session_busy":
    case "session_full":
    case "turn_settled":
    case "already_answered":
    case "declined":
    case "cancelled":
    case "expired":
      return conflict(subject, refusal.code);
  }
}

function conflict(subject: Subject | undefined, reason: string): Envelope {
  return { code: "conflict", details: { ...subject, reason } };
}

function invalid(issues: readonly Issue[]): Envelope {
  const fields = issues.map(({ path, message }) => ({ field: fieldOf(path), reason: message }));
  return { code: "invalid_argument", details: { fields } };
}

/** The session knows its agent by another name than this wire. */
function fieldOf(path: string): string {
  return path === "agent" ? "agent_id" : path;
}
