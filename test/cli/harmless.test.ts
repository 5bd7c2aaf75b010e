import * as fc from "fast-check";
import { expect, it } from "vitest";
import { harmless, harmlessJson, harmlessLine } from "../../src/cli/harmless.ts";

it.each([
  ["an escape that clears the screen", "\u001b[2J", String.raw`\u{1b}[2J`],
  ["an escape of one byte", "\u009b2J", String.raw`\u{9b}2J`],
  ["a title", "\u001b]0;root\u0007", String.raw`\u{1b}]0;root\u{7}`],
  ["a carriage return that overwrites", "Pay 5\rPay 1", String.raw`Pay 5\u{d}Pay 1`],
  ["backspaces", "deny\b\b\b\b", String.raw`deny\u{8}\u{8}\u{8}\u{8}`],
  ["an override of the direction", "\u202etxt.exe\u202c", String.raw`\u{202e}txt.exe\u{202c}`],
  ["an isolate", "\u2066a\u2069", String.raw`\u{2066}a\u{2069}`],
  ["a space without width", "ad\u200bmin", String.raw`ad\u{200b}min`],
  ["a separator of lines", "a\u2028b", String.raw`a\u{2028}b`],
  ["letters that nobody sees", "a\u{e0041}", String.raw`a\u{e0041}`],
  ["selectors in which text hides", "a\u{e0101}", String.raw`a\u{e0101}`],
  ["half of a surrogate pair", "a\ud800", String.raw`a\u{d800}`],
])("shows %s by its code points", (_, text, shown) => {
  expect(harmless(text)).toBe(shown);
});

it("leaves what people write", () => {
  for (const text of ["Größe: 5 €\nJa?", "承認しますか", "هل توافق؟", "👩‍👩‍👧 ❤️", "می‌خواهم"])
    expect(harmless(text)).toBe(text);
  expect(harmless("a\r\nb\tc")).toBe("a\nb c");
});

it("puts a text on one line, and shortens it", () => {
  expect(harmlessLine("a\n\n  b\u001b[1m", 100)).toBe(String.raw`a b\u{1b}[1m`);
  expect(harmlessLine("x".repeat(10), 5)).toBe("xxxx…");
});

const HOSTILE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;

it("lets no control character through, whatever comes, and JSON says the same as before", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
      expect(harmless(text).replaceAll("\n", "")).not.toMatch(HOSTILE);
      expect(harmlessLine(text)).not.toMatch(HOSTILE);
      const json = harmlessJson({ text }, 0);
      expect(json).not.toMatch(HOSTILE);
      expect(JSON.parse(json)).toEqual({ text });
    }),
  );
});
