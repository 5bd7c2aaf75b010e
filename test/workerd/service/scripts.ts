/**
 * Owns: the scripts that the tests of the Service's wire play, the forms in them, and the requests and refusals that
 * several of them share.
 */

import { FORM, FORM_ANSWER } from "../journey.ts";
import { message, returned, type Run } from "./client.ts";

export { FORM, FORM_ANSWER };

export const FORM_CALL = { toolName: "ask_user_question", input: FORM, toolCallId: "question-1" };
/** What a client of the Service sees of it. */
export const FORM_ARGUMENTS = {
  questions: FORM.questions.map((question) => ({ ...question, multiSelect: false })),
};

export function clientCall(toolCallId: string, input: object = { n: 1 }): object {
  return { toolName: "client_tool", input, toolCallId };
}

export function guardedCall(toolCallId: string): object {
  return { toolName: "guarded_http", input: { url: "http://127.0.0.1:9/" }, toolCallId };
}

/** One run that waits for a form, and a successor that ends. */
export const ASK = [{ calls: [FORM_CALL] }, { text: "end" }];

/** One run that waits for all that a client can settle. */
export const MIXED = [
  { calls: [FORM_CALL, clientCall("client-1"), guardedCall("pay-1"), guardedCall("pay-2")] },
  { text: "end" },
];

/** The calls of a batch that answers the form alone. */
export const ANSWERED = { calls: { "question-1": returned(FORM_ANSWER) } };

export const KEY = { "idempotency-key": "k" };

export const INVALID = { status: 400, code: "invalid_argument" };

/** What a batch is told that does not cover what is open. */
export function mismatch(
  field: string,
  missing: readonly string[],
  unexpected: readonly string[],
): object {
  return {
    ...INVALID,
    details: { field, reason: "pending_coverage_mismatch", missing, unexpected },
  };
}

/** Every route of the surface, on what is there. */
export function routesOf(run: Run): readonly (readonly [string, string, unknown])[] {
  const thread = `/api/v1/threads/${run.thread_id}`;
  const batch = { approvals: {}, ...ANSWERED };
  return [
    ["POST", "/api/v1/threads", message(ASK)],
    ["GET", thread, undefined],
    ["GET", `${thread}/runs`, undefined],
    ["POST", `${thread}/inbox`, message(ASK)],
    ["GET", `${thread}/inbox/${run.source_entry_id}`, undefined],
    ["GET", `/api/v1/runs/${run.id}`, undefined],
    ["POST", `/api/v1/runs/${run.id}/resume`, batch],
    ["POST", `/api/v1/runs/${run.id}/interrupt`, undefined],
  ];
}
