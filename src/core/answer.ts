/**
 * Owns: what an answer is, for each kind of question, and whether one fits its question. What is stored, compared and
 * given to the model is the normalised answer: texts stripped, nothing absent spelt out. Does not own: whether the
 * question is still open, and who may answer.
 */

import { issueAt, issuesBelow, issuesOf, type Segments, unknownField } from "./issue.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import { boundedJson } from "./json-bounds.ts";
import { validateBySchema } from "./json-schema.ts";
import {
  ANSWERED_BY_CHARACTERS,
  ANSWER_BYTES,
  ANSWER_TEXT_CHARACTERS,
  JSON_NESTING_LEVELS,
  QUESTION_OPTIONS_MAX,
  REASON_CHARACTERS,
  REFUSAL_ISSUES,
} from "./limits.ts";
import type { PersonQuestion, ToolQuestion } from "./question.ts";
import type { Checked, Issue } from "./refusal.ts";
import { strippedText } from "./text.ts";
import {
  validateUserQuestionAnswer,
  type AskUserQuestionRequest,
  type NormalisedUserQuestionAnswers,
} from "./user-question.ts";

/** What an answer is checked against. */
export type Answerable =
  | { readonly kind: "person"; readonly question: PersonQuestion }
  | { readonly kind: "tool"; readonly question: ToolQuestion }
  | { readonly kind: "form"; readonly request: AskUserQuestionRequest }
  | {
      readonly kind: "approval";
      /** Whether the arguments may be changed by the one who approves. */
      readonly editable: boolean;
      /** What is wrong with changed arguments, by the tool's own schema. */
      readonly checkInput: (input: unknown) => readonly Issue[];
    };

export type PersonAnswer =
  | { readonly option: string; readonly text?: string }
  | { readonly options: readonly string[]; readonly text?: string }
  | { readonly text: string }
  | { readonly value: Json };

/** The same as a tool's code reads it, which knows what it asked: the members of all forms, none of them sure to be there. */
export type ToolAnswer = {
  readonly option?: string;
  readonly options?: readonly string[];
  readonly text?: string;
  readonly value?: Json;
};

export type ApprovalAnswer =
  | { readonly approved: true; readonly input?: Json }
  | { readonly approved: false; readonly reason?: string };

export type Answer = PersonAnswer | NormalisedUserQuestionAnswers | ApprovalAnswer;

/** Who answered, in the caller's words. */
export const answeredBySchema = strippedText({ max: ANSWERED_BY_CHARACTERS });

/** Why somebody declined, denied or cancelled. A blank one is none: forms send the field that nobody filled in. */
export const reasonSchema = strippedText({ min: 0, max: REASON_CHARACTERS })
  .transform((reason) => (reason === "" ? undefined : reason))
  .optional();

const answerTextSchema = strippedText({ max: ANSWER_TEXT_CHARACTERS });

export function checkAnswer(answerable: Answerable, answer: unknown): Checked<Answer> {
  const json = boundedJson(answer, { bytes: ANSWER_BYTES, levels: JSON_NESTING_LEVELS });
  if (!json.ok) return json;
  const checked = checkByKind(answerable, json.value);
  return checked.ok ? checked : { ok: false, issues: checked.issues.slice(0, REFUSAL_ISSUES) };
}

function checkByKind(answerable: Answerable, answer: Json): Checked<Answer> {
  switch (answerable.kind) {
    case "person":
      return checkPersonAnswer(answerable.question, answer);
    case "tool": {
      const { answerSchema } = answerable.question;
      return answerSchema === undefined
        ? checkPersonAnswer(answerable.question, answer)
        : checkValueAnswer(answerSchema, answer);
    }
    case "form":
      return validateUserQuestionAnswer(answerable.request, answer);
    case "approval":
      return checkApprovalAnswer(answerable, answer);
  }
}

function checkValueAnswer(answerSchema: JsonObject | boolean, answer: Json): Checked<PersonAnswer> {
  if (!isJsonObject(answer)) return notAnObject("{ value }");
  const issues = unknownFields(
    answer,
    ["value"],
    "this question is answered by a value that fits its answerSchema",
  );
  const { value } = answer;
  if (value === undefined)
    issues.push(issueAt(["value"], "is missing: it must fit the question's answerSchema"));
  else issues.push(...issuesBelow("value", validateBySchema(answerSchema, value)));
  return value === undefined || issues.length > 0
    ? { ok: false, issues }
    : { ok: true, value: { value } };
}

