/**
 * Owns: the demo model, the loan desk's pre-approver: what it says or calls next, by rules over the conversation and the
 * tools that it is given. It needs no key and no network, and the same conversation always gets the same reply.
 * Does not own: reading messages (`loan-request.ts`), the underwriter (`underwriter.ts`).
 */

import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { isJsonObject } from "../core/json.ts";
import {
  lastOutcome,
  readConversation,
  type Conversation,
  type ToolOutcome,
} from "./demo-conversation.ts";
import { embeddedModel, type Reply } from "./embedded-model.ts";
import {
  APPROVES_UP_TO_PERCENT,
  assess,
  DECLINES_ABOVE_PERCENT,
  figuresProblem,
  type LoanRequest,
} from "./loan-request.ts";
import { consultUnderwriter, type Case, type ToolUse } from "./underwriter.ts";

/** What the model does next: it speaks and is done, or it speaks and calls a tool. */
interface Move {
  readonly say: string;
  readonly call?: ToolUse;
}

/** What came of judging. Undefined `approved`: there is no decision, and the text says why. */
interface Outcome {
  readonly approved: boolean | undefined;
  readonly text: string;
}

interface Loan {
  readonly subject: string;
  readonly income: number;
  readonly debt: number;
  readonly mailAddress: string;
}

const EXAMPLE = "“Pre-approve APP-1008: income 5000, debt 2350”";

export function demoModel(): LanguageModelV4 {
  return embeddedModel({
    modelId: "demo",
    reply: (options) => Promise.resolve(reply(options)),
  });
}

function reply(options: LanguageModelV4CallOptions): Reply {
  const conversation = readConversation(options.prompt);
  const { say, call } = nextMove(conversation, offeredTools(options));
  if (call === undefined) return { text: say, calls: [] };
  const toolCallId = `demo_${conversation.callCount + 1}`;
  return {
    text: say,
    calls: [{ toolCallId, toolName: call.toolName, input: JSON.stringify(call.input) }],
  };
}

function offeredTools(options: LanguageModelV4CallOptions): ReadonlySet<string> {
  const tools = options.toolChoice?.type === "none" ? [] : (options.tools ?? []);
  return new Set(tools.map((tool) => tool.name));
}

function nextMove(conversation: Conversation, offered: ReadonlySet<string>): Move {
  const { request } = conversation;
  const hasFigures = request.income !== undefined || request.debt !== undefined;
  if (hasFigures) return judge(conversation, offered, request);
  const { applicationId } = request;
  if (applicationId === undefined) return { say: smallTalk(conversation.lastText) };
  return judgeLookedUp(conversation, offered, applicationId);
}

function smallTalk(text: string): string {
  if (/\b(?:thanks|thank you|thx|cheers|appreciated?)\b/i.test(text)) {
    return "You are welcome. Send me another application whenever you like.";
  }
  const needs = `I pre-approve loans. Send me an application's income and debt, for example ${EXAMPLE}.`;
  return /^\s*(?:hi|hello|hey|good (?:morning|afternoon|evening))\b/i.test(text)
    ? `Hello. ${needs}`
    : needs;
}

function judgeLookedUp(
  conversation: Conversation,
  offered: ReadonlySet<string>,
  applicationId: string,
): Move {
  const found = lastOutcome(conversation, "look_up_application");
  if (found === undefined) {
    if (!offered.has("look_up_application")) {
      return { say: `I need the income and the debt of ${applicationId}, for example ${EXAMPLE}.` };
    }
    return {
      say: `I look up ${applicationId}.`,
      call: { toolName: "look_up_application", input: { applicationId } },
    };
  }
  if (!found.ok) return { say: `${applicationId} could not be looked up: ${found.text}` };
  const { income, debt, email } = isJsonObject(found.value) ? found.value : {};
  if (typeof income !== "number" || typeof debt !== "number") {
    return {
      say: `There is no application ${applicationId} on file. Send me its income and debt, for example ${EXAMPLE}.`,
    };
  }
  const onFile = typeof email === "string" ? email : undefined;
  const mailAddress = conversation.request.mailAddress ?? onFile;
  return judge(conversation, offered, { ...conversation.request, income, debt, mailAddress });
}

