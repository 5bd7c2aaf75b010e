import { expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/core/json.ts";
import { validateBySchema } from "../../src/core/json-schema.ts";

const names = (count: number, value: Json): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, value]));
const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
const wide = names(50_000, 0);

it.each([
  ["properties", { items: { properties: names(4_000, true) } }, times(2_000, () => ({}))],
  ["allOf", { items: { allOf: times(10_000, () => true) } }, times(1_000, () => 0)],
  [
    "dependentSchemas",
    { items: { dependentSchemas: names(3_000, true) } },
    times(1_000, () => ({})),
  ],
  [
    "dependentRequired",
    { items: { dependentRequired: names(3_000, ["x"]) } },
    times(1_000, () => ({})),
  ],
  ["uniqueItems", { uniqueItems: true }, times(1_000, (n) => ({ ...names(60, 0), n }))],
  ["lists in uniqueItems", { uniqueItems: true }, times(1_000, (n) => [...times(300, () => 0), n])],
  ["many forms of a wide object", { allOf: times(10_000, () => ({})) }, wide],
  ["additionalProperties", { allOf: times(2_000, () => ({ additionalProperties: true })) }, wide],
  [
    "unevaluatedProperties",
    {
      $ref: "#/$defs/all",
      $defs: { all: { additionalProperties: true } },
      allOf: times(1_500, () => ({ unevaluatedProperties: true })),
    },
    wide,
  ],
  ["patternProperties", { allOf: times(1_000, () => ({ patternProperties: { k: true } })) }, wide],
])("counts what costs much by %s, though no schema is entered for it", (_, schema, value) => {
  expect(validateBySchema(schema, value)).toEqual([
    { path: "", message: "takes too long to check against its schema: make it smaller" },
  ]);
});

it.each([
  ["a dictionary", { additionalProperties: { type: "number" } }, names(10_000, 1)],
  [
    "a table",
    {
      items: {
        type: "object",
        properties: names(20, { type: "number" }),
        required: ["k0"],
        additionalProperties: false,
      },
    },
    times(2_000, () => names(20, 1)),
  ],
  ["records that differ", { uniqueItems: true }, times(500, (n) => ({ n, name: `n${n}` }))],
  ["many numbers", { items: { type: "number" } }, times(100_000, (n) => n)],
])("takes %s that is large", (_, schema, value) => {
  expect(validateBySchema(schema, value)).toEqual([]);
});

it("tells of a thousand forms that fit nowhere what one of them asks for", () => {
  const schema = { items: { anyOf: times(10_000, () => false) } };
  expect(
    validateBySchema(
      schema,
      times(20_000, () => 0),
    )[0],
  ).toEqual({
    path: "[0]",
    message: "must fit at least one of the allowed forms",
  });
});
