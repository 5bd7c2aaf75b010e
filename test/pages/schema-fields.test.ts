import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../../src/core/json.ts";
import { labelOf } from "../../src/pages/field-words.ts";
import { allFields, fieldOfSchema, type SchemaField } from "../../src/pages/schema-fields.ts";
import { APPLICATION, VALUE } from "./questions.ts";
import { count, waiting, wordsOf } from "./rendered.ts";

function fieldOf(schema: unknown): SchemaField {
  return fieldOfSchema(schema as JsonObject);
}

/** What a property of this schema becomes. */
function property(schema: unknown): SchemaField | undefined {
  const whole = fieldOf({
    type: "object",
    properties: { it: schema },
    required: ["it"],
  });
  return whole.kind === "group" ? whole.fields[0] : undefined;
}

function kindOf(schema: unknown): string {
  const field = fieldOf(schema);
  return field.kind === "text" ? field.input : field.kind;
}

describe("the control of a schema", () => {
  it("is an input of the string's format and length", () => {
    expect(kindOf({ type: "string" })).toBe("lines");
    expect(kindOf({ type: "string", maxLength: 40 })).toBe("line");
    expect(kindOf({ type: "string", maxLength: 4_000 })).toBe("lines");
    expect(kindOf({ type: "string", pattern: "^[A-Z]{3}$" })).toBe("line");
    expect(kindOf({ type: "string", format: "email" })).toBe("email");
    expect(kindOf({ type: "string", format: "uri" })).toBe("url");
    expect(kindOf({ type: "string", format: "date" })).toBe("date");
    expect(kindOf({ type: "string", format: "date-time" })).toBe("datetime-local");
    expect(kindOf({ type: "string", format: "uuid" })).toBe("line");
    expect(kindOf({ type: "string", maxLength: 40, default: "a\nb" })).toBe("lines");
  });

  it("is a number's, a truth's, and a choice among constants", () => {
    expect(kindOf({ type: "number" })).toBe("number");
    expect(kindOf({ type: "integer" })).toBe("number");
    expect(kindOf({ type: "boolean" })).toBe("yesNo");
    expect(kindOf({ enum: ["a", 1, true] })).toBe("choice");
    expect(kindOf({ const: true })).toBe("choice");
    expect(kindOf({ anyOf: [{ const: 1, title: "One" }, { const: 2 }] })).toBe("choice");
  });

  it("is checkboxes or lines for an array of what is simple", () => {
    const array = (items: unknown) => kindOf({ type: "array", items });
    expect(array({ enum: ["a", "b"] })).toBe("choices");
    expect(array({ oneOf: [{ const: 1, title: "One" }] })).toBe("choices");
    expect(array({ type: "string" })).toBe("list");
    expect(array({ type: "integer" })).toBe("list");
    expect(kindOf({ type: "array", items: { type: "string" }, default: ["a\nb"] })).toBe("json");
  });

  it("is a group for an object, within bounds", () => {
    expect(kindOf(VALUE.answerSchema)).toBe("group");
    expect(kindOf({ properties: { a: { type: "string" } } })).toBe("group");
  });

  it("is JSON, and that part alone, where no control can say it", () => {
    for (const schema of [
      true,
      false,
      {},
      { type: ["string", "number"] },
      { oneOf: [{ type: "string" }, { type: "number" }] },
      { type: "object" },
      { type: "object", additionalProperties: { type: "number" } },
      { type: "object", properties: { a: { type: "string" } }, required: ["b"] },
      { type: "object", properties: { a: { type: "string" } }, additionalProperties: {} },
      { type: "object", properties: { a: { type: "string" } }, if: {}, else: { required: ["b"] } },
      { type: "object", properties: { a: {} }, patternProperties: { "^x": {} } },
      { type: "array" },
      { type: "array", items: { type: "object" } },
      { type: "array", prefixItems: [{ type: "string" }], items: { type: "string" } },
      { type: "array", items: { type: ["string", "null"] } },
      { $ref: "#/nowhere" },
      { $ref: "#/$defs/a", minLength: 3, $defs: { a: { type: "string" } } },
      { enum: [] },
      { type: "null" },
    ])
      expect([schema, kindOf(schema)]).toEqual([schema, "json"]);
    const kinds = allFields(fieldOf(APPLICATION.answerSchema)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "json")).toHaveLength(1);
  });

  it("follows references inside the document, and what is said beside them", () => {
    const schema = {
      $defs: { name: { type: "string", title: "Name", maxLength: 10 }, alias: { $ref: "#name" } },
      type: "object",
      properties: {
        one: { $ref: "#/$defs/name" },
        two: { $ref: "#/$defs/alias", title: "Another name", default: "x" },
        three: { allOf: [{ $ref: "#/$defs/name" }], description: "As in the passport." },
      },
    };
    Object.assign(schema.$defs.name, { $anchor: "name" });
    const [, ...fields] = allFields(fieldOf(schema));
    expect(fields).toMatchObject([
      { input: "line", title: "Name" },
      { input: "line", title: "Another name", preset: "x" },
      { input: "line", title: "Name", description: "As in the passport." },
    ]);
  });

  it("has the defaults of the property, or else of what is around it", () => {
    const schema = {
      type: "object",
      default: { a: 1, b: 2 },
      properties: { a: { type: "number", default: 5 }, b: { type: "number" }, c: {} },
    };
    expect(allFields(fieldOf(schema)).map(({ preset }) => preset)).toEqual([
      { a: 1, b: 2 },
      1,
      2,
      undefined,
    ]);
  });

  it("reads what zod writes", () => {
    const schema = z.toJSONSchema(
      z.object({
        name: z.string().max(40),
        mail: z.email(),
        site: z.url().optional(),
        day: z.iso.date(),
        at: z.iso.datetime(),
        age: z.int().min(18),
        big: z.int(),
        share: z.number().positive().nullable(),
        kind: z.enum(["a", "b"]),
        one: z.literal("x"),
        some: z.array(z.enum(["p", "q"])),
        open: z.boolean().default(true),
        tags: z.array(z.string()).optional(),
        inner: z.object({ deep: z.union([z.literal(1), z.literal(2)]) }),
        map: z.record(z.string(), z.number()),
      }),
    );
    const fields = allFields(fieldOf(schema)).map((field) =>
      field.kind === "text" ? field.input : field.kind,
    );
    expect(fields).toEqual([
      "group",
      "line",
      "email",
      "url",
      "date",
      "datetime-local",
      "number",
      "number",
      "number",
      "choice",
      "choice",
      "choices",
      "yesNo",
      "list",
      "group",
      "choice",
      "json",
    ]);
    expect(allFields(fieldOf(schema))[7]).toEqual({
      kind: "number",
      isInteger: true,
      name: "value_6",
      path: ["value", "big"],
      key: "big",
      isRequired: true,
      blank: undefined,
    });
  });

  it("is called by its title, or by its name in words", () => {
    const called = (key: string, schema: object = {}) =>
      labelOf({ ...(property(schema) as SchemaField), key });
    expect(called("x", { type: "string", title: "The title" })).toBe("The title");
    expect(called("monthlyIncome")).toBe("Monthly income");
    expect(called("monthly_income")).toBe("Monthly income");
    expect(called("IBAN")).toBe("IBAN");
    expect(called("applicantID")).toBe("Applicant ID");
    expect(called("größe in cm")).toBe("größe in cm");
    expect(labelOf(fieldOf({ type: "string" }))).toBeUndefined();
  });
});