function judge(
  conversation: Conversation,
  offered: ReadonlySet<string>,
  request: LoanRequest,
): Move {
  const { income, debt, applicationId } = request;
  const subject = applicationId ?? "The application";
  const problem = figuresProblem(request);
  if (problem !== undefined || income === undefined || debt === undefined) {
    return {
      say: `${subject} can't be judged: ${problem}. Send me its income and debt, for example ${EXAMPLE}.`,
    };
  }
  const mailAddress = request.mailAddress ?? deskAddress(applicationId);
  const loan: Loan = { subject, income, debt, mailAddress };
  const outcome = decide(conversation, offered, loan);
  return "say" in outcome ? outcome : tell(conversation, offered, loan, outcome);
}

function decide(
  conversation: Conversation,
  offered: ReadonlySet<string>,
  loan: Loan,
): Outcome | Move {
  const { subject, income, debt } = loan;
  const { verdict, ratio } = assess(income, debt);
  switch (verdict) {
    case "approve":
      return {
        approved: true,
        text: `${subject} is pre-approved: the policy approves a debt-to-income ratio up to ${APPROVES_UP_TO_PERCENT}%, and it is ${ratio}.`,
      };
    case "decline":
      return {
        approved: false,
        text: `${subject} is declined: the policy declines a debt-to-income ratio above ${DECLINES_ABOVE_PERCENT}%, and it is ${ratio}.`,
      };
    case "refer":
      return underwritten(conversation, offered, { subject, ratio, income, debt });
  }
}

function underwritten(
  conversation: Conversation,
  offered: ReadonlySet<string>,
  loan: Case,
): Outcome | Move {
  const { subject, ratio } = loan;
  const move = consultUnderwriter(conversation, offered, loan);
  switch (move.kind) {
    case "call":
      return { say: move.say, call: move.call };
    case "decided": {
      const fate = move.approved ? "pre-approved" : "declined";
      const deed = move.approved ? "approved" : "denied";
      return {
        approved: move.approved,
        text: `${subject} is ${fate}: ${inSentence(move.by)} ${deed} its ${ratio} debt-to-income ratio.${move.note}`,
      };
    }
    case "undecided":
      return {
        approved: undefined,
        text: `${move.why} No decision is made on ${inSentence(subject)}.`,
      };
  }
}

/** The last word: what was decided, and what came of the mail where one was asked for. */
function tell(
  conversation: Conversation,
  offered: ReadonlySet<string>,
  loan: Loan,
  { approved, text }: Outcome,
): Move {
  if (!conversation.request.wantsMail) return { say: text };
  if (approved === undefined) {
    return { say: `${text} No mail was sent, since there is nothing to tell yet.` };
  }
  const mailed = lastOutcome(conversation, "send_email");
  if (mailed !== undefined) return { say: `${text} ${mailReport(mailed, loan.mailAddress)}` };
  if (!offered.has("send_email")) {
    return { say: `${text} I can't send mail here, so none was sent.` };
  }
  return { say: `${text} I write to ${loan.mailAddress}.`, call: mail(loan, approved) };
}

function mailReport(mailed: ToolOutcome, address: string): string {
  if (!mailed.ok) {
    return mailed.denied
      ? `The mail was not sent: ${mailed.text}`
      : `The mail is not known to be sent: ${mailed.text}`;
  }
  const { status, to } = isJsonObject(mailed.value) ? mailed.value : {};
  if (status !== undefined && status !== "sent") {
    return `The mail is not known to be sent: ${JSON.stringify(mailed.value)}`;
  }
  // The address that was really written to: whoever approved the mail may have changed it.
  return `The mail to ${typeof to === "string" ? to : address} was sent.`;
}

/** The letter has the decision alone: the ratio's judge and the judge's note are the desk's own affair. */
function mail(loan: Loan, approved: boolean): ToolUse {
  const fate = approved ? "pre-approved" : "declined";
  return {
    toolName: "send_email",
    input: {
      to: loan.mailAddress,
      subject: `Your loan application: ${fate}`,
      body: `${loan.subject} is ${fate}.\n\nThe loan desk`,
    },
  };
}

/** Where nobody gave an address: one of the reserved domain that no mail leaves for. */
function deskAddress(applicationId: string | undefined): string {
  return `${applicationId?.toLowerCase() ?? "applicant"}@applicants.example`;
}

function inSentence(phrase: string): string {
  return phrase.startsWith("The ") ? `the ${phrase.slice(4)}` : phrase;
}
