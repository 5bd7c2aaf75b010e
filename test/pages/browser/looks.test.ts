/** Each state of the answer page as people see it: judged by axe, and pictured in test-artifacts/ for human eyes. */

import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Question } from "../../../src/core/question.ts";
import type { Brand } from "../../../src/core/brand.ts";
import type { Language } from "../../../src/core/language.ts";
import type { Look } from "../../../src/pages/look.ts";
import {
  APPLICATION,
  APPROVAL,
  CHOICE,
  EDITABLE,
  FORM,
  JSON_VALUE,
  MULTIPLE,
  OPEN,
} from "../questions.ts";
import {
  ARTIFACTS,
  DESKTOP,
  EVERY_STATE,
  expectNoSidewaysScroll,
  PHONE,
  useChromium,
  type Opened,
} from "./chromium.ts";
import { HAS_CHROMIUM } from "./installed.ts";

interface State {
  readonly question: Question;
  /** The button to press before looking. */
  readonly press?: string;
  /** What happens while the page is open. */
  readonly meanwhile?: Partial<Question>;
  /** Of the link. */
  readonly query?: string;
}

const SETTLED = {
  answeredBy: "ada@example.com",
  answeredAt: "2026-11-30T09:30:00.000Z",
  answeredVia: "page",
} as const;

