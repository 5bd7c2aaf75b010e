/** The answer page in a real browser: with scripts and without, by the keyboard, with hostile content. */

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Question } from "../../../src/core/question.ts";
import { APPROVAL, CHOICE, FORM, MULTIPLE, OPEN, STRICT_CHOICE, VALUE } from "../questions.ts";
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

async function sendAnswer(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Send answer" }).click();
  await page.getByRole("heading", { name: "Recorded." }).waitFor();
}

describe.skipIf(!HAS_CHROMIUM)("the answer page in chromium", { timeout: 60_000 }, () => {
  const { open, openWindow } = useChromium();

  for (const javaScriptEnabled of SCRIPTS) {
    describe(javaScriptEnabled ? "with scripts" : "without scripts", () => {
      it("answers a single choice with a note", async () => {
        const opened = await open(CHOICE, { javaScriptEnabled });
        const { page, complaints } = opened;
        await page.getByRole("radio", { name: "Approve" }).check();
        await page.getByLabel("In your own words").fill("Fine,\nwith the co-signer.");
        await sendAnswer(page);
        expect(answerOf(opened, CHOICE)).toEqual({
          option: "approve",
          text: "Fine,\nwith the co-signer.",
        });
        expect(complaints).toEqual([]);
      });

      it("answers a choice of several, an open question, a form, a value", async () => {
        const questions = [MULTIPLE, OPEN, FORM, VALUE];
        const opened = await openWindow(questions, { javaScriptEnabled });
        const { page, desk, visit } = opened;

        await visit(await desk.linkTo(MULTIPLE));
        await page.getByLabel("Payslip").check();
        await page.getByLabel("Contract").check();
        await sendAnswer(page);

        await visit(await desk.linkTo(OPEN));
        await page.getByRole("textbox", { name: "Your answer" }).fill("We are sorry.");
        await sendAnswer(page);

        await visit(await desk.linkTo(FORM));
        const scope = page.getByRole("group", { name: "Which scope should be used?" });
        await scope.getByRole("radio", { name: "Broad" }).check();
        await scope.getByRole("radio", { name: "None of these" }).check();
        await scope.getByRole("textbox").fill("Half of it");
        await page.getByRole("checkbox", { name: "Docs" }).check();
        await sendAnswer(page);

        await visit(await desk.linkTo(VALUE));
        await page.getByLabel("Low").fill("1");
        await page.getByLabel("High").fill("2");
        await sendAnswer(page);

        expect(questions.map((question) => answerOf(opened, question))).toEqual([
          { options: ["payslip", "contract"] },
          { text: "We are sorry." },
          {
            answers: {
              "Which scope should be used?": "Half of it",
              "Which outputs do you need?": ["Docs"],
            },
          },
          { value: { low: 1, high: 2 } },
        ]);
      });

      it("approves, denies and declines", async () => {
        const other = { ...APPROVAL, requestId: OPEN.requestId };
        const opened = await openWindow([APPROVAL, other, CHOICE], { javaScriptEnabled });
        const { page, desk, visit } = opened;

        await visit(await desk.linkTo(APPROVAL));
        await page.getByRole("button", { name: "Approve" }).click();
        await page.getByRole("heading", { name: "Approved" }).waitFor();
        expect(answerOf(opened, APPROVAL)).toEqual({ approved: true });

        await visit(await desk.linkTo(other));
        await page.getByLabel("Reason to deny").fill("Wrong address.");
        await page.getByRole("button", { name: "Deny" }).click();
        await page.getByRole("heading", { name: "Denied" }).waitFor();
        expect(answerOf(opened, other)).toEqual({ approved: false, reason: "Wrong address." });

        await visit(await desk.linkTo(CHOICE));
        await page.getByLabel("Reason").fill("Not mine.");
        await page.getByRole("button", { name: "Decline" }).click();
        await page.getByRole("heading", { name: "Declined" }).waitFor();
        const declined = { status: "declined", reason: "Not mine." };
        expect(desk.question(CHOICE.requestId)).toMatchObject(declined);
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
        await sendAnswer(page);
        expect(answerOf(opened, STRICT_CHOICE)).toEqual({
          option: "deny",
          text: "Two <b>lines</b>\n& more",
        });
      });

      it("records once, and shows the receipt when the page is loaded again", async () => {
        const opened = await open(CHOICE, { javaScriptEnabled });
        const { page, requests } = opened;
        await page.getByRole("radio", { name: "Deny" }).check();
        await sendAnswer(page);
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
});