describe("a schema that would become too large a form", () => {
  const wide = (n: number, each: object) => ({
    type: "object",
    properties: Object.fromEntries(Array.from({ length: n }, (_, at) => [`p${at}`, each])),
  });

  it("is answered as JSON", () => {
    const doubling = {
      ...wide(200, { $ref: "#/$defs/a" }),
      $defs: {
        a: wide(200, { $ref: "#/$defs/b" }),
        b: wide(200, { $ref: "#/$defs/c" }),
        c: wide(200, { type: "string" }),
      },
    };
    expect(kindOf(doubling)).toBe("json");
    expect(kindOf(wide(301, { type: "string" }))).toBe("json");
    expect(kindOf(wide(299, { type: "string" }))).toBe("group");
    const worded = { $ref: "#/$defs/a", title: "x" };
    const long = { type: "string", description: "x".repeat(5_000) };
    expect(kindOf({ ...wide(60, worded), $defs: { a: long } })).toBe("json");
    expect(waiting({ ...VALUE, answerSchema: doubling as JsonObject }).length).toBeLessThan(30_000);
  });

  it("is drawn down to where it comes back to itself, or nests too deep", () => {
    const recursive = {
      type: "object",
      properties: { name: { type: "string" }, boss: { $ref: "#" } },
    };
    expect(allFields(fieldOf(recursive)).map(({ kind }) => kind)).toEqual([
      "group",
      "text",
      "group",
      "text",
      "json",
    ]);
    let nested: object = { type: "string" };
    for (let level = 0; level < 40; level += 1)
      nested = { type: "object", properties: { inside: nested } };
    expect(allFields(fieldOf(nested)).map(({ kind }) => kind)).toEqual([
      ...Array.from({ length: 4 }, () => "group"),
      "json",
    ]);
  });
});

