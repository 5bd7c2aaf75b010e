import { describe, expect, it } from "vitest";
import { modelIssues } from "../../src/core/issue.ts";
import { validateBySchema } from "../../src/core/json-schema.ts";
import {
  askUserQuestionJsonSchema,
  type AskUserQuestionRequest,
  type NormalisedUserQuestionAnswers,
  parseAskUserQuestionRequest,
  validateUserQuestionAnswer,
} from "../../src/core/user-question.ts";
import cases from "../fixtures/cases/ask-user-question.json";

function form(...questions: readonly string[]): AskUserQuestionRequest {
  return {
    questions: questions.map((question) => ({
      question,
      header: "Header",
      options: [
        { label: "A", description: "a" },
        { label: "B", description: "b" },
      ],
      multiSelect: false,
    })),
  };
}

function answered(
  request: AskUserQuestionRequest,
  answer: unknown,
): NormalisedUserQuestionAnswers | undefined {
  const checked = validateUserQuestionAnswer(request, answer);
  return checked.ok ? checked.value : undefined;
}

function issuesOfAnswer(request: AskUserQuestionRequest, answer: unknown): readonly string[] {
  const checked = validateUserQuestionAnswer(request, answer);
  return checked.ok ? [] : checked.issues.map(({ path, message }) => `${path}: ${message}`);
}

describe("a request of the cases", () => {
  it.each(cases.requests)("$name", ({ request, valid, normalised }) => {
    const checked = parseAskUserQuestionRequest(request);
    expect(checked.ok).toBe(valid);
    if (checked.ok) expect(checked.value).toEqual(normalised);
    else expect(checked.issues.length).toBeGreaterThan(0);
  });

  it.each(cases.requests.filter(({ valid }) => valid))(
    "$name: normalising it again changes nothing",
    ({ normalised }) => {
      expect(parseAskUserQuestionRequest(normalised)).toEqual({ ok: true, value: normalised });
    },
  );
});

describe("an answer of the cases", () => {
  const request: AskUserQuestionRequest = cases.answersTo;

  it.each(cases.answers)("$name", ({ answer, valid, normalised }) => {
    const checked = validateUserQuestionAnswer(request, answer);
    expect(checked.ok).toBe(valid);
    if (checked.ok) expect(checked.value).toEqual(normalised);
    else expect(checked.issues.length).toBeGreaterThan(0);
  });

  it.each(cases.answers.filter(({ valid }) => valid))(
    "$name: normalising it again changes nothing",
    ({ normalised }) => {
      expect(answered(request, normalised)).toEqual(normalised);
    },
  );
});

describe("a request", () => {
  it("measures a header in code points", () => {
    const request = form("Q?");
    const withHeader = (header: string) => ({ questions: [{ ...request.questions[0], header }] });
    expect(parseAskUserQuestionRequest(withHeader("🙂".repeat(12))).ok).toBe(true);
    expect(parseAskUserQuestionRequest(withHeader("🙂".repeat(13))).ok).toBe(false);
  });

  it.each([
    null,
    undefined,
    [],
    "x",
    1,
    { questions: null },
    { questions: {} },
    { questions: [null] },
    { questions: [[]] },
  ])("refuses %j", (input) => {
    expect(parseAskUserQuestionRequest(input).ok).toBe(false);
  });

  it("refuses a question with __proto__ for a field", () => {
    expect(
      parseAskUserQuestionRequest(JSON.parse('{"questions":[],"__proto__":{"questions":[]}}')).ok,
    ).toBe(false);
  });

  it("tells both duplicates and other errors, by place", () => {
    const request = form("Same?", " Same? ", "C?");
    const { issues } = { issues: [], ...parseAskUserQuestionRequest(request) };
    expect(issues).toEqual([
      { path: "questions[1].question", message: "must be unique: an earlier one is the same" },
    ]);
    const checked = parseAskUserQuestionRequest({
      questions: [{ question: "", header: "x".repeat(13), options: [] }],
    });
    expect(checked.ok ? [] : checked.issues).toEqual([
      { path: "questions[0].question", message: "must be 1 to 8192 characters, not blank" },
      { path: "questions[0].header", message: "must be 1 to 12 characters, not blank" },
      { path: "questions[0].options", message: "must be a list of 2 to 4" },
    ]);
  });

  it("is refused without looking at a million items", () => {
    const checked = parseAskUserQuestionRequest({
      questions: Array.from({ length: 1_000_000 }, () => 0),
    });
    expect(checked.ok ? [] : checked.issues).toEqual([
      { path: "questions", message: "must be a list of 1 to 4" },
    ]);
  });

  it("gives the model few lines to mend", () => {
    const bad = { question: "", header: "", options: [{ label: "", description: "" }, {}] };
    const checked = parseAskUserQuestionRequest({ questions: [bad, bad, bad, bad] });
    expect(modelIssues(checked.ok ? [] : checked.issues).split("\n")).toHaveLength(4);
  });
});

