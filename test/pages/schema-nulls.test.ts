import { describe, expect, it } from "vitest";
import type { Json } from "../../src/core/json.ts";
import { fieldOfSchema, type SchemaField } from "../../src/pages/schema-fields.ts";

/** What a property of this schema becomes. */
function property(schema: Json, isRequired = true): SchemaField | undefined {
  const whole = fieldOfSchema({
    type: "object",
    properties: { it: schema },
    ...(isRequired && { required: ["it"] }),
  });
  return whole.kind === "group" ? whole.fields[0] : undefined;
}

describe("the control of a schema that takes null", () => {
  it("offers one that is listed where to choose nothing leaves the field out", () => {
    for (const [schema, choices] of [
      [{ enum: [null, "a"] }, [{ value: "a" }, { value: null }]],
      [{ type: ["string", "null"], enum: ["a", null] }, [{ value: "a" }, { value: null }]],
      [
        { oneOf: [{ const: null, title: "None" }, { const: "a" }, { const: "b" }] },
        [{ value: "a" }, { value: "b" }, { value: null, title: "None" }],
      ],
      [
        { type: ["string", "null"], oneOf: [{ const: "a" }, { const: null, title: "None" }] },
        [{ value: "a" }, { value: null, title: "None" }],
      ],
      [
        { anyOf: [{ const: "a" }, { const: "b" }, { type: "null" }] },
        [{ value: "a" }, { value: "b" }],
      ],
    ] as const)
      expect(property(schema, false)).toMatchObject({ kind: "choice", choices });
    expect(property({ enum: [null] })).toMatchObject({
      choices: [{ value: null }],
      isRequired: true,
    });
  });

  it("takes it as a blank field, which is left out where it may be", () => {
    for (const schema of [
      { type: ["string", "null"] },
      { anyOf: [{ type: "string" }, { type: "null" }] },
      { oneOf: [{ type: "null" }, { type: "string" }], title: "T" },
    ]) {
      expect(property(schema)).toMatchObject({ kind: "text", blank: null });
      expect(property(schema, false)?.blank).toBeUndefined();
    }
    expect(property({ enum: ["a", null] })).toMatchObject({
      choices: [{ value: "a" }],
      blank: null,
    });
    expect(property({ anyOf: [{ const: "a" }, { const: "b" }, { type: "null" }] })).toMatchObject({
      kind: "choice",
      choices: [{ value: "a" }, { value: "b" }],
      blank: null,
    });
  });
});
