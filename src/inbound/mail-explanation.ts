/**
 * Owns: the one mail that a known sender gets whose own mail came to nothing. It says why, and is marked so that no
 * program answers it.
 */

import { DEFAULT_LANGUAGE, type Language } from "../core/language.ts";
import { messageWordsOf } from "../pages/message-words.ts";
import { subjectLine } from "../pages/question-mail.tsx";
import type { ArrivedMail } from "./mail-door.ts";
import type { MailMessage } from "./mail-message.ts";

export interface Explanation {
  readonly why: string;
  /** What to write instead. */
  readonly how?: string;
  /** Where else the question can be answered. */
  readonly url?: string;
}

export async function explain(
  message: ArrivedMail,
  { subject }: MailMessage,
  { why, how, url }: Explanation,
  language: Language = DEFAULT_LANGUAGE,
): Promise<void> {
  const { mail, orAnswerOnPage } = messageWordsOf(language);
  const page = url === undefined ? undefined : `${orAnswerOnPage}: ${url}`;
  const paragraphs = [mail.notRecorded, why, how, page];
  await message.reply({
    // The platform sends it from the domain at which the mail arrived; a token is no part of an address.
    from: message.to.replace(/\+[^@]*/, ""),
    // A better answer comes back to the same question.
    replyTo: message.to,
    subject: `Re: ${subjectLine(subject.replace(/^(?:re:\s*)+/i, ""))}`,
    text: `${paragraphs.filter((paragraph) => paragraph !== undefined).join("\n\n")}\n`,
    headers: { "Auto-Submitted": "auto-replied" },
  });
}