describe("an answer", () => {
  it("may answer questions that are called like what every object has", () => {
    const request = form("__proto__", "constructor", "toString", "hasOwnProperty");
    const answer = JSON.parse(
      '{"answers":{"__proto__":"A","constructor":"B","toString":"x","hasOwnProperty":["A"]}}',
    ) as unknown;
    const value = answered(request, answer);
    expect(JSON.stringify(value)).toBe(JSON.stringify(answer));
  });

  it("does not cover a question by an inherited name", () => {
    expect(answered(form("constructor"), { answers: {} })).toBeUndefined();
    expect(answered(form("__proto__"), { answers: {} })).toBeUndefined();
    expect(issuesOfAnswer(form("Q?"), JSON.parse('{"answers":{"__proto__":"A"}}'))).toContain(
      "answers.__proto__: must be the exact text of a question of this form",
    );
  });

  it("takes a key with outer white space for its question, but not two for one", () => {
    expect(answered(form("Q?"), { answers: { " Q?\n": "A" } })).toEqual({ answers: { "Q?": "A" } });
    expect(issuesOfAnswer(form("Q?"), { answers: { "Q?": "A", " Q? ": "A" } })).toEqual([
      'answers[" Q? "]: must name its question once',
    ]);
  });

  it("refuses two uses of one label on a single choice", () => {
    expect(answered(form("Q?"), { answers: { "Q?": ["A", " A"] } })).toBeUndefined();
  });

  it("refuses more entries than a form can have without looking at them", () => {
    const answers = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`${i}`, 0]));
    expect(issuesOfAnswer(form("Q?"), { answers, response: "x" })).toEqual([
      "answers: must have at most 4 entries",
    ]);
  });

  it.each([null, [], "A", 1, true])("is refused where answers is %j", (answers) => {
    expect(answered(form("Q?"), { answers, response: "x" })).toBeUndefined();
  });

  it.each([
    null,
    [],
    [["A"]],
    ["A", "B", "C", "D", "E"],
    [null],
    {},
    "",
    "\u0085",
    "x".repeat(8_193),
    "\ud800",
  ])("is refused where a value is %j", (value) => {
    expect(answered(form("Q?"), { answers: { "Q?": value } })).toBeUndefined();
  });

  it.each([1, [], {}, false, "", "x".repeat(65_537)])(
    "is refused where response is %j",
    (response) => {
      expect(answered(form("Q?"), { answers: { "Q?": "A" }, response })).toBeUndefined();
    },
  );

  it("measures in code points", () => {
    expect(answered(form("Q?"), { answers: { "Q?": "🙂".repeat(8_192) } })).toBeDefined();
    expect(answered(form("Q?"), { answers: { "Q?": "🙂".repeat(8_193) } })).toBeUndefined();
    expect(answered(form("Q?"), { response: "🙂".repeat(65_536) })).toBeDefined();
  });

  it("says which question is not covered, once, and not that a wrong one is missing too", () => {
    expect(issuesOfAnswer(form("One?", "Two?"), { answers: { "One?": "" } })).toEqual([
      'answers["One?"]: must be 1 to 8192 characters, not blank',
      'answers["Two?"]: is missing: answer every question, or give a response',
    ]);
  });

  it("is no approval", () => {
    expect(answered(form("Q?"), { approved: true })).toBeUndefined();
  });

  it("never comes back in an issue", () => {
    expect(
      issuesOfAnswer(form("Q?"), { answers: { "Q?": ["A", "hunter2"] } }).join(),
    ).not.toContain("hunter2");
  });
});

describe("the declared JSON Schema", () => {
  it.each(cases.requests.filter(({ valid }) => valid))("takes $name", ({ normalised }) => {
    expect(validateBySchema(askUserQuestionJsonSchema, normalised)).toEqual([]);
  });
});
