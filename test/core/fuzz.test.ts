import * as fc from "fast-check";
import { expect, it } from "vitest";
import { type Answerable, checkAnswer } from "../../src/core/answer.ts";
import { formatId, parseId, parseSessionReference, parseTaskId } from "../../src/core/ids.ts";
import { boundedJson } from "../../src/core/json-bounds.ts";
import { canonicalJson, nestsDeeperThan } from "../../src/core/json.ts";
import { schemaFindings, validateBySchema } from "../../src/core/json-schema.ts";
import { readOutput } from "../../src/core/output.ts";
import { parseAskUserQuestionRequest } from "../../src/core/user-question.ts";
import { oddValue } from "../arbitrary-json.ts";
import { FORM_QUESTIONS, OPTIONS } from "../fuzzed-questions.ts";
import { casesOf, holds } from "../replayable.ts";

const CASES = Math.ceil(casesOf(process.env, 2_000) / 4);

function always(property: Parameters<typeof holds>[2]): Promise<void> {
  return holds(process.env, CASES, property);
}

const ANSWERABLES: readonly Answerable[] = [
  { kind: "person", question: { question: "Go?", allowText: true } },
  { kind: "person", question: { question: "Go?", options: OPTIONS, allowText: false } },
  {
    kind: "person",
    question: { question: "Go?", options: OPTIONS, multiple: true, allowText: true },
  },
  {
    kind: "tool",
    question: {
      question: "Go?",
      allowText: true,
      answerSchema: {
        type: "object",
        properties: { a: { $ref: "#" } },
        additionalProperties: true,
      },
    },
  },
  { kind: "form", request: { questions: FORM_QUESTIONS } },
  { kind: "approval", editable: true, checkInput: () => [] },
  { kind: "approval", editable: false, checkInput: () => [] },
] as readonly Answerable[];

const ANSWERS = fc.constantFrom<unknown>(
  { text: "Yes." },
  { option: "approve" },
  { option: "deny", text: "Too much." },
  { options: ["approve", "deny"] },
  { value: { a: { a: {} } } },
  { answers: { "Which scope?": "Focused", ["__proto__"]: ["constructor"] } },
  JSON.parse('{"answers":{"Which scope?":"Broad","__proto__":["toString","constructor"]}}'),
  { answers: {}, response: "None of it." },
  { approved: true },
  { approved: true, input: { what: 1 } },
  { approved: false, reason: "No." },
);

it("judges any answer to any question, and takes what it made of one for the same answer", async () => {
  await always(
    fc.property(fc.constantFrom(...ANSWERABLES), oddValue(ANSWERS), (answerable, answer) => {
      const checked = checkAnswer(answerable, answer);
      if (!checked.ok) {
        expect(checked.issues.length).toBeGreaterThan(0);
        expect(JSON.stringify(checked.issues).length).toBeLessThan(64_000);
        return;
      }
      const again = checkAnswer(answerable, JSON.parse(JSON.stringify(checked.value)));
      expect(again).toEqual(checked);
    }),
  );
});

it("makes a form of a request for one or says what to mend, and takes the form for the same request", async () => {
  const valid = fc.constant({ questions: FORM_QUESTIONS });
  await always(
    fc.property(oddValue(valid), (request) => {
      const checked = parseAskUserQuestionRequest(request);
      if (checked.ok) expect(parseAskUserQuestionRequest(checked.value)).toEqual(checked);
      else expect(JSON.stringify(checked.issues).length).toBeLessThan(64_000);
    }),
  );
});

const SCHEMAS = fc.constantFrom<unknown>(
  { type: "object", properties: { a: { type: "integer" } }, required: ["a"], minProperties: 1 },
  {
    $defs: { node: { anyOf: [{ $ref: "#/$defs/node" }, { type: "string" }] } },
    $ref: "#/$defs/node",
  },
  { allOf: [{ $ref: "#" }, { $ref: "#" }] },
  { items: { $ref: "#" }, anyOf: [{ $ref: "#/items" }, { uniqueItems: true }] },
  { pattern: "^(a+)+$", enum: ["a", { b: [1] }], const: null },
  { patternProperties: { "^(x|x)*$": { $dynamicRef: "#meta" } }, $dynamicAnchor: "meta" },
  {
    unevaluatedProperties: false,
    dependentSchemas: { a: { not: {} } },
    propertyNames: { maxLength: 3 },
  },
  { $id: "https://example.com/a", $ref: "https://example.com/b", $anchor: "x" },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  { if: { type: "array" }, then: { contains: { minimum: 3 }, maxContains: 1 }, else: false },
  { format: "date-time", contentEncoding: "base64", multipleOf: 0.01, exclusiveMinimum: -0 },
);

it("judges any value by any schema that it takes, within its steps, and never throws", async () => {
  const values = oddValue(
    fc.constantFrom<unknown>(
      { a: 1 },
      [[[]], [1, 1]],
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!",
      0.3,
      null,
    ),
  );
  await always(
    fc.property(oddValue(SCHEMAS), values, (schema, value) => {
      const findings = schemaFindings(schema);
      expect(findings.length).toBeLessThanOrEqual(20);
      const issues = validateBySchema(schema, value);
      expect(issues.length).toBeLessThanOrEqual(20);
      // A schema that can't be used lets nothing pass, whoever asks.
      if (findings.length > 0 && schema === undefined) expect(issues.length).toBeGreaterThan(0);
      if (findings.length === 0)
        readOutput({ schema: schema as never }, JSON.stringify(value) ?? "");
    }),
  );
});

it("has one canonical text for a value, whatever the order of its members", async () => {
  await always(
    fc.property(oddValue(), (value) => {
      if (value === undefined) return;
      const text = canonicalJson(value);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
      expect(canonicalJson(reversed(value))).toBe(text);
      const bounded = boundedJson(value, { bytes: 1_000, levels: 5 });
      if (bounded.ok) expect(canonicalJson(bounded.value)).toBe(text);
    }),
  );
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

it("finds the nesting of a document without parsing it", async () => {
  await always(
    fc.property(oddValue(), fc.nat(6), (value, limit) => {
      if (value === undefined) return;
      const text = JSON.stringify(value, undefined, limit % 2);
      expect(nestsDeeperThan(text, limit)).toBe(levelsOf(value) > limit);
    }),
  );
});

function levelsOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levelsOf));
}

it("reads back each id that it writes, and nothing else", async () => {
  const key = fc.string({
    unit: fc.constantFrom(..."0123456789abcdef"),
    minLength: 24,
    maxLength: 24,
  });
  const kind = fc.constantFrom("turn", "run", "q", "entry");
  await always(
    fc.property(kind, kind, key, fc.nat(0xffff_ffff), (one, other, session, n) => {
      const id = formatId(one, session, n);
      expect(parseId(one, id)).toEqual({ key: session, n });
      if (other !== one) expect(parseId(other, id)).toBeUndefined();
    }),
  );
  await always(
    fc.property(kind, fc.string({ unit: "binary" }), (of, text) => {
      const id = parseId(of, text);
      if (id !== undefined) expect(formatId(of, id.key, id.n)).toBe(text);
      parseSessionReference(text);
      parseTaskId(text);
    }),
  );
});
