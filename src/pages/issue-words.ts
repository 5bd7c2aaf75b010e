/**
 * Owns: what is wrong with an answer, said to the person who filled in the form: at which field, and in words of the
 * page's language. Core's own words are for callers who write JSON; a person has seen fields.
 * Does not own: what is wrong; that is `core/answer.ts`.
 */

import { formatPath, shownName } from "../core/issue.ts";
import type { Question } from "../core/question.ts";
import type { Issue } from "../core/refusal.ts";
import { strip } from "../core/text.ts";
import { argumentsField } from "./argument-fields.ts";
import { choiceId } from "./fields.tsx";
import { NOT_JSON, SEVERAL } from "./field-values.ts";
import { formField, otherField } from "./form-answer.ts";
import { fieldText, fieldTexts, filledIn, type FormFields } from "./form-fields.ts";
import { allFields, fieldOfSchema, isSelected, type SchemaField } from "./schema-fields.ts";
import { labelOf } from "./field-words.ts";
import { largeNumberIssue } from "./typed-number.ts";
import type { IssueName, Wording } from "./wording.ts";

export interface FieldIssue {
  /** The field beside which it stands; "" is the form as a whole. */
  readonly field: string;
  /** The id of what a link to it leads to. */
  readonly control: string;
  readonly message: string;
  /** What the field is called, where there are several. */
  readonly label?: string;
}

/** Each thing is said once, however many places of the JSON it was found at. */
export function sayIssues(
  question: Question,
  issues: readonly Issue[],
  typed: FormFields,
  words: Wording,
): readonly FieldIssue[] {
  const said = new Map<string, FieldIssue>();
  for (const issue of issues) {
    const one = sayIssue(question, issue, typed, words);
    said.set(`${one.field}\n${one.message}`, one);
  }
  const order = fieldOrder(question);
  return [...said.values()].toSorted((one, other) => order(one.field) - order(other.field));
}

/** Fields of a value as they stand in the form, and nothing of others. */
function fieldOrder(question: Question): (field: string) => number {
  const whole = wholeField(question, question.answerSchema === undefined ? "input" : "value");
  const names = whole === undefined ? [] : allFields(whole).map(({ name }) => name);
  return (field) => names.indexOf(field);
}

function sayIssue(question: Question, issue: Issue, typed: FormFields, words: Wording): FieldIssue {
  const whole = wholeField(question, issue.path);
  if (whole !== undefined) return sayFieldIssue(whole, issue, typed, words);
  const field = fieldOfIssue(question, issue);
  const saying = (name: IssueName, at = field) => issueOf(at, words.issues[name]);
  const inPlain = issueOf(field, words.issue(issue.message));
  // Of no answer's part: the reason to decline, and the button.
  if (field === "reason" || issue.path === "action") return inPlain;
  switch (question.kind) {
    case "person":
    case "tool":
      return sayChoiceIssue(question, inPlain, typed, saying);
    case "form":
      return sayFormIssue(question, inPlain, typed, saying);
    case "approval":
      return issue.path === "approved" ? saying("approveOrDeny", "") : inPlain;
  }
}

type Saying = (name: IssueName, at?: string) => FieldIssue;

function issueOf(field: string, message: string): FieldIssue {
  return { field, control: controlId(field), message };
}

/** Where a link to a field leads: to its first control. */
function controlId(field: string): string {
  if (field === "") return "reply";
  return field === "option" || field === "options" || /^q[0-9]$/.test(field)
    ? choiceId(field, 0)
    : field;
}

function sayChoiceIssue(
  question: Question,
  issue: FieldIssue,
  typed: FormFields,
  saying: Saying,
): FieldIssue {
  const isOpen = question.options === undefined;
  const hasText = filledIn(typed, "text") !== undefined;
  if (isOpen) return hasText ? issue : saying("writeAnswer", "text");
  const field = question.multiple === true ? "options" : "option";
  if (issue.field === field) return saying("chooseShown", field);
  if (fieldTexts(typed, field).length > 0) return issue;
  if (!hasText && question.allowText === true) return saying("chooseOptionOrWrite", field);
  if (question.allowText === true) return issue;
  return saying(hasText ? "noteNotAlone" : "chooseOption", field);
}

