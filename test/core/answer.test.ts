import { describe, expect, it } from "vitest";
import {
  type Answer,
  type Answerable,
  answeredBySchema,
  checkAnswer,
  reasonSchema,
} from "../../src/core/answer.ts";
import { ANSWER_BYTES, JSON_NESTING_LEVELS } from "../../src/core/limits.ts";
import { personQuestionSchema, toolQuestionSchema } from "../../src/core/question.ts";
import type { Issue } from "../../src/core/refusal.ts";
import cases from "../fixtures/cases/ask-person.json";
import forms from "../fixtures/cases/ask-user-question.json";

const choice = person({
  question: "Approve?",
  options: [
    { id: "approve", label: "Approve" },
    { id: "deny", label: "Deny" },
  ],
});
const open = person({ question: "How much?" });

function person(question: unknown): Answerable {
  return { kind: "person", question: personQuestionSchema.parse(question) };
}

function tool(question: object): Answerable {
  return {
    kind: "tool",
    question: toolQuestionSchema.parse({ question: "How much?", ...question }),
  };
}

function approval(editable: boolean, issues: readonly Issue[] = []): Answerable {
  return { kind: "approval", editable, checkInput: () => issues };
}

function accepted(answerable: Answerable, answer: unknown): Answer | undefined {
  const checked = checkAnswer(answerable, answer);
  return checked.ok ? checked.value : undefined;
}

function issuesOfAnswer(answerable: Answerable, answer: unknown): readonly string[] {
  const checked = checkAnswer(answerable, answer);
  return checked.ok ? [] : checked.issues.map(({ path, message }) => `${path}: ${message}`);
}

describe("an answer of the cases", () => {
  it.each(cases.answers)("$name", ({ question, answer, valid, normalised }) => {
    const kinds: Answerable[] = [tool(question)];
    if (!("answerSchema" in question)) kinds.push(person(question));
    for (const answerable of kinds) {
      const checked = checkAnswer(answerable, answer);
      expect(checked.ok, answerable.kind).toBe(valid);
      if (checked.ok) expect(checked.value).toEqual(normalised);
      else expect(checked.issues.length).toBeGreaterThan(0);
    }
  });

  it.each(forms.answers)("of a form: $name", ({ answer, valid, normalised }) => {
    const checked = checkAnswer({ kind: "form", request: forms.answersTo }, answer);
    expect(checked.ok).toBe(valid);
    if (checked.ok) expect(checked.value).toEqual(normalised);
  });
});

describe("an answer to a person's question", () => {
  it.each([
    [{ option: null }, "option: must be the id of an option: approve, deny"],
    [{ option: "approve", text: null }, "text: must be a string"],
    [{ option: "approve", text: " " }, "text: must be 1 to 65536 characters, not blank"],
    [{ option: " approve" }, "option: must be the id"],
    [{ option: ["approve"] }, "option: must be the id"],
    [{ options: ["approve"] }, "options: goes with a question that takes several"],
    [{ option: "approve", options: ["deny"] }, "not both"],
    [{ text: "x".repeat(65_537) }, "text: must be 1 to 65536"],
    [{ value: "approve" }, "value: must be left out"],
    [{ approved: true }, "approved: must be left out"],
    [{ option: "toString" }, "option: must be the id"],
    [{}, ": must have an option, or text"],
    [null, ": must be an object"],
    [[], ": must be an object"],
    [[["approve"]], ": must be an object"],
    [undefined, ": must be JSON"],
  ])("refuses %j", (answer, message) => {
    expect(issuesOfAnswer(choice, answer).join("\n")).toContain(message);
  });

  it("refuses the field __proto__", () => {
    expect(issuesOfAnswer(choice, JSON.parse('{"option":"approve","__proto__":{}}'))).toEqual([
      ': "__proto__" is not a known field: leave it out',
    ]);
  });

  it("measures text in code points", () => {
    expect(accepted(open, { text: "🙂".repeat(65_536) })).toBeDefined();
    expect(accepted(open, { text: "🙂".repeat(65_537) })).toBeUndefined();
  });

  it("refuses half of a surrogate pair in text", () => {
    expect(accepted(open, { text: "\ud83d" })).toBeUndefined();
  });

  it("leaves out what is undefined", () => {
    expect(Object.keys(accepted(choice, { option: "deny", text: undefined }) ?? {})).toEqual([
      "option",
    ]);
  });

  it("keeps several options in their order, with a note", () => {
    const several = person({
      question: "Which?",
      multiple: true,
      options: ["a", "b", "c"].map((id) => ({ id, label: id })),
    });
    expect(accepted(several, { options: ["c", "a"], text: " both " })).toEqual({
      options: ["c", "a"],
      text: "both",
    });
    for (const options of [null, "a", [], ["a", "x"], ["a", null], [["a"]], ["a", "b", "c", "a"]])
      expect(accepted(several, { options }), JSON.stringify(options)).toBeUndefined();
  });

  it("is not given back as the caller's own object", () => {
    const answer = { option: "deny", text: "x" };
    expect(accepted(choice, answer)).not.toBe(answer);
  });

  it("never comes back in an issue", () => {
    expect(
      issuesOfAnswer(choice, { option: "hunter2", options: ["hunter2"], text: 1 }).join(),
    ).not.toContain("hunter2");
  });
});

