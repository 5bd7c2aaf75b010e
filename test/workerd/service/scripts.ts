/**
 * Owns: the scripts that the tests of the Service's wire play, and the forms in them.
 */

import { FORM, FORM_ANSWER } from "../journey.ts";

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
