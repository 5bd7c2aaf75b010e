/**
 * Owns: the tool `ask_user_question`: a form of one to four questions, and what answers it. An answer is
 * never a permission: it can't approve a tool, and an approval can't answer a form.
 */

import * as z from "zod";
import { issueAt, issuesOf, shownName, unknownField, type Segments } from "./issue.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import {
  ANSWER_TEXT_CHARACTERS,
  FORM_ANSWER_CHARACTERS,
  FORM_ANSWER_VALUES,
  FORM_HEADER_CHARACTERS,
  FORM_OPTIONS_MAX,
  FORM_OPTIONS_MIN,
  FORM_QUESTIONS,
  OPTION_DESCRIPTION_CHARACTERS,
  OPTION_LABEL_CHARACTERS,
  QUESTION_CHARACTERS,
  REFUSAL_ISSUES,
} from "./limits.ts";
import { boundedList, refuseRepeats } from "./list.ts";
import type { Checked, Issue } from "./refusal.ts";
import { strip, strippedText } from "./text.ts";

/** Aliases and not interfaces here, since only those are JSON to the compiler. */
export type UserQuestionOption = {
  readonly label: string;
  readonly description: string;
};

export type UserQuestion = {
  readonly question: string;
  readonly header: string;
  readonly options: readonly UserQuestionOption[];
  readonly multiSelect: boolean;
};

/** Normalised: texts are stripped, `multiSelect` is always there. */
export type AskUserQuestionRequest = {
  readonly questions: readonly UserQuestion[];
};

/** What a caller may send. */
export type UserQuestionAnswers = {
  readonly answers?: Readonly<Record<string, string | readonly string[]>>;
  readonly response?: string | null;
};

/** What is stored, and what the model gets: `answers` by the exact texts of the questions, and no nulls. */
export type NormalisedUserQuestionAnswers = {
  readonly answers: Readonly<Record<string, string | readonly string[]>>;
  readonly response?: string;
};

const userQuestionOptionSchema = z.strictObject({
  label: strippedText({ max: OPTION_LABEL_CHARACTERS }),
  description: strippedText({ max: OPTION_DESCRIPTION_CHARACTERS }),
});

export const userQuestionSchema = z.strictObject({
  question: strippedText({ max: QUESTION_CHARACTERS }),
  header: strippedText({ max: FORM_HEADER_CHARACTERS }),
  options: boundedList(userQuestionOptionSchema, { min: FORM_OPTIONS_MIN, max: FORM_OPTIONS_MAX }),
  multiSelect: z.boolean().default(false),
});

export const askUserQuestionRequestSchema = z
  .strictObject({ questions: boundedList(userQuestionSchema, { min: 1, max: FORM_QUESTIONS }) })
  .superRefine(({ questions }, context) => {
    refuseRepeats(questions, "question", ["questions"], context);
    for (const [i, { options }] of questions.entries())
      refuseRepeats(options, "label", ["questions", i, "options"], context);
  });

/** How the tool is declared to a model. The texts say what the schema can't. */
export const askUserQuestionJsonSchema: JsonObject = {
  type: "object",
  properties: {
    questions: {
      type: "array",
      description: "The questions of one form.",
      minItems: 1,
      maxItems: FORM_QUESTIONS,
      items: {
        type: "object",
        properties: {
          question: text(
            QUESTION_CHARACTERS,
            "The whole question. No two questions of a form may have the same text.",
          ),
          header: text(FORM_HEADER_CHARACTERS, "A word or two that name the question, e.g. Scope."),
          options: {
            type: "array",
            description:
              "The choices. Don't add one for 'other': the person can always answer in free text.",
            minItems: FORM_OPTIONS_MIN,
            maxItems: FORM_OPTIONS_MAX,
            items: {
              type: "object",
              properties: {
                label: text(
                  OPTION_LABEL_CHARACTERS,
                  "What the person picks. No two options of a question may share it.",
                ),
                description: text(OPTION_DESCRIPTION_CHARACTERS, "What choosing it means."),
              },
              required: ["label", "description"],
              additionalProperties: false,
            },
          },
          multiSelect: {
            type: "boolean",
            description: "Whether several options may be chosen.",
            default: false,
          },
        },
        required: ["question", "header", "options"],
        additionalProperties: false,
      },
    },
  },
  required: ["questions"],
  additionalProperties: false,
};

function text(maxLength: number, description: string): JsonObject {
  return { type: "string", description, minLength: 1, maxLength };
}

