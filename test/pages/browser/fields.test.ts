/** Forms that are drawn from a schema, or from the arguments of a call, in a real browser. */

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { Question } from "../../../src/core/question.ts";
import { APPLICATION, EDITABLE, VALUE } from "../questions.ts";
import {
  ARTIFACTS,
  expectNoSidewaysScroll,
  NARROWEST,
  useChromium,
  type Opened,
  SCRIPTS,
} from "./chromium.ts";
import { HAS_CHROMIUM } from "./installed.ts";

function answerOf({ desk }: Opened, question: Question): unknown {
  return desk.question(question.requestId)?.answer;
}

async function send(page: Page, button: string): Promise<void> {
  await page.getByRole("button", { name: button }).click();
}

async function isRecorded(page: Page): Promise<void> {
  await page.getByRole("heading", { name: "Recorded." }).waitFor();
}

describe.skipIf(!HAS_CHROMIUM)("a form that was drawn", { timeout: 60_000 }, () => {
  const { open, openWindow } = useChromium();

  for (const javaScriptEnabled of SCRIPTS)
    it(`is filled in by its labels, comes back with all that was typed, and is sent, ${javaScriptEnabled ? "with" : "without"} scripts`, async () => {
      const opened = await openWindow([APPLICATION, EDITABLE], { javaScriptEnabled });
      const { page, desk, visit, complaints } = opened;
      await visit(await desk.linkTo(APPLICATION));
      expect(await page.getByRole("spinbutton", { name: "Months" }).inputValue()).toBe("60");
      await page.getByRole("textbox", { name: "Where to write" }).fill("ada@example.com");
      await page.getByLabel("First payment").fill("2027-01-31");
      await page.getByLabel("When to call").fill("2026-12-01T10:30");
      await page.getByRole("spinbutton", { name: "Rate" }).fill("4.25");
      await page
        .getByRole("group", { name: "Insured?" })
        .getByRole("radio", { name: "No" })
        .check();
      await page.getByRole("combobox", { name: "Currency" }).selectOption("CHF");
      await page.getByRole("checkbox", { name: "Contract" }).check();
      await page.getByRole("textbox", { name: "Tags" }).fill("one\n\ntwo");
      const address = page.getByRole("group", { name: "Address" });
      await address.getByRole("textbox", { name: "Street" }).fill("High Street");
      await page
        .getByRole("textbox", { name: "Unusual instalments" })
        .fill('[{"month":3,"amount":1}]');
      await send(page, "Send answer");

      const summary = page.getByRole("alert");
      await summary.waitFor();
      expect(await page.locator(":focus").getAttribute("role")).toBe("alert");
      expect(await summary.getByRole("listitem").allTextContents()).toEqual([
        "Applicant: Fill this in.",
        "Purpose: Choose one of these.",
        "City: Fill this in.",
      ]);
      const applicant = page.getByRole("textbox", { name: "Applicant" });
      const described = (await applicant.getAttribute("aria-describedby")) ?? "";
      expect(described.split(" ")).toContain("value_0-issue");
      await summary.getByRole("link", { name: "Applicant" }).click();
      await page.keyboard.type("Ada");
      await page.getByRole("radio", { name: "A house" }).check();
      await address.getByRole("textbox", { name: "City" }).fill("Ely");
      await send(page, "Send answer");
      await isRecorded(page);
      expect(answerOf(opened, APPLICATION)).toEqual({
        value: {
          applicant: "Ada",
          email: "ada@example.com",
          firstPayment: "2027-01-31",
          call: "2026-12-01T10:30:00Z",
          rate: 4.25,
          months: 60,
          insured: false,
          purpose: "house",
          currency: "CHF",
          papers: ["Contract"],
          tags: ["one", "two"],
          address: { street: "High Street", city: "Ely" },
          instalments: [{ month: 3, amount: 1 }],
        },
      });

      await visit(await desk.linkTo(EDITABLE));
      await page.getByText("Change the arguments first").click();
      await page.getByRole("textbox", { name: "To", exact: true }).fill("nobody");
      await send(page, "Approve");
      await page.getByRole("link", { name: "To: Invalid email address." }).click();
      await page.locator(":focus").fill("bob@example.com");
      await page.getByRole("group", { name: "Urgent" }).getByRole("radio", { name: "Yes" }).check();
      await send(page, "Approve");
      await isRecorded(page);
      expect(answerOf(opened, EDITABLE)).toEqual({
        approved: true,
        input: { ...(EDITABLE.arguments as JsonObject), to: "bob@example.com", urgent: true },
      });
      expect(complaints.filter((text) => !text.includes("status of 422"))).toEqual([]);
    });

  it("changes no argument of a call that is approved without a look at them", async () => {
    const opened = await open(EDITABLE);
    await send(opened.page, "Approve");
    await isRecorded(opened.page);
    expect(answerOf(opened, EDITABLE)).toEqual({ approved: true });
  });

  it("gives back what it was opened with, however large or fine", async () => {
    const value = {
      id: 1_234_567_890_123_456_800,
      size: -1e23,
      at: "2026-01-01T00:00:00.120Z",
      local: "2026-12-01T10:05:00.123456+01:00",
      more: [{ id: 9_007_199_254_740_992 }],
    };
    const time = { type: "string", format: "date-time" };
    const properties = { id: { type: "integer" }, size: { type: "number" }, at: time, local: time };
    const answerSchema = {
      type: "object",
      properties: { ...properties, more: { type: "array", items: { type: "object" } } },
      default: value,
    };
    const question: Question = { ...VALUE, answerSchema };
    const opened = await open(question);
    await send(opened.page, "Send answer");
    await isRecorded(opened.page);
    expect(answerOf(opened, question)).toEqual({ value });
  });

  it("is held back by the browser while it has what could not be sent, and can be declined all the same", async () => {
    const opened = await open(APPLICATION);
    const { page, requests } = opened;
    await page.getByRole("spinbutton", { name: "Rate" }).fill("99");
    await send(page, "Send answer");
    expect(await page.locator("input:invalid").getAttribute("name")).toBe("value_5");
    expect(requests.filter((request) => request.startsWith("POST"))).toEqual([]);
    await send(page, "Decline");
    await page.getByRole("heading", { name: "Declined" }).waitFor();
    expect(opened.desk.question(APPLICATION.requestId)?.status).toBe("declined");
  });

  it("neither runs nor loads what its schema says, and fits the narrowest screen", async () => {
    const hostile =
      '</textarea></select></style><script>document.title="owned"</script><img src="/loaded">';
    const word = "W".repeat(8_000);
    const texts = { title: `\u202E${hostile}`, description: `${hostile} javascript:alert(1)` };
    const properties: JsonObject = {
      [hostile]: { type: "string", default: hostile },
      [word]: { type: "string", description: word, default: word },
      choice: { enum: [hostile, word], ...texts },
      select: { enum: [hostile, word.slice(0, 500), 1, 2, 3, 4, 5, 6, 7], ...texts },
      several: { type: "array", items: { enum: [hostile, "b"] }, ...texts },
      group: { type: "object", properties: { inside: { type: "number", ...texts } }, ...texts },
      json: { ...texts, default: { [hostile]: word } },
      link: { type: "string", format: "uri", default: "javascript:alert(1)" },
    };
    const answerSchema = { type: "object", properties, ...texts };
    const { page, requests, complaints } = await open(
      { ...VALUE, answerSchema },
      { viewport: NARROWEST },
    );
    await expectNoSidewaysScroll(page);
    expect(await page.locator("script, img, iframe, [href^=javascript]").count()).toBe(0);
    expect(requests).toHaveLength(1);
    expect(complaints).toEqual([]);
    expect(await page.title()).not.toBe("owned");
    await page.screenshot({ path: `${ARTIFACTS}/hostile-schema.png` });
  });
});
