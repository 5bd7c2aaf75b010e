import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/core/json.ts";
import { presetFields, readValue } from "../../src/pages/field-values.ts";
import { allFields, fieldOfSchema } from "../../src/pages/schema-fields.ts";
import { APPLICATION } from "./questions.ts";

/** What a form of one control gives for a text. */
function read(schema: object, ...texts: string[]): Json | undefined {
  const typed = new URLSearchParams(texts.map((text) => ["value", text]));
  return readValue(fieldOfSchema(schema as JsonObject), typed).value;
}

function preset(schema: object): readonly unknown[] {
  return presetFields(fieldOfSchema(schema as JsonObject)).getAll("value");
}

describe("what was typed", () => {
  it("is a text without outer white space, and nothing where it is blank", () => {
    expect(read({ type: "string" }, " a\r\nb ")).toBe("a\nb");
    expect(read({ type: "string" }, " \r\n ")).toBeUndefined();
    expect(read({ type: "string", format: "date" }, "2026-12-01")).toBe("2026-12-01");
  });

  it("is a time in UTC", () => {
    const time = { type: "string", format: "date-time" };
    expect(read(time, "2026-12-01T09:05")).toBe("2026-12-01T09:05:00Z");
    expect(read(time, "2026-12-01T09:05:07")).toBe("2026-12-01T09:05:07Z");
    expect(read(time, "2026-12-01T09:05:00+01:00")).toBe("2026-12-01T09:05:00+01:00");
    expect(read(time, "tomorrow")).toBe("tomorrow");
  });

  it("is a number where it is written as one, and never another number than the one typed", () => {
    const number = { type: "number" };
    for (const [text, value] of [
      ["5", 5],
      [" -2.50 ", -2.5],
      ["+.5", 0.5],
      ["1e3", 1_000],
      ["", undefined],
      ["1,5", "1,5"],
      ["0x10", "0x10"],
      ["Infinity", "Infinity"],
      ["1e999", "1e999"],
    ] as const)
      expect([text, read(number, text)]).toEqual([text, value]);
  });

  it("is a large number where JSON says that very number, however it is written", () => {
    const number = { type: "number" };
    for (const [text, value] of [
      ["9007199254740992", 2 ** 53],
      ["-9007199254740994.00", -(2 ** 53) - 2],
      ["+9007199254.740992e+6", 2 ** 53],
      ["1234567890123456800", 1_234_567_890_123_456_800],
      ["1e23", 1e23],
      [`1${"0".repeat(23)}`, 1e23],
      [`0.${"0".repeat(400)}1E424`, 1e23],
    ] as const)
      expect([text, read(number, text)]).toEqual([text, value]);
    for (const text of [
      "9007199254740993",
      "-9007199254740993",
      "9007199254740993e0",
      "9007199254740993.0",
      "9.007199254740993E+15",
      "90071992547409930e-1",
      "9007199254740991.9999",
      "9007199254740992.5",
      "1234567890123456789",
      "100000000000000000000001",
    ])
      expect(read(number, text)).toBe(text);
    expect(read({ type: "array", items: number }, "1\n9007199254740993.0")).toEqual([
      1,
      "9007199254740993.0",
    ]);
  });

  it("is JSON without a number that JSON can't say as it was typed", () => {
    const typing = (text: string) =>
      readValue(fieldOfSchema({}), new URLSearchParams([["value", text]]));
    for (const text of [
      '{"id": 9007199254740993}',
      '[0.1, {"a\\"9": [9007199254740993.0]}]',
      "90071992547409930E-1",
      "1e400",
    ])
      expect(typing(text)).toMatchObject({
        value: undefined,
        unread: [{ message: "must be at most 9007199254740991" }],
      });
    expect(typing("[-9007199254740993]").unread).toMatchObject([
      { message: "must be at least -9007199254740991" },
    ]);
    for (const value of [
      { id: 2 ** 53, of: [1_234_567_890_123_456_800, -1e23, 0.1] },
      { "9007199254740993": '\\"9007199254740993' },
      "9007199254740993".repeat(100_000),
      '"'.repeat(500_000),
      null,
    ])
      expect(typing(JSON.stringify(value))).toEqual({ value, unread: [] });
  });

  it("is a fraction as near as it gets", () => {
    expect(read({ type: "number" }, "0.1")).toBe(0.1);
    expect(read({ type: "number" }, "0.30000000000000000001")).toBe(0.3);
  });

  it("is no number however long it is, told at once", () => {
    const text = `${"1".repeat(1_000_000)}x`;
    expect(read({ type: "number" }, text)).toBe(text);
  });

  it("is yes, no or nothing", () => {
    expect(read({ type: "boolean" }, "true")).toBe(true);
    expect(read({ type: "boolean" }, "false")).toBe(false);
    expect(read({ type: "boolean" }, "")).toBeUndefined();
    expect(read({ type: "boolean" }, "maybe")).toBe("maybe");
  });

  it("is the value of the place that was chosen, of whatever type", () => {
    const choice = { enum: ["a", 2, { b: null }] };
    expect(read(choice, "1")).toBe(2);
    expect(read(choice, "2")).toEqual({ b: null });
    expect(read(choice, "3")).toBeUndefined();
    expect(read(choice, "")).toBeUndefined();
    expect(read({ type: "array", items: choice }, "2", "0")).toEqual(["a", { b: null }]);
  });

  it("is nothing where one may be chosen and several are", () => {
    for (const [schema, fields] of [
      [{ enum: ["a", "b"] }, "value=1&value=0"],
      [{ type: "boolean" }, "value=true&value=false"],
    ] as const) {
      const field = fieldOfSchema(schema as unknown as JsonObject);
      expect(readValue(field, new URLSearchParams(fields))).toEqual({
        value: undefined,
        unread: [{ field, message: "must be one value, not several" }],
      });
    }
    expect(read({ enum: ["a", "b"] }, "", "1", "1")).toBe("b");
    expect(read({ type: "boolean" }, "", "false")).toBe(false);
  });

  it("is null where null was chosen", () => {
    for (const schema of [{ const: null }, { enum: [null] }]) {
      expect(read(schema, "0")).toBeNull();
      expect(read(schema)).toBeUndefined();
    }
    const readProperty = (a: object, required: string[], fields: string) =>
      readValue(
        fieldOfSchema({ type: "object", properties: { a: a as JsonObject }, required }),
        new URLSearchParams(fields),
      ).value;
    const choice = { enum: ["x", null] };
    expect(readProperty(choice, [], "value_0=1")).toEqual({ a: null });
    expect(readProperty(choice, [], "value_0=")).toEqual({});
    expect(readProperty(choice, ["a"], "value_0=")).toEqual({ a: null });
    expect(readProperty({ const: null }, ["a"], "value_0=0")).toEqual({ a: null });
    const inner = { type: "object", properties: { b: choice } };
    expect(readProperty(inner, [], "value_0_0=1")).toEqual({ a: { b: null } });
  });

  it("is one item a line", () => {
    expect(read({ type: "array", items: { type: "string" } }, "a\r\n\r\n b \r\n")).toEqual([
      "a",
      "b",
    ]);
    expect(read({ type: "array", items: { type: "number" } }, "1\n2.5\nx")).toEqual([1, 2.5, "x"]);
  });

  it("is an empty list only where a list must be there", () => {
    const list = { type: "array", items: { type: "string" } };
    expect(read(list, "")).toEqual([]);
    const inside = (required: string[]) =>
      readValue(
        fieldOfSchema({ type: "object", properties: { a: list, b: { type: "number" } }, required }),
        new URLSearchParams("value_1=1"),
      ).value;
    expect(inside(["a"])).toEqual({ a: [], b: 1 });
    expect(inside([])).toEqual({ b: 1 });
  });

  it("leaves out an object in which nothing was filled in, if it may be left out", () => {
    const schema = (required: string[]): JsonObject => ({
      type: "object",
      properties: {
        inner: {
          type: "object",
          properties: { a: { type: "string" }, b: { type: ["string", "null"] } },
          required: ["b"],
        },
      },
      required,
    });
    const readInner = (required: string[], fields: string) =>
      readValue(fieldOfSchema(schema(required)), new URLSearchParams(fields)).value;
    expect(readInner([], "")).toEqual({});
    expect(readInner(["inner"], "")).toEqual({ inner: { b: null } });
    expect(readInner([], "value_0_0=x")).toEqual({ inner: { a: "x", b: null } });
  });

  it("keeps a property of any name", () => {
    const properties = Object.fromEntries([
      ["__proto__", { type: "string" }],
      ["a.b[0]", { type: "string" }],
    ]);
    const { value } = readValue(
      fieldOfSchema({ type: "object", properties }),
      new URLSearchParams("value_0=x&value_1=y"),
    );
    expect(JSON.stringify(value)).toBe('{"__proto__":"x","a.b[0]":"y"}');
  });

  it("says which fields are no JSON", () => {
    const schema: JsonObject = { type: "object", properties: { a: {}, b: {}, c: {} } };
    const typed = new URLSearchParams("value_0={&value_1=null&value_2=x");
    const { value, unread } = readValue(fieldOfSchema(schema), typed);
    expect(value).toEqual({ b: null });
    expect(unread.map(({ field }) => field.name)).toEqual(["value_0", "value_2"]);
  });
});

