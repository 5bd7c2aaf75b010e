/**
 * Owns: what a text is on every surface: well-formed, stripped of outer white space, and then measured in code points.
 * Does not own: any length; those are in `limits.ts`.
 */

import * as z from "zod";

export interface TextBounds {
  /** Code points after stripping; 1 by default, so that a blank text is refused. */
  readonly min?: number;
  readonly max: number;
}

/** A string that is stripped first and measured then. Its JSON Schema tells a model the same bounds. */
export function strippedText({ min = 1, max }: TextBounds): z.ZodString {
  const bounds =
    min === 0
      ? `must be at most ${max} characters`
      : `must be ${min === max ? max : `${min} to ${max}`} characters, not blank`;
  return z
    .string({ error: ({ input }) => (input === undefined ? "is missing" : "must be a string") })
    .overwrite(strip)
    .refine(
      (text) => text.isWellFormed(),
      "must be well-formed Unicode: it holds half of a surrogate pair",
    )
    .refine((text) => measures(text, min, max), bounds)
    .meta({ minLength: min, maxLength: max });
}

/**
 * Takes off what `String.prototype.trim` takes, and NEL (U+0085), which other languages count as white space too: so a
 * text that is blank elsewhere is blank here. A scan, since a pattern for trailing space is quadratic.
 */
export function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && SPACE.test(text.charAt(start))) start += 1;
  while (end > start && SPACE.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const SPACE = /[\s\u0085]/;

export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** At most `max` code points, the last one an ellipsis where something was cut off. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = 0;
  let cut = 0;
  let count = 0;
  for (const character of text) {
    count += 1;
    if (count === max) cut = end;
    if (count > max) return `${text.slice(0, cut)}…`;
    end += character.length;
  }
  return text;
}

/** A code point is one or two UTF-16 units, so most texts need no count. */
function measures(text: string, min: number, max: number): boolean {
  if (text.length < min || text.length > 2 * max) return false;
  if (text.length >= 2 * min && text.length <= max) return true;
  const count = countCodePoints(text);
  return count >= min && count <= max;
}