describe("an answer by a schema", () => {
  it("fits it, or says where not", () => {
    const amount = tool({
      answerSchema: {
        type: "object",
        properties: { amount: { minimum: 0 } },
        required: ["amount"],
      },
    });
    expect(accepted(amount, { value: { amount: 0 } })).toEqual({ value: { amount: 0 } });
    expect(issuesOfAnswer(amount, { value: { amount: -1 } })).toEqual([
      "value.amount: must be at least 0",
    ]);
    expect(issuesOfAnswer(amount, { value: {} })).toEqual([
      'value: must have the property "amount"',
    ]);
    expect(issuesOfAnswer(amount, {})).toEqual([
      "value: is missing: it must fit the question's answerSchema",
    ]);
    expect(issuesOfAnswer(amount, { value: { amount: 1 }, text: "x" })[0]).toContain(
      "text: must be left out",
    );
  });

  it("may be null, which is no absence", () => {
    expect(accepted(tool({ answerSchema: { type: "null" } }), { value: null })).toEqual({
      value: null,
    });
    expect(accepted(tool({ answerSchema: { type: "string" } }), { value: null })).toBeUndefined();
  });

  it("is anything where the schema is true, and nothing where it is false", () => {
    for (const value of [null, 0, "", [], { a: [1] }]) {
      expect(accepted(tool({ answerSchema: true }), { value })).toEqual({ value });
      expect(accepted(tool({ answerSchema: false }), { value })).toBeUndefined();
    }
    expect(accepted(tool({ answerSchema: true }), {})).toBeUndefined();
    expect(accepted(tool({ answerSchema: false }), { text: "x" })).toBeUndefined();
  });

  it("keeps a value that names __proto__", () => {
    const text = '{"value":{"__proto__":{"a":1}}}';
    expect(JSON.stringify(accepted(tool({ answerSchema: true }), JSON.parse(text)))).toBe(text);
  });
});

