/** Each state of the answer page as people see it: judged by axe, and pictured in test-artifacts/ for human eyes. */

import { AxeBuilder } from "@axe-core/playwright";
import { describe, expect, it } from "vitest";
import type { Question } from "../../../src/core/question.ts";
import { APPROVAL, CHOICE, FORM, MULTIPLE, OPEN, VALUE } from "../questions.ts";
import {
  ARTIFACTS,
  DESKTOP,
  expectNoSidewaysScroll,
  HAS_CHROMIUM,
  PHONE,
  useChromium,
} from "./chromium.ts";

interface Look {
  readonly question: Question;
  /** The button to press before looking. */
  readonly press?: string;
}

const SETTLED = {
  answeredBy: "ada@example.com",
  answeredAt: "2026-11-30T09:30:00.000Z",
  answeredVia: "page",
} as const;

const LOOKS: Readonly<Record<string, Look>> = {
  choice: { question: { ...CHOICE, to: "ada@example.com", expiresAt: "2026-12-05T09:05:00.000Z" } },
  "choice-issues": { question: CHOICE, press: "Send answer" },
  multiple: { question: MULTIPLE },
  "open-issues": { question: OPEN, press: "Send answer" },
  "form-issues": { question: FORM, press: "Send answer" },
  approval: { question: APPROVAL },
  denied: { question: APPROVAL, press: "Deny" },
  "value-issues": { question: VALUE, press: "Send answer" },
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
  declined: { question: { ...OPEN, ...SETTLED, status: "declined", reason: "Not mine to say." } },
};

/** One window for all of them, each question under an id of its own. */
const NUMBERED = Object.entries(LOOKS).map(([name, { question, press }], n) => ({
  name,
  press,
  question: { ...question, requestId: question.requestId.slice(0, -2) + (16 + n).toString(16) },
}));

describe.skipIf(!HAS_CHROMIUM)("the answer page", () => {
  const { openWindow } = useChromium();

  // Colours don't depend on the size, nor the layout on the colours: two windows show all four.
  for (const [size, colorScheme, viewport] of [
    ["desktop", "light", DESKTOP],
    ["phone", "dark", PHONE],
  ] as const) {
    it(`has nothing that axe objects to, nor anything to scroll sideways, in ${colorScheme} on a ${size}`, async () => {
      const questions = NUMBERED.map(({ question }) => question);
      const { page, desk, visit, complaints } = await openWindow(questions, {
        colorScheme,
        viewport,
      });

      async function look(name: string): Promise<void> {
        // Legacy only in that it opens no second window, which frames of other origins would need.
        const { violations } = await new AxeBuilder({ page })
          .setLegacyMode()
          // Of WCAG 2.2, and off unless asked for.
          .options({ rules: { "target-size": { enabled: true } } })
          .analyze();
        const found = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
        expect([name, found]).toEqual([name, []]);
        await expectNoSidewaysScroll(page);
        await page.screenshot({
          path: `${ARTIFACTS}/${name}-${size}-${colorScheme}.png`,
          fullPage: true,
        });
      }

      for (const { name, question, press } of NUMBERED) {
        await visit(await desk.linkTo(question));
        if (press !== undefined) {
          await page.getByRole("button", { name: press }).click();
          await page.locator('[role="alert"], [role="status"]').waitFor();
        }
        await look(name);
      }
      await visit("/a/nothing");
      await look("not-found");
      // The browser itself notes each answer of 4xx.
      expect(complaints.filter((text) => !text.includes("status of 4"))).toEqual([]);
    }, 240_000);
  }
});
