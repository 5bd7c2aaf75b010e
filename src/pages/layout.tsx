/**
 * Owns: the document around every page: head, brand, footer; and how a page becomes a string.
 */

import type { Child } from "hono/jsx";
import { shorten } from "../core/text.ts";
import { LookContext, useLook, useWords, type Look } from "./look.ts";
import { iconUrl, styleOf } from "./style.ts";

export interface LayoutProps {
  /** Of the window; the brand's name is put behind it. */
  readonly title: string;
  /** The few words at the top that say how things stand. */
  readonly state?: { readonly words: string; readonly mood: "open" | "done" | "quiet" };
  /** What to quote when asking somebody about this page. */
  readonly reference?: string;
  /** Two columns where there is room for them. */
  readonly isWide?: boolean;
  /** Where the keyboard may jump to. */
  readonly skipTo?: { readonly id: string; readonly words: string };
  readonly children: Child;
}

export function Layout({ title, state, reference, isWide, skipTo, children }: LayoutProps) {
  const { language, brand } = useLook();
  const words = useWords();
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="referrer" content="no-referrer" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · ${titleOf(brand.name)}`}</title>
        <link rel="icon" href={iconUrl(brand)} />
        <style dangerouslySetInnerHTML={{ __html: styleOf(brand) }} />
      </head>
      <body>
        {skipTo === undefined ? null : (
          <a class="skip" href={`#${skipTo.id}`}>
            {skipTo.words}
          </a>
        )}
        <header class="bar">
          <BrandMark />
          {state === undefined ? null : <span class={`state ${state.mood}`}>{state.words}</span>}
        </header>
        <main class={isWide === true ? "wide" : undefined}>{children}</main>
        <footer>
          {reference === undefined ? null : (
            <>
              {words.reference} <code>{reference}</code>
            </>
          )}
        </footer>
      </body>
    </html>
  );
}

/** A logo says the name itself. */
function BrandMark() {
  const { brand } = useLook();
  if (brand.logo !== undefined)
    return (
      <span class="brand logo">
        <img src={brand.logo} alt={brand.name} />
      </span>
    );
  return (
    <span class="brand">
      <svg
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        stroke-width="2.5"
        aria-hidden="true"
      >
        <circle cx="12" cy="12" r="9.5" />
        <path d="M9.5 8v8M14.5 8v8" stroke-linecap="round" />
      </svg>
      <bdi>{brand.name}</bdi>
    </span>
  );
}

const TITLE_CHARACTERS = 80;

/** The start of a text on one line, for a place where nothing can be isolated: a window's title. */
export function titleOf(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return shorten(line, TITLE_CHARACTERS);
}

/** A whole document. Components here are synchronous: nothing is loaded while a page is made. */
export function renderDocument(look: Look, page: Child): string {
  const html = (<LookContext.Provider value={look}>{page}</LookContext.Provider>).toString();
  if (typeof html !== "string") throw new Error("a page waits for nothing");
  return `<!DOCTYPE html>${html}`;
}
