import * as fc from "fast-check";
import { expect, it } from "vitest";
import { PATTERN_STEPS } from "../../src/core/limits.ts";
import { readPattern, StepsExhausted } from "../../src/core/pattern.ts";
import { casesOf, holds } from "../replayable.ts";

function matches(source: string, text: string, steps = PATTERN_STEPS): boolean {
  const pattern = readPattern(source);
  if (typeof pattern === "string") throw new Error(pattern);
  return pattern.matches(text, { left: steps });
}

/** Pieces that are all there is to the syntax, and a few that stand inside one another. */
const ATOM = fc.constantFrom(
  "a",
  "b",
  ".",
  "\\d",
  "\\w",
  "\\s",
  "\\S",
  "[a-c]",
  "[^a]",
  "[\\]\\d-]",
  "\\u{1f600}",
  "\\u0061",
  "\\ud83d\\ude00",
  "\\x61",
  "\\n",
  "\\cJ",
  "\\p{L}",
  "\\P{Lu}",
  "\\.",
  "\\/",
  "😀",
  "é",
  "-",
  "\\0",
  "[]",
  "[^]",
  "[\\b]",
);
const EDGE = fc.constantFrom("^", "$", "\\b", "\\B");
const QUANTIFIER = fc.constantFrom(
  "",
  "",
  "",
  "*",
  "+",
  "?",
  "*?",
  "+?",
  "{2}",
  "{1,}",
  "{0,2}",
  "{0}",
  "{2,3}?",
);
const { pattern: PATTERN } = fc.letrec<{ pattern: string; sequence: string; term: string }>(
  (tie) => ({
    pattern: fc.array(tie("sequence"), { minLength: 1, maxLength: 3 }).map((all) => all.join("|")),
    sequence: fc.array(tie("term"), { maxLength: 4 }).map((all) => all.join("")),
    term: fc.oneof(
      { maxDepth: 3, depthIdentifier: "pattern" },
      { weight: 6, arbitrary: fc.tuple(ATOM, QUANTIFIER).map((parts) => parts.join("")) },
      { weight: 1, arbitrary: EDGE },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom("(", "(?:"), tie("pattern"), QUANTIFIER)
          .map(([open, inside, quantifier]) => `${open}${inside})${quantifier}`),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom("(?=", "(?!", "(?<=", "(?<!"), tie("pattern"))
          .map(([open, inside]) => `${open}${inside})`),
      },
    ),
  }),
);
const TEXT = fc.string({
  unit: fc.constantFrom(
    "a",
    "b",
    "c",
    "A",
    "1",
    " ",
    "\n",
    "\u2028",
    "😀",
    "é",
    ".",
    "-",
    "\ud83d",
    "\b",
    "\0",
  ),
  maxLength: 8,
});

/** Asked at each character: between the halves of a surrogate pair, where no match may begin, the engine tries too. */
function nativelyMatches(source: string, text: string): boolean {
  const native = new RegExp(source, "uy");
  let at = 0;
  return [...text, ""].some((character) => {
    native.lastIndex = at;
    at += character.length;
    return native.test(text);
  });
}

it("matches what the engine's own RegExp matches", async () => {
  await holds(
    process.env,
    casesOf(process.env, 2_000),
    fc.property(PATTERN, TEXT, (source, text) => {
      expect(matches(source, text)).toBe(nativelyMatches(source, text));
    }),
  );
});

it("takes the patterns that are in use", () => {
  const email =
    "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$";
  for (const [source, fitting, other] of [
    [email, "dana.x@example.co.uk", "dana..x@example.com"],
    ["^(?=.*[A-Z])(?=.*\\d).{8,}$", "Passw0rdX", "password1"],
    ["^\\d{4}-\\d{2}-\\d{2}$", "2026-11-02", "2026-11-2"],
    ["^(?<year>\\d{4})$", "2026", "26"],
    ["^[\\s\\S]{0,1000}$", "x\n".repeat(500), "x".repeat(1_001)],
    ["(?<=\\$)\\d+(?!\\d|€)", "cost: $42", "cost: 42"],
    ["^\\p{Script=Greek}+$", "αβγ", "abc"],
    ["", "anything", undefined],
  ] as const) {
    expect(matches(source, fitting), source).toBe(true);
    if (other !== undefined) expect(matches(source, other), source).toBe(false);
  }
});

it("finds no end of work in patterns at which RegExp goes back for ever", () => {
  const text = `${"a".repeat(10_000)}!`;
  for (const source of [
    "^(a+)+$",
    "^(a|a)*$",
    "^(a|aa)+$",
    "^(a*)*$",
    "^([a-zA-Z]+)*$",
    "(x+x+)+y",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "^(?=(a+)+$)",
    "a*a*a*a*a*a*b",
    "^(a?){50}a{50}$",
  ])
    expect(matches(source, text, 3_000_000), source).toBe(false);
});

it("gives up where a text is too long for its pattern", () => {
  expect(() => matches("^(?:(?=a*$)a)*b", "a".repeat(20_000))).toThrow(StepsExhausted);
  expect(() => matches("a", "b".repeat(PATTERN_STEPS + 1))).toThrow(StepsExhausted);
  expect(matches("^[a-z]+$", "b".repeat(1_000_000))).toBe(true);
});

it("says what it does not take", () => {
  for (const [source, words] of [
    ["(", "regular expressions of ECMAScript"],
    ["(a)\\1", "references back"],
    ["(?<x>a)\\k<x>", "references back"],
    ["a{1001}", "at most 1000 times"],
    ["(?:(?:a{200}){200}){2}", "simpler"],
  ] as const)
    expect(readPattern(source), source).toContain(words);
});
