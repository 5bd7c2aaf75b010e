/**
 * Owns: which words the messages need that leave by themselves, mails and what is posted in Slack, of each language. Does
 * not own: the words (`english-messages.ts`, `german-messages.ts`), and those that pages have too (`wording.ts`).
 */

import type { NoticeEvent } from "../core/channel.ts";
import type { Language } from "../core/language.ts";
import type { MailForm } from "../core/mail-form.ts";
import type { AnsweredVia } from "../core/question.ts";
import { englishMessages } from "./english-messages.ts";
import { germanMessages } from "./german-messages.ts";
import type { SettledStatus } from "./wording.ts";

/** How a question ended: by whom (`link` and `default` name nobody), when, and by which door. */
export interface Ended {
  readonly status: SettledStatus;
  readonly by?: string;
  /** As people read it. */
  readonly at?: string;
  readonly via?: AnsweredVia;
}

export interface MessageWords {
  /** Before a question's own words in a subject. */
  readonly prefixes: Readonly<Record<NoticeEvent, string>>;
  /** What a message begins with that asks for an answer. */
  readonly opening: (event: NoticeEvent, agent: string | undefined, isApproval: boolean) => string;
  /** A tool that has no name. */
  readonly theTool: string;
  /** Before a call's arguments. */
  readonly toolIsGiven: (tool: string) => string;
  readonly openUntil: (time: string) => string;
  readonly reference: (requestId: string) => string;
  readonly answerOnPage: string;
  readonly orAnswerOnPage: string;
  /** What may be written below a mail; undefined where only the page will do. */
  readonly howToReply: (form: MailForm) => string | undefined;
  readonly ended: (ended: Ended) => string;
  readonly nothingLeft: string;
  /** To somebody whose mail came to nothing. */
  readonly mail: MailWords;
  readonly slack: {
    /** What is too long for a message is cut. */
    readonly shownInPart: string;
    readonly stillOpen: string;
    /** To somebody whose click was not recorded. */
    readonly notYours: string;
    readonly notTaken: string;
    readonly linkExpired: string;
  };
}

export interface MailWords {
  readonly notRecorded: string;
  readonly writeAbove: string;
  readonly onPageAlone: string;
  readonly empty: string;
  readonly tooLong: (characters: number) => string;
  readonly yesOrNoAlone: string;
  readonly numberAlone: string;
  readonly moreThanYes: string;
  readonly yesOrNoFirst: string;
  readonly nameOne: (names: string) => string;
  readonly onlyOne: string;
  readonly choiceAlone: string;
  readonly notYours: string;
  readonly doesNotFit: string;
  readonly hadEnded: string;
}

const WORDS: Readonly<Record<Language, MessageWords>> = {
  en: englishMessages,
  de: germanMessages,
};

export function messageWordsOf(language: Language): MessageWords {
  return WORDS[language];
}
