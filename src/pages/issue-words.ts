/**
 * Owns: what is wrong with an answer, said to the person who filled in the form. Core's own words are for callers who
 * write JSON; a person has seen fields. Does not own: what is wrong; that is `core/answer.ts`.
 */

import type { Question } from "../core/question.ts";
import type { Issue } from "../core/refusal.ts";
import { fieldOfIssue, fieldTexts, filledIn, otherField, type FormFields } from "./form-answer.ts";

export interface FieldIssue {
  /** The field beside which it stands; "" is the form as a whole. */
  readonly field: string;
  readonly message: string;
}

/** Each thing is said once, however many places of the JSON it was found at. */
export function sayIssues(
  question: Question,
  issues: readonly Issue[],
  typed: FormFields,
): readonly FieldIssue[] {
  const said = new Map<string, FieldIssue>();
  for (const issue of issues) {
    const words = sayIssue(question, issue, typed);
    said.set(`${words.field}\n${words.message}`, words);
  }
  return [...said.values()];
}

function sayIssue(question: Question, issue: Issue, typed: FormFields): FieldIssue {
  const field = fieldOfIssue(question, issue);
  const inPlain = { field, message: `This ${issue.message}.` };
  // Of no answer's part: the reason to decline, and the button.
  if (field === "reason" || issue.path === "action") return inPlain;
  switch (question.kind) {
    case "person":
    case "tool":
      return question.answerSchema === undefined
        ? sayChoiceIssue(question, inPlain, typed)
        : sayValueIssue(issue, inPlain, typed);
    case "form":
      return sayFormIssue(inPlain, typed);
    case "approval":
      return issue.path === "approved"
        ? { field: "", message: "Choose Approve or Deny." }
        : inPlain;
  }
}

function sayChoiceIssue(question: Question, issue: FieldIssue, typed: FormFields): FieldIssue {
  const isOpen = question.options === undefined;
  const hasText = filledIn(typed, "text") !== undefined;
  if (isOpen) return hasText ? issue : { field: "text", message: "Write an answer." };
  const field = question.multiple === true ? "options" : "option";
  if (issue.field === field) return { field, message: "Choose from the options shown." };
  if (fieldTexts(typed, field).length > 0) return issue;
  if (!hasText && question.allowText === true)
    return { field, message: "Choose an option, or write an answer in your own words." };
  if (question.allowText !== true)
    return { field, message: "Choose an option. A note can go with it, but not by itself." };
  return issue;
}

function sayValueIssue({ path }: Issue, issue: FieldIssue, typed: FormFields): FieldIssue {
  if (filledIn(typed, "value") === undefined)
    return { field: "value", message: "Write an answer." };
  if (path === "value" && issue.message.includes("is missing"))
    return {
      field: "value",
      message: "This is not JSON. Check the quotation marks, commas and brackets.",
    };
  const inside = path.replace(/^value\.?/, "");
  return inside === "" || issue.field !== "value"
    ? issue
    : { ...issue, message: `${inside}: ${issue.message}` };
}

function sayFormIssue(issue: FieldIssue, typed: FormFields): FieldIssue {
  const n = /^q([0-9])$/.exec(issue.field)?.[1];
  if (n === undefined) return issue;
  const isChosen = fieldTexts(typed, issue.field).some((place) => place !== "");
  const hasOther = filledIn(typed, otherField(Number(n))) !== undefined;
  if (isChosen && hasOther)
    return { ...issue, message: "Choose from the options or write your own words, not both." };
  if (isChosen || hasOther) return issue;
  return { ...issue, message: "Answer this question, or write a reply to the whole form below." };
}
