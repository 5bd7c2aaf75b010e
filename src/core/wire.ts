/**
 * Owns: the parts that requests of more than one surface have in common.
 */

import * as z from "zod";
import {
  METADATA_KEY_CHARACTERS,
  METADATA_KEYS,
  METADATA_VALUE_CHARACTERS,
  PAGE_ITEMS_DEFAULT,
  PAGE_ITEMS_MAX,
} from "./limits.ts";
import { countCodePoints } from "./text.ts";

/**
 * What a caller notes on a turn: `metadata` on one surface, `labels` on the other. Read by its entries, since an object
 * schema would drop the key `__proto__` in silence.
 */
export const metadataSchema = z
  .custom<Record<string, unknown>>(
    (map) => typeof map === "object" && map !== null && !Array.isArray(map),
    "must be a map",
  )
  .transform((map, context): Record<string, string> => {
    const entries = Object.entries(map);
    const refuse = (path: string[], message: string) =>
      context.addIssue({ code: "custom", path, message });
    if (entries.length > METADATA_KEYS) refuse([], `must have at most ${METADATA_KEYS} keys`);
    else
      for (const [name, text] of entries) {
        const issue = nameIssue(name) ?? textIssue(text);
        if (issue !== undefined) refuse([name], issue);
      }
    return Object.fromEntries(entries) as Record<string, string>;
  });

function nameIssue(name: string): string | undefined {
  return name === "" || countCodePoints(name) > METADATA_KEY_CHARACTERS
    ? `must have a name of 1 to ${METADATA_KEY_CHARACTERS} characters`
    : undefined;
}

function textIssue(text: unknown): string | undefined {
  if (typeof text !== "string") return "must be a string";
  return countCodePoints(text) > METADATA_VALUE_CHARACTERS
    ? `must be at most ${METADATA_VALUE_CHARACTERS} characters`
    : undefined;
}

/** How many items of a list a page holds. */
export const pageLimit = z
  .string()
  .regex(/^[0-9]{1,3}$/, `must be a whole number from 1 to ${PAGE_ITEMS_MAX}`)
  .transform(Number)
  .pipe(z.int().min(1).max(PAGE_ITEMS_MAX))
  .default(PAGE_ITEMS_DEFAULT);