describe("an approval", () => {
  it("is a yes or a no, a no with a reason or without", () => {
    expect(accepted(approval(false), { approved: true })).toEqual({ approved: true });
    expect(accepted(approval(false), { approved: false })).toEqual({ approved: false });
    expect(accepted(approval(false), { approved: false, reason: " Too soon. " })).toEqual({
      approved: false,
      reason: "Too soon.",
    });
    expect(accepted(approval(false), { approved: false, reason: "  " })).toEqual({
      approved: false,
    });
  });

  it("takes changed arguments only where the tool allows it", () => {
    expect(accepted(approval(true), { approved: true, input: { to: "x" } })).toEqual({
      approved: true,
      input: { to: "x" },
    });
    expect(accepted(approval(true), { approved: true, input: null })).toEqual({
      approved: true,
      input: null,
    });
    expect(issuesOfAnswer(approval(false), { approved: true, input: {} })).toEqual([
      "input: must be left out: this tool's arguments can't be changed",
    ]);
    const wrong = approval(true, [{ path: "to", message: "must be a string" }]);
    expect(issuesOfAnswer(wrong, { approved: true, input: { to: 1 } })).toEqual([
      "input.to: must be a string",
    ]);
  });

  it.each([
    {},
    { approved: null },
    { approved: "true" },
    { approved: 1 },
    { approved: true, reason: "x" },
    { approved: false, input: {} },
    { approved: false, reason: null },
    { approved: false, reason: "x".repeat(4_097) },
    { approved: true, by: "me" },
    { option: "approve" },
    { answers: {} },
    { response: "yes" },
    { value: true },
    { text: "yes" },
    true,
    "approve",
  ])("is not %j", (answer) => {
    expect(accepted(approval(true), answer)).toBeUndefined();
  });
});

describe("an answer of any kind", () => {
  const anything = tool({ answerSchema: true });

  it("is bounded in bytes of UTF-8", () => {
    const rest = '{"value":""}'.length;
    expect(accepted(anything, { value: "x".repeat(ANSWER_BYTES - rest) })).toBeDefined();
    expect(accepted(anything, { value: "x".repeat(ANSWER_BYTES - rest + 1) })).toBeUndefined();
    expect(accepted(anything, { value: "é".repeat(ANSWER_BYTES / 2) })).toBeUndefined();
  });

  it("is bounded in nesting, without overflowing the stack", () => {
    const nested = (levels: number): unknown => {
      let value: unknown = 1;
      for (let level = 0; level < levels; level += 1) value = [value];
      return { value };
    };
    expect(accepted(anything, nested(JSON_NESTING_LEVELS - 1))).toBeDefined();
    expect(issuesOfAnswer(anything, nested(JSON_NESTING_LEVELS))).toEqual([
      ": must not nest deeper than 64 levels",
    ]);
    expect(issuesOfAnswer(anything, nested(200_000))).toEqual([
      ": must not nest deeper than 64 levels",
    ]);
  });

  it("is JSON, whatever a caller in code hands over", () => {
    const circle: Record<string, unknown> = {};
    circle.circle = circle;
    const many = Array.from({ length: 10 }, () => circle);
    circle.many = many;
    for (const value of [
      Number.NaN,
      Infinity,
      1n,
      Symbol("s"),
      () => 1,
      circle,
      [undefined],
      { toJSON: () => 1 },
    ])
      expect(accepted(anything, { value })).toBeUndefined();
  });

  it("tells at most twenty issues", () => {
    const answer = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, 1]));
    for (const answerable of [
      choice,
      open,
      anything,
      approval(true),
      { kind: "form", request: forms.answersTo } as const,
    ])
      expect(issuesOfAnswer(answerable, answer).length).toBeLessThanOrEqual(20);
  });
});

describe("who answered, and why", () => {
  it("answeredBy is 1 to 320 characters", () => {
    expect(answeredBySchema.parse(" dana@lender.example ")).toBe("dana@lender.example");
    for (const by of ["", " ", "x".repeat(321), null, undefined])
      expect(answeredBySchema.safeParse(by).success).toBe(false);
  });

  it("a reason may be absent or blank, which is the same", () => {
    expect(reasonSchema.parse(undefined)).toBeUndefined();
    expect(reasonSchema.parse(" ")).toBeUndefined();
    expect(reasonSchema.parse(" x ")).toBe("x");
    expect(reasonSchema.safeParse(null).success).toBe(false);
    expect(reasonSchema.safeParse("x".repeat(4_097)).success).toBe(false);
  });
});
