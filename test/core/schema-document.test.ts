import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkJsonSchema, validateBySchema } from "../../src/core/json-schema.ts";
import {
  REFUSAL_ISSUES,
  SCHEMA_CHAIN_SCHEMAS,
  SCHEMA_PATTERN_CHARACTERS,
} from "../../src/core/limits.ts";
import { DIALECT, METASCHEMA } from "../../src/core/metaschema.ts";
import type { Issue } from "../../src/core/refusal.ts";

function found(issues: readonly Issue[]): readonly string[] {
  return issues.map(({ path, message }) => `${path}: ${message}`);
}

function nested(levels: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level += 1) value = { not: value };
  return value;
}

describe("checkJsonSchema", () => {
  it.each([
    true,
    false,
    {},
    {
      type: "object",
      properties: { a: { type: ["string", "null"] } },
      required: ["a"],
      additionalProperties: false,
    },
    { $schema: DIALECT, $defs: { a: { type: "string" } }, $ref: "#/$defs/a" },
    { $schema: `${DIALECT}#` },
    { $defs: { "a/b~c %": true }, $ref: "#/$defs/a~1b~0c%20%25" },
    {
      $id: "https://x.example/a",
      $defs: { b: { $id: "b", $anchor: "c" } },
      anyOf: [{ $ref: "b" }, { $ref: "b#c" }],
    },
    { $id: "https://x.example/a", items: { $ref: "https://x.example/a#" } },
    { $defs: { a: { $anchor: "a", type: "array", items: { $ref: "#a" } } }, $ref: "#a" },
    { $dynamicAnchor: "node", properties: { next: { $dynamicRef: "#node" } } },
    {
      $defs: { a: { $dynamicAnchor: "x" }, b: { $id: "b", $dynamicAnchor: "x" } },
      items: { $dynamicRef: "#/$defs/a" },
    },
    { properties: { $ref: { type: "string" }, id: { type: "string" }, $id: { type: "string" } } },
    { properties: JSON.parse('{"__proto__":{"type":"string"},"constructor":{}}') as object },
    {
      "x-own": { type: "nonsense", $ref: "https://x.example/" },
      examples: [{ $ref: 1 }],
      default: { $id: 1 },
    },
    { definitions: { a: {} }, $ref: "#/definitions/a" },
    METASCHEMA,
    { oneOf: [{ properties: { next: { $ref: "#" } } }, { required: ["leaf"] }] },
  ])("takes %j", (schema) => {
    expect(checkJsonSchema(schema)).toEqual([]);
  });

  it.each([
    [null, ": must be a JSON Schema"],
    [[], ": must be a JSON Schema"],
    ["string", ": must be a JSON Schema"],
    [undefined, ": must be a JSON Schema"],
    [{ type: "nonsense" }, "type: must"],
    [{ type: [] }, "type: must"],
    [{ type: ["string", "string"] }, "type: must"],
    [{ properties: [] }, "properties: must be of type object"],
    [{ properties: { a: { minLength: -1 } } }, "properties.a.minLength: must be at least 0"],
    [{ properties: { a: 1 } }, "properties.a: must be of type object or boolean"],
    [{ items: [{}] }, "items: must be of type object or boolean"],
    [{ allOf: [] }, "allOf: must have at least 1 items"],
    [{ multipleOf: 0 }, "multipleOf: must be more than 0"],
    [{ required: ["a", "a"] }, "required: must not hold the same item twice"],
    [{ enum: "a" }, "enum: must be of type array"],
    [{ $anchor: "a b" }, "$anchor: must match the pattern"],
    [{ $id: "a#b" }, "$id: must match the pattern"],
    [{ $id: "https://[" }, "$id: must be a URI reference"],
    [{ $schema: "http://json-schema.org/draft-07/schema#" }, `$schema: must be ${DIALECT}`],
    [{ $ref: "https://x.example/a.json" }, "$ref: must lead to a schema in this document"],
    [{ $ref: DIALECT }, "$ref: must lead"],
    [{ $ref: "other.json" }, "$ref: must lead"],
    [{ $ref: "//x.example" }, "$ref: must lead"],
    [{ $ref: "http://169.254.169.254/" }, "$ref: must lead"],
    [{ $ref: "#/$defs/missing" }, "$ref: must lead"],
    [{ $ref: "#missing" }, "$ref: must lead"],
    [{ $ref: "#/%" }, "$ref: must lead"],
    [{ $ref: "#/type", type: "string" }, "$ref: must lead"],
    [{ $dynamicRef: "https://x.example/#meta" }, "$dynamicRef: must lead"],
    [{ properties: { a: { $ref: "https://x.example/a" } } }, "properties.a.$ref: must lead"],
    [{ $defs: { a: { $anchor: "x" }, b: { $anchor: "x" } } }, "$defs.b.$anchor: must be unique"],
    [{ $defs: { a: { $id: "x" }, b: { $id: "x" } } }, "$defs.b.$id: must be unique"],
    [
      {
        $defs: { a: { $id: "a", $dynamicAnchor: "x" }, b: { $id: "b", $dynamicAnchor: "x" } },
        items: { $dynamicRef: "a#x" },
      },
      "items.$dynamicRef: must name a $dynamicAnchor",
    ],
    [{ pattern: "(" }, "pattern: must have patterns that are regular expressions"],
    [{ pattern: "\\_" }, "pattern: must have patterns that are regular expressions"],
    [
      { pattern: "a".repeat(SCHEMA_PATTERN_CHARACTERS + 1) },
      "pattern: must have patterns of at most",
    ],
    [{ patternProperties: { "(": true } }, "patternProperties: must have patterns"],
    [
      { patternProperties: { ["a".repeat(SCHEMA_PATTERN_CHARACTERS + 1)]: true } },
      "patternProperties: must have patterns of at most",
    ],
    [{ $ref: "#" }, ": must not lead through more than"],
    [{ allOf: [{ $ref: "#" }] }, ": must not lead through more than"],
    [
      { $defs: { a: { not: { $ref: "#/$defs/b" } }, b: { if: { $ref: "#/$defs/a" } } } },
      "$defs.a: must not lead",
    ],
    [{ description: "x".repeat(65_536) }, ": must be at most 65536 bytes"],
    [nested(65), ": must not nest deeper"],
    [{ default: () => 1 }, ": must be JSON"],
  ])("refuses %j", (schema, message) => {
    expect(found(checkJsonSchema(schema)).join("\n")).toContain(message);
  });

  it("refuses a chain of references that would overflow the validator's stack", () => {
    const chain = (length: number) => ({
      $ref: "#/$defs/d0",
      $defs: Object.fromEntries(
        Array.from({ length }, (_, i) => [
          `d${i}`,
          i + 1 < length ? { $ref: `#/$defs/d${i + 1}` } : {},
        ]),
      ),
    });
    expect(checkJsonSchema(chain(SCHEMA_CHAIN_SCHEMAS - 1))).toEqual([]);
    expect(validateBySchema(chain(SCHEMA_CHAIN_SCHEMAS - 1), 1)).toEqual([]);
    expect(checkJsonSchema(chain(SCHEMA_CHAIN_SCHEMAS + 1))).toHaveLength(1);
    expect(checkJsonSchema(chain(2_000))).toHaveLength(1);
  });

  it("refuses a schema that nests too deep instead of overflowing the stack", () => {
    expect(found(checkJsonSchema(nested(100_000)))).toEqual([
      ": must not nest deeper than 64 levels",
    ]);
  });

  it("leaves the schema as it was", () => {
    const schema = Object.freeze({
      $defs: Object.freeze({ a: Object.freeze({}) }),
      $ref: "#/$defs/a",
    });
    expect(checkJsonSchema(schema)).toEqual([]);
    expect(validateBySchema(schema, 1)).toEqual([]);
    expect(Reflect.ownKeys(schema)).toEqual(["$defs", "$ref"]);
  });

  it("takes what zod makes of a schema", () => {
    const schema = z.object({
      email: z.email(),
      at: z.iso.datetime(),
      ip: z.union([z.ipv4(), z.ipv6()]),
      pair: z.tuple([z.string(), z.number()]),
      map: z.record(z.string(), z.int()),
      get more() {
        return z.array(schema).optional();
      },
    });
    const made = z.toJSONSchema(schema);
    expect(checkJsonSchema(made)).toEqual([]);
    const value = {
      email: "a@b.example",
      at: "2026-10-14T09:12:03Z",
      ip: "127.0.0.1",
      pair: ["a", 1],
      map: { a: 1 },
    };
    expect(validateBySchema(made, { ...value, more: [value] })).toEqual([]);
    expect(
      found(validateBySchema(made, { ...value, more: [{ ...value, pair: ["a", "b"] }] })),
    ).toEqual(["more[0].pair[1]: must be of type number"]);
  });

  it("tells at most twenty issues", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`p${i}`, { type: "nonsense" }]),
    );
    expect(checkJsonSchema({ properties })).toHaveLength(REFUSAL_ISSUES);
  });
});
