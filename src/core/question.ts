/**
 * Owns: what a question is: how a person is asked (by a model, by a tool's code, by another system), how `ask_person` is
 * declared, and the view of a question that every surface shows. Does not own: answers (`answer.ts`), forms
 * (`user-question.ts`), and who the recipients are (`recipients.ts`).
 */

import * as z from "zod";
import type { JsonObject } from "./json.ts";
import { boundedJson } from "./json-bounds.ts";
import { schemaFindings } from "./json-schema.ts";
import {
  CONTEXT_CHARACTERS,
  JSON_NESTING_LEVELS,
  OPTION_DESCRIPTION_CHARACTERS,
  OPTION_ID_CHARACTERS,
  OPTION_LABEL_CHARACTERS,
  QUESTION_CHARACTERS,
  QUESTION_OPTIONS_MAX,
  QUESTION_OPTIONS_MIN,
  RECIPIENT_NAME_CHARACTERS,
  SCHEMA_BYTES,
} from "./limits.ts";
import { boundedList, refuseRepeats } from "./list.ts";
import { checkedJson, checkedJsonObject, count, list, time } from "./schema-parts.ts";
import { strip, strippedText } from "./text.ts";
import { userQuestionSchema, type AskUserQuestionRequest } from "./user-question.ts";

export const QUESTION_KINDS = ["person", "form", "approval", "tool"] as const;
const questionKindSchema = z.enum(QUESTION_KINDS);

/** How a question ends. */
export const SETTLED_STATUSES = ["answered", "declined", "cancelled", "expired"] as const;
export const QUESTION_STATUSES = ["waiting", ...SETTLED_STATUSES] as const;
const questionStatusSchema = z.enum(QUESTION_STATUSES);
export type QuestionStatus = z.output<typeof questionStatusSchema>;

