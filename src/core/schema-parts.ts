/**
 * Owns: the parts of which several schemas are made. Does not own: those that requests alone have in common (`wire.ts`).
 */

import * as z from "zod";
import type { Json, JsonObject } from "./json.ts";

export const time = z.iso.datetime();
export const count = z.int().min(0);

/**
 * JSON that a parser made. Not zod's own check of it, which drops a member called `__proto__` in silence. A new schema for
 * each place, since the document of the API says of each place on its own what it takes.
 */
export function givenJson(): z.ZodType<Json> {
  return z.custom<Json>((value) => value !== undefined, "must be given");
}

/** JSON that was checked where it came in: it is not walked again, and its JSON Schema is `{}`. */
export const checkedJson = z.unknown() as z.ZodType as z.ZodType<Json>;
export const checkedJsonObject = z.record(
  z.string(),
  checkedJson,
) as z.ZodType as z.ZodType<JsonObject>;

/** An array that its readers leave as it is. */
export function list<S extends z.ZodType>(item: S): z.ZodType<readonly z.output<S>[]> {
  return z.array(item);
}