function checkPersonAnswer(question: PersonQuestion, answer: Json): Checked<PersonAnswer> {
  if (!isJsonObject(answer))
    return notAnObject(question.options === undefined ? "{ text }" : "{ option, text? }");
  const { option, options, text } = answer;
  const issues = unknownFields(
    answer,
    ["option", "options", "text"],
    "this question has no answerSchema",
  );
  if (option !== undefined) issues.push(...optionIssues(question, option, ["option"]));
  if (options !== undefined) issues.push(...optionsIssues(question, options));
  if (option !== undefined && options !== undefined)
    issues.push(issueAt([], "must have option or options, not both"));
  const stripped = text === undefined ? undefined : readText(text, issues);
  if (option === undefined && options === undefined)
    issues.push(...textAloneIssues(question, text));
  if (issues.length > 0) return { ok: false, issues };
  const note = stripped === undefined ? {} : { text: stripped };
  if (option !== undefined) return { ok: true, value: { option: option as string, ...note } };
  if (options !== undefined)
    return { ok: true, value: { options: options as readonly string[], ...note } };
  return { ok: true, value: { text: stripped ?? "" } };
}

function optionIssues(question: PersonQuestion, option: Json, at: Segments): Issue[] {
  const ids = question.options?.map(({ id }) => id);
  if (ids === undefined)
    return [issueAt(at, "does not go with an open question: answer with text")];
  if (typeof option === "string" && ids.includes(option)) return [];
  return [issueAt(at, `must be the id of an option: ${ids.join(", ")}`)];
}

function optionsIssues(question: PersonQuestion, options: Json): Issue[] {
  if (question.multiple !== true)
    return [issueAt(["options"], "goes with a question that takes several: use option")];
  if (!Array.isArray(options) || options.length < 1 || options.length > QUESTION_OPTIONS_MAX)
    return [issueAt(["options"], "must be a list of the ids of one option or more")];
  const issues = options.flatMap((option: Json, i) =>
    optionIssues(question, option, ["options", i]),
  );
  if (new Set(options).size < options.length)
    issues.push(issueAt(["options"], "must name no option twice"));
  return issues;
}

function textAloneIssues(question: PersonQuestion, text: Json | undefined): Issue[] {
  const open = question.options === undefined;
  if (text === undefined)
    return [
      issueAt([], open ? "must have text" : "must have an option, or text where it is allowed"),
    ];
  if (open || question.allowText) return [];
  return [
    issueAt(
      ["text"],
      "does not answer this question by itself: choose an option, text can go beside it",
    ),
  ];
}

function readText(text: Json, issues: Issue[]): string | undefined {
  const parsed = answerTextSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  issues.push(...issuesBelow("text", issuesOf(parsed.error)));
  return undefined;
}

function checkApprovalAnswer(
  { editable, checkInput }: Extract<Answerable, { kind: "approval" }>,
  answer: Json,
): Checked<ApprovalAnswer> {
  if (!isJsonObject(answer)) return notAnObject("{ approved }");
  const { approved, input, reason } = answer;
  if (typeof approved !== "boolean") {
    const issues = unknownFields(
      answer,
      ["approved", "input", "reason"],
      "this question is an approval",
    );
    return { ok: false, issues: [...issues, issueAt(["approved"], "must be true or false")] };
  }
  if (!approved) {
    const parsed = reasonSchema.safeParse(reason);
    const issues = unknownFields(
      answer,
      ["approved", "reason"],
      "nothing runs that is not approved",
    );
    if (!parsed.success) issues.push(...issuesBelow("reason", issuesOf(parsed.error)));
    if (issues.length > 0) return { ok: false, issues };
    return {
      ok: true,
      value: { approved, ...(parsed.data !== undefined && { reason: parsed.data }) },
    };
  }
  const issues = unknownFields(answer, ["approved", "input"], "a reason goes with approved: false");
  if (input !== undefined && !editable)
    issues.push(issueAt(["input"], "must be left out: this tool's arguments can't be changed"));
  else if (input !== undefined) issues.push(...issuesBelow("input", checkInput(input)));
  if (issues.length > 0) return { ok: false, issues };
  return { ok: true, value: { approved, ...(input !== undefined && { input }) } };
}

const ANSWER_FIELDS: ReadonlySet<string> = new Set([
  "option",
  "options",
  "text",
  "value",
  "approved",
  "input",
  "reason",
  "answers",
  "response",
]);

/** A field that answers another kind of question is told apart from one that is nothing at all. */
function unknownFields(answer: JsonObject, known: readonly string[], why: string): Issue[] {
  return Object.keys(answer)
    .filter((name) => !known.includes(name))
    .slice(0, REFUSAL_ISSUES)
    .map((name) =>
      ANSWER_FIELDS.has(name)
        ? issueAt([name], `must be left out: ${why}`)
        : unknownField([], name),
    );
}

function notAnObject(form: string): { readonly ok: false; readonly issues: readonly Issue[] } {
  return { ok: false, issues: [issueAt([], `must be an object: ${form}`)] };
}