describe("the form of a schema", () => {
  it("has an input of each kind, with what the browser can check", () => {
    const html = waiting(APPLICATION);
    for (const attributes of [
      'aria-describedby="value_0-hint" aria-required="true" type="text"',
      'name="value_1" type="email"',
      'name="value_2" type="url"',
      'name="value_3" type="date"',
      'type="datetime-local"',
      'type="number" value="" min="0.5" max="12" step="any"',
      'type="number" value="" min="6" max="120" step="1"',
    ])
      expect(html).toContain(attributes);
    expect(count(html, /type="radio" name="value_7"/g)).toBe(2);
    expect(count(html, /type="radio" name="value_8"/g)).toBe(2);
    expect(count(html, /<option/g)).toBe(9);
    expect(count(html, /type="checkbox" name="value_10"/g)).toBe(3);
    expect(html).toContain('<textarea id="value_14" name="value_14"');
  });

  it("says what is optional, and what the bounds are", () => {
    const words = wordsOf(waiting(APPLICATION));
    expect(words).toContain("Applicant2 to 80 characters.");
    expect(words).toContain("Where to write (optional)");
    expect(words).toContain("RateIn per cent a year. 0.5 to 12.");
    expect(words).toContain("When to call (optional)In UTC.");
    expect(words).toContain("Papers seenAt least 1 item.");
    expect(words).toContain("Address (optional)StreetAt most 80 characters.");
    expect(words).toContain("A houseTo live in or to let.");
  });

  it("asks the browser for no step that it would count from another place than the schema", () => {
    const stepped = (schema: object, typed = "") =>
      /step="([^"]*)"/.exec(
        waiting(
          { ...VALUE, answerSchema: { type: "number", ...schema } },
          { typed: new URLSearchParams({ value: typed }) },
        ),
      )?.[1];
    expect(stepped({ multipleOf: 5 })).toBe("5");
    expect(stepped({ multipleOf: 5, minimum: 10 })).toBe("5");
    expect(stepped({ multipleOf: 5, minimum: 3 })).toBe("any");
    expect(stepped({ multipleOf: 5 }, "7")).toBe("any");
    expect(stepped({ type: "integer", exclusiveMinimum: 0 })).toBe("1");
    expect(stepped({ type: "integer" }, "1.5")).toBe("any");
  });
});
