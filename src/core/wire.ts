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

const entry = z.tuple([
  z.string().min(1).max(METADATA_KEY_CHARACTERS),
  z.string().max(METADATA_VALUE_CHARACTERS),
]);

/**
 * What a caller notes on a turn: `metadata` on one surface, `labels` on the other. Read by its entries, since an object
 * schema would drop the key `__proto__` in silence.
 */
export const metadataSchema = z
  .custom<Record<string, unknown>>(
    (map) => typeof map === "object" && map !== null && !Array.isArray(map),
    "must be a map",
  )
  .transform((map) => Object.entries(map))
  .refine((entries) => entries.length <= METADATA_KEYS, `must have at most ${METADATA_KEYS} keys`)
  .pipe(z.array(entry))
  .transform((entries): Record<string, string> => Object.fromEntries(entries));

/** How many items of a list a page holds. */
export const pageLimit = z
  .string()
  .regex(/^[0-9]{1,3}$/, `must be a whole number from 1 to ${PAGE_ITEMS_MAX}`)
  .transform(Number)
  .pipe(z.int().min(1).max(PAGE_ITEMS_MAX))
  .default(PAGE_ITEMS_DEFAULT);
