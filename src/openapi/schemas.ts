/**
 * Owns: the schemas of the document of the API by their names, and how they are written as JSON Schema. What a route checks
 * by code alone (a map that must keep `__proto__`, a list that is counted first) is shown here as what it accepts.
 */

import * as z from "zod";
import { approvalResultSchema, batchSchema, callResultSchema } from "../core/batch.ts";
import { inputSchema, partsSchema } from "../core/input.ts";
import {
  BATCH_RESULTS,
  METADATA_KEYS,
  METADATA_VALUE_CHARACTERS,
  PAGE_ITEMS_DEFAULT,
  PAGE_ITEMS_MAX,
  PREFER_WAIT_SECONDS,
} from "../core/limits.ts";
import { authorSchema } from "../core/output.ts";
import { PROBLEMS, type ProblemCode } from "../core/problem.ts";
import { questionSchema, toolQuestionSchema } from "../core/question.ts";
import * as requests from "../core/requests.ts";
import * as responses from "../core/responses.ts";
import { messageSchema, threadSchema } from "../core/service.ts";
import * as service from "../core/service-responses.ts";
import { sessionEventSchema } from "../core/session-event.ts";
import { turnSchema } from "../core/turn-schema.ts";
import { askUserQuestionRequestSchema } from "../core/user-question.ts";
import { metadataSchema, pageLimit } from "../core/wire.ts";

export type Schema = Readonly<Record<string, unknown>>;

export function refTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

const ids = z.string().min(1);
const note = z.string().optional();

/** What each kind of question takes for an answer. */
const answerForms = z.union([
  z.strictObject({ option: ids, text: note }),
  z.strictObject({ options: z.array(ids).min(1), text: note }),
  z.strictObject({ text: z.string() }),
  z.strictObject({ value: z.unknown() }),
  z.strictObject({
    answers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
    response: z.nullable(z.string()).optional(),
  }),
  z.strictObject({ approved: z.literal(true), input: z.unknown().optional() }),
  z.strictObject({ approved: z.literal(false), reason: note }),
]);

const { question, ...asked } = toolQuestionSchema.in.shape;

/** Which of the fields go together is said in words: `questions`, `answerSchema`, or neither. */
const askBody = z.strictObject({
  question: question.optional(),
  ...asked,
  questions: askUserQuestionRequestSchema.shape.questions.optional(),
  ...requests.askSchema.in.shape,
});

/** What is accepted, by name. */
const ACCEPTED = {
  Input: inputSchema,
  StartTurn: requests.startTurnSchema,
  Results: batchSchema,
  ApprovalResult: approvalResultSchema,
  CallResult: callResultSchema,
  Answer: answerForms,
  AnswerQuestion: requests.answerSchema,
  DeclineQuestion: requests.declineSchema,
  AssignQuestion: requests.assignSchema,
  Cancel: requests.cancelSchema,
  Nothing: requests.emptySchema,
  Ask: askBody,
  Resume: requests.resumeParkedSchema,
  Rebuild: requests.rebuildSchema,
  Event: z.looseObject({}),
  Chat: requests.chatSchema,
  SlackForm: z.strictObject({ payload: z.string() }),
  PageForm: z.looseObject({ nonce: z.string() }),
  OpenThread: threadSchema,
  SendMessage: messageSchema,
};

/** What is answered, by name. */
const ANSWERED = {
  Turn: turnSchema,
  TurnPage: responses.turnPageSchema,
  Question: questionSchema,
  QuestionPage: responses.questionPageSchema,
  Session: responses.sessionSchema,
  Messages: responses.messagesSchema,
  SessionEvent: sessionEventSchema,
  Delivery: responses.deliverySchema,
  DeliveryPage: responses.deliveryPageSchema,
  Resumption: responses.resumptionSchema,
  ParkedCounts: responses.parkedCountsSchema,
  Overdue: responses.overdueSchema,
  ChatMessages: responses.chatMessagesSchema,
  Metrics: responses.metricsSchema,
  Rebuilt: responses.rebuiltSchema,
  Triggered: z.union([responses.triggeredSchema, responses.challengeSchema]),
  Health: responses.healthSchema,
  Problem: responses.problemSchema,
  Thread: service.threadViewSchema,
  Entry: service.entryViewSchema,
  Run: service.runViewSchema,
  RunPage: service.runPageSchema,
  Started: service.startedViewSchema,
  ServiceError: service.envelopeSchema,
};

