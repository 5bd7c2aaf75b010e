/** Owns: what is written down of the routes of questions and deliveries. */

import { listDeliveriesQuerySchema, listQuestionsQuerySchema } from "../core/requests.ts";
import {
  ANSWERED_QUESTION,
  CANCELLED_QUESTION,
  DECLINED_QUESTION,
  IDS,
  WAITING,
} from "./examples.ts";
import type { Answer, Operation } from "./operation.ts";

/** What refuses to settle a question that is settled already, otherwise. */
const SETTLED = ["not_found", "already_answered", "declined", "cancelled", "expired"] as const;

const FAILED_DELIVERY = {
  id: IDS.delivery,
  requestId: IDS.question,
  channel: "email",
  recipient: "underwriter",
  event: "question.asked",
  status: "failed",
  tries: 5,
  error: "the mail server refused the recipient",
};

function question(example: unknown, says = "The question."): Readonly<Record<200, Answer>> {
  return { 200: { says, schema: "Question", examples: { question: example } } };
}

export const QUESTIONS: readonly Operation[] = [
  {
    route: "POST /v1/questions",
    id: "askQuestion",
    tag: "Questions",
    summary: "Ask a person, without an agent",
    description:
      "With `questions` it is a form, with `answerSchema` its answer is a value that fits; else it is a person's question.",
    right: "run",
    headers: ["Idempotency-Key"],
    body: {
      schema: "Ask",
      examples: {
        options: {
          question: "Refund the order?",
          options: [
            { id: "yes", label: "Yes" },
            { id: "no", label: "No" },
          ],
          remind: ["4h"],
          expire: { after: "2d" },
        },
        value: {
          sessionId: "limits-1",
          key: "limit",
          question: "Up to which amount may the agent refund?",
          answerSchema: { type: "number", minimum: 0, maximum: 500 },
        },
        form: {
          questions: [
            {
              question: "Which scope should be used?",
              header: "Scope",
              options: [
                { label: "Narrow", description: "This customer alone." },
                { label: "Broad", description: "All customers of the branch." },
              ],
            },
          ],
        },
      },
    },
    answers: {
      200: {
        says: "It was asked before, with this `key` or `Idempotency-Key`: as it is now.",
        schema: "Question",
        examples: { question: ANSWERED_QUESTION },
        headers: ["Location"],
      },
      201: {
        says: "Asked.",
        schema: "Question",
        examples: { question: WAITING },
        headers: ["Location"],
      },
    },
    refuses: ["not_found", "session_full", "idempotency_key_reused"],
  },
  {
    route: "GET /v1/questions",
    id: "listQuestions",
    tag: "Questions",
    summary: "List questions, by default those that wait",
    right: "read",
    query: listQuestionsQuerySchema,
    answers: {
      200: {
        says: "A page, the oldest first.",
        schema: "QuestionPage",
        examples: { page: { items: [WAITING], nextCursor: null } },
      },
    },
    refuses: ["invalid_cursor", "not_found"],
  },
  {
    route: "GET /v1/questions/{question}",
    id: "readQuestion",
    tag: "Questions",
    summary: "Read a question",
    right: "read",
    answers: question(WAITING),
    refuses: ["not_found"],
  },
  {
    route: "POST /v1/questions/{question}/answer",
    id: "answerQuestion",
    tag: "Questions",
    summary: "Answer a question",
    description:
      "The first answer wins. The same one again gets the same receipt, a different one is refused and told who answered and when.",
    right: "answer",
    body: {
      schema: "AnswerQuestion",
      examples: {
        option: { answer: { option: "approve" }, answeredBy: "dana@lender.example" },
        text: { answer: { text: "With the co-signer." }, answeredBy: "dana@lender.example" },
        value: { answer: { value: 200 }, answeredBy: "dana@lender.example" },
        form: {
          answer: { answers: { "Which scope should be used?": "Broad" } },
          answeredBy: "dana@lender.example",
        },
        approval: { answer: { approved: true }, answeredBy: "dana@lender.example" },
        denial: {
          answer: { approved: false, reason: "Call him." },
          answeredBy: "dana@lender.example",
        },
      },
    },
    answers: question(ANSWERED_QUESTION),
    refuses: [...SETTLED, "invalid_answer"],
  },
  {
    route: "POST /v1/questions/{question}/decline",
    id: "declineQuestion",
    tag: "Questions",
    summary: "Decline to answer",
    right: "answer",
    body: {
      schema: "DeclineQuestion",
      examples: { decline: { reason: "Ask the branch.", answeredBy: "dana@lender.example" } },
    },
    answers: question(DECLINED_QUESTION),
    refuses: SETTLED,
  },
  {
    route: "POST /v1/questions/{question}/cancel",
    id: "cancelQuestion",
    tag: "Questions",
    summary: "Withdraw a question",
    right: "run",
    body: {
      schema: "Cancel",
      isOptional: true,
      examples: { reason: { reason: "Withdrawn." } },
    },
    answers: question(CANCELLED_QUESTION),
    refuses: SETTLED,
  },
  {
    route: "POST /v1/questions/{question}/assign",
    id: "assignQuestion",
    tag: "Questions",
    summary: "Move a question to somebody else",
    description:
      "It is for that recipient now, who is told of it; links of those before no longer answer.",
    right: "answer",
    body: { schema: "AssignQuestion", examples: { assign: { to: "lead" } } },
    answers: question({ ...WAITING, to: "lead" }),
    refuses: SETTLED,
  },
  {
    route: "POST /v1/questions/{question}/deliver",
    id: "deliverQuestion",
    tag: "Questions",
    summary: "Bring a question to people once more",
    right: "run",
    body: { schema: "Nothing", isOptional: true, examples: { nothing: {} } },
    answers: question(WAITING),
    refuses: ["not_found"],
  },
  {
    route: "GET /v1/deliveries",
    id: "listDeliveries",
    tag: "Deliveries",
    summary: "List what was to leave a session, by default what failed",
    right: "read",
    query: listDeliveriesQuerySchema,
    answers: {
      200: {
        says: "A page.",
        schema: "DeliveryPage",
        examples: { page: { items: [FAILED_DELIVERY], nextCursor: null } },
      },
    },
    refuses: ["invalid_cursor", "not_found"],
  },
  {
    route: "POST /v1/deliveries/{delivery}/retry",
    id: "retryDelivery",
    tag: "Deliveries",
    summary: "Give a delivery new tries",
    right: "run",
    body: { schema: "Nothing", isOptional: true, examples: { nothing: {} } },
    answers: {
      200: {
        says: "The delivery.",
        schema: "Delivery",
        examples: { delivery: { ...FAILED_DELIVERY, status: "pending", tries: 0 } },
      },
    },
    refuses: ["not_found"],
  },
];
