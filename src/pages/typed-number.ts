/**
 * Owns: which number a text says, and whether the number that is recorded is that very one: of a text that is a number,
 * and of JSON that holds some. Does not own: what becomes of a text that says none.
 */

import type { Json } from "../core/json.ts";

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** Undefined where the text is no number, or one that JSON can't say as it was typed: it must not become another one. */
export function typedNumber(text: string): number | undefined {
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) && isSaid(text, number) ? number : undefined;
}

/** What JSON says. Throws where it is none. */
export function typedJson(
  text: string,
): { readonly value: Json } | { readonly value?: never; readonly issue: string } {
  const value = JSON.parse(text) as Json;
  for (const [token] of text.matchAll(STRING_OR_NUMBER)) {
    const issue = token.startsWith('"') ? undefined : largeNumberIssue(token);
    if (issue !== undefined) return { issue };
  }
  return { value };
}

const STRING_OR_NUMBER = /"(?:[^"\\]+|\\.)*"|-?\d[\d.e+-]*/gi;

/** What is wrong with a number that is too large to be taken as it was typed, in core's words. */
export function largeNumberIssue(text: string): string | undefined {
  if (!NUMBER.test(text) || typedNumber(text) !== undefined) return undefined;
  return text.startsWith("-")
    ? `must be at least ${Number.MIN_SAFE_INTEGER}`
    : `must be at most ${Number.MAX_SAFE_INTEGER}`;
}

/**
 * Whether the number, written as JSON, is the one that the text says. Up to 2^53 each whole number is, and a fraction is
 * taken as near as it gets; beyond it there are no fractions any more, and most whole numbers are not there.
 */
function isSaid(text: string, number: number): boolean {
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER || decimalOf(text) === decimalOf(`${number}`);
}

/** One spelling for each decimal number but 0. */
function decimalOf(text: string): string {
  const [significand = "", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = significand.replace(/^[+-]/, "").split(".");
  const digits = whole + fraction;
  const start = digits.search(/[1-9]/);
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  const sign = text.startsWith("-") ? "-" : "";
  return `${sign}0.${digits.slice(start, end)}e${Number(exponent) + whole.length - start}`;
}
