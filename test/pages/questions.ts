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
