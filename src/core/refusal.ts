/**
 * Owns: every expected "no", as one union, and how a value or a "no" is returned. Refusals are values, over RPC too;
 * failures of the world and defects of ours are not refusals. The table from code to HTTP is `problem.ts`.
 */

/** One thing that is wrong with an input: where (`""` is the whole), and what to do about it. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** A refusal says what it refuses by its code; `detail` says it in words that tell the caller what to do. */
export type Refusal =
  | {
      readonly code: "invalid_request";
      readonly detail: string;
      readonly issues?: readonly Issue[];
    }
  | { readonly code: "invalid_answer"; readonly detail: string; readonly issues: readonly Issue[] }
  | { readonly code: "not_found"; readonly detail: string }
  | { readonly code: "already_answered"; readonly detail: string }
  | { readonly code: "declined"; readonly detail: string }
  | { readonly code: "cancelled"; readonly detail: string }
  | { readonly code: "expired"; readonly detail: string }
  | { readonly code: "session_busy"; readonly detail: string }
  | { readonly code: "session_full"; readonly detail: string }
  | { readonly code: "idempotency_key_reused"; readonly detail: string }
  | { readonly code: "turn_settled"; readonly detail: string }
  | { readonly code: "turn_not_parked"; readonly detail: string }
  | { readonly code: "not_waiting_head"; readonly detail: string }
  | { readonly code: "run_sealed"; readonly detail: string; readonly status: string }
  | { readonly code: "wait_not_client_owned"; readonly detail: string }
  | {
      readonly code: "results_incomplete";
      readonly detail: string;
      readonly issues: readonly Issue[];
      readonly coverage: Coverage;
    }
  | {
      readonly code: "invalid_result";
      readonly detail: string;
      readonly issues: readonly Issue[];
      /** The id of the call whose result does not fit. */
      readonly callId: string;
    };

/** Where the results of a batch differ from what is open, in the first category that differs. */
export interface Coverage {
  readonly field: "approvals" | "calls";
  readonly missing: readonly string[];
  readonly unexpected: readonly string[];
}

export type RefusalCode = Refusal["code"];

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal };

export function accepted<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function refused(refusal: Refusal): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal };
}

/** What a check of an input returns: its normalised value, or all that is wrong with it. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };
