/**
 * Owns: taking in a value from anywhere as JSON, within bounds of size and nesting, without ever overflowing the stack.
 * Does not own: what JSON is (`json.ts`).
 */

import { issueAt } from "./issue.ts";
import type { Json } from "./json.ts";
import type { Checked } from "./refusal.ts";

export interface JsonBounds {
  /** Of the value's JSON text in UTF-8. */
  readonly bytes: number;
  /** Arrays and objects inside one another. */
  readonly levels: number;
}

/**
 * The value as JSON and as nobody else's: a copy, without members that are `undefined`. What comes over HTTP is JSON
 * already; a caller in code can hand over anything.
 */
export function boundedJson(value: unknown, bounds: JsonBounds): Checked<Json> {
  const problem = jsonProblem(value, bounds);
  if (problem !== undefined) return { ok: false, issues: [issueAt([], problem)] };
  try {
    const text = JSON.stringify(value);
    if (utf8Exceeds(text, bounds.bytes))
      return { ok: false, issues: [issueAt([], tooLarge(bounds))] };
    return { ok: true, value: JSON.parse(text) as Json };
  } catch {
    // A `toJSON` of the caller's own can throw, or give back what is no JSON after all.
    return { ok: false, issues: [issueAt([], NOT_JSON)] };
  }
}

/** What keeps a value from being JSON within bounds. Row by row instead of recursively: nesting costs no stack. */
export function jsonProblem(value: unknown, bounds: JsonBounds): string | undefined {
  let row: unknown[] = [value];
  let values = 1;
  for (let level = 0; row.length > 0; level += 1) {
    const next: unknown[] = [];
    for (const item of row) {
      if (isScalar(item)) continue;
      if (typeof item !== "object" || item === null) return NOT_JSON;
      if (level >= bounds.levels) return `must not nest deeper than ${bounds.levels} levels`;
      for (const child of Array.isArray(item) ? item : members(item)) next.push(child);
      // Each value takes a byte at least. This also ends the walk of one that contains itself many times over.
      if (values + next.length > bounds.bytes) return tooLarge(bounds);
    }
    values += next.length;
    row = next;
  }
  return undefined;
}

/** Whether a value's JSON takes at most so many bytes of UTF-8. */
export function fitsInto(value: Json, bytes: number): boolean {
  return !utf8Exceeds(JSON.stringify(value), bytes);
}

export function utf8Exceeds(text: string, bytes: number): boolean {
  if (text.length > bytes) return true;
  return text.length * 3 > bytes && new TextEncoder().encode(text).length > bytes;
}

const NOT_JSON =
  "must be JSON: null, true, false, a finite number, a string, an array or an object of these";

function tooLarge(bounds: JsonBounds): string {
  return `must be at most ${bounds.bytes} bytes of JSON`;
}

function isScalar(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return value === null || typeof value === "string" || typeof value === "boolean";
}

function members(value: object): unknown[] {
  return Object.values(value).filter((member) => member !== undefined);
}
