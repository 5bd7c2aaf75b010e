/**
 * Owns: the options of how the pages and mails that people get speak and look, and their check.
 */

import * as z from "zod";
import { type Brand, type BrandOptions, brandSchema } from "./core/brand.ts";
import { issuesOf } from "./core/issue.ts";
import { type Language, languageSchema } from "./core/language.ts";

export interface LookOptions {
  /** In which language: `en` or `de`. Without it a page takes the reader's. */
  readonly lang?: Language;
  readonly brand?: BrandOptions;
}

const lookSchema = z.object({
  lang: languageSchema.optional(),
  brand: brandSchema.optional(),
});

/** What an author chose of how people are spoken to. Throws a TypeError that names each option that is wrong. */
export function lookOf(options: LookOptions): {
  readonly language?: Language;
  readonly brand?: Brand;
} {
  const parsed = lookSchema.safeParse({ lang: options.lang, brand: options.brand });
  if (!parsed.success)
    throw new TypeError(
      `createHarness: ${issuesOf(parsed.error)
        .map(({ path, message }) => `${path}: ${message}`)
        .join("; ")}`,
    );
  const { lang, brand } = parsed.data;
  return { ...(lang !== undefined && { language: lang }), ...(brand !== undefined && { brand }) };
}
