/**
 * Owns: the example agent, a loan desk that pre-approves: its policy in words, its two tools, which of them changes
 * something, and which needs a person's approval. Does not own: the model that plays it.
 */

import { tool } from "ai";
import * as z from "zod";

/** The demo model plays by the same numbers; a test holds the two equal. */
const loanPolicy = [
  "Policy: the debt-to-income ratio is the monthly debt divided by the monthly income.",
  "Approve a ratio up to 36%. Decline a ratio above 50%.",
  "The policy does not cover what lies between.",
].join(" ");

export const loanDeskInstructions = [
  "You pre-approve loans.",
  loanPolicy,
  "When the policy does not cover a case, ask the underwriter, with the options approve and deny, and go on when the answer is there. Never decide such a case yourself.",
  "Take the figures from the message. Where it names an application and gives no figures, look the application up.",
  "Send an email only where the message asks for one, and only after the decision.",
  "Say what was decided and why, and what came of the email.",
].join("\n");

interface Application {
  readonly applicant: string;
  readonly email: string;
  readonly income: number;
  readonly debt: number;
}

/** Monthly figures; one application on each side of the policy's lines, and one between them. */
const APPLICATIONS: ReadonlyMap<string, Application> = new Map([
  [
    "APP-1001",
    { applicant: "Ada Byrne", email: "ada@applicants.example", income: 6_200, debt: 1_550 },
  ],
  [
    "APP-1008",
    { applicant: "Kofi Mensah", email: "kofi@applicants.example", income: 5_000, debt: 2_350 },
  ],
  [
    "APP-1015",
    { applicant: "Lena Roth", email: "lena@applicants.example", income: 4_100, debt: 2_460 },
  ],
]);

const lookUpApplication = tool({
  description:
    "Look up a loan application: the applicant, the monthly income and the monthly debt.",
  inputSchema: z.object({ applicationId: z.string().min(1).max(64).describe("e.g. APP-1008") }),
  execute: ({ applicationId }) => {
    const application = APPLICATIONS.get(applicationId.trim().toUpperCase());
    return application === undefined
      ? { status: "not_found", applicationId, message: "There is no application of this id." }
      : { status: "found", applicationId: applicationId.trim().toUpperCase(), ...application };
  },
});

const sendEmail = tool({
  description: "Email the applicant. A person approves each email first.",
  inputSchema: z.object({
    to: z.email(),
    subject: z.string().min(1).max(998),
    body: z.string().min(1).max(65_536),
  }),
  execute: ({ to, body }, { toolCallId }) => {
    // The demo sends nothing. Its log tells that it would have, and never to whom or what: mails hold personal data.
    console.log(
      JSON.stringify({ event: "loan_desk.email_sent", toolCallId, characters: body.length }),
    );
    return { status: "sent", to };
  },
});

export const loanDesk = {
  system: loanDeskInstructions,
  tools: { look_up_application: lookUpApplication, send_email: sendEmail },
  toolRules: { look_up_application: { effect: false } },
  approvals: { send_email: "always" },
} as const;
