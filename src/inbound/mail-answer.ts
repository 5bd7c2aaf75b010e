/**
 * Owns: which answer a person's words in a mail are, by the form in which the question can be answered by mail. What is
 * not clearly an answer is none: nobody approves by a sentence that begins with yes and goes on. Pure.
 */

import type { Json, JsonObject } from "../core/json.ts";
import { FORM_ANSWER_CHARACTERS, QUESTION_OPTIONS_MAX } from "../core/limits.ts";
import { choiceAnswer, type MailChoice, type MailForm, mailForm } from "../core/mail-form.ts";
import type { Question } from "../core/question.ts";
import type { MailWords } from "../pages/message-words.ts";

export type MailReading =
  | { readonly ok: true; readonly answer: JsonObject }
  /** What to tell the one who wrote it. */
  | { readonly ok: false; readonly why: (words: MailWords) => string };

/** `text` is what the person wrote, without quotes and signature. */
export function readMailAnswer(question: Question, text: string): MailReading {
  const form = mailForm(question);
  if (form.kind === "page") return not((words) => words.onPageAlone);
  if (text === "") return not((words) => words.empty);
  switch (form.kind) {
    case "decision":
      return decision(text);
    case "choice":
      return chosen(question, form, text);
    case "text":
      return { ok: true, answer: question.answerSchema === undefined ? { text } : { value: text } };
    case "boolean":
      return alone(yesOrNo(folded(text)), (words) => words.yesOrNoAlone);
    case "number":
      return alone(numberIn(text), (words) => words.numberAlone);
  }
}

function not(why: (words: MailWords) => string): MailReading {
  return { ok: false, why };
}

const YES = new Set(
  [
    "yes|y|yes please|yes go ahead|yes approve|yes approved|approve|approved|please approve|i approve",
    "ja|j|ja bitte|ja freigeben|freigeben|freigegeben|ja genehmigt|genehmigen|genehmigt|ich gebe frei|ich genehmige",
  ]
    .join("|")
    .split("|"),
);
const NO = new Set(
  [
    "no|n|no thanks|deny|denied|reject|rejected|please deny|i deny",
    "nein|nein danke|ablehnen|abgelehnt|ich lehne ab",
  ]
    .join("|")
    .split("|"),
);
/** Only where a mark stands between: "no problem, go ahead" is none. */
const NO_WITH_REASON =
  /^(?:no|deny|denied|reject|rejected|nein|ablehnen|abgelehnt)\s?[,.:;!–—-]\s*(\S.*)$/iu;

function decision(text: string): MailReading {
  const { first, rest } = firstLine(text);
  const word = folded(first);
  if (YES.has(word))
    return rest === ""
      ? { ok: true, answer: { approved: true } }
      : not((words) => words.moreThanYes);
  const [, reasonBeside] = NO_WITH_REASON.exec(first) ?? [];
  if (!NO.has(word) && reasonBeside === undefined) return not((words) => words.yesOrNoFirst);
  const reason = [NO.has(word) ? undefined : reasonBeside, rest].filter(Boolean).join("\n");
  return { ok: true, answer: { approved: false, ...(reason !== "" && { reason }) } };
}

function yesOrNo(word: string): boolean | undefined {
  if (YES.has(word) || word === "true") return true;
  return NO.has(word) || word === "false" ? false : undefined;
}

