/**
 * Owns: which words the pages need, of each language: a sentence with a hole is a function, since languages put the hole
 * in different places. Does not own: the words (`english.tsx`, `german.tsx`).
 */

import type { Child } from "hono/jsx";
import type { AnsweredVia, QuestionStatus } from "../core/question.ts";
import type { MarkdownLabels } from "./markdown.ts";

export type SettledStatus = Exclude<QuestionStatus, "waiting">;

/** What is known of a link or a request that leads to no question. */
export type NoticeName =
  | "notFound"
  | "expired"
  | "tooManyTries"
  | "foreignOrigin"
  | "wrongMethod"
  | "tooLarge"
  | "unreadable"
  | "notConfigured"
  | "unavailable"
  | "failed";

/** A heading, and what stands under it. */
export interface Passage {
  readonly title: string;
  readonly text: string;
}

/** Of an ending: who settled the question (`link` and `default` name nobody), when, and by which door. */
export interface EndingFacts {
  readonly by: "nobody" | "link" | "default" | { readonly name: Child; readonly isReader: boolean };
  readonly at?: Child;
  readonly via?: AnsweredVia;
}

export interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

export interface NumberBounds extends Bounds {
  /** Numbers that are themselves out of bounds. */
  readonly above?: number;
  readonly below?: number;
  readonly step?: number;
}

export interface Wording {
  readonly reference: string;
  readonly skipToAnswer: string;
  readonly states: Readonly<Record<QuestionStatus, string>>;
  /** A time as people read it; the page doesn't know where that is, and says UTC. */
  readonly time: (iso: string) => string;

  readonly asks: (asking: {
    readonly agent?: Child;
    readonly isApproval: boolean;
    readonly isOpen: boolean;
  }) => Child;
  readonly askedOn: (time: Child) => Child;
  readonly openUntil: (time: Child) => Child;
  readonly formHeadline: (questions: number) => string;
  readonly approvalHeadline: (tool: string) => string;
  readonly why: string;
  readonly goToAnswer: string;
  readonly markdown: MarkdownLabels;
  readonly whatToolIsGiven: (tool: Child) => Child;
  readonly arguments: string;

  readonly reply: string;
  readonly yourAnswer: string;
  readonly chooseOne: string;
  readonly chooseSome: string;
  readonly chooseSomeOrOwnWords: string;
  readonly ownWords: string;
  readonly ownWordsHint: string;
  readonly noteOptional: string;
  readonly noneOfThese: Passage;
  readonly wholeReply: string;
  readonly wholeReplyHint: string;
  readonly sendAnswer: string;
  readonly answeringAs: (who: Child) => Child;
  readonly cannotAnswer: Passage;
  readonly reasonOptional: string;
  readonly decline: string;
  readonly approveAsShown: Passage;
  readonly approveOrChange: Passage;
  readonly changeArguments: string;
  readonly approve: string;
  readonly denyReason: Passage;
  readonly deny: string;

  readonly optional: string;
  readonly yes: string;
  readonly no: string;
  readonly noAnswer: string;
  readonly choose: string;
  readonly emptyText: string;
  readonly oneALine: string;
  readonly asJson: string;
  readonly whatItMayBe: string;
  readonly inUtc: string;
  readonly lengthHint: (bounds: Bounds) => string;
  readonly numberHint: (bounds: NumberBounds) => string;
  readonly itemsHint: (bounds: Bounds) => string;
  readonly patternHint: (pattern: Child) => Child;

  readonly nothingRecorded: string;
  readonly notRecordedTitle: string;
  readonly recordedTitle: string;
  readonly sendAgain: Passage;
  /** Of core's own words for an issue, which follow the name of what is wrong: `must be at least 3`. */
  readonly issue: (message: string) => string;
  readonly issues: Readonly<Record<IssueName, string>>;
  /** Which one of a list it is about. */
  readonly entry: (n: number) => string;

  readonly recorded: Passage;
  readonly agentGoesOn: string;
  readonly notYours: Passage;
  readonly endings: Readonly<Record<SettledStatus | "approved" | "denied", string>>;
  readonly ended: (status: SettledStatus, facts: EndingFacts) => Child;
  readonly cameLate: string;
  readonly reason: string;
  readonly theAnswer: string;
  readonly wholeReplyGiven: string;
  readonly approvedWithChanges: string;
  readonly changedArguments: string;

  readonly notices: Readonly<Record<NoticeName, Passage>>;
}

/** What the page can say of a field better than core, which knows no form. */
export type IssueName =
  | "writeAnswer"
  | "fillIn"
  | "chooseHere"
  | "chooseSomeHere"
  | "chooseOption"
  | "chooseOptionOrWrite"
  | "chooseShown"
  | "noteNotAlone"
  | "notBoth"
  | "answerOrReply"
  | "approveOrDeny"
  | "notJson"
  | "enterNumber"
  | "enterWholeNumber"
  | "enterEmail"
  | "enterUrl"
  | "enterDate"
  | "enterTime";
