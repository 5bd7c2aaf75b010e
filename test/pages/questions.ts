/** Questions of every kind, as the pages get them. */

import type { Question } from "../../src/core/question.ts";

export const CREATED_AT = "2026-11-30T09:05:00.000Z";

/** Each has an id of its own, so that one desk can hold them all. */
function idOf(n: number): string {
  return `q_0123456789abcdef012345670000000${n}`;
}

const WAITING = {
  sessionId: "sess_0123456789abcdef01234567",
  agent: "loans",
  status: "waiting",
  deliveries: [],
  history: [],
  createdAt: CREATED_AT,
} as const;

export const CHOICE: Question = {
  ...WAITING,
  requestId: idOf(4),
  kind: "person",
  question: "APP-1008 has a 47% debt-to-income ratio. Approve it?",
  options: [
    {
      id: "approve",
      label: "Approve",
      description: "Accept the application with the ratio as it is.",
    },
    { id: "deny", label: "Deny" },
  ],
  multiple: false,
  allowText: true,
  context: [
    "The applicant **APP-1008** earns 5 000 € a month and owes 2 350 €, a ratio of **47 %**.",
    "| Item | Amount |\n|:--|--:|\n| Income | 5 000 |\n| Debt | 2 350 |",
    "- The policy approves up to 36 %.\n- It declines above 50 %.\n- [x] Identity checked",
    "> What lies between is the underwriter’s to decide.",
    "See [the policy](https://example.com/policy), or `policy.md`.",
    "## Earlier cases\n\nTwo cases like this were approved last month, with a co-signer.",
  ].join("\n\n"),
};

export const STRICT_CHOICE: Question = { ...CHOICE, allowText: false };

export const MULTIPLE: Question = {
  ...WAITING,
  requestId: idOf(5),
  kind: "tool",
  question: "Which documents are missing?",
  options: [
    { id: "payslip", label: "Payslip" },
    { id: "passport", label: "Passport" },
    { id: "contract", label: "Contract" },
  ],
  multiple: true,
  allowText: true,
};

export const OPEN: Question = {
  ...WAITING,
  requestId: idOf(6),
  kind: "person",
  question: "What should the letter say about the delay?",
  allowText: true,
};

export const FORM: Question = {
  ...WAITING,
  requestId: idOf(7),
  kind: "form",
  question: "Which scope should be used?\nWhich outputs do you need?",
  questions: [
    {
      question: "Which scope should be used?",
      header: "Scope",
      options: [
        { label: "Focused", description: "Change only the selected component." },
        { label: "Broad", description: "Apply the change across the repository." },
      ],
      multiSelect: false,
    },
    {
      question: "Which outputs do you need?",
      header: "Outputs",
      options: [
        { label: "Code", description: "Include the implementation." },
        { label: "Docs", description: "Include the user guide." },
      ],
      multiSelect: true,
    },
  ],
};

export const APPROVAL: Question = {
  ...WAITING,
  requestId: idOf(8),
  kind: "approval",
  question: "Run send_email?",
  toolName: "send_email",
  toolCallId: "call_1",
  arguments: {
    to: "ada@example.com",
    subject: "APP-1008",
    body: "Dear Ada,\n\nyour loan is approved.\n\nThe loan desk",
  },
};

export const VALUE: Question = {
  ...WAITING,
  requestId: idOf(9),
  kind: "tool",
  question: "Which limits should apply?",
  allowText: false,
  answerSchema: {
    type: "object",
    title: "Limits",
    description: "The lower and the upper bound, in euros.",
    properties: { low: { type: "number" }, high: { type: "number" } },
    required: ["low", "high"],
  },
};

export const PLAIN_VALUE: Question = {
  ...VALUE,
  answerSchema: { type: "string", title: "Name", maxLength: 40 },
};

/** A form with one of each control. */
export const APPLICATION: Question = {
  ...WAITING,
  requestId: "q_0123456789abcdef0123456700000010",
  kind: "tool",
  question: "What are the terms of the loan?",
  allowText: false,
  context: "The applicant asked for **20 000 €** over five years.",
  answerSchema: {
    $defs: {
      address: {
        type: "object",
        title: "Address",
        properties: {
          street: { type: "string", maxLength: 80 },
          city: { type: "string", maxLength: 80 },
        },
        required: ["street", "city"],
      },
    },
    type: "object",
    properties: {
      applicant: { type: "string", title: "Applicant", minLength: 2, maxLength: 80 },
      email: { type: "string", format: "email", title: "Where to write" },
      site: { type: "string", format: "uri", title: "Website" },
      firstPayment: { type: "string", format: "date" },
      call: { type: "string", format: "date-time", title: "When to call" },
      rate: {
        type: "number",
        title: "Rate",
        description: "In per cent a year.",
        minimum: 0.5,
        maximum: 12,
      },
      months: { type: "integer", title: "Months", minimum: 6, maximum: 120, default: 60 },
      insured: { type: "boolean", title: "Insured?" },
      purpose: {
        title: "Purpose",
        oneOf: [
          { const: "car", title: "A car" },
          { const: "house", title: "A house", description: "To live in or to let." },
        ],
      },
      currency: {
        enum: ["EUR", "CHF", "GBP", "USD", "SEK", "NOK", "DKK", "PLN"],
        title: "Currency",
        default: "EUR",
      },
      papers: {
        type: "array",
        title: "Papers seen",
        items: { enum: ["Payslip", "Passport", "Contract"] },
        minItems: 1,
      },
      tags: { type: "array", title: "Tags", items: { type: "string", maxLength: 20 } },
      address: { $ref: "#/$defs/address" },
      note: { type: "string", title: "Note" },
      instalments: {
        type: "array",
        title: "Unusual instalments",
        items: {
          type: "object",
          properties: { month: { type: "integer" }, amount: { type: "number" } },
        },
      },
    },
    required: ["applicant", "rate", "months", "insured", "purpose", "papers"],
  },
};

export const EDITABLE: Question = {
  ...APPROVAL,
  requestId: "q_0123456789abcdef0123456700000011",
  arguments: {
    to: "ada@example.com",
    body: "Dear Ada,\n\nyour loan is approved.",
    copies: 1,
    urgent: false,
    labels: ["loans"],
    steps: [{ after: 1 }],
  },
  editable: true,
};

/** No control can say a list of objects. */
export const JSON_VALUE: Question = {
  ...VALUE,
  requestId: "q_0123456789abcdef0123456700000012",
  answerSchema: {
    type: "array",
    title: "Steps",
    items: { type: "object", properties: { after: { type: "integer" } }, required: ["after"] },
  },
};