export function parseAskUserQuestionRequest(input: unknown): Checked<AskUserQuestionRequest> {
  const parsed = askUserQuestionRequestSchema.safeParse(input);
  return parsed.success
    ? { ok: true, value: parsed.data }
    : { ok: false, issues: issuesOf(parsed.error) };
}

const answerTextSchema = strippedText({ max: FORM_ANSWER_CHARACTERS });
const responseSchema = strippedText({ max: ANSWER_TEXT_CHARACTERS });

/** Checks an answer against its form. `answer` may be anything; what is wrong with it is told question by question. */
export function validateUserQuestionAnswer(
  request: AskUserQuestionRequest,
  answer: unknown,
): Checked<NormalisedUserQuestionAnswers> {
  if (!isJsonObject(answer))
    return { ok: false, issues: [issueAt([], "must be an object: { answers?, response? }")] };
  const issues = Object.keys(answer)
    .filter((name) => name !== "answers" && name !== "response")
    .slice(0, REFUSAL_ISSUES)
    .map((name) => unknownField([], name));
  const response = answer.response ?? undefined;
  const stripped =
    response === undefined ? undefined : checkText(response, responseSchema, ["response"], issues);
  const answers = checkAnswers(request, answer.answers, issues);
  if (response === undefined) issues.push(...uncovered(request, answers));
  if (issues.length > 0) return { ok: false, issues };
  return {
    ok: true,
    value: {
      answers: inOrder(request, answers),
      ...(stripped !== undefined && { response: stripped }),
    },
  };
}

/** The answers by the texts of their questions. A Map, since a question may be called `__proto__`. */
type AnswerMap = ReadonlyMap<string, string | readonly string[]>;

function checkAnswers(
  request: AskUserQuestionRequest,
  given: Json | undefined,
  issues: Issue[],
): AnswerMap {
  const answers = new Map<string, string | readonly string[]>();
  if (given === undefined) return answers;
  if (!isJsonObject(given)) {
    issues.push(
      issueAt(["answers"], "must be an object from the text of a question to its answer"),
    );
    return answers;
  }
  const entries = Object.entries(given);
  if (entries.length > FORM_QUESTIONS) {
    issues.push(issueAt(["answers"], `must have at most ${FORM_QUESTIONS} entries`));
    return answers;
  }
  for (const [key, value] of entries) {
    const at = ["answers", key];
    const question = request.questions.find((candidate) => candidate.question === strip(key));
    if (question === undefined)
      issues.push(issueAt(at, "must be the exact text of a question of this form"));
    else if (answers.has(question.question))
      issues.push(issueAt(at, "must name its question once"));
    else answers.set(question.question, checkValue(question, value, at, issues));
  }
  return answers;
}

/** An answer that is wrong still covers its question: one thing is said of it, not two. */
function checkValue(
  question: UserQuestion,
  value: Json | undefined,
  at: Segments,
  issues: Issue[],
): string | readonly string[] {
  if (!Array.isArray(value)) return checkText(value, answerTextSchema, at, issues) ?? "";
  if (value.length < 1 || value.length > FORM_ANSWER_VALUES) {
    issues.push(issueAt(at, `must be a string, or 1 to ${FORM_ANSWER_VALUES} of them`));
    return [];
  }
  const before = issues.length;
  const texts = value.map(
    (item: unknown, i) => checkText(item, answerTextSchema, [...at, i], issues) ?? "",
  );
  if (issues.length > before) return texts;
  const labels = texts.filter((item) => question.options.some(({ label }) => label === item));
  if (labels.length > 0 && labels.length < texts.length)
    issues.push(issueAt(at, "must be labels or free text, not both in one list"));
  else if (labels.length > 1 && !question.multiSelect)
    issues.push(
      issueAt(at, `must use one label: ${shownName(question.header)} is a single choice`),
    );
  return texts;
}

function checkText(
  value: unknown,
  schema: z.ZodString,
  at: Segments,
  issues: Issue[],
): string | undefined {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  issues.push(...issuesOf(parsed.error).map(({ message }) => issueAt(at, message)));
  return undefined;
}

function uncovered(request: AskUserQuestionRequest, answers: AnswerMap): Issue[] {
  return request.questions
    .filter(({ question }) => !answers.has(question))
    .map(({ question }) =>
      issueAt(["answers", question], "is missing: answer every question, or give a response"),
    );
}

function inOrder(
  request: AskUserQuestionRequest,
  answers: AnswerMap,
): Record<string, string | readonly string[]> {
  return Object.fromEntries(
    request.questions.flatMap(({ question }) => {
      const value = answers.get(question);
      return value === undefined ? [] : [[question, value] as const];
    }),
  );
}
