/** A real browser, and questions opened in it. Where none is installed, `left-out.ts` says so at the end. */

import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { Question } from "../../../src/core/question.ts";
import { createDesk, type Desk } from "../desk.ts";
import { CHROMIUM } from "./installed.ts";
import { serve } from "./serve.ts";

export const ARTIFACTS = "test-artifacts/answer-page";
export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };
/** The narrowest width at which WCAG 1.4.10 wants no scrolling to and fro. */
export const NARROWEST = { width: 320, height: 640 };

/** EVERY_STATE=1: all is judged, pictured and filled in, with scripts and without, as `.ci/run` does. */
export const EVERY_STATE = process.env["EVERY_STATE"] === "1";
/** The page has no script of its own: that it needs none is always proved, and in CI that scripts change nothing. */
export const SCRIPTS: readonly boolean[] = EVERY_STATE ? [false, true] : [false];

export const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  // A process less for each browser.
  "--in-process-gpu",
];

export interface Opened {
  readonly page: Page;
  readonly desk: Desk;
  readonly requests: readonly string[];
  /** What the browser complained about: the CSP, a failed load, an error. */
  readonly complaints: readonly string[];
  readonly visit: (path: string) => Promise<void>;
}

export interface Chromium {
  /** A fresh window, with these questions to be had by their links. */
  readonly openWindow: (
    questions: readonly Question[],
    options?: BrowserContextOptions,
    changed?: Parameters<typeof createDesk>[1],
  ) => Promise<Opened>;
  /** A fresh window that shows a question. */
  readonly open: (question: Question, options?: BrowserContextOptions) => Promise<Opened>;
}

/** One browser for all tests of the suite that calls it; windows are closed after each test. */
export function useChromium(): Chromium {
  let browser: Browser;
  const cleanups: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  }, 60_000);
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
  });
  afterAll(() => browser.close());

  async function openWindow(
    questions: readonly Question[],
    options: BrowserContextOptions = {},
    changed: Parameters<typeof createDesk>[1] = {},
  ): Promise<Opened> {
    const desk = createDesk(questions, changed);
    const { origin, requests, close } = await serve(desk.app);
    const context = await browser.newContext({ viewport: DESKTOP, ...options });
    cleanups.push(
      () => context.close(),
      () => close(),
    );
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => void complaints.push(message.text()));
    page.on("pageerror", (error) => void complaints.push(error.message));
    page.on("dialog", (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    const visit = async (path: string) => void (await page.goto(origin + path));
    return { page, desk, requests, complaints, visit };
  }

  return {
    openWindow,
    open: async (question, options) => {
      const opened = await openWindow([question], options);
      await opened.visit(await opened.desk.linkTo(question));
      return opened;
    },
  };
}

export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const excess = await page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  expect(excess).toBe(0);
}
