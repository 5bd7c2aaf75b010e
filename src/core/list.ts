/**
 * Owns: lists in an input: how many items, counted before any item is looked at, and no item twice.
 */

import * as z from "zod";

export interface ListBounds {
  readonly min: number;
  readonly max: number;
}

/** zod checks each item before it counts them: a long list of wrong items would cost an issue each. */
export function boundedList<S extends z.ZodType>(
  item: S,
  { min, max }: ListBounds,
): z.ZodType<readonly z.output<S>[], readonly z.input<S>[]> {
  const message = `must be a list of ${min} to ${max}`;
  const error = ({ input }: { readonly input?: unknown }): string =>
    input === undefined ? "is missing" : message;
  const counted = z.preprocess((value, context) => {
    if (!Array.isArray(value) || (value.length >= min && value.length <= max)) return value;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  }, z.array(item, { error }).min(min).max(max));
  return counted as z.ZodType as z.ZodType<readonly z.output<S>[], readonly z.input<S>[]>;
}

/** Adds an issue for each item whose `field` an earlier item has too. */
export function refuseRepeats<T extends object>(
  items: readonly T[],
  field: keyof T & string,
  at: readonly PropertyKey[],
  context: z.RefinementCtx,
): void {
  const seen = new Set<unknown>();
  for (const [i, item] of items.entries()) {
    if (seen.has(item[field]))
      context.addIssue({
        code: "custom",
        path: [...at, i, field],
        message: "must be unique: an earlier one is the same",
      });
    seen.add(item[field]);
  }
}
