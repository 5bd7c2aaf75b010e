/** An agent whose questions go by mail, to people whom the tests' mails are from, and who gets mail at an address of its own. */

import { tool } from "ai";
import { z } from "zod";
import { scriptModel } from "../../src/agent/script-model.ts";
import { harnessToolContext } from "../../src/agent/tool-context.ts";
import { defineAgent } from "../../src/options.ts";
import { email } from "../../src/outbound/email.ts";

export const DANA = "dana@lender.example";
export const LEAD = "lead@lender.example";
export const LOANS = "loans@mail.example";

export const deskMail = email({ from: "Loan Desk <desk@mail.example>", to: DANA });

export const mailAgents = {
  "by-mail": defineAgent({
    model: scriptModel,
    system: "You play a script.",
    tools: {
      pay_out: tool({
        description: "Pay a loan out.",
        inputSchema: z.looseObject({}),
        execute: () => ({ paid: true }),
      }),
      ask_value: tool({
        description: "Ask for a value.",
        inputSchema: z.looseObject({ answerSchema: z.looseObject({}) }),
        execute: async ({ answerSchema }, options) =>
          harnessToolContext(options).ask?.({ question: "Which value?", answerSchema }),
      }),
    },
    approvals: { pay_out: "always" },
    userQuestions: true,
    humanInput: {
      channels: [deskMail],
      recipients: { underwriter: { email: DANA }, lead: { email: LEAD }, nobody: {} },
    },
  }),
};

export const mail = { agents: { [LOANS]: { agent: "by-mail", workspace: "dev" } } };
