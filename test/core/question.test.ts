import { describe, expect, it } from "vitest";
import { z } from "zod";
import { issuesOf } from "../../src/core/issue.ts";
import { checkJsonSchema, validateBySchema } from "../../src/core/json-schema.ts";
import {
  approvalQuestionText,
  formQuestionText,
  personQuestionJsonSchema,
  personQuestionSchema,
  type Question,
  questionSchema,
  toolQuestionSchema,
} from "../../src/core/question.ts";
import cases from "../fixtures/cases/ask-person.json";

const options = [
  { id: "approve", label: "Approve" },
  { id: "deny", label: "Deny" },
];

function issues(schema: z.ZodType, value: unknown): readonly string[] {
  const { error } = schema.safeParse(value);
  return error === undefined
    ? []
    : issuesOf(error).map(({ path, message }) => `${path}: ${message}`);
}

describe("a question of the cases", () => {
  it.each(cases.answers)("may be asked: $name", ({ question }) => {
    const asked = toolQuestionSchema.parse(question);
    expect(asked).toMatchObject(question);
    expect(toolQuestionSchema.parse(asked)).toEqual(asked);
  });
});

describe("ask_person", () => {
  it("fills in the defaults, so that spelling them out asks the same question", () => {
    expect(personQuestionSchema.parse({ question: " Why? " })).toEqual({
      question: "Why?",
      allowText: true,
    });
    expect(
      personQuestionSchema.parse({ question: "Why?", multiple: false, allowText: true }),
    ).toEqual({
      question: "Why?",
      allowText: true,
    });
    expect(personQuestionSchema.parse({ question: "Why?", options })).toEqual({
      question: "Why?",
      options,
      multiple: false,
      allowText: true,
    });
  });

  it("strips every text", () => {
    const stripped = personQuestionSchema.parse({
      question: "Why?",
      options: [
        { id: " a ", label: " A ", description: "\td\n" },
        { id: "b", label: "B" },
      ],
      context: " c ",
      to: " lead ",
    });
    expect(stripped).toMatchObject({
      options: [{ id: "a", label: "A", description: "d" }, {}],
      context: "c",
      to: "lead",
    });
  });

  it("leaves out what is undefined", () => {
    const asked = personQuestionSchema.parse({
      question: "Why?",
      options: undefined,
      context: undefined,
    });
    expect(Object.keys(asked)).toEqual(["question", "allowText"]);
  });

  it.each([
    [{}, "question: is missing"],
    [{ question: "" }, "question: must be 1 to 8192"],
    [{ question: "x".repeat(8_193) }, "question: must be 1 to 8192"],
    [{ question: "Why?", options: [] }, "options: must be a list of 2 to 20"],
    [{ question: "Why?", options: options.slice(1) }, "options: must be a list of 2 to 20"],
    [
      {
        question: "Why?",
        options: Array.from({ length: 21 }, (_, i) => ({ id: `${i}`, label: `${i}` })),
      },
      "options: must be",
    ],
    [
      { question: "Why?", options: [...options, { id: "approve ", label: "Other" }] },
      "options[2].id: must be unique",
    ],
    [
      { question: "Why?", options: [...options, { id: "other", label: " Deny" }] },
      "options[2].label: must be unique",
    ],
    [
      { question: "Why?", options: [...options, { id: "a b", label: "Other" }] },
      "options[2].id: must be 1 to 64 of",
    ],
    [
      { question: "Why?", options: [...options, { id: "x".repeat(65), label: "Other" }] },
      "options[2].id: must be 1 to 64 of",
    ],
    [
      { question: "Why?", options: [...options, { id: "ä", label: "Other" }] },
      "options[2].id: must be 1 to 64 of",
    ],
    [
      { question: "Why?", options: [...options, { id: "c", label: "C", value: 1 }] },
      'options[2]: "value" is not a known',
    ],
    [{ question: "Why?", options: null }, "options: must be a list"],
    [{ question: "Why?", multiple: true }, "multiple: needs options"],
    [{ question: "Why?", allowText: false }, "allowText: must be true without options"],
    [{ question: "Why?", allowText: null }, "allowText: must be a boolean"],
    [{ question: "Why?", context: "x".repeat(65_537) }, "context: must be"],
    [{ question: "Why?", answerSchema: {} }, ': "answerSchema" is not a known field'],
    [{ question: "Why?", title: "x" }, ': "title" is not a known field'],
    [["Why?"], ": must be an object"],
  ])("refuses %j", (input, message) => {
    expect(issues(personQuestionSchema, input).join("\n")).toContain(message);
  });

  it("takes ids that are names of what every object has", () => {
    const odd = [
      { id: "__proto__", label: "__proto__" },
      { id: "constructor", label: "constructor" },
    ];
    expect(personQuestionSchema.parse({ question: "Why?", options: odd }).options).toEqual(odd);
  });

  it("labels that differ in case are different", () => {
    const both = [...options, { id: "Approve", label: "approve" }];
    expect(personQuestionSchema.parse({ question: "Why?", options: both }).options).toHaveLength(3);
  });
});

