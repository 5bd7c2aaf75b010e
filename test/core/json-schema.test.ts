import { describe, expect, it } from "vitest";
import { checkJsonSchema, validateBySchema } from "../../src/core/json-schema.ts";
import { REFUSAL_ISSUES, SCHEMA_UNIQUE_ITEMS } from "../../src/core/limits.ts";
import type { Issue } from "../../src/core/refusal.ts";

function found(issues: readonly Issue[]): readonly string[] {
  return issues.map(({ path, message }) => `${path}: ${message}`);
}

/** A tree whose every level can be read in two ways, so that a validator without bounds never ends. */
const doubling = {
  oneOf: [
    { properties: { kind: { const: "a" }, next: { $ref: "#" } }, required: ["kind"] },
    { properties: { next: { $ref: "#" }, kind: { const: "b" } }, required: ["kind"] },
    { properties: { next: { $ref: "#" }, kind: { const: "c" } }, required: ["kind"] },
  ],
};

describe("validateBySchema", () => {
  it.each([
    [{ type: "number" }, "x", ": must be of type number"],
    [{ type: ["number", "null"] }, "x", ": must be of type number or null"],
    [{ type: "integer" }, 1.5, ": must be of type integer"],
    [{ const: { a: 1 } }, 2, ': must be {"a":1}'],
    [{ enum: ["EUR", "USD"] }, "GBP", ': must be one of ["EUR","USD"]'],
    [{ required: ["a"] }, {}, ': must have the property "a"'],
    [{ dependentRequired: { a: ["b"] } }, { a: 1 }, ': must have the property "b"'],
    [{ minimum: 1.5 }, 1, ": must be at least 1.5"],
    [{ maximum: -1 }, 1, ": must be at most -1"],
    [{ exclusiveMinimum: 1 }, 1, ": must be more than 1"],
    [{ exclusiveMaximum: 1 }, 1, ": must be less than 1"],
    [{ multipleOf: 0.01 }, 0.015, ": must be a multiple of 0.01"],
    [{ minLength: 2 }, "🙂", ": must be at least 2 characters"],
    [{ maxLength: 1 }, "🙂🙂", ": must be at most 1 characters"],
    [{ minItems: 1 }, [], ": must have at least 1 items"],
    [{ maxItems: 1 }, [1, 2], ": must have at most 1 items"],
    [{ minProperties: 1 }, {}, ": must have at least 1 properties"],
    [{ maxProperties: 0 }, { a: 1 }, ": must have at most 0 properties"],
    [{ pattern: "^a$" }, "b", ": must match the pattern of its schema"],
    [{ format: "email" }, "b", ": must have the format email"],
    [{ uniqueItems: true }, [{ a: 1 }, { a: 1 }], ": must not hold the same item twice"],
    [{ not: {} }, 1, ": must not be of the form that its schema excludes"],
    [{ contains: { type: "number" } }, ["a", "b"], ": must hold an item"],
    [{ contains: { type: "number" }, minContains: 2 }, ["a", 1], ": must hold more items"],
    [{ contains: true, maxContains: 1 }, [1, 2], ": must hold fewer items"],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, ": must not have a property of such a name"],
    [{ additionalProperties: false }, { a: 1 }, "a: is not allowed"],
    [
      { unevaluatedProperties: false, allOf: [{ properties: { a: {} } }] },
      { a: 1, b: 1 },
      "b: is not allowed",
    ],
    [{ prefixItems: [{ type: "string" }], items: false }, ["a", 1], "[1]: is not allowed"],
    [
      { properties: { "a.b": { items: { type: "string" } } } },
      { "a.b": ["x", 1] },
      '["a.b"][1]: must be of type string',
    ],
    [{ properties: { 0: { type: "string" } } }, { 0: 1 }, '["0"]: must be of type string'],
    [
      { properties: { "a/b~c %d#": { type: "string" } } },
      { "a/b~c %d#": 1 },
      '["a/b~c %d#"]: must be of type string',
    ],
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    [{ if: { type: "string" }, then: { minLength: 2 } }, "a", ": must be at least 2 characters"],
    [{ $defs: { a: { type: "string" } }, $ref: "#/$defs/a" }, 1, ": must be of type string"],
    [{ $defs: { a: false }, items: { $ref: "#/$defs/a" } }, [1], "[0]: is not allowed"],
    [
      { $dynamicAnchor: "n", type: "object", additionalProperties: { $dynamicRef: "#n" } },
      { a: { b: 1 } },
      "a.b: must be of type object",
    ],
    [
      {
        $dynamicRef: "#/$defs/a",
        $ref: "#/$defs/b",
        $defs: { a: { minimum: 1 }, b: { maximum: -1 } },
      },
      0,
      ": must be at most -1",
    ],
    [
      { oneOf: [{ type: "string" }, { type: "number" }] },
      true,
      ": must fit exactly one of the allowed forms",
    ],
    [
      { anyOf: [{ type: "string" }, { type: "number" }] },
      true,
      ": must fit at least one of the allowed forms",
    ],
    [false, 1, ": is not allowed"],
  ])("by %j refuses %j and says what to do", (schema, value, message) => {
    const issues = found(validateBySchema(schema, value));
    expect(issues[0]).toContain(message);
    if (
      typeof schema === "object" &&
      !("oneOf" in schema || "anyOf" in schema || "$dynamicRef" in schema)
    )
      expect(issues).toHaveLength(1);
  });

  it("takes a property called like what every object has for what it is", () => {
    const schema = {
      properties: JSON.parse('{"__proto__":{"type":"string"}}') as object,
      required: ["toString"],
    };
    expect(found(validateBySchema(schema, {}))).toEqual([': must have the property "toString"']);
    expect(found(validateBySchema(schema, JSON.parse('{"__proto__":1,"toString":1}')))).toEqual([
      "__proto__: must be of type string",
    ]);
  });

  it("never repeats a received value", () => {
    const schema = {
      properties: {
        a: { const: 1 },
        b: { enum: [1] },
        c: { minimum: 10, multipleOf: 7 },
        d: { pattern: "^x$", format: "email", maxLength: 2 },
        e: { type: "null", not: {} },
        f: { uniqueItems: true, contains: { const: 0 } },
        g: { oneOf: [{ const: 1 }, { const: 2 }] },
      },
    };
    const value = {
      a: "4711",
      b: "4711",
      c: -4711,
      d: "4711",
      e: "4711",
      f: ["4711", "4711"],
      g: "4711",
    };
    const issues = validateBySchema(schema, value);
    expect(issues.length).toBeGreaterThanOrEqual(10);
    expect(JSON.stringify(issues)).not.toContain("4711");
  });

  it("knows `$id` from a property or keyword `id`", () => {
    const schema = {
      id: "customer",
      properties: { id: { $ref: "#/$defs/id" } },
      $defs: { id: { type: "string" } },
    };
    expect(checkJsonSchema(schema)).toEqual([]);
    expect(found(validateBySchema(schema, { id: 1 }))).toEqual(["id: must be of type string"]);
  });

  it("finds an anchor in its own resource", () => {
    const schema = {
      $id: "https://x.example/a",
      $defs: {
        here: { $anchor: "x", type: "string" },
        there: { $id: "b", $defs: { x: { $anchor: "x", type: "number" } } },
      },
      properties: { here: { $ref: "#x" }, there: { $ref: "b#x" } },
    };
    expect(checkJsonSchema(schema)).toEqual([]);
    expect(validateBySchema(schema, { here: "a", there: 1 })).toEqual([]);
    expect(validateBySchema(schema, { here: 1, there: "a" })).toHaveLength(2);
  });

  it("bounds the issues and their length", () => {
    const issues = validateBySchema(
      { items: { enum: ["x".repeat(10_000)] } },
      Array.from({ length: 5_000 }, () => 0),
    );
    expect(issues).toHaveLength(REFUSAL_ISSUES);
    for (const { message } of issues) expect(message.length).toBeLessThanOrEqual(512);
  });

  it("tells the first thing that is wrong with a value too large to list all", () => {
    const value = Array.from({ length: 50_000 }, () => 0);
    expect(found(validateBySchema({ items: { const: "x".repeat(10_000) } }, value))).toEqual([
      '[0]: must be one of ["…"]',
    ]);
  });

  it("decides on a large value that is right by one form and wrong a hundred thousand times by another", () => {
    const schema = { anyOf: [{ items: { type: "number" } }, { items: { type: "string" } }] };
    expect(
      validateBySchema(
        schema,
        Array.from({ length: 90_000 }, () => "a"),
      ),
    ).toEqual([]);
  });

  it.each([
    { properties: 5 },
    { type: 1, allOf: 3 },
    { $ref: 7 },
    { enum: 3 },
    { pattern: "(" },
    { required: 4 },
    { anyOf: 1 },
  ])("does not throw by the broken schema %j", (schema) => {
    for (const value of [1, "a", [], { a: 1 }, null])
      expect(Array.isArray(validateBySchema(schema, value))).toBe(true);
  });

  it("refuses what it can't check", () => {
    const unusable = [": can't be checked: its schema is not one that can be used"];
    for (const schema of [
      null,
      undefined,
      "x",
      [],
      { $ref: "https://x.example/" },
      { $ref: "#/nowhere" },
      { default: 1n },
    ])
      expect(found(validateBySchema(schema, 1))).toEqual(unusable);
  });

  it("refuses by an endless schema instead of overflowing the stack", () => {
    expect(found(validateBySchema({ $ref: "#" }, 1))).toEqual([
      ": takes too long to check against its schema: make it smaller",
    ]);
  });

  it("refuses a value that nests too deep instead of overflowing the stack", () => {
    let value: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) value = { next: value };
    expect(found(validateBySchema({ properties: { next: { $ref: "#" } } }, value))).toEqual([
      ": must not nest deeper than 64 levels",
    ]);
  });

  it("gives up on a value that a recursive schema would take for ever to check", () => {
    let value: unknown = { kind: "z" };
    for (let level = 0; level < 60; level += 1) value = { kind: "b", next: value };
    expect(validateBySchema(doubling, value).length).toBeGreaterThan(0);
  }, 60_000);

  it("matches patterns in bounded time, in values and in names", () => {
    const text = `${"a".repeat(50_000)}!`;
    const words = "must match the pattern of its schema";
    expect(found(validateBySchema({ pattern: "^(a+)+$" }, text))).toEqual([`: ${words}`]);
    expect(validateBySchema({ pattern: "^(a+)+!$" }, text)).toEqual([]);
    const named = { patternProperties: { "^(a+)+$": false, "^(a+)+!$": { type: "number" } } };
    expect(validateBySchema(named, { [text]: 1, other: "x" })).toEqual([]);
    expect(validateBySchema(named, { [text]: "x" })).toHaveLength(1);
    expect(validateBySchema(named, { inside: { [text]: "x" } })).toEqual([]);
    expect(
      found(validateBySchema({ propertyNames: { pattern: "^(a+)+$" } }, { [text]: 1 })),
    ).toEqual([": must not have a property of such a name"]);
    const slow = { pattern: "^(?:(?=a*$)a)*b" };
    expect(found(validateBySchema(slow, text.slice(0, -1)))).toEqual([
      ": takes too long to check against its schema: make it smaller",
    ]);
  });

  it("counts what a pattern asks for as evaluated, beside what is asked for by name", () => {
    const schema = {
      properties: { ab: { type: "number" } },
      patternProperties: { "^a": { maximum: 5 }, b$: { minimum: 2 }, "^__proto__$": false },
      additionalProperties: false,
    };
    expect(validateBySchema(schema, { ab: 3, a: "x", b: "y" })).toEqual([]);
    expect(found(validateBySchema(schema, { ab: 7, b: 1, c: 1 }))).toEqual([
      "ab: must be at most 5",
      "b: must be at least 2",
      "c: is not allowed",
    ]);
    expect(found(validateBySchema(schema, JSON.parse('{"__proto__":1}')))).toEqual([
      "__proto__: is not allowed",
    ]);
    expect(validateBySchema({ allOf: [schema], unevaluatedProperties: false }, { a: 1 })).toEqual(
      [],
    );
  });

  it("shows a long enum in part", () => {
    const schema = { enum: Array.from({ length: 1_000 }, (_, i) => `value ${i}`) };
    expect(found(validateBySchema(schema, 0))[0]).toMatch(
      /^: must be one of \["value 0",.*,"…"\]$/,
    );
    expect(validateBySchema(schema, "value 999")).toEqual([]);
    const long = { const: { text: "x".repeat(1_000) } };
    expect(validateBySchema(long, { text: "x".repeat(1_000) })).toEqual([]);
    expect(found(validateBySchema(long, { text: "x" }))).toEqual([': must be one of ["…"]']);
  });

  it("refuses a list too long to compare each item with each", () => {
    const items = Array.from({ length: 200_000 }, (_, i) => i);
    expect(found(validateBySchema({ uniqueItems: true }, items))).toEqual([
      `: must have at most ${SCHEMA_UNIQUE_ITEMS} items`,
    ]);
    expect(validateBySchema({ uniqueItems: true }, items.slice(0, SCHEMA_UNIQUE_ITEMS))).toEqual(
      [],
    );
    expect(validateBySchema({ uniqueItems: true, allOf: [{ minItems: 1 }] }, [1, 2])).toEqual([]);
    expect(validateBySchema({ uniqueItems: false }, [1, 1])).toEqual([]);
  });

  it("takes a name with half of a surrogate pair without throwing", () => {
    expect(
      Array.isArray(
        validateBySchema({ additionalProperties: { type: "number" } }, { "\ud800": "a" }),
      ),
    ).toBe(true);
  });

  it("reads a schema once for each object", () => {
    let readings = 0;
    const schema = {
      get properties() {
        readings += 1;
        return { a: { type: "number" } };
      },
    };
    expect(validateBySchema(schema, {})).toEqual([]);
    const once = readings;
    expect(validateBySchema(schema, { a: "no" })).not.toEqual([]);
    expect(readings).toBe(once);
  });
});