const STATES: Readonly<Record<string, State>> = {
  choice: {
    question: { ...CHOICE, to: "ada@example.com", expiresAt: "2026-12-05T09:05:00.000Z" },
    query: "?option=deny",
  },
  "choice-issues": { question: CHOICE, press: "Send answer" },
  multiple: { question: MULTIPLE },
  "open-issues": { question: OPEN, press: "Send answer" },
  "form-issues": { question: FORM, press: "Send answer" },
  approval: { question: APPROVAL },
  "approval-editable": { question: EDITABLE },
  denied: { question: APPROVAL, press: "Deny" },
  fields: { question: APPLICATION },
  "fields-issues": { question: APPLICATION, press: "Send answer" },
  "json-issues": { question: JSON_VALUE, press: "Send answer" },
  "form-answered": {
    question: {
      ...FORM,
      ...SETTLED,
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
  "fields-answered": {
    question: {
      ...APPLICATION,
      ...SETTLED,
      status: "answered",
      answer: {
        value: {
          applicant: "Ada",
          insured: true,
          purpose: "house",
          papers: ["Payslip", "Contract"],
          address: { street: "High Street", city: "Ely" },
        },
      },
    },
  },
  "answered-by-another": {
    question: CHOICE,
    press: "Decline",
    meanwhile: { ...SETTLED, status: "answered", answer: { option: "deny", text: "Too high." } },
  },
  declined: { question: { ...OPEN, ...SETTLED, status: "declined", reason: "Not mine to say." } },
  cancelled: {
    question: {
      ...OPEN,
      status: "cancelled",
      reason: "The application was withdrawn.",
      history: [{ at: "2026-11-30T09:30:00.000Z", event: "question.cancelled" }],
    },
  },
  expired: { question: { ...OPEN, status: "expired", expiresAt: "2026-11-30T09:30:00.000Z" } },
};

/** States that have between them every part of the page: judging one takes seconds. */
const ALL_PARTS = new Set([
  "choice-issues",
  "form-issues",
  "approval-editable",
  "fields-issues",
  "fields-answered",
  "declined",
  "forged",
]);

/** The two with most of them: what else is judged in light has no colours of its own in the dark. */
const RICHEST = new Set(["approval-editable", "fields-issues"]);

/** One window for all of them, each question under an id of its own. */
const NUMBERED = Object.entries(STATES).map(([name, state], n) => {
  const requestId = state.question.requestId.slice(0, -2) + (32 + n).toString(16);
  return { ...state, name, question: { ...state.question, requestId } };
});

async function expectNoViolation(page: Page, name: string): Promise<void> {
  // Legacy only in that it opens no second window, which frames of other origins would need.
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    // Of WCAG 2.2, and off unless asked for.
    .options({ resultTypes: ["violations"], rules: { "target-size": { enabled: true } } })
    .analyze();
  const found = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
  expect([name, found]).toEqual([name, []]);
  await expectNoSidewaysScroll(page);
}

async function show(
  { page, desk, visit }: Opened,
  { question, press, meanwhile, query = "" }: State,
): Promise<void> {
  await visit((await desk.linkTo(question)) + query);
  if (meanwhile !== undefined) desk.put({ ...question, ...meanwhile });
  if (press !== undefined) {
    await page.getByRole("button", { name: press }).click();
    await page.locator('[role="alert"], [role="status"]').waitFor();
  }
  for (const summary of await page.locator("details:not([open]) > summary").all())
    await summary.click();
}

const SCHEMES = ["light", "dark"] as const;

const LOGO = `data:image/svg+xml,${encodeURIComponent(
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 120 32'><rect width='32' height='32' rx='8' fill='#e4002b'/><text x='40' y='23' font-family='sans-serif' font-size='20' font-weight='700'>Acme</text></svg>",
)}`;

const LOOKS: Readonly<Record<string, Partial<Look>>> = {
  yellow: { brand: { name: "Acme Bank", colour: "#ffe600" }, language: "de" },
  navy: { brand: { name: "Acme Bank", colour: "#0a1a3c" } },
  logo: { brand: { name: "Acme", colour: "#e4002b", logo: LOGO }, language: "de" },
};

describe.skipIf(!HAS_CHROMIUM)("the answer page", () => {
  const { openWindow } = useChromium();

  // Colours don't depend on the size, nor the layout on the colours: two windows show all four.
  for (const [size, colorScheme, viewport] of [
    ["desktop", "light", DESKTOP],
    ["phone", "dark", PHONE],
  ] as const)
    it(`has nothing that axe objects to, nor anything to scroll sideways, in ${colorScheme} on a ${size}`, async () => {
      const questions = NUMBERED.map(({ question }) => question);
      const opened = await openWindow(questions, { colorScheme, viewport });
      const { page, desk, visit, complaints } = opened;

      async function look(name: string): Promise<void> {
        if (colorScheme === "light" || EVERY_STATE || RICHEST.has(name))
          await expectNoViolation(page, name);
        else await expectNoSidewaysScroll(page);
        const path = `${ARTIFACTS}/${name}-${size}-${colorScheme}.png`;
        await page.screenshot({ path, fullPage: true });
      }

      // In the dark, and on a phone, each part is looked at once; on a desktop, too, unless all is asked for.
      const states =
        colorScheme === "light" && EVERY_STATE
          ? NUMBERED
          : NUMBERED.filter(({ name }) => ALL_PARTS.has(name));
      for (const state of states) {
        await show(opened, state);
        await look(state.name);
      }
      await visit("/a/nothing");
      await look("forged");
      await visit(await desk.linkTo(CHOICE, { expiresAt: 1 }));
      await look("link-expired");
      // The browser itself notes each answer of 4xx.
      expect(complaints.filter((text) => !text.includes("status of 4"))).toEqual([]);
    }, 600_000);

  it("has nothing that axe objects to in the colours of a brand, light and dark", async () => {
    const look: { language?: Language; brand?: Brand } = {};
    const opened = await openWindow([EDITABLE, FORM], { viewport: PHONE }, { look });
    const { page, desk, visit, complaints } = opened;
    for (const [name, chosen] of Object.entries(LOOKS)) {
      Object.assign(look, { language: undefined }, chosen);
      const kinds = name === "yellow" ? { editable: EDITABLE } : { form: FORM };
      for (const [kind, question] of Object.entries(kinds)) {
        await visit(`${await desk.linkTo(question)}?q0=1&q1=1`);
        for (const colorScheme of name === "logo" ? (["light"] as const) : SCHEMES) {
          await page.emulateMedia({ colorScheme });
          await expectNoViolation(page, `${name} ${kind} ${colorScheme}`);
          const path = `${ARTIFACTS}/brand-${name}-${kind}-${colorScheme}.png`;
          await page.screenshot({ path, fullPage: true });
        }
      }
    }
    expect(complaints).toEqual([]);
  }, 600_000);
});
