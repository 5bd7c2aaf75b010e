/**
 * Owns: the facts of a question's end as a message tells them: by whom, when, by which door.
 */

import type { Language } from "../core/language.ts";
import type { Question } from "../core/question.ts";
import { wordingOf } from "./look.ts";
import type { Ended } from "./message-words.ts";
import type { SettledStatus } from "./wording.ts";

export function endedOf(question: Question, status: SettledStatus, language: Language): Ended {
  const past = question.history.findLast(({ event }) => event === `question.${status}`);
  const at = question.answeredAt ?? past?.at;
  const by = question.answeredBy ?? past?.by;
  return {
    status,
    ...(by !== undefined && { by }),
    ...(at !== undefined && { at: wordingOf(language).time(at) }),
    ...(question.answeredVia !== undefined && { via: question.answeredVia }),
  };
}
