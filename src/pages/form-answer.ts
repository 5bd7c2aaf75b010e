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
 *     value     where there is an answerSchema: the value's only control; of an object, `value_N` are those of its
 *               properties, N being the place from 0, and so on inwards
 *
 *   kind form, N from 0
 *     qN        the option's place from 0 (a label may hold what a form field can't carry); radio buttons, or checkboxes
 *               with multiSelect. Empty: the choice "in my own words"
 *     qN_other  in one's own words
 *     response  a reply to the whole form
 *
 *   kind approval, where the arguments may be changed
 *     input_N   as value_N; what is not sent is not changed
 */

import { issueAt } from "../core/issue.ts";
import type { Question } from "../core/question.ts";
import type { Checked } from "../core/refusal.ts";
import { readArguments } from "./argument-fields.ts";
import { presetFields, readValue, type ReadValue } from "./field-values.ts";
import { chosenTexts, fieldText, fieldTexts, filledIn, type FormFields } from "./form-fields.ts";
import { fieldOfSchema } from "./schema-fields.ts";

type FormQuestion = NonNullable<Question["questions"]>[number];

/** What a form has in its fields when it is opened: what is preset, and the options that the link names. */
export function openingFields(
  question: Question,
  linked: (name: string) => readonly string[],
): FormFields {
  if (question.answerSchema !== undefined)
    return presetFields(fieldOfSchema(question.answerSchema));
  return {
    getAll: (name) => {
      // One link may serve a choice of one and a choice of several. Of one it can name but one.
      if (name === "options") return linked("option");
      if (name === "option") return linked("option").slice(0, 1);
      return /^q[0-9]$/.test(name) ? linked(name) : [];
    },
  };
}

/** The answer that the fields give to the question, fit or not; or the fields that say nothing at all. */
export function formToAnswer(question: Question, fields: FormFields): Checked<unknown> {
  switch (question.kind) {
    case "person":
    case "tool":
      return question.answerSchema === undefined
        ? { ok: true, value: chosen(question, fields) }
        : withValue("value", {}, readValue(fieldOfSchema(question.answerSchema), fields));
    case "form":
      return { ok: true, value: formAnswers(question.questions ?? [], fields) };
    case "approval":
      return decision(question, fields);
  }
}

function chosen(question: Question, fields: FormFields): unknown {
  const text = filledIn(fields, "text");
  const note = text === undefined ? {} : { text };
  if (question.multiple === true) {
    const options = fieldTexts(fields, "options").filter((id) => id !== "");
    return options.length === 0 ? note : { options, ...note };
  }
  const [option, ...others] = chosenTexts(fields, "option");
  // Several of a single choice are handed on together, for core to refuse: none of them is taken for the one.
  if (others.length > 0) return { options: [option, ...others], ...note };
  return option === undefined ? note : { option, ...note };
}

function withValue(
  name: "value" | "input",
  answer: object,
  { value, unread }: ReadValue,
): Checked<unknown> {
  const issues = unread.map(({ field, message }) => issueAt(field.path, message));
  if (issues.length > 0) return { ok: false, issues };
  return { ok: true, value: value === undefined ? answer : { ...answer, [name]: value } };
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
  // A choice and words of one's own at once are handed on together, for core to refuse, and so are several choices where
  // one is asked for: none is dropped in silence.
  if (other !== undefined) return labels.length === 0 ? other : [...labels, other];
  return labels.length > (question.multiSelect ? 0 : 1) ? labels : labels[0];
}

function decision(question: Question, fields: FormFields): Checked<unknown> {
  const action = fieldText(fields, "action");
  const reason = filledIn(fields, "reason");
  if (action === "approve")
    return withValue("input", { approved: true }, readArguments(question, fields));
  const denial = { approved: false, ...(reason === undefined ? {} : { reason }) };
  return { ok: true, value: action === "deny" ? denial : {} };
}

export function formField(n: number): string {
  return `q${n}`;
}

export function otherField(n: number): string {
  return `q${n}_other`;
}