/** What stands in place of a schema that only code can check. */
const SHOWN = new Map<z.core.$ZodType, Schema>([
  [
    requests.startTurnSchema.in.shape.input,
    {
      anyOf: [refTo("Input"), { description: "With `inputType`: any JSON that the shape takes." }],
    },
  ],
  [partsSchema, { description: "Parts: a text, any JSON, or a URL that is named to the model." }],
  [
    metadataSchema,
    {
      type: "object",
      maxProperties: METADATA_KEYS,
      additionalProperties: { type: "string", maxLength: METADATA_VALUE_CHARACTERS },
    },
  ],
  [authorSchema, { type: ["object", "boolean"], description: "A JSON Schema of 2020-12." }],
  [toolQuestionSchema.in.shape.answerSchema.unwrap(), { type: ["object", "boolean"] }],
  [requests.answerSchema.shape.answer, refTo("Answer")],
  [batchSchema.in.shape.approvals, results("ApprovalResult")],
  [batchSchema.in.shape.calls, results("CallResult")],
  [
    pageLimit,
    { type: "integer", minimum: 1, maximum: PAGE_ITEMS_MAX, default: PAGE_ITEMS_DEFAULT },
  ],
  [
    requests.readTurnQuerySchema.shape.wait.unwrap(),
    { type: "integer", minimum: 0, maximum: PREFER_WAIT_SECONDS },
  ],
]);

function results(name: string): Schema {
  return { type: "object", maxProperties: BATCH_RESULTS, additionalProperties: refTo(name) };
}

/** To these only something is added. */
const KEEPS = new Set<z.core.$ZodType>([partsSchema]);

function options(io: "input" | "output") {
  return {
    io,
    unrepresentable: ({ path }: { readonly path: readonly (string | number)[] }) =>
      path.at(-1) === "extraBody" ? { type: "object" as const } : ("any" as const),
    override: ({ zodSchema, jsonSchema }: Overriding) => {
      const shown = SHOWN.get(zodSchema);
      if (shown === undefined) return;
      if (!KEEPS.has(zodSchema))
        for (const name of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, name);
      Object.assign(jsonSchema, shown);
    },
  };
}
interface Overriding {
  readonly zodSchema: z.core.$ZodType;
  readonly jsonSchema: object;
}

/** All schemas as they stand in the document. */
export function documentSchemas(): Readonly<Record<string, Schema>> {
  return { ...written(ACCEPTED, "input"), ...written(ANSWERED, "output") };
}

function written(
  schemas: Readonly<Record<string, z.ZodType>>,
  io: "input" | "output",
): Record<string, Schema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const uri = (id: string) => `#/components/schemas/${id}`;
  const { schemas: made } = z.toJSONSchema(registry, { ...options(io), uri });
  return Object.fromEntries(
    Object.entries(made).map(([name, schema]) => [name, withoutHead(schema as Schema)]),
  );
}

/** Inside a document a schema needs no id and names no dialect. */
function withoutHead(schema: Schema): Schema {
  return Object.fromEntries(
    Object.entries(schema).filter(([name]) => name !== "$schema" && name !== "$id"),
  );
}

export interface Parameter {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

export function queryParameters(query: z.ZodObject): readonly Parameter[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, options("input"));
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    isRequired: required.includes(name),
    schema: schema as Schema,
  }));
}

/** A problem document with one of these codes. */
export function problemSchema(codes: readonly ProblemCode[]): Schema {
  const [first] = codes;
  return {
    allOf: [refTo("Problem")],
    properties: {
      code: { enum: codes },
      ...(first !== undefined && { status: { const: PROBLEMS[first].status } }),
    },
  };
}
