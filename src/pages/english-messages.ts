/** Owns: the words of mails and of messages in Slack in English. */

import type { NoticeEvent } from "../core/channel.ts";
import type { MailForm } from "../core/mail-form.ts";
import type { AnsweredVia } from "../core/question.ts";
import type { Ended, MessageWords } from "./message-words.ts";

export const englishMessages: MessageWords = {
  prefixes: {
    "question.asked": "",
    "question.reminded": "Reminder: ",
    "question.escalated": "Passed on to you: ",
    "question.assigned": "",
    "question.answered": "Answered: ",
    "question.declined": "Declined: ",
    "question.cancelled": "Cancelled: ",
    "question.expired": "Expired: ",
  },
  opening,
  theTool: "The tool",
  toolIsGiven: (tool) => `${tool} would be given:`,
  openUntil: (time) => `Open until ${time}.`,
  reference: (requestId) => `Reference ${requestId}`,
  answerOnPage: "Answer on the page",
  orAnswerOnPage: "Or answer on the page",
  howToReply,
  ended,
  nothingLeft: "Nothing is left for you to do.",
  mail: {
    notRecorded: "Your mail was not recorded.",
    writeAbove: "Write it above everything else in your mail.",
    onPageAlone: "This question is answered on its page, not by mail.",
    empty: "There was nothing in your mail but what it quoted.",
    tooLong: (characters) => `Your mail is too long: at most ${characters} characters are read.`,
    yesOrNoAlone: "It is answered by the single word yes or no.",
    numberAlone: "It is answered by a number alone, such as 12 or 12.5.",
    moreThanYes:
      "Your mail says more than yes. What is approved runs exactly as shown, so an approval can't carry a condition or a note.",
    yesOrNoFirst: "The first line has to say yes or no.",
    nameOne: (names) => `The first line has to name one of: ${names}.`,
    onlyOne: "It takes one choice, and your mail names more.",
    choiceAlone: "Your mail says more than the choice, and nothing else can be recorded with it.",
    notYours:
      "This address may not answer the question. It takes the answer of the one who was asked, from the address that was asked, and only as long as the question is theirs.",
    doesNotFit: "The answer does not fit the question:",
    hadEnded: "The question had ended before your mail arrived.",
  },
  slack: {
    shownInPart: "Only the beginning is shown here. The page shows all of it.",
    stillOpen: "It is still open above.",
    notYours:
      "Nothing was recorded: the question is not yours to answer. It may have been given to somebody else.",
    notTaken: "Nothing was recorded: the answer does not fit the question. Answer on its page.",
    linkExpired: "Nothing was recorded: the time to answer is over.",
  },
};

function opening(event: NoticeEvent, agent: string | undefined, isApproval: boolean): string {
  const asks = isApproval ? "for your approval" : "you";
  const asked = agent === undefined ? "You are asked:" : `The agent ${agent} asks ${asks}:`;
  switch (event) {
    case "question.reminded":
      return `A reminder, since no answer came yet. ${asked}`;
    case "question.escalated":
      return `Nobody has answered this yet, so it was passed on to you. ${asked}`;
    case "question.assigned":
      return `This was given to you. ${asked}`;
    default:
      return asked;
  }
}

function howToReply(form: MailForm): string | undefined {
  switch (form.kind) {
    case "decision":
      return "Reply with the single word yes to approve, or with no and, below it, your reason.";
    case "choice": {
      const names = form.numbered ? "number or name" : "name";
      const what = form.multiple
        ? `the ${names} of each choice, a line for each`
        : `the ${names} of your choice`;
      const where = form.allowNote ? " on the first line; a note may follow below" : " alone";
      return `Reply with ${what}${where}.${form.allowText ? " Or answer in your own words." : ""}`;
    }
    case "text":
      return "Reply with your answer.";
    case "boolean":
      return "Reply with the single word yes or no.";
    case "number":
      return "Reply with the number alone.";
    case "page":
      return undefined;
  }
}

function ended({ status, by, at, via }: Ended): string {
  const when = at === undefined ? "" : ` on ${at}`;
  if (status === "expired") return `No answer came in time: it expired${when}.`;
  const door = status === "cancelled" || by === "link" ? "" : sayDoor(via);
  return `It was ${status}${sayBy(by)}${when}${door}.`;
}

/** The door, as it ends a sentence; empty where the name before it says it already. */
export function sayDoor(via: AnsweredVia | undefined, page = "on the page"): string {
  switch (via) {
    case undefined:
    case "default":
      return "";
    case "page":
      return `, ${page}`;
    case "email":
      return ", by email";
    case "slack":
      return ", in Slack";
    case "api":
    case "service":
    case "code":
      return ", through the API";
  }
}

/** `link` and `default` are no names of persons. */
function sayBy(by: string | undefined): string {
  if (by === undefined) return "";
  if (by === "link") return " through the link";
  return by === "default" ? " by default, since nobody did" : ` by ${by}`;
}