describe("what is preset", () => {
  it("stands in its control as it would be typed", () => {
    expect(preset({ type: "string", default: "a" })).toEqual(["a"]);
    expect(preset({ type: "number", default: 2.5 })).toEqual(["2.5"]);
    expect(preset({ type: "boolean", default: false })).toEqual(["false"]);
    expect(preset({ enum: ["a", "b"], default: "b" })).toEqual(["1"]);
    expect(preset({ type: "array", items: { enum: [1, 2, 3] }, default: [3, 1] })).toEqual([
      "0",
      "2",
    ]);
    expect(preset({ type: "array", items: { type: "string" }, default: ["a", "b"] })).toEqual([
      "a\nb",
    ]);
    expect(preset({ default: { a: [1] } })).toEqual(['{\n  "a": [\n    1\n  ]\n}']);
    const time = { type: "string", format: "date-time", default: "2026-12-01T10:05:00+01:00" };
    expect(preset(time)).toEqual(["2026-12-01T09:05"]);
  });

  it("is null where the whole says so, whatever stands at the part", () => {
    const part = { enum: ["x", null], default: "x" };
    const whole = { type: "object", properties: { a: part }, default: { a: null } };
    expect(presetFields(fieldOfSchema(whole)).getAll("value_0")).toEqual(["1"]);
  });

  it("is nothing where it is no value of its control", () => {
    expect(preset({ type: "string", default: 1 })).toEqual([]);
    expect(preset({ type: "number", default: "1" })).toEqual([]);
    expect(preset({ enum: ["a"], default: "z" })).toEqual([]);
    expect(preset({ type: "string", format: "date-time", default: "soon" })).toEqual([""]);
  });

  it("is given back as it was where it is a time, of any zone and however fine", () => {
    for (const [value, shown, normalised] of [
      ["2026-01-01T00:00:00.123Z", "2026-01-01T00:00:00.123"],
      ["2026-01-01T00:00:00.120Z", "2026-01-01T00:00:00.120", "2026-01-01T00:00:00.12"],
      ["2026-01-01T00:00:00.123456789Z", "2026-01-01T00:00:00.123"],
      ["2026-12-01T10:05:00+01:00", "2026-12-01T09:05", "2026-12-01T09:05:00"],
      ["2026-12-01T09:05:07.000Z", "2026-12-01T09:05:07"],
    ] as const) {
      const schema = { type: "string", format: "date-time", default: value };
      expect(preset(schema)).toEqual([shown]);
      expect(read(schema, shown)).toBe(value);
      // Browsers write a time as short as they can.
      if (normalised !== undefined) expect(read(schema, normalised)).toBe(value);
      expect(read(schema, "2026-01-01T00:00:00.124")).toBe("2026-01-01T00:00:00.124Z");
      expect(read(schema, "2026-02-30T00:00")).toBe("2026-02-30T00:00:00Z");
    }
    const day = { type: "string", format: "date-time", default: "2026-12-01" };
    expect(read(day, ...preset(day).map(String))).toBe("2026-12-01T00:00:00Z");
  });

  it("is given back as it was where it is a large number", () => {
    for (const value of [2 ** 53, -(2 ** 53) - 2, 1_234_567_890_123_456_800, -1e23, 5e-324])
      for (const schema of [{ type: "number", default: value }, { default: { of: [value] } }])
        expect(read(schema, ...preset(schema).map(String))).toEqual(schema.default);
  });

  it("is given back as it was, if nobody changes it", () => {
    const value: JsonObject = {
      applicant: "Ada",
      call: "2026-12-01T09:05:00Z",
      rate: 4.25,
      months: 60,
      insured: false,
      purpose: "house",
      currency: "CHF",
      papers: ["Payslip"],
      tags: ["a", "b"],
      address: { street: "High Street", city: "Ely" },
      instalments: [{ month: 1, amount: 2 }],
    };
    const schema = { ...(APPLICATION.answerSchema as JsonObject), default: value };
    const field = fieldOfSchema(schema);
    const fields = presetFields(field);
    const typed = new URLSearchParams(
      allFields(field).flatMap(({ name }) =>
        fields.getAll(name).map((text) => [name, String(text)]),
      ),
    );
    expect(readValue(field, typed)).toEqual({ value, unread: [] });
  });
});
