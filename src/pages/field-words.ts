/**
 * Owns: what a field of a value is called, and what a value is in words.
 */

import type { Json } from "../core/json.ts";
import type { SchemaField } from "./schema-fields.ts";
import type { Wording } from "./wording.ts";

/** What a field is called; undefined for a whole value without a title. */
export function labelOf({ title, key }: SchemaField): string | undefined {
  return title ?? (key === "" ? undefined : wordsOfName(key));
}

/** A value in words, as choices and answers show it. */
export function sayValue(value: Json, words: Wording): string {
  if (value === true) return words.yes;
  if (value === false) return words.no;
  if (typeof value !== "string") return JSON.stringify(value);
  return value.trim() === "" ? words.emptyText : value;
}

/** `monthlyIncome` and `monthly_income` as "Monthly income". */
function wordsOfName(key: string): string {
  if (!/^[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*$/.test(key)) return key;
  const words = key
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[ _-]/)
    .map((word) => (word.toUpperCase() === word ? word : word.toLowerCase()));
  const [first = "", ...others] = words;
  return [first.slice(0, 1).toUpperCase() + first.slice(1), ...others].join(" ");
}
