/**
 * Owns: the parts that requests of more than one surface have in common.
 */

import { z } from "zod";
import {
  METADATA_KEY_CHARACTERS,
  METADATA_KEYS,
  METADATA_VALUE_CHARACTERS,
  PAGE_ITEMS_DEFAULT,
  PAGE_ITEMS_MAX,
} from "./limits.ts";

/** A map that keeps every key it is given, `__proto__` too, which an object schema would drop in silence. */
export function entriesOf<K extends z.ZodType<string>, V extends z.ZodType>(
  key: K,
  value: V,
  max: number,
) {
  return z
    .custom<Record<string, unknown>>(
      (map) => typeof map === "object" && map !== null && !Array.isArray(map),
      "must be a map",
    )
    .transform((map) => Object.entries(map))
    .pipe(z.array(z.tuple([key, value])).max(max, `must have at most ${max} keys`));
}

/** What a caller notes on a turn: `metadata` on one surface, `labels` on the other. */
export const metadataSchema = entriesOf(
  z.string().min(1).max(METADATA_KEY_CHARACTERS),
  z.string().max(METADATA_VALUE_CHARACTERS),
  METADATA_KEYS,
).transform((entries): Record<string, string> => Object.fromEntries(entries));

/** How many items of a list a page holds. */
export const pageLimit = z
  .string()
  .regex(/^[0-9]{1,3}$/, `must be a whole number from 1 to ${PAGE_ITEMS_MAX}`)
  .transform(Number)
  .pipe(z.int().min(1).max(PAGE_ITEMS_MAX))
  .default(PAGE_ITEMS_DEFAULT);
