/**
 * Owns: how a page speaks and looks, handed down to whatever stands on it: its language's words, and whose brand it has.
 */

import { createContext, useContext } from "hono/jsx";
import { DEFAULT_BRAND, type Brand } from "../core/brand.ts";
import { DEFAULT_LANGUAGE, type Language } from "../core/language.ts";
import { english } from "./english.tsx";
import { german } from "./german.tsx";
import type { Wording } from "./wording.ts";

export interface Look {
  readonly language: Language;
  readonly brand: Brand;
}

export const DEFAULT_LOOK: Look = { language: DEFAULT_LANGUAGE, brand: DEFAULT_BRAND };

export const LookContext = createContext<Look>(DEFAULT_LOOK);

const WORDINGS: Readonly<Record<Language, Wording>> = { en: english, de: german };

export function wordingOf(language: Language): Wording {
  return WORDINGS[language];
}

export function useLook(): Look {
  return useContext(LookContext);
}

export function useWords(): Wording {
  return wordingOf(useLook().language);
}
