/** Pages, and what can be read of them. */

import type { Question } from "../../src/core/question.ts";
import { answerPage, type AnswerPageState } from "../../src/pages/answer-page.tsx";
import { DEFAULT_LOOK, type Look } from "../../src/pages/look.ts";

export function waiting(
  question: Question,
  more: Partial<Extract<AnswerPageState, { name: "waiting" }>> = {},
  look: Partial<Look> = {},
): string {
  return answerPage(
    { name: "waiting", question, nonce: "the-nonce", ...more },
    { ...DEFAULT_LOOK, ...look },
  );
}

export function settled(
  question: Question,
  sent?: "recorded" | "refused",
  look: Partial<Look> = {},
): string {
  if (question.status === "waiting") throw new Error("a settled question is meant");
  return answerPage(
    { name: "settled", question, status: question.status, ...(sent !== undefined && { sent }) },
    { ...DEFAULT_LOOK, ...look },
  );
}

/** The words of a page, as they are read. */
export function wordsOf(html: string): string {
  const body = html.slice(html.indexOf("<body"));
  return body
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'");
}

export function count(html: string, pattern: RegExp): number {
  return html.match(pattern)?.length ?? 0;
}
