/**
 * Owns: in which form a question can be answered by a mail: what the person may write, and what is too much for a mail
 * and needs the page. The mail that asks and the reader of its reply go by the same form.
 */

import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import { MAIL_ARGUMENTS_CHARACTERS, QUESTION_OPTIONS_MAX } from "./limits.ts";
import type { Question } from "./question.ts";

/** One thing to choose. */
export interface MailChoice {
  readonly label: string;
  readonly id?: string;
  readonly description?: string;
  /** What stands for it in the answer. */
  readonly value: Json;
}

export type MailForm =
  /** Yes or no to a call; a no may give a reason. */
  | { readonly kind: "decision" }
  | {
      readonly kind: "choice";
      readonly choices: readonly MailChoice[];
      readonly multiple: boolean;
      /** Whether a choice may be named by its place from 1: not where a number is itself a name of one. */
      readonly numbered: boolean;
      /** Whether other words than a choice are an answer. */
      readonly allowText: boolean;
      /** Whether words may stand beside a choice. */
      readonly allowNote: boolean;
    }
  | { readonly kind: "text" }
  | { readonly kind: "boolean" }
  | { readonly kind: "number" }
  | { readonly kind: "page" };

export function mailForm(question: Question): MailForm {
  switch (question.kind) {
    case "person":
    case "tool":
      return question.answerSchema === undefined
        ? personForm(question)
        : valueForm(question.answerSchema);
    case "form":
      return formForm(question);
    case "approval":
      // Nobody approves what the mail could not show whole.
      return JSON.stringify(question.arguments ?? null).length > MAIL_ARGUMENTS_CHARACTERS
        ? { kind: "page" }
        : { kind: "decision" };
  }
}

function personForm({ options, multiple = false, allowText = true }: Question): MailForm {
  if (options === undefined) return { kind: "text" };
  const choices = options.map((option) => ({ ...option, value: option.id }));
  return choice(choices, { multiple, allowText, allowNote: true });
}

/** Of several questions each reply would have to say which one it answers. */
function formForm({ questions = [] }: Question): MailForm {
  const [only, ...others] = questions;
  if (only === undefined || others.length > 0) return { kind: "page" };
  const choices = only.options.map((option) => ({ ...option, value: option.label }));
  return choice(choices, { multiple: only.multiSelect, allowText: true, allowNote: true });
}

function valueForm(schema: NonNullable<Question["answerSchema"]>): MailForm {
  if (!isJsonObject(schema)) return { kind: "page" };
  if (schema.enum !== undefined) return enumForm(schema.enum);
  switch (schema.type) {
    case "string":
      return { kind: "text" };
    case "boolean":
      return { kind: "boolean" };
    case "number":
    case "integer":
      return { kind: "number" };
    default:
      return { kind: "page" };
  }
}

function enumForm(values: Json): MailForm {
  if (!Array.isArray(values) || values.length > QUESTION_OPTIONS_MAX) return { kind: "page" };
  const choices = values.flatMap((value: Json) =>
    typeof value === "string" || typeof value === "number" ? [{ label: String(value), value }] : [],
  );
  if (choices.length < values.length || choices.some(({ label }) => label.trim() === ""))
    return { kind: "page" };
  return choice(choices, { multiple: false, allowText: false, allowNote: false });
}

function choice(
  choices: readonly MailChoice[],
  rest: { multiple: boolean; allowText: boolean; allowNote: boolean },
): MailForm {
  const numbered = !choices.some(({ label, id = "" }) =>
    [label, id].some((name) => /^\p{Nd}+$/u.test(name.trim())),
  );
  return { kind: "choice", choices, numbered, ...rest };
}

/** The answer that these choices are, with a note beside them. */
export function choiceAnswer(
  { kind, answerSchema, questions = [] }: Question,
  { multiple }: Pick<Extract<MailForm, { kind: "choice" }>, "multiple">,
  choices: readonly MailChoice[],
  note = "",
): JsonObject {
  const values = choices.map(({ value }) => value);
  const first = values[0] ?? null;
  if (answerSchema !== undefined) return { value: first };
  if (kind === "form")
    return {
      answers: Object.fromEntries([[questions[0]?.question ?? "", multiple ? values : first]]),
      ...(note !== "" && { response: note }),
    };
  return {
    ...(multiple ? { options: values } : { option: first }),
    ...(note !== "" && { text: note }),
  };
}
