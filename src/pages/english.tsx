/** Owns: the words of the pages in English. */

import { sayDoor } from "./english-messages.ts";
import type { Bounds, EndingFacts, NumberBounds, SettledStatus, Wording } from "./wording.ts";

const TIME_FORMAT = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "long",
  timeStyle: "short",
  timeZone: "UTC",
});

export const english: Wording = {
  reference: "Reference",
  skipToAnswer: "Skip to the answer",
  states: {
    waiting: "Waiting for you",
    answered: "Answered",
    declined: "Declined",
    cancelled: "Cancelled",
    expired: "Expired",
  },
  time: (iso) => {
    const time = Date.parse(iso);
    return Number.isNaN(time) ? iso : `${TIME_FORMAT.format(time)} UTC`;
  },

  asks: ({ agent, isApproval, isOpen }) => {
    if (agent === undefined) return isOpen ? "You are asked" : "You were asked";
    return (
      <>
        The agent {agent} {isOpen ? "asks" : "asked"} {isApproval ? "for your approval" : "you"}
      </>
    );
  },
  askedOn: (time) => <>Asked on {time}</>,
  openUntil: (time) => <>Open until {time}</>,
  formHeadline: (questions) =>
    questions === 1 ? "A question for you" : `${questions} questions for you`,
  approvalHeadline: (tool) => `Run ${tool}?`,
  why: "Why this is asked",
  goToAnswer: "Go to the answer ↓",
  markdown: {
    table: "Table",
    image: "Image",
    footnotes: "Footnotes",
    backToText: "Back to the text",
  },
  whatToolIsGiven: (tool) => <>What {tool} would be given</>,
  arguments: "Arguments",

  reply: "Reply",
  yourAnswer: "Your answer",
  chooseOne: "Choose one",
  chooseSome: "Choose one or more",
  chooseSomeOrOwnWords: "Choose one or more, or use your own words.",
  ownWords: "In your own words",
  ownWordsHint: "A note to your choice, or an answer without one.",
  noteOptional: "Add a note (optional)",
  noneOfThese: { title: "None of these", text: "I answer in my own words." },
  wholeReply: "A reply to the whole form (optional)",
  wholeReplyHint: "With a reply here you may leave questions open.",
  sendAnswer: "Send answer",
  answeringAs: (who) => <>You answer as {who}.</>,
  cannotAnswer: {
    title: "Can’t answer this?",
    text: "Decline it, and whoever asked is told so.",
  },
  reasonOptional: "Reason (optional)",
  decline: "Decline",
  approveAsShown: {
    title: "Approve it as shown?",
    text: "It runs with exactly these arguments, and only if you approve.",
  },
  approveOrChange: {
    title: "Approve it?",
    text: "It runs only if you approve, with the arguments as shown or as you change them here.",
  },
  changeArguments: "Change the arguments first",
  approve: "Approve",
  denyReason: {
    title: "Reason to deny (optional)",
    text: "The agent is told, and goes on without running it.",
  },
  deny: "Deny",

  optional: "(optional)",
  yes: "Yes",
  no: "No",
  noAnswer: "No answer",
  choose: "Choose…",
  emptyText: "(empty)",
  oneALine: "One a line.",
  asJson: "Write it as JSON.",
  whatItMayBe: "What it may be",
  inUtc: "In UTC.",
  lengthHint: (bounds) => range(bounds, "character"),
  numberHint: numberHint,
  itemsHint: (bounds) => range(bounds, "item"),
  patternHint: (pattern) => <>In the form {pattern}</>,

  nothingRecorded: "Nothing is recorded yet",
  notRecordedTitle: "Not recorded: ",
  recordedTitle: "Recorded: ",
  sendAgain: {
    title: "Please send it again",
    text: "This page had been open for too long, so nothing was recorded. What you entered is still below.",
  },
  issue: englishIssue,
  issues: {
    writeAnswer: "Write an answer.",
    fillIn: "Fill this in.",
    chooseHere: "Choose one of these.",
    chooseSomeHere: "Choose one or more of these.",
    chooseOption: "Choose an option.",
    chooseOptionOrWrite: "Choose an option, or write an answer in your own words.",
    chooseShown: "Choose from the options shown.",
    noteNotAlone: "Choose an option. A note can go with it, but not by itself.",
    notBoth: "Choose from the options or write your own words, not both.",
    answerOrReply: "Answer this question, or write a reply to the whole form below.",
    approveOrDeny: "Choose Approve or Deny.",
    notJson: "This is not JSON. Check the quotation marks, commas and brackets.",
    enterNumber: "Enter a number.",
    enterWholeNumber: "Enter a whole number.",
    enterEmail: "Enter an email address, such as name@example.com.",
    enterUrl: "Enter a whole web address, such as https://example.com.",
    enterDate: "Enter a date.",
    enterTime: "Enter a date and a time.",
  },
  entry: (n) => `Entry ${n}`,

  recorded: { title: "Recorded. Thank you.", text: "You can close this page." },
  agentGoesOn: "The agent goes on from here.",
  notYours: {
    title: "Yours was not recorded",
    text: "The question had ended before it arrived. This is how:",
  },
  endings: {
    answered: "The answer",
    approved: "Approved",
    denied: "Denied",
    declined: "Declined",
    cancelled: "Cancelled",
    expired: "Expired",
  },
  ended: (status, { by, at, via }) => (
    <>
      This question {VERBS[status]}
      {whoEnded(by)}
      {at === undefined ? null : <> on {at}</>}
      {by === "link" ? "" : sayDoor(via, "on this page")}.
    </>
  ),
  cameLate: "It came after the agent had stopped waiting for it.",
  reason: "Reason",
  theAnswer: "The answer",
  wholeReplyGiven: "Reply to the whole form",
  approvedWithChanges: "Approved with changed arguments:",
  changedArguments: "Changed arguments",

  notices: {
    notFound: {
      title: "There is no question here",
      text: "The link may have been cut short on its way to you, or the question was given to somebody else. Open the link again from the message that it came in.",
    },
    expired: {
      title: "This link has expired",
      text: "It was good for a limited time. If the question still matters, ask whoever sent you the link for a new one.",
    },
    tooManyTries: {
      title: "Too many tries",
      text: "This link was used very often in the last minute. Wait a minute, go back, and send your answer again.",
    },
    foreignOrigin: {
      title: "This came from another site",
      text: "An answer is taken only from the page of its own link, and nothing was recorded. Open the link itself and answer there.",
    },
    wrongMethod: {
      title: "This page can only be opened or answered",
      text: "Nothing was recorded. Open the link in a browser.",
    },
    tooLarge: {
      title: "This is too much",
      text: "What was sent is larger than an answer can be, and nothing was recorded. Go back and make it shorter.",
    },
    unreadable: {
      title: "This could not be read",
      text: "What was sent is not this page’s form, and nothing was recorded. Go back and try again.",
    },
    notConfigured: {
      title: "Links are not set up here",
      text: "Whoever runs this Holdpoint has to set the secret LINK_SECRET before questions can be opened by a link.",
    },
    unavailable: {
      title: "The question can’t be reached just now",
      text: "Your answer may or may not have been recorded. Try again in a moment: sending the same answer twice does no harm.",
    },
    failed: {
      title: "Something went wrong on our side",
      text: "It has been noted. Try again in a moment: sending the same answer twice does no harm.",
    },
  },
};

