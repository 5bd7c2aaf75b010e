/** The answer page in a real browser: with and without scripts, by the keyboard, at two sizes, in light and dark. */

import { AxeBuilder } from "@axe-core/playwright";
import { existsSync } from "node:fs";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Question } from "../../../src/core/question.ts";
import { createDesk, type Desk } from "../desk.ts";
import { APPROVAL, CHOICE, FORM, MULTIPLE, OPEN, STRICT_CHOICE, VALUE } from "../questions.ts";
import { serve } from "./serve.ts";

const CHROMIUM = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
const HAS_CHROMIUM = existsSync(CHROMIUM);
const ARTIFACTS = "test-artifacts/answer-page";
const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
/** The narrowest width at which WCAG 1.4.10 wants no scrolling to and fro. */
const NARROWEST = { width: 320, height: 640 };

if (!HAS_CHROMIUM) {
  console.warn(
    `The browser tests are left out: there is no ${CHROMIUM}. Get it with "apt-get install chromium", or name another in CHROMIUM_PATH.`,
  );
}

let browser: Browser;
const cleanups: (() => Promise<void>)[] = [];

interface Opened {
  readonly page: Page;
  readonly desk: Desk;
  readonly requests: readonly string[];
  /** What the browser complained about: the CSP, a failed load, an error. */
  readonly complaints: readonly string[];
}

async function open(
  question: Question,
  options: BrowserContextOptions = {},
  path?: string,
): Promise<Opened> {
  const desk = createDesk([question]);
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
  await page.goto(origin + (path ?? (await desk.linkTo(question))));
  return { page, desk, requests, complaints };
}

function answerOf({ desk }: Opened, question: Question): unknown {
  return desk.question(question.requestId)?.answer;
}

async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const excess = await page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  expect(excess).toBe(0);
}