function sayFormIssue(
  { questions = [] }: Question,
  issue: FieldIssue,
  typed: FormFields,
  saying: Saying,
): FieldIssue {
  const n = Number(/^q([0-9])$/.exec(issue.field)?.[1] ?? Number.NaN);
  const one = questions[n];
  if (one === undefined) return issue;
  const isChosen = fieldTexts(typed, issue.field).some((place) => place !== "");
  const hasOther = filledIn(typed, otherField(n)) !== undefined;
  const label = { label: one.header };
  if (isChosen && hasOther) return { ...saying("notBoth"), ...label };
  return { ...(isChosen || hasOther ? issue : saying("answerOrReply")), ...label };
}

/** The field of a value, or of changed arguments, that an issue is about. */
function wholeField(question: Question, path: string): SchemaField | undefined {
  if (question.answerSchema !== undefined)
    return isAtOrBelow(path, "value") || path === ""
      ? fieldOfSchema(question.answerSchema)
      : undefined;
  return isAtOrBelow(path, "input") ? argumentsField(question) : undefined;
}

function sayFieldIssue(
  whole: SchemaField,
  { path, message }: Issue,
  typed: FormFields,
  words: Wording,
): FieldIssue {
  const closest = closestField(whole, path);
  const missing = /^must have the property (.*)$/s.exec(message)?.[1];
  const inside = closest.kind === "group" && missing !== undefined ? closest.fields : [];
  const lacking = inside.find(({ key }) => shownName(key) === missing);
  const field = lacking ?? closest;
  const label = labelOf(field);
  return {
    field: field.name,
    control: controlOf(field),
    message: fieldMessage(
      field,
      lacking === undefined ? { path, message } : undefined,
      typed,
      words,
    ),
    ...(label !== undefined && { label }),
  };
}

/** Without an issue the field is one that was left blank. */
function fieldMessage(
  field: SchemaField,
  issue: Issue | undefined,
  typed: FormFields,
  words: Wording,
): string {
  const { issues } = words;
  const isBlank = field.kind !== "group" && filledIn(typed, field.name) === undefined;
  if (issue === undefined || (isBlank && field.isRequired && !field.isEdit))
    return issues[blankIssue(field)];
  if (issue.message === NOT_JSON) return issues.notJson;
  if (issue.message === SEVERAL) return issues[blankIssue(field)];
  const large =
    field.kind === "number" ? largeNumberIssue(strip(fieldText(typed, field.name))) : undefined;
  if (large !== undefined) return words.issue(large);
  const wanted = /^must (?:be of type|have the format|match the pattern)/.test(issue.message)
    ? wantedIssue(field)
    : undefined;
  if (wanted !== undefined) return issues[wanted];
  const inside = issue.path.slice(formatPath(field.path).length).replace(/^\./, "");
  const said = words.issue(issue.message);
  const line = field.kind === "list" ? /^\[([0-9]+)\]$/.exec(inside)?.[1] : undefined;
  if (line !== undefined) return `${words.entry(Number(line) + 1)}: ${said}`;
  return inside === "" ? said : `${inside}: ${said}`;
}

/** What a control of this form takes; undefined where it takes any text. */
function wantedIssue(field: SchemaField): IssueName | undefined {
  if (field.kind === "number") return field.isInteger ? "enterWholeNumber" : "enterNumber";
  if (field.kind !== "text") return undefined;
  switch (field.input) {
    case "line":
    case "lines":
      return undefined;
    case "email":
      return "enterEmail";
    case "url":
      return "enterUrl";
    case "date":
      return "enterDate";
    case "datetime-local":
      return "enterTime";
  }
}

function blankIssue(field: SchemaField): IssueName {
  switch (field.kind) {
    case "yesNo":
    case "choice":
      return "chooseHere";
    case "choices":
      return "chooseSomeHere";
    case "number":
      return field.isInteger ? "enterWholeNumber" : "enterNumber";
    case "text":
    case "list":
    case "json":
    case "group":
      return field.key === "" ? "writeAnswer" : "fillIn";
  }
}

function controlOf(field: SchemaField): string {
  const isCards =
    field.kind === "yesNo" ||
    field.kind === "choices" ||
    (field.kind === "choice" && !isSelected(field));
  return isCards ? choiceId(field.name, 0) : field.name;
}

/** The innermost field that holds the place, by its path in the answer. */
function closestField(whole: SchemaField, path: string): SchemaField {
  return allFields(whole).reduce(
    (best, field) =>
      isAtOrBelow(path, formatPath(field.path)) && field.path.length > best.path.length
        ? field
        : best,
    whole,
  );
}

/** The field that an issue belongs to: the other way through formToAnswer. "" is the form as a whole. */
export function fieldOfIssue(question: Question, { path }: Issue): string {
  const whole = wholeField(question, path);
  if (whole !== undefined) return closestField(whole, path).name;
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
