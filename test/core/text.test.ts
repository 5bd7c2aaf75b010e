import { describe, expect, it } from "vitest";
import { z } from "zod";
import { countCodePoints, shorten, strip, strippedText } from "../../src/core/text.ts";

describe("strippedText", () => {
  const schema = strippedText({ max: 12 });

  it("strips outer white space and keeps inner", () => {
    expect(schema.parse("\t a \n b\u00a0\u2003")).toBe("a \n b");
  });

  it("strips what counts as white space in other languages too", () => {
    expect(schema.parse("\u0085a\ufeff")).toBe("a");
    expect(schema.safeParse("\u0085").success).toBe(false);
  });

  it("measures after stripping", () => {
    expect(schema.parse(` ${"x".repeat(12)} `)).toBe("x".repeat(12));
    expect(schema.safeParse("x".repeat(13)).success).toBe(false);
  });

  it("measures code points, not UTF-16 units", () => {
    expect(schema.safeParse("🙂".repeat(12)).success).toBe(true);
    expect(schema.safeParse("🙂".repeat(13)).success).toBe(false);
    expect(schema.safeParse("🙂".repeat(11) + "ab").success).toBe(false);
    expect(strippedText({ min: 2, max: 3 }).safeParse("🙂").success).toBe(false);
  });

  it("says what to do", () => {
    const messages = (value: unknown, bounded = schema) =>
      bounded.safeParse(value).error?.issues.map(({ message }) => message);
    expect(messages("  ")).toEqual(["must be 1 to 12 characters, not blank"]);
    expect(messages("x".repeat(13))).toEqual(["must be 1 to 12 characters, not blank"]);
    expect(messages("abcd", strippedText({ min: 0, max: 3 }))).toEqual([
      "must be at most 3 characters",
    ]);
    expect(messages(null)).toEqual(["must be a string"]);
  });

  it("takes a blank text where nothing is asked for", () => {
    expect(strippedText({ min: 0, max: 3 }).parse("   ")).toBe("");
  });

  it("refuses half of a surrogate pair", () => {
    expect(schema.safeParse("a\ud83d").success).toBe(false);
    expect(schema.safeParse("\udc00").success).toBe(false);
  });

  it("tells a model its bounds by its JSON Schema", () => {
    for (const io of ["input", "output"] as const)
      expect(z.toJSONSchema(schema, { io })).toMatchObject({
        type: "string",
        minLength: 1,
        maxLength: 12,
      });
  });

  it("strips a long run of white space in time that grows with its length", () => {
    const text = `a${" ".repeat(2_000_000)}b`;
    expect(strip(text)).toBe(text);
    // A pattern that tries each start anew would take hours.
  }, 60_000);
});

describe("shorten", () => {
  it("keeps what fits", () => {
    expect(shorten("abc", 3)).toBe("abc");
    expect(shorten("🙂🙂🙂", 3)).toBe("🙂🙂🙂");
  });

  it("cuts between code points, the ellipsis counted", () => {
    expect(shorten("abcd", 3)).toBe("ab…");
    expect(shorten("🙂🙂🙂🙂", 3)).toBe("🙂🙂…");
    expect(countCodePoints(shorten("🙂".repeat(100), 64))).toBe(64);
  });
});