/** How far it is that somebody is told of something. */
export const DELIVERY_STATUSES = ["pending", "sent", "failed"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The door by which an answer came. */
const answeredViaSchema = z.enum(["api", "page", "email", "slack", "service", "code", "default"]);
export type AnsweredVia = z.output<typeof answeredViaSchema>;

/** Aliases and not interfaces here, since only those are JSON to the compiler. */
export type QuestionOption = {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
};

/** Normalised, so that two ways to ask the same are the same question: see `normalised`. */
export type PersonQuestion = {
  readonly question: string;
  readonly options?: readonly QuestionOption[];
  /** There exactly where `options` are. */
  readonly multiple?: boolean;
  /** Whether text alone, without an option, is an answer. */
  readonly allowText: boolean;
  readonly context?: string;
  readonly to?: string;
};

export type ToolQuestion = PersonQuestion & {
  /** Where it is there, the answer is a `value` that fits it, and nothing else. */
  readonly answerSchema?: JsonObject | boolean;
};

const OPTION_ID = new RegExp(`^[A-Za-z0-9_.-]{1,${OPTION_ID_CHARACTERS}}$`);

const questionOptionSchema = z.strictObject({
  id: z
    .string("must be a string")
    .overwrite(strip)
    .regex(OPTION_ID, `must be 1 to ${OPTION_ID_CHARACTERS} of A-Z a-z 0-9 _ . -`),
  label: strippedText({ max: OPTION_LABEL_CHARACTERS }),
  description: strippedText({ max: OPTION_DESCRIPTION_CHARACTERS }).optional(),
});

const questionShape = {
  question: strippedText({ max: QUESTION_CHARACTERS }),
  options: boundedList(questionOptionSchema, {
    min: QUESTION_OPTIONS_MIN,
    max: QUESTION_OPTIONS_MAX,
  }).optional(),
  multiple: z.boolean().optional(),
  allowText: z.boolean().optional(),
  context: strippedText({ max: CONTEXT_CHARACTERS }).optional(),
  to: strippedText({ max: RECIPIENT_NAME_CHARACTERS }).optional(),
};

/** The input of `ask_person`. Whether `to` is a configured recipient is for the one who knows them. */
export const personQuestionSchema = z
  .strictObject(questionShape)
  .superRefine(checkOptions)
  .transform((question): PersonQuestion => normalised(question));

/** What a tool's code, or another system, asks. */
export const toolQuestionSchema = z
  .strictObject({ ...questionShape, answerSchema: z.unknown().optional() })
  .superRefine((question, context) => {
    if (question.answerSchema === undefined) checkOptions(question, context);
    else checkAnswerSchema(question, context);
  })
  .transform(({ answerSchema, ...question }): ToolQuestion => {
    if (answerSchema === undefined) return normalised(question);
    return { ...normalised(question), allowText: false, answerSchema: schemaCopy(answerSchema) };
  });

/** The same as a tool's code writes it. `answerSchema` is a JSON Schema of 2020-12, or a schema of zod. */
export interface ToolQuestionInput extends Omit<
  z.input<typeof toolQuestionSchema>,
  "answerSchema"
> {
  readonly answerSchema?: object | boolean | undefined;
}

type QuestionInput = z.output<z.ZodObject<typeof questionShape>>;

function checkOptions(
  { options, multiple, allowText }: QuestionInput,
  context: z.RefinementCtx,
): void {
  if (options !== undefined) {
    refuseRepeats(options, "id", ["options"], context);
    refuseRepeats(options, "label", ["options"], context);
    return;
  }
  if (multiple === true)
    context.addIssue({
      code: "custom",
      path: ["multiple"],
      message: "needs options to choose from",
    });
  if (allowText === false)
    context.addIssue({
      code: "custom",
      path: ["allowText"],
      message: "must be true without options: nothing else could be answered",
    });
}

function checkAnswerSchema(
  question: QuestionInput & { answerSchema?: unknown },
  context: z.RefinementCtx,
): void {
  for (const { at, message } of schemaFindings(question.answerSchema))
    context.addIssue({ code: "custom", path: ["answerSchema", ...at], message });
  const refused = {
    options: question.options,
    multiple: question.multiple || undefined,
    allowText: question.allowText || undefined,
  };
  for (const [name, value] of Object.entries(refused))
    if (value !== undefined)
      context.addIssue({
        code: "custom",
        path: [name],
        message: "does not go with answerSchema: the answer is one value that fits it",
      });
}

/**
 * Defaults are filled in, so that a question asked again with a default spelt out is the same question. Normalising
 * twice changes nothing.
 */
function normalised({
  question,
  options,
  multiple,
  allowText,
  context,
  to,
}: QuestionInput): PersonQuestion {
  return {
    question,
    ...(options !== undefined && {
      options: options.map(normalisedOption),
      multiple: multiple ?? false,
    }),
    allowText: allowText ?? true,
    ...(context !== undefined && { context }),
    ...(to !== undefined && { to }),
  };
}

function normalisedOption({
  id,
  label,
  description,
}: z.output<typeof questionOptionSchema>): QuestionOption {
  return { id, label, ...(description !== undefined && { description }) };
}

/** The caller's schema object stays the caller's. */
function schemaCopy(schema: unknown): JsonObject | boolean {
  const json = boundedJson(schema, { bytes: SCHEMA_BYTES, levels: JSON_NESTING_LEVELS });
  if (!json.ok) throw new Error("an answerSchema is checked before it is copied");
  return json.value as JsonObject | boolean;
}

/** A question as every surface shows it: lists, GET, responses, webhooks and `deliver`. */
export const questionSchema = z.strictObject({
  requestId: z.string(),
  taskId: z.exactOptional(z.string()),
  kind: questionKindSchema,
  sessionId: z.string(),
  turnId: z.exactOptional(z.string()),
  agent: z.exactOptional(z.string()),
  status: questionStatusSchema,
  /** Always a string; of a form its texts, one a line; of an approval `Run {toolName}?`. */
  question: z.string(),
  options: z.exactOptional(
    list(
      z.strictObject({
        id: z.string(),
        label: z.string(),
        description: z.exactOptional(z.string()),
      }),
    ),
  ),
  multiple: z.exactOptional(z.boolean()),
  allowText: z.exactOptional(z.boolean()),
  context: z.exactOptional(z.string()),
  to: z.exactOptional(z.string()),
  /** Who may answer beside the one of `to`: the members of a group, and those to whom it was escalated. */
  recipients: z.exactOptional(list(z.string())),
  answerSchema: z.exactOptional(z.union([z.boolean(), checkedJsonObject])),
  /** Of a form. */
  questions: z.exactOptional(list(userQuestionSchema)),
  /** Of an approval: the call that it is about. */
  toolName: z.exactOptional(z.string()),
  toolCallId: z.exactOptional(z.string()),
  arguments: z.exactOptional(checkedJson),
  /** Of an approval whose arguments may be changed by the one who approves. */
  editable: z.exactOptional(z.literal(true)),
  /** Only while it waits, and only for those who may answer. */
  answerUrl: z.exactOptional(z.string()),
  answer: z.exactOptional(checkedJson),
  /** Why it was declined or cancelled. */
  reason: z.exactOptional(z.string()),
  answeredBy: z.exactOptional(z.string()),
  answeredAt: z.exactOptional(time),
  answeredVia: z.exactOptional(answeredViaSchema),
  /** True where a wait for it had timed out before the answer came. */
  late: z.exactOptional(z.boolean()),
  deliveries: list(
    z.strictObject({
      channel: z.string(),
      /** For whom; absent where the question is addressed to nobody. */
      recipient: z.exactOptional(z.string()),
      /** What the status is about, where it is another thing than `question.asked`. */
      event: z.exactOptional(z.string()),
      status: z.enum(DELIVERY_STATUSES),
      tries: count,
      error: z.exactOptional(z.string()),
    }),
  ),
  history: list(
    z.strictObject({
      at: time,
      /** `question.asked`, `question.delivered`, `question.answered` … */
      event: z.string(),
      channel: z.exactOptional(z.string()),
      /** To whom it was delivered, escalated or assigned. */
      to: z.exactOptional(z.string()),
      by: z.exactOptional(z.string()),
    }),
  ),
  createdAt: time,
  expiresAt: z.exactOptional(time),
});
export type Question = Readonly<z.output<typeof questionSchema>>;

/** How `ask_person` is declared to a model. `to` is there only where there is somebody to choose. */
export function personQuestionJsonSchema(recipients: readonly string[]): JsonObject {
  return {
    type: "object",
    properties: {
      question: text(
        QUESTION_CHARACTERS,
        "The question, short and complete in itself: the person sees no more of this conversation.",
      ),
      options: {
        type: "array",
        description: "The choices, if there are any to give. Leave it out for an open question.",
        minItems: QUESTION_OPTIONS_MIN,
        maxItems: QUESTION_OPTIONS_MAX,
        items: {
          type: "object",
          properties: {
            id: {
              type: "string",
              description: "By which the answer names the option. Unique in the question.",
              pattern: OPTION_ID.source,
            },
            label: text(OPTION_LABEL_CHARACTERS, "What the person sees. Unique in the question."),
            description: text(OPTION_DESCRIPTION_CHARACTERS, "What choosing it means."),
          },
          required: ["id", "label"],
          additionalProperties: false,
        },
      },
      multiple: {
        type: "boolean",
        description: "Whether several options may be chosen. Needs options.",
        default: false,
      },
      allowText: {
        type: "boolean",
        description:
          "Whether the person may answer in text without choosing an option. Only false where there are options.",
        default: true,
      },
      context: text(CONTEXT_CHARACTERS, "What the person needs to know to decide, in Markdown."),
      ...(recipients.length > 0 && {
        to: { type: "string", description: "Who is asked.", enum: recipients },
      }),
    },
    required: ["question"],
    additionalProperties: false,
  };
}

function text(maxLength: number, description: string): JsonObject {
  return { type: "string", description, minLength: 1, maxLength };
}

/** The texts of a form's questions, one a line. */
export function formQuestionText(request: AskUserQuestionRequest): string {
  return request.questions.map(({ question }) => question).join("\n");
}

export function approvalQuestionText(toolName: string): string {
  return `Run ${toolName}?`;
}