function englishIssue(message: string): string {
  if (message.startsWith("must match the pattern"))
    return "This is not of the form that is asked for.";
  return /^(?:must|is|has|does|takes|can't) /.test(message)
    ? `This ${message}.`
    : `${message.slice(0, 1).toUpperCase()}${message.slice(1).replace(/[.]$/, "")}.`;
}

const VERBS: Readonly<Record<SettledStatus, string>> = {
  answered: "was answered",
  declined: "was declined",
  cancelled: "was cancelled",
  expired: "has expired, since no answer came in time. It ended",
};

function whoEnded(by: EndingFacts["by"]) {
  switch (by) {
    case "nobody":
      return null;
    case "link":
      return " through the link";
    case "default":
      return " by default, since nobody did";
  }
  return by.isReader ? <> by you ({by.name})</> : <> by {by.name}</>;
}

function range({ min, max }: Bounds, unit: string): string {
  const units = (count: number | undefined) => (count === 1 ? unit : `${unit}s`);
  if (min !== undefined && max !== undefined)
    return min === max ? `${min} ${units(max)}.` : `${min} to ${max} ${units(max)}.`;
  if (max !== undefined) return `At most ${max} ${units(max)}.`;
  return min === undefined ? "" : `At least ${min} ${units(min)}.`;
}

function numberHint({ min, max, above, below, step }: NumberBounds): string {
  const parts = [
    min !== undefined && max !== undefined ? `${min} to ${max}` : undefined,
    min !== undefined && max === undefined ? `at least ${min}` : undefined,
    min === undefined && max !== undefined ? `at most ${max}` : undefined,
    above === undefined ? undefined : `more than ${above}`,
    below === undefined ? undefined : `less than ${below}`,
    step === undefined ? undefined : `in steps of ${step}`,
  ].filter((part) => part !== undefined);
  const hint = parts.join(", ");
  return hint === "" ? "" : `${hint.slice(0, 1).toUpperCase()}${hint.slice(1)}.`;
}