/** No comma: what it means differs from country to country. */
function numberIn(text: string): number | undefined {
  const plain = text.normalize("NFKC").trim().replace("\u2212", "-");
  return /^[+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?$/.test(plain) ? Number(plain) : undefined;
}

/** A value that is all the mail says. */
function alone(value: Json | undefined, why: (words: MailWords) => string): MailReading {
  return value === undefined ? not(why) : { ok: true, answer: { value } };
}

/** More than any question has, said twice. */
const CHOICES_NAMED = 2 * QUESTION_OPTIONS_MAX;
/** Longer than any choice's name is. */
const NAME_CHARACTERS = 1_024;

type ChoiceForm = Extract<MailForm, { kind: "choice" }>;

function chosen(question: Question, form: ChoiceForm, text: string): MailReading {
  const lines = text.split("\n");
  const picked: MailChoice[] = [];
  let taken = 0;
  for (const [at, line] of lines.entries()) {
    if (picked.length > CHOICES_NAMED) break;
    if (line.trim() === "") continue;
    const named = form.multiple ? severalIn(form, line) : oneIn(form, line);
    if (named === undefined) break;
    picked.push(...named);
    taken = at + 1;
  }
  const rest = lines.slice(taken).join("\n").trim();
  const choices = [...new Set(picked)];
  if (choices.length === 0)
    return form.allowText
      ? inOwnWords(question, text)
      : not((words) => words.nameOne(namesOf(form)));
  if (choices.length > 1 && !form.multiple) return not((words) => words.onlyOne);
  if (rest !== "" && !form.allowNote) return not((words) => words.choiceAlone);
  return { ok: true, answer: choiceAnswer(question, form, choices, rest) };
}

function namesOf({ choices, numbered }: ChoiceForm): string {
  return choices.map(({ label }, at) => (numbered ? `${at + 1} (${label})` : label)).join(", ");
}

/** In a form an answer of one's own is bounded; what is longer is a reply to it as a whole. */
function inOwnWords({ kind, questions = [] }: Question, text: string): MailReading {
  if (kind !== "form") return { ok: true, answer: { text } };
  if (text.length > FORM_ANSWER_CHARACTERS) return { ok: true, answer: { response: text } };
  return {
    ok: true,
    answer: { answers: Object.fromEntries([[questions[0]?.question ?? "", text]]) },
  };
}

function oneIn(form: ChoiceForm, line: string): readonly MailChoice[] | undefined {
  const choice = choiceNamed(form, line);
  return choice === undefined ? undefined : [choice];
}

/** A whole line may be one label with a comma in it; else its parts are choices, all of them or none. */
function severalIn(form: ChoiceForm, line: string): readonly MailChoice[] | undefined {
  const whole = oneIn(form, line);
  if (whole !== undefined || line.length > CHOICES_NAMED * NAME_CHARACTERS) return whole;
  const parts = /^[\p{Nd}\s]+$/u.test(line)
    ? line.trim().split(/\s+/)
    : line.split(/[,;、，；]|\s(?:and|&|\+)\s/);
  const choices = parts.filter((part) => part.trim() !== "").map((part) => choiceNamed(form, part));
  const known = choices.filter((choice) => choice !== undefined);
  return known.length === choices.length && known.length > 0 ? known : undefined;
}

/** By label as it is written, then by label or id in any case, then by number. What fits two is none. */
function choiceNamed({ choices, numbered }: ChoiceForm, words: string): MailChoice | undefined {
  const trimmed = words.trim();
  const name = folded(trimmed);
  if (name === "") return undefined;
  const tests: ((choice: MailChoice, at: number) => boolean)[] = [
    ({ label }) => label === trimmed,
    ({ label }) => folded(label) === name,
    ({ id }) => id?.toLowerCase() === trimmed.toLowerCase(),
  ];
  if (numbered) {
    tests.push(
      (_, at) => /^(?:option |nr |no |# ?)?[0-9]+$/.test(name) && digitsOf(name) === at + 1,
    );
    // As the mail shows it: "2. Deny".
    tests.push(({ label }, at) => name === folded(`${at + 1} ${label}`));
  }
  for (const test of tests) {
    const fitting = choices.filter(test);
    if (fitting.length > 1) return undefined;
    if (fitting[0] !== undefined) return fitting[0];
  }
  return undefined;
}

function digitsOf(name: string): number {
  return Number(/[0-9]+$/.exec(name)?.[0]);
}

/** Full-width and Arabic digits as plain ones, in lower case, without the marks that people put around a word; empty for what is too long to be a name. */
function folded(text: string): string {
  if (text.length > NAME_CHARACTERS) return "";
  return text
    .normalize("NFKC")
    .replaceAll(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 15))
    .toLowerCase()
    .replaceAll(/[\p{Cf}\s]+/gu, " ")
    .replaceAll(/^[\s"'“”„«»*_()[\]>•·-]+|[\s"'“”„«»*_()[\].,!;:)…-]+$/gu, "")
    .replaceAll(/\s*[,.:)–-]\s+/g, " ");
}

function firstLine(text: string): { readonly first: string; readonly rest: string } {
  const end = text.indexOf("\n");
  return end === -1
    ? { first: text, rest: "" }
    : { first: text.slice(0, end).trim(), rest: text.slice(end + 1).trim() };
}

/** What the session found wrong with an answer, one a line. */
export function issueWords(
  issues: readonly { readonly path: string; readonly message: string }[],
): string {
  return issues
    .map(({ path, message }) => `- ${path === "" ? "" : `${path}: `}${message}`)
    .join("\n");
}
