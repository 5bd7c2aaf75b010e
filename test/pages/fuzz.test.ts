import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Question } from "../../src/core/question.ts";
import { formToAnswer } from "../../src/pages/form-answer.ts";
import { english } from "../../src/pages/english.tsx";
import { renderMarkdown } from "../../src/pages/markdown.ts";
import { ODD_NAMES, oddDoc, textOf } from "../arbitrary-json.ts";
import { FORM_QUESTIONS, OPTIONS } from "../fuzzed-questions.ts";
import { casesOf, holds } from "../replayable.ts";

const CASES = Math.ceil(casesOf(process.env, 2_000) / 4);

function always(property: Parameters<typeof holds>[2]): Promise<void> {
  return holds(process.env, CASES, property);
}

const QUESTIONS: readonly Question[] = [
  { kind: "person", question: "Go?", options: OPTIONS, multiple: true },
  { kind: "tool", question: "Go?", answerSchema: { type: "number" } },
  { kind: "tool", question: "Go?", answerSchema: { type: "string" } },
  { kind: "form", question: "Which?", questions: FORM_QUESTIONS },
  { kind: "approval", question: "Run it?", toolName: "pay", arguments: {} },
] as unknown as readonly Question[];
const FIELD_NAMES = [
  "action",
  "reason",
  "option",
  "options",
  "text",
  "value",
  "response",
  "input",
  "q0",
  "q0_other",
  "q1",
  "q1_other",
  "q99",
  "nonce",
  ...ODD_NAMES,
];

it("makes something of any form that is posted", async () => {
  const field = fc.tuple(
    fc.constantFrom(...FIELD_NAMES),
    fc.oneof(
      fc.constantFrom("approve", "deny", "0", "1", "99999999999", "-1", "", " ", "{", "[1e400]"),
      oddDoc().map(textOf),
    ),
  );
  await always(
    fc.property(
      fc.constantFrom(...QUESTIONS),
      fc.array(field, { maxLength: 12 }),
      (question, fields) => {
        const posted = new URLSearchParams(fields.map(([name, value]) => [name, value]));
        formToAnswer(question, posted);
      },
    ),
  );
});

/** What Markdown may become: these elements, with these attributes. */
const SAFE_TAG =
  /^<\/?(?:p|br|hr|em|strong|del|code|pre|blockquote|ul|ol|li|h[3-6]|table|thead|tbody|tr|th|td|sup|section|div|a)(?: [a-z-]+="[^"<>]*")*>$/;
const SAFE_ATTRIBUTE =
  /^(?:(?:class|dir|start|rel|target|role|tabindex|aria-label)="[\w -]*"|id="user-content-[^"]*"|href="(?:https?:\/\/|mailto:|#user-content-)[^"]*")$/i;

it("makes no markup of anything in a context but what it knows to be safe", async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "<script>",
      "</p>",
      "[a](",
      "javascript:",
      "data:text/html,",
      ")",
      "![",
      "](",
      "<",
      ">",
      "&lt;",
      "`",
      "```\n",
      "* ",
      "1. ",
      "# ",
      "> ",
      "| a | b |\n|---|---|\n",
      "\n",
      "\n\n",
      "&#x6a;",
      "\\",
      '"',
      "<https://a.example/>",
      "<a href='x'>",
      "onerror=x",
      'http://a.example/"onload=',
      "[x]: ",
      "- [x] ",
    ),
    fc.string({ unit: "binary", maxLength: 5 }),
  );
  await always(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const html = renderMarkdown(pieces.join(""), english.markdown);
      for (const [tag] of html.matchAll(/<[^>]*>?/g)) {
        expect(tag).toMatch(SAFE_TAG);
        for (const [attribute] of tag.matchAll(/[a-z-]+="[^"]*"/g))
          expect(attribute).toMatch(SAFE_ATTRIBUTE);
      }
    }),
  );
});
