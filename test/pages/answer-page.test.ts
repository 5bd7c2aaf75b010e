import { describe, expect, it } from "vitest";
import type { Question } from "../../src/core/question.ts";
import { DEFAULT_BRAND } from "../../src/core/brand.ts";
import { pagePolicy, STYLE } from "../../src/pages/style.ts";
import {
  APPROVAL,
  CHOICE,
  FORM,
  JSON_VALUE,
  MULTIPLE,
  OPEN,
  PLAIN_VALUE,
  STRICT_CHOICE,
  VALUE,
} from "./questions.ts";
import { count, waiting, wordsOf } from "./rendered.ts";

const CHECKED = 'checked=""';
const AT = "2026-12-01T10:30:00.000Z";

describe("the page of a waiting question", () => {
  it("is a whole document in one language, with one style sheet and no script", async () => {
    const html = waiting(CHOICE);
    expect(html).toMatch(/^<!DOCTYPE html><html lang="en">/);
    expect(html).toContain(`<style>${STYLE}</style>`);
    expect(html).not.toContain("<script");
    expect(count(html, /<h1/g)).toBe(1);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(STYLE));
    expect(await pagePolicy(DEFAULT_BRAND)).toContain(
      `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`,
    );
  });

  it("says who asks, since when and until when, and why", () => {
    const words = wordsOf(waiting({ ...CHOICE, expiresAt: AT }));
    expect(words).toContain("The agent loans asks you");
    expect(words).toContain("Asked on 30 November 2026 at 09:05 UTC");
    expect(words).toContain("Open until 1 December 2026 at 10:30 UTC");
    expect(words).toContain("The applicant APP-1008 earns 5 000 €");
  });

  it("holds one form with one hidden field, the nonce", () => {
    for (const question of [CHOICE, MULTIPLE, OPEN, FORM, APPROVAL, VALUE]) {
      const html = waiting(question);
      expect(count(html, /<form /g)).toBe(1);
      expect(html).toContain('<form method="post"');
      expect(html.match(/<input type="hidden"[^>]*>/g)).toEqual([
        '<input type="hidden" name="nonce" value="the-nonce"/>',
      ]);
    }
  });

  it("offers a single choice as radio buttons, and nothing else under their name", () => {
    const html = waiting(CHOICE);
    expect(html).toContain('<input type="radio" name="option" value="approve"');
    expect(html).toContain('<input type="radio" name="option" value="deny"');
    expect(count(html, /name="option"/g)).toBe(2);
    expect(html).not.toContain(CHECKED);
  });

  it("offers a choice of several as checkboxes", () => {
    expect(count(waiting(MULTIPLE), /<input type="checkbox" name="options"/g)).toBe(3);
  });

  it("names an option by its label, and describes it by its description", () => {
    const html = waiting(CHOICE);
    expect(html).toContain(
      'id="option-0" aria-labelledby="option-0-name" aria-describedby="option-0-note"',
    );
    expect(html).toContain('id="option-1" aria-labelledby="option-1-name"/>');
  });

  it("takes words for an answer where text is allowed, and for a note where it is not", () => {
    expect(wordsOf(waiting(CHOICE))).toContain("A note to your choice, or an answer without one.");
    expect(wordsOf(waiting(STRICT_CHOICE))).toContain("Add a note (optional)");
    expect(wordsOf(waiting(OPEN))).toContain("Your answer");
  });

  it("answers by its first button, and declines by its last, with a reason", () => {
    const html = waiting(OPEN);
    expect(
      Array.from(html.matchAll(/<button[^>]* name="action" value="(\w+)"/g), (match) => match[1]),
    ).toEqual(["answer", "decline"]);
    expect(html).toContain('<textarea id="reason" name="reason"');
  });

  it("chooses an option beforehand where it is told to, and any other not", () => {
    const html = waiting(CHOICE, { typed: new URLSearchParams({ option: "deny" }) });
    expect(html).toMatch(/value="deny" id="option-1" checked=""/);
    expect(html.split(CHECKED).length - 1).toBe(1);
    expect(waiting(CHOICE, { typed: new URLSearchParams({ option: "hold" }) })).not.toContain(
      CHECKED,
    );
  });

  it("asks each question of a form with its options and with words of one's own", () => {
    const html = waiting(FORM);
    expect(count(html, /<fieldset/g)).toBe(2);
    expect(count(html, /<input type="radio" name="q0"/g)).toBe(3);
    expect(count(html, /<input type="checkbox" name="q1"/g)).toBe(2);
    for (const name of ["q0_other", "q1_other", "response", "reason"])
      expect(html).toContain(`<textarea id="${name}" name="${name}"`);
    expect(wordsOf(html)).toContain("2 questions for you");
  });

  it("shows an approval's tool and arguments, and asks to approve or to deny", () => {
    const html = waiting(APPROVAL);
    expect(wordsOf(html)).toContain(
      "The agent loans asks for your approval Run send_email?".replace(" Run", "Run"),
    );
    expect(wordsOf(html)).toContain('"to": "ada@example.com"');
    expect(
      Array.from(html.matchAll(/<button[^>]* name="action" value="(\w+)"/g), (match) => match[1]),
    ).toEqual(["approve", "deny"]);
  });

  it("breaks a long text among the arguments at its own line ends", () => {
    expect(waiting(APPROVAL)).toContain(
      'Dear Ada,<span class="mark">\\n</span>\n<span class="mark">\\n</span>\nyour loan is approved.',
    );
  });

  it("spells out what can't be seen among the arguments, or would reorder them", () => {
    const html = waiting({
      ...APPROVAL,
      arguments: { to: "a\u202Eb\u200Bc\u0000d\u2028e\u{E0041}", "k\u2066": "\\n" },
    });
    expect(wordsOf(html)).toContain('"a\\u202eb\\u200bc\\u0000d\\u2028e\\udb40\\udc41"');
    expect(wordsOf(html)).toContain('"k\\u2066": "\\\\n"');
    for (const unseen of ["\u202E", "\u200B", "\u0000", "\u2028", "\u2066", "\u{E0041}"])
      expect(html).not.toContain(unseen);
  });

  it("asks for a value by its schema's title and description", () => {
    const html = waiting(VALUE);
    expect(wordsOf(html)).toContain("LimitsThe lower and the upper bound, in euros.LowHigh");
    expect(html).toContain('<input id="value_0" name="value_0" aria-required="true" type="number"');
    const json = waiting(JSON_VALUE);
    expect(wordsOf(json)).toContain("StepsWrite it as JSON.");
    expect(json).toContain('<textarea id="value" name="value"');
    expect(wordsOf(json)).toContain('"required": [ "after" ]');
    expect(wordsOf(waiting(PLAIN_VALUE))).not.toContain("JSON");
  });

  it("shows what was typed again, whatever it holds", () => {
    const typed = new URLSearchParams({
      option: "approve",
      text: "\n</textarea><b>&",
      reason: "  r",
    });
    const html = waiting(CHOICE, { typed });
    expect(html).toMatch(/value="approve" id="option-0" checked=""/);
    expect(html).toMatch(/name="text"[^>]*>\n\n&lt;\/textarea&gt;&lt;b&gt;&amp;<\/textarea>/);
    expect(html).toMatch(/name="reason"[^>]*>\n {2}r<\/textarea>/);
  });

  it("says whose answer it will be", () => {
    expect(wordsOf(waiting({ ...CHOICE, to: "ada@example.com" }))).toContain(
      "You answer as ada@example.com.",
    );
    expect(wordsOf(waiting(CHOICE))).not.toContain("You answer as");
  });

  it("says of an old form that nothing was recorded", () => {
    expect(wordsOf(waiting(CHOICE, { isStale: true }))).toContain(
      "What you entered is still below.",
    );
  });
});

