import { describe, expect, it } from "vitest";
import { z } from "zod";
import { formatPath, issueAt, issuesBelow, issuesOf, modelIssues } from "../../src/core/issue.ts";
import { REFUSAL_ISSUES } from "../../src/core/limits.ts";
import type { Issue } from "../../src/core/refusal.ts";
import { countCodePoints } from "../../src/core/text.ts";

function issues(schema: z.ZodType, value: unknown): readonly Issue[] {
  const { error } = schema.safeParse(value);
  return error === undefined ? [] : issuesOf(error);
}

describe("a path", () => {
  it("is dotted, with indices in brackets", () => {
    expect(formatPath(["questions", 0, "options", 1, "label"])).toBe(
      "questions[0].options[1].label",
    );
    expect(formatPath([])).toBe("");
    expect(formatPath([0, "a"])).toBe("[0].a");
  });

  it("quotes and shortens a name that is no plain word", () => {
    expect(formatPath(["answers", "Which scope?"])).toBe('answers["Which scope?"]');
    expect(formatPath(["a\nb"])).toBe('["a\\nb"]');
    expect(formatPath(["x".repeat(100)])).toBe(`["${"x".repeat(63)}…"]`);
  });

  it("is put below another", () => {
    expect(
      issuesBelow("value", [issueAt([], "a"), issueAt(["b"], "b"), issueAt([0], "c")]).map(
        ({ path }) => path,
      ),
    ).toEqual(["value", "value.b", "value[0]"]);
  });
});

describe("issuesOf", () => {
  it("says what may be chosen, and keeps a schema's own words for it", () => {
    const choices = ["waiting", "all"] as const;
    expect(issues(z.object({ status: z.enum(choices) }), { status: "open" })).toEqual([
      { path: "status", message: "must be one of waiting, all" },
    ]);
    expect(issues(z.enum(choices, "Choose one."), "open")).toEqual([
      { path: "", message: "Choose one." },
    ]);
  });

  it("names each unknown field, shortened and escaped", () => {
    const found = issues(z.strictObject({ a: z.strictObject({}) }), {
      a: { b: 1, ["c\n".repeat(200)]: 2 },
    });
    expect(found).toHaveLength(2);
    expect(found[0]).toEqual({ path: "a", message: '"b" is not a known field: leave it out' });
    expect(found[1]?.message).toMatch(/^"(c\\n)+c?…" is not a known field/);
    expect(found[1]?.message.length).toBeLessThan(200);
  });

  it("names the field __proto__ too", () => {
    expect(issues(z.strictObject({}), JSON.parse('{"__proto__":1}'))).toEqual([
      { path: "", message: '"__proto__" is not a known field: leave it out' },
    ]);
  });

  it("says of a wrong type what it must be, and of a missing one that it is missing", () => {
    const schema = z.object({ a: z.string(), b: z.array(z.number()), c: z.object({}) });
    expect(issues(schema, { a: 1, b: ["x"] })).toEqual([
      { path: "a", message: "must be a string" },
      { path: "b[0]", message: "must be a number" },
      { path: "c", message: "is missing: it must be an object" },
    ]);
  });

  it("tells of a union the arm that came closest", () => {
    const schema = z.object({
      input: z.union([z.string(), z.array(z.strictObject({ text: z.string() }))]),
    });
    expect(issues(schema, { input: [{ text: 1 }] })).toEqual([
      { path: "input[0].text", message: "must be a string" },
    ]);
    expect(issues(schema, { input: 1 })).toEqual([
      { path: "input", message: "does not fit any of the allowed forms" },
    ]);
  });

  it("is bounded, whatever the input", () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i]));
    expect(issues(z.strictObject({}), many)).toHaveLength(REFUSAL_ISSUES);
    expect(
      issues(
        z.array(z.string()),
        Array.from({ length: 1_000 }, () => 1),
      ),
    ).toHaveLength(REFUSAL_ISSUES);
  });

  it("never repeats a received value", () => {
    const secret = "hunter2";
    const schema = z.strictObject({
      a: z.enum(["x"]),
      b: z.number(),
      c: z.literal(1),
      d: z.union([z.number(), z.boolean()]),
      e: z.discriminatedUnion("type", [z.object({ type: z.literal("t") })]),
      f: z.url(),
      g: z.record(z.string().max(3), z.number()),
    });
    const found = issues(schema, {
      a: secret,
      b: secret,
      c: secret,
      d: secret,
      e: { type: secret },
      f: secret,
      g: { a: secret },
    });
    expect(found.length).toBeGreaterThanOrEqual(7);
    expect(JSON.stringify(found)).not.toContain(secret);
  });
});

describe("modelIssues", () => {
  it("is at most four messages of at most 512 characters", () => {
    const text = modelIssues(
      Array.from({ length: 9 }, (_, i) => ({ path: `p${i}`, message: "🙂".repeat(2_000) })),
    );
    const lines = text.split("\n");
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(countCodePoints(line)).toBe(512);
    expect(lines[0]).toMatch(/^p0: 🙂/);
  });

  it("leaves out the path of the whole", () => {
    expect(modelIssues([{ path: "", message: "must be an object" }])).toBe("must be an object");
  });
});