describe("the declaration of ask_person", () => {
  it("is a JSON Schema that refuses unknown fields", () => {
    const declared = personQuestionJsonSchema([]);
    expect(checkJsonSchema(declared)).toEqual([]);
    expect(declared).toMatchObject({ additionalProperties: false, required: ["question"] });
  });

  it("has `to` only where there are recipients to choose from", () => {
    expect(personQuestionJsonSchema([]).properties).not.toHaveProperty("to");
    expect(personQuestionJsonSchema(["lead", "legal"]).properties).toMatchObject({
      to: { enum: ["lead", "legal"] },
    });
  });

  it("takes what the schema takes", () => {
    const asked = {
      question: "Why?",
      options,
      multiple: true,
      allowText: false,
      context: "c",
      to: "lead",
    };
    expect(validateBySchema(personQuestionJsonSchema(["lead"]), asked)).toEqual([]);
    expect(personQuestionSchema.safeParse(asked).success).toBe(true);
  });

  it("can be derived for a reference, too", () => {
    expect(z.toJSONSchema(personQuestionSchema, { io: "input" })).toMatchObject({
      properties: {
        question: { minLength: 1, maxLength: 8_192 },
        options: { minItems: 2, maxItems: 20 },
      },
    });
  });
});

describe("a tool's question", () => {
  it("carries an answerSchema, and then text alone is no answer", () => {
    const asked = { question: "How much?", answerSchema: { type: "number" } };
    expect(toolQuestionSchema.parse(asked)).toEqual({ ...asked, allowText: false });
  });

  it("takes true and false for schemas", () => {
    expect(
      toolQuestionSchema.parse({ question: "How much?", answerSchema: true }).answerSchema,
    ).toBe(true);
    expect(
      toolQuestionSchema.parse({ question: "How much?", answerSchema: false }).answerSchema,
    ).toBe(false);
  });

  it("keeps a copy of the schema", () => {
    const answerSchema = { type: "number" };
    const asked = toolQuestionSchema.parse({ question: "How much?", answerSchema });
    answerSchema.type = "string";
    expect(asked.answerSchema).toEqual({ type: "number" });
  });

  it.each([
    [{ answerSchema: { type: "nonsense" } }, "answerSchema.type: must"],
    [{ answerSchema: null }, "answerSchema: must be a JSON Schema"],
    [{ answerSchema: "number" }, "answerSchema: must be a JSON Schema"],
    [
      { answerSchema: { properties: { a: { $ref: "https://x.example/" } } } },
      "answerSchema.properties.a.$ref: must lead",
    ],
    [{ answerSchema: {}, options }, "options: does not go with answerSchema"],
    [{ answerSchema: {}, multiple: true }, "multiple: does not go with answerSchema"],
    [{ answerSchema: {}, allowText: true }, "allowText: does not go with answerSchema"],
    [{ multiple: true }, "multiple: needs options"],
  ])("refuses %j", (fields, message) => {
    expect(issues(toolQuestionSchema, { question: "How much?", ...fields }).join("\n")).toContain(
      message,
    );
  });
});

describe("the view of a question", () => {
  const view: Question = {
    requestId: "q_0123456789abcdef0123456700000001",
    kind: "person",
    sessionId: "sess_0123456789abcdef01234567",
    status: "waiting",
    question: "Why?",
    deliveries: [{ channel: "email", status: "pending", tries: 0 }],
    history: [{ at: "2026-10-14T09:12:03.000Z", event: "question.asked" }],
    createdAt: "2026-10-14T09:12:03.000Z",
  };

  it("is taken as it is", () => {
    expect(questionSchema.parse(view)).toEqual(view);
    expect(
      questionSchema.parse({
        ...view,
        options,
        answer: { option: "deny" },
        answeredVia: "page",
        late: true,
      }),
    ).toBeDefined();
  });

  it.each([
    { taskId: null },
    { taskId: undefined },
    { status: "open" },
    { kind: "input" },
    { secret: 1 },
  ])("refuses %j", (field) => {
    expect(questionSchema.safeParse({ ...view, ...field }).success).toBe(false);
  });

  it("has a JSON Schema", () => {
    expect(z.toJSONSchema(questionSchema)).toMatchObject({ additionalProperties: false });
  });
});

describe("the text of a question", () => {
  it("is, of a form, its texts one a line", () => {
    const part = { header: "H", options: [], multiSelect: false };
    expect(
      formQuestionText({
        questions: [
          { question: "One?", ...part },
          { question: "Two?", ...part },
        ],
      }),
    ).toBe("One?\nTwo?");
  });

  it("is, of an approval, whether to run the tool", () => {
    expect(approvalQuestionText("sendEmail")).toBe("Run sendEmail?");
  });
});
