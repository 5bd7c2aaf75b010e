/**
 * Owns: the fields of the answer page's form, and what they say: the answer that `core/answer.ts` then judges. Nothing is
 * judged here, and what was left blank is left out.
 *
 *   nonce     hidden, the only field that nobody fills in
 *   action    the button: `answer` (none is the same) or `decline`; for an approval `approve` or `deny`
 *   reason    why it is declined or denied
 *
 *   kinds person and tool
 *     option    the id of the option, a radio button; with `multiple`, `options`, checkboxes
 *     text      a note to the choice, or the answer in words
 *     value     where there is an answerSchema: JSON, or for a schema of type string the string itself
 *
 *   kind form, N from 0
 *     qN        the option's place from 0 (a label may hold what a form field can't carry); radio buttons, or checkboxes
 *               with multiSelect. Empty: the choice "in my own words"
 *     qN_other  in one's own words
 *     response  a reply to the whole form
 */

import { formatPath } from "../core/issue.ts";
import { isJsonObject } from "../core/json.ts";
import type { Question } from "../core/question.ts";
import type { Issue } from "../core/refusal.ts";

/** What was posted. FormData and URLSearchParams both are that. */
export interface FormFields {
  getAll(name: string): readonly unknown[];
}

export const NO_FIELDS: FormFields = { getAll: () => [] };

type FormQuestion = NonNullable<Question["questions"]>[number];

/** Every text that was posted under a name. Browsers send CR LF for a new line; texts here have LF. Files are no texts. */
export function fieldTexts(fields: FormFields, name: string): readonly string[] {
  const texts = fields.getAll(name).filter((value) => typeof value === "string");
  return texts.map((text) => text.replaceAll("\r\n", "\n"));
}

/** The first, or "". */
export function fieldText(fields: FormFields, name: string): string {
  return fieldTexts(fields, name)[0] ?? "";
}

/** Undefined where it is blank. */
export function filledIn(fields: FormFields, name: string): string | undefined {
  const text = fieldText(fields, name);
  return text.trim() === "" ? undefined : text;
}

/** The answer that the fields give to the question, fit or not. */
export function formToAnswer(question: Question, formData: FormFields): unknown {
  switch (question.kind) {
    case "person":
    case "tool":
      return question.answerSchema === undefined
        ? chosen(question, formData)
        : typedValue(question, formData);
    case "form":
      return formAnswers(question.questions ?? [], formData);
    case "approval":
      return decision(formData);
  }
}

function chosen(question: Question, fields: FormFields): unknown {
  const text = filledIn(fields, "text");
  const note = text === undefined ? {} : { text };
  if (question.multiple === true) {
    const options = fieldTexts(fields, "options").filter((id) => id !== "");
    return options.length === 0 ? note : { options, ...note };
  }
  const option = fieldText(fields, "option");
  return option === "" ? note : { option, ...note };
}

/** True where the value is written as it is, and not as JSON. */
export function takesPlainText(question: Question): boolean {
  return isJsonObject(question.answerSchema) && question.answerSchema.type === "string";
}

function typedValue(question: Question, fields: FormFields): unknown {
  const text = filledIn(fields, "value");
  if (text === undefined) return {};
  if (takesPlainText(question)) return { value: text };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // No JSON is no value; that text was there, and what is wrong with it, the page knows when it shows the issue.
    return {};
  }
}

function formAnswers(questions: readonly FormQuestion[], fields: FormFields): unknown {
  const answers = questions.flatMap((question, n) => {
    const value = formAnswer(question, n, fields);
    return value === undefined ? [] : [[question.question, value] as const];
  });
  const response = filledIn(fields, "response");
  return { answers: Object.fromEntries(answers), ...(response === undefined ? {} : { response }) };
}

function formAnswer(
  question: FormQuestion,
  n: number,
  fields: FormFields,
): string | readonly string[] | undefined {
  const labels = question.options.flatMap(({ label }, place) =>
    fieldTexts(fields, formField(n)).includes(String(place)) ? [label] : [],
  );
  const other = filledIn(fields, otherField(n));
  // A choice and words of one's own at once are handed on together, for core to refuse: neither is dropped in silence.
  if (other !== undefined) return labels.length === 0 ? other : [...labels, other];
  return question.multiSelect && labels.length > 0 ? labels : labels[0];
}

function decision(fields: FormFields): unknown {
  const action = fieldText(fields, "action");
  const reason = filledIn(fields, "reason");
  if (action === "approve") return { approved: true };
  return action === "deny" ? { approved: false, ...(reason === undefined ? {} : { reason }) } : {};
}

export function formField(n: number): string {
  return `q${n}`;
}

export function otherField(n: number): string {
  return `q${n}_other`;
}

/** The field that an issue belongs to: the other way through formToAnswer. "" is the form as a whole. */
export function fieldOfIssue(question: Question, { path }: Issue): string {
  const named = (question.questions ?? []).findIndex((one) =>
    isAtOrBelow(path, formatPath(["answers", one.question])),
  );
  if (named !== -1) return formField(named);
  const [first = ""] = /^[a-z]+/.exec(path) ?? [];
  switch (first) {
    case "option":
    case "options":
      return question.multiple === true ? "options" : "option";
    case "text":
    case "value":
    case "response":
    case "reason":
      return first;
    default:
      return "";
  }
}

function isAtOrBelow(path: string, place: string): boolean {
  const rest = path.slice(place.length);
  return path.startsWith(place) && (rest === "" || rest.startsWith("[") || rest.startsWith("."));
}