describe("an answer that does not fit", () => {
  const issue = (path: string, message = "must be 1 to 65536 characters, not blank") => [
    { path, message },
  ];

  it("is said above the form, in focus, and beside the field", () => {
    const html = waiting(CHOICE, { issues: issue("", "must have an option") });
    expect(html).toContain('<div class="notice wrong" role="alert" tabindex="-1" autofocus="">');
    expect(html).toContain(
      '<a href="#option-0">Choose an option, or write an answer in your own words.</a>',
    );
    expect(html).toContain('aria-describedby="option-issue"');
    expect(html).toContain(
      '<div class="issue" id="option-issue"><p>Choose an option, or write an answer in your own words.</p></div>',
    );
    expect(html).toMatch(/<title>Not recorded: /);
  });

  it("is said in words for a person, by kind of question", () => {
    const said = (question: Question, path: string, fields: string, message?: string) =>
      wordsOf(
        waiting(question, { issues: issue(path, message), typed: new URLSearchParams(fields) }),
      );
    expect(said(OPEN, "", "")).toContain("Write an answer.");
    expect(said(STRICT_CHOICE, "text", "text=maybe")).toContain(
      "A note can go with it, but not by itself.",
    );
    expect(said(MULTIPLE, "", "")).toContain("Choose an option, or write");
    expect(said(CHOICE, "option", "option=hold")).toContain("Choose from the options shown.");
    expect(said(CHOICE, "text", "option=deny&text=x")).toContain(
      "This must be 1 to 65536 characters",
    );
    expect(said(FORM, 'answers["Which scope should be used?"]', "")).toContain(
      "Answer this question, or write a reply",
    );
    expect(said(FORM, 'answers["Which scope should be used?"]', "q0=0&q0_other=x")).toContain(
      "not both.",
    );
    expect(said(FORM, "response", "response=x")).toContain("This must be");
    expect(said(APPROVAL, "approved", "")).toContain("Choose Approve or Deny.");
    expect(said(JSON_VALUE, "value", "value=%7B", "must be JSON")).toContain("This is not JSON.");
    expect(said(JSON_VALUE, "value[0].after", "value=[]", "must be of type integer")).toContain(
      "[0].after: This must be of type integer.",
    );
    expect(said(JSON_VALUE, "value", "")).toContain("Write an answer.");
    expect(said(VALUE, "value", "", 'must have the property "low"')).toContain(
      "Low: Enter a number.",
    );
    expect(said(VALUE, "value.low", "value_0=x", "must be of type number")).toContain(
      "Low: Enter a number.",
    );
    expect(said(VALUE, "value.low", "value_0=1", "must be at least 5")).toContain(
      "Low: This must be at least 5.",
    );
  });

  it("is said once where several places have it", () => {
    const html = waiting(OPEN, { issues: [...issue(""), ...issue("text")] });
    expect(count(html, /<li><a href="#text">/g)).toBe(1);
  });
});
