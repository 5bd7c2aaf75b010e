/**
 * Owns: the languages in which Holdpoint itself speaks to people. What a model or a person wrote is in whatever language
 * they wrote. Does not own: the words.
 */

import * as z from "zod";

export const LANGUAGES = ["en", "de"] as const;
export const languageSchema = z.enum(LANGUAGES);
export type Language = z.output<typeof languageSchema>;

export const DEFAULT_LANGUAGE: Language = "en";

/** The one of ours that a reader likes best, by the header `Accept-Language`. */
export function preferredLanguage(header: string | undefined): Language {
  const wishes = (header ?? "")
    .split(",")
    .map((wish) => {
      const [tag = "", ...parameters] = wish.toLowerCase().split(";");
      const quality = parameters.find((parameter) => parameter.trim().startsWith("q="));
      return {
        language: LANGUAGES.find((language) => language === tag.trim().split("-")[0]),
        quality: quality === undefined ? 1 : Number(quality.trim().slice("q=".length)),
      };
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((one, other) => other.quality - one.quality);
  return wishes.find(({ language }) => language !== undefined)?.language ?? DEFAULT_LANGUAGE;
}
