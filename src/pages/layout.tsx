/**
 * Owns: the document around every page: head, brand, footer; and how a page becomes a string.
 */

import type { Child } from "hono/jsx";
import { ICON_URL, STYLE } from "./style.ts";

export interface LayoutProps {
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
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="referrer" content="no-referrer" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="icon" href={ICON_URL} />
        <style dangerouslySetInnerHTML={{ __html: STYLE }} />
      </head>
      <body>
        {skipTo === undefined ? null : (
          <a class="skip" href={`#${skipTo.id}`}>
            {skipTo.words}
          </a>
        )}
        <header class="bar">
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
            Holdpoint
          </span>
          {state === undefined ? null : <span class={`state ${state.mood}`}>{state.words}</span>}
        </header>
        <main class={isWide === true ? "wide" : undefined}>{children}</main>
        <footer>
          {reference === undefined ? null : (
            <>
              Reference <code>{reference}</code>
            </>
          )}
        </footer>
      </body>
    </html>
  );
}

/** A whole document. Components here are synchronous: nothing is loaded while a page is made. */
export function renderDocument(page: { toString(): string | Promise<string> }): string {
  const html = page.toString();
  if (typeof html !== "string") throw new Error("a page waits for nothing");
  return `<!DOCTYPE html>${html}`;
}
