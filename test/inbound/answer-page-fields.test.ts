import { describe, expect, it } from "vitest";
import type { Question } from "../../src/core/question.ts";
import {
  APPLICATION,
  APPROVAL,
  CHOICE,
  EDITABLE,
  FORM,
  JSON_VALUE,
  VALUE,
} from "../pages/questions.ts";
import { createDesk, fillIn, nonceOf, send } from "../pages/desk.ts";

describe("POST of a form that was drawn", () => {
  it("brings each field of a value back with what was typed and what is wrong with it", async () => {
    const desk = createDesk([APPLICATION]);
    const path = await desk.linkTo(APPLICATION);
    const typed = {
      value_0: "A",
      value_1: "nowhere",
      value_5: "99",
      value_6: "x",
      value_9: "2",
      value_10: "1",
      value_12_0: "High Street",
      value_14: "[{",
    };
    const unread = await fillIn(desk, path, typed);
    expect(unread.status).toBe(422);
    expect(desk.calls).not.toContain("answer");
    expect(await unread.text()).toContain('id="value_14-issue"><p>This is not JSON.');
    const response = await fillIn(desk, path, { ...typed, value_14: '[{"month":"x"}]' });
    expect(response.status).toBe(422);
    const html = await response.text();
    for (const [field, message] of [
      ["value_0", "This must be at least 2 characters."],
      ["value_1", "Enter an email address, such as name@example.com."],
      ["value_5", "This must be at most 12."],
      ["value_6", "Enter a whole number."],
      ["value_7", "Choose one of these."],
      ["value_8", "Choose one of these."],
      ["value_12_1", "Fill this in."],
      ["value_14", "[0].month: This must be of type integer."],
    ])
      expect(html).toContain(`<div class="issue" id="${field}-issue"><p>${message}</p></div>`);
    expect(html).toContain('<a href="#value_7-0"><bdi>Insured?</bdi> Choose one of these.</a>');
    expect(html).toContain('<a href="#value_12_1"><bdi>City</bdi>: Fill this in.</a>');
    expect(html).toContain('value="99"');
    expect(html).toContain('value="High Street"');
    expect(html).toMatch(/<option value="2" selected=""/);
    expect(html).toMatch(/value="1" id="value_10-1" checked=""/);
    const mended = await fillIn(desk, path, {
      value_0: "Ada",
      value_1: "",
      value_3: "2027-01-31",
      value_4: "2026-12-01T10:30",
      value_5: "4.25",
      value_6: "48",
      value_7: "false",
      value_8: "1",
      value_9: "1",
      value_10: "0",
      value_11: "one\r\n\r\n two",
      value_12_0: "",
      value_13: " ",
      value_14: "",
    });
    expect(mended.status).toBe(200);
    expect(desk.question(APPLICATION.requestId)?.answer).toEqual({
      value: {
        applicant: "Ada",
        firstPayment: "2027-01-31",
        call: "2026-12-01T10:30:00Z",
        rate: 4.25,
        months: 48,
        insured: false,
        purpose: "house",
        currency: "CHF",
        papers: ["Payslip"],
        tags: ["one", "two"],
      },
    });
  });

  it("says of a number that is too large how large it may be", async () => {
    const desk = createDesk([APPLICATION, EDITABLE]);
    const path = await desk.linkTo(APPLICATION);
    const fields = { value_5: "-9007199254740993.0", value_6: " 1e999 " };
    const html = await (await fillIn(desk, path, fields)).text();
    expect(html).toContain('id="value_5-issue"><p>This must be at least -9007199254740991.</p>');
    expect(html).toContain('id="value_6-issue"><p>This must be at most 9007199254740991.</p>');
    for (const [name, value] of [
      ["input_2", "9007199254740993e0"],
      ["input_5", '[{"after": 9007199254740993}]'],
    ] as const) {
      const sent = { action: "approve", [name]: value };
      const response = await fillIn(desk, await desk.linkTo(EDITABLE), sent);
      expect(response.status).toBe(422);
      expect(await response.text()).toContain(
        `id="${name}-issue"><p>This must be at most 9007199254740991.</p>`,
      );
    }
    expect(desk.question(EDITABLE.requestId)?.status).toBe("waiting");
  });

  it("approves with changed arguments, and brings back those that the tool refuses", async () => {
    const desk = createDesk([EDITABLE]);
    const path = await desk.linkTo(EDITABLE);
    const refused = await fillIn(desk, path, { action: "approve", input_0: "nobody" });
    expect(refused.status).toBe(422);
    const html = await refused.text();
    expect(html).toContain('<details class="changes" open="">');
    expect(html).toContain('id="input_0-issue"><p>Invalid email address.</p>');
    expect(html).toContain("nobody</textarea>");
    expect(html).toContain("your loan is approved.</textarea>");
    await fillIn(desk, path, { action: "approve", input_0: "bob@example.com" });
    expect(desk.question(EDITABLE.requestId)?.answer).toEqual({
      approved: true,
      input: { ...(EDITABLE.arguments as object), to: "bob@example.com" },
    });
  });

  it("tells one whose form can't be read that the question has ended, where it has", async () => {
    const desk = createDesk([JSON_VALUE]);
    const path = await desk.linkTo(JSON_VALUE);
    const nonce = nonceOf(await (await desk.app.request(path)).text());
    desk.put({ ...JSON_VALUE, status: "cancelled" });
    for (const fields of [
      { value: "{" },
      { action: "approve" },
      { action: "decline", reason: "x".repeat(4_097) },
    ]) {
      const response = await send(desk, path, { nonce, ...fields });
      expect(response.status).toBe(409);
      expect(await response.text()).toContain("was cancelled");
    }
  });
});

describe("POST of a single choice", () => {
  it("takes none of several where one may be chosen", async () => {
    const choice: Question = { ...VALUE, answerSchema: { enum: ["a", "b"] } };
    const yesNo: Question = { ...VALUE, answerSchema: { type: "boolean" } };
    for (const [question, fields, message] of [
      [CHOICE, "option=deny&option=approve", "Choose from the options shown."],
      [FORM, "q0=1&q0=0&q1=0", "This must use one label"],
      [choice, "value=1&value=0", "Choose one of these."],
      [yesNo, "value=true&value=false", "Choose one of these."],
      [APPROVAL, "action=approve&action=deny", "This is not a button of this form."],
      [CHOICE, "option=deny&action=answer&action=decline", "This is not a button of this form."],
    ] as const) {
      const desk = createDesk([question]);
      const path = await desk.linkTo(question);
      const nonce = nonceOf(await (await desk.app.request(path)).text());
      const body = new URLSearchParams([["nonce", nonce], ...new URLSearchParams(fields)]);
      const response = await desk.app.request(path, { method: "POST", body });
      expect([fields, response.status]).toEqual([fields, 422]);
      expect(await response.text()).toContain(`>${message}`);
      expect(desk.question(question.requestId)?.status).toBe("waiting");
    }
  });
});