describe.skipIf(!HAS_CHROMIUM)("the answer page in chromium", { timeout: 60_000 }, () => {
  beforeAll(async () => {
    const args = [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
    ];
    browser = await chromium.launch({ executablePath: CHROMIUM, args });
  }, 60_000);

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
  });

  afterAll(async () => {
    await browser.close();
  });

  for (const javaScriptEnabled of [false, true]) {
    describe(javaScriptEnabled ? "with scripts" : "without scripts", () => {
      it("answers a single choice with a note", async () => {
        const opened = await open(CHOICE, { javaScriptEnabled });
        const { page, complaints } = opened;
        await page.getByRole("radio", { name: "Approve" }).check();
        await page.getByLabel("In your own words").fill("Fine,\nwith the co-signer.");
        await page.getByRole("button", { name: "Send answer" }).click();
        await page.getByRole("heading", { name: "Recorded." }).waitFor();
        expect(answerOf(opened, CHOICE)).toEqual({
          option: "approve",
          text: "Fine,\nwith the co-signer.",
        });
        expect(complaints).toEqual([]);
      });

      it("answers a choice of several, an open question, a form, a value", async () => {
        const several = await open(MULTIPLE, { javaScriptEnabled });
        await several.page.getByLabel("Payslip").check();
        await several.page.getByLabel("Contract").check();
        await several.page.getByRole("button", { name: "Send answer" }).click();
        await several.page.getByRole("heading", { name: "Recorded." }).waitFor();
        expect(answerOf(several, MULTIPLE)).toEqual({ options: ["payslip", "contract"] });

        const text = await open(OPEN, { javaScriptEnabled });
        await text.page
          .getByLabel("Your answer")
          .getByRole("textbox")
          .first()
          .fill("We are sorry.");
        await text.page.getByRole("button", { name: "Send answer" }).click();
        await text.page.getByRole("heading", { name: "Recorded." }).waitFor();
        expect(answerOf(text, OPEN)).toEqual({ text: "We are sorry." });

        const form = await open(FORM, { javaScriptEnabled });
        const scope = form.page.getByRole("group", { name: "Which scope should be used?" });
        await scope.getByRole("radio", { name: "Broad" }).check();
        await scope.getByRole("radio", { name: "None of these" }).check();
        await scope.getByRole("textbox").fill("Half of it");
        await form.page.getByRole("checkbox", { name: "Docs" }).check();
        await form.page.getByRole("button", { name: "Send answer" }).click();
        await form.page.getByRole("heading", { name: "Recorded." }).waitFor();
        expect(answerOf(form, FORM)).toEqual({
          answers: {
            "Which scope should be used?": "Half of it",
            "Which outputs do you need?": ["Docs"],
          },
        });

        const value = await open(VALUE, { javaScriptEnabled });
        await value.page.getByLabel("Limits").fill('{ "low": 1, "high": 2 }');
        await value.page.getByRole("button", { name: "Send answer" }).click();
        await value.page.getByRole("heading", { name: "Recorded." }).waitFor();
        expect(answerOf(value, VALUE)).toEqual({ value: { low: 1, high: 2 } });
      });

      it("approves, denies and declines", async () => {
        const approved = await open(APPROVAL, { javaScriptEnabled });
        await approved.page.getByRole("button", { name: "Approve" }).click();
        await approved.page.getByRole("heading", { name: "Approved" }).waitFor();
        expect(answerOf(approved, APPROVAL)).toEqual({ approved: true });

        const denied = await open(APPROVAL, { javaScriptEnabled });
        await denied.page.getByLabel("Reason to deny").fill("Wrong address.");
        await denied.page.getByRole("button", { name: "Deny" }).click();
        await denied.page.getByRole("heading", { name: "Denied" }).waitFor();
        expect(answerOf(denied, APPROVAL)).toEqual({ approved: false, reason: "Wrong address." });

        const declined = await open(CHOICE, { javaScriptEnabled });
        await declined.page.getByLabel("Reason").fill("Not mine.");
        await declined.page.getByRole("button", { name: "Decline" }).click();
        await declined.page.getByRole("heading", { name: "Declined" }).waitFor();
        expect(declined.desk.question(CHOICE.requestId)).toMatchObject({
          status: "declined",
          reason: "Not mine.",
        });
      });

      it("brings back what does not fit, keeps what was typed, and takes it once it is mended", async () => {
        const opened = await open(STRICT_CHOICE, { javaScriptEnabled });
        const { page } = opened;
        await page.getByLabel("Add a note").fill("\n  Two <b>lines</b>\n& more");
        await page.getByRole("button", { name: "Send answer" }).click();
        const summary = page.getByRole("alert");
        await summary.waitFor();
        expect(await page.getByLabel("Add a note").inputValue()).toBe(
          "\n  Two <b>lines</b>\n& more",
        );
        expect(await page.locator(":focus").getAttribute("role")).toBe("alert");
        await summary.getByRole("link").click();
        await page.getByRole("radio", { name: "Deny" }).check();
        await page.getByRole("button", { name: "Send answer" }).click();
        await page.getByRole("heading", { name: "Recorded." }).waitFor();
        expect(answerOf(opened, STRICT_CHOICE)).toEqual({
          option: "deny",
          text: "Two <b>lines</b>\n& more",
        });
      });

      it("records once, and shows the receipt when the page is loaded again", async () => {
        const opened = await open(CHOICE, { javaScriptEnabled });
        const { page, requests } = opened;
        await page.getByRole("radio", { name: "Deny" }).check();
        await page.getByRole("button", { name: "Send answer" }).click();
        await page.getByRole("heading", { name: "Recorded." }).waitFor();
        const reloaded = await page.reload();
        expect([reloaded?.request().method(), reloaded?.status()]).toEqual(["POST", 200]);
        expect(requests.filter((request) => request.startsWith("POST"))).toHaveLength(2);
        expect(answerOf(opened, CHOICE)).toEqual({ option: "deny" });
      });
    });
  }

  it("is answered by the keyboard alone", async () => {
    const opened = await open(CHOICE);
    const { page } = opened;
    const focused = page.locator(":focus");
    await page.keyboard.press("Tab");
    expect(await focused.textContent()).toBe("Skip to the answer");
    expect(await focused.boundingBox()).toMatchObject({ y: 16 });
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await focused.getAttribute("value")).toBe("approve");
    await page.keyboard.press("ArrowDown");
    expect(await focused.getAttribute("value")).toBe("deny");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Too high.");
    await page.keyboard.press("Tab");
    expect(await focused.textContent()).toBe("Send answer");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Recorded." }).waitFor();
    expect(answerOf(opened, CHOICE)).toEqual({ option: "deny", text: "Too high." });
  });

  it("answers and does not decline when Enter is pressed in a choice", async () => {
    const opened = await open(CHOICE);
    await opened.page.getByRole("radio", { name: "Approve" }).focus();
    await opened.page.keyboard.press("Space");
    await opened.page.keyboard.press("Enter");
    await opened.page.getByRole("heading", { name: "Recorded." }).waitFor();
    expect(answerOf(opened, CHOICE)).toEqual({ option: "approve" });
  });

  it("names a choice by its label and describes it by its description", async () => {
    const { page } = await open(CHOICE);
    const tree = await page.getByRole("radio", { name: "Approve", exact: true }).ariaSnapshot();
    expect(tree).toContain('radio "Approve"');
    expect(await page.getByRole("group", { name: "Choose one" }).count()).toBe(1);
  });

  it("neither runs, loads nor reorders anything that was written into a question", async () => {
    const hostile =
      '</textarea></style><script>document.title="owned"</script><img src="/loaded" onerror="alert(1)">';
    const reversed = "\u202Edesrever";
    const question: Question = {
      ...CHOICE,
      agent: reversed,
      question: `${reversed}\n${hostile}`,
      context: `${hostile}\n\n![x](/loaded) [click](javascript:alert(1))\n\n<iframe src="/loaded"></iframe>\n\n${reversed}`,
      options: [
        { id: "a", label: reversed, description: hostile },
        { id: "b", label: hostile },
      ],
    };
    const { page, requests, complaints } = await open(question);
    expect(requests).toHaveLength(1);
    expect(complaints).toEqual([]);
    expect(await page.title()).not.toBe("owned");
    expect(await page.locator("script, img, iframe").count()).toBe(0);
    expect(await page.getByRole("link", { name: "click" }).count()).toBe(0);
    await page.screenshot({ path: `${ARTIFACTS}/hostile.png`, fullPage: true });
  });

  it("holds words of 8000 characters without a space on the narrowest screen", async () => {
    const word = "W".repeat(8_000);
    const question: Question = {
      ...CHOICE,
      agent: word,
      question: word,
      context: `${word}\n\n# ${word}\n\n\`${word}\`\n\n|a|\n|-|\n|${word}|\n\n\`\`\`\n${word}\n\`\`\``,
      options: [
        { id: "a", label: word, description: word },
        { id: "b", label: "B" },
      ],
    };
    const { page } = await open(question, { viewport: NARROWEST });
    await expectNoSidewaysScroll(page);
    const approval = await open(
      { ...APPROVAL, toolName: word, arguments: { [word]: word } },
      { viewport: NARROWEST },
    );
    await expectNoSidewaysScroll(approval.page);
  });

  const settled = {
    answeredBy: "ada@example.com",
    answeredAt: "2026-11-30T09:30:00.000Z",
    answeredVia: "page",
  } as const;
  const STATES: Readonly<
    Record<string, { readonly question: Question; readonly path?: string; readonly send?: string }>
  > = {
    choice: {
      question: { ...CHOICE, to: "ada@example.com", expiresAt: "2026-12-05T09:05:00.000Z" },
    },
    "choice-issues": { question: CHOICE, send: "Send answer" },
    multiple: { question: MULTIPLE },
    open: { question: OPEN },
    "open-issues": { question: OPEN, send: "Send answer" },
    form: { question: FORM },
    "form-issues": { question: FORM, send: "Send answer" },
    approval: { question: APPROVAL },
    value: { question: VALUE },
    "value-issues": { question: VALUE, send: "Send answer" },
    answered: {
      question: {
        ...CHOICE,
        ...settled,
        status: "answered",
        answer: { option: "approve", text: "Fine." },
      },
    },
    "form-answered": {
      question: {
        ...FORM,
        ...settled,
        status: "answered",
        answer: {
          answers: {
            "Which scope should be used?": "Half of it",
            "Which outputs do you need?": ["Code", "Docs"],
          },
          response: "Go on.",
        },
      },
    },
    declined: { question: { ...OPEN, ...settled, status: "declined", reason: "Not mine to say." } },
    recorded: { question: APPROVAL, send: "Deny" },
    "not-found": { question: CHOICE, path: "/a/nothing" },
  };

  for (const colorScheme of ["light", "dark"] as const) {
    for (const [size, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
      it(`has nothing that axe objects to, nor anything to scroll sideways, in ${colorScheme} on a ${size}`, async () => {
        for (const [name, { question, path, send }] of Object.entries(STATES)) {
          const { page } = await open(question, { colorScheme, viewport }, path);
          if (send !== undefined) {
            await page.getByRole("button", { name: send }).click();
            await page.locator('[role="alert"], [role="status"]').waitFor();
          }
          const { violations } = await new AxeBuilder({ page }).analyze();
          const found = violations.map(({ id, nodes }) => ({
            name,
            id,
            where: nodes.map(({ html }) => html),
          }));
          expect(found).toEqual([]);
          await expectNoSidewaysScroll(page);
          await page.screenshot({
            path: `${ARTIFACTS}/${name}-${size}-${colorScheme}.png`,
            fullPage: true,
          });
        }
      }, 120_000);
    }
  }
});
