/**
 * Owns: the text of a mail that has HTML alone, without what mail programs mark there as quoted or as a signature. The
 * runtime's own HTML parser reads it. Does not own: finding quotes in text (`mail-reply.ts`).
 */

import { decodeNamedCharacterReference } from "decode-named-character-reference";
import { decodeNumericCharacterReference } from "micromark-util-decode-numeric-character-reference";

/** Whatever stands in one of these is not what the person wrote just now. */
const LEFT_OUT = [
  "head",
  "style",
  "script",
  "title",
  "template",
  "blockquote",
  "div.gmail_quote",
  "div.gmail_signature",
  "div.yahoo_quoted",
  "div.protonmail_quote",
  "div.protonmail_signature_block",
  "div.moz-cite-prefix",
  ".moz-signature",
  "div#Signature",
  "div#ms-outlook-mobile-signature",
  "div#mail-editor-reference-message-container",
];

/** From one of these on all is quoted: Outlook puts no bracket around it. */
const ENDS = [
  "div#appendonsend",
  "div#divRplyFwdMsg",
  'div[style*="border-top:solid #E1E1E1"]',
  'div[style*="border-top:solid #B5C4DF"]',
  ".OutlookMessageHeader",
];

const LINES = "p div tr li ul ol table pre h1 h2 h3 h4 h5 h6 section article".split(" ");
const NUMERIC_REFERENCE_DIGITS = 7;

export async function textOfHtml(html: string): Promise<string> {
  let text = "";
  let leftOut = 0;
  let isOver = false;
  const add = (words: string) => {
    if (leftOut === 0 && !isOver) text += words;
  };
  const rewriter = new HTMLRewriter();
  for (const selector of ENDS)
    rewriter.on(selector, {
      element: () => {
        isOver = true;
      },
    });
  for (const selector of LEFT_OUT)
    rewriter.on(selector, {
      element: (element) => {
        leftOut += 1;
        element.onEndTag(() => {
          leftOut -= 1;
        });
      },
    });
  for (const selector of ["br", "hr"]) rewriter.on(selector, { element: () => add("\n") });
  for (const selector of ["td", "th"]) rewriter.on(selector, { element: () => add(" ") });
  for (const selector of LINES)
    rewriter.on(selector, {
      element: (element) => {
        add("\n");
        element.onEndTag(() => add(selector === "p" ? "\n\n" : "\n"));
      },
    });
  rewriter.onDocument({ text: ({ text: piece }) => add(piece.replaceAll(/[ \t\r\n]+/g, " ")) });
  await rewriter.transform(new Response(html)).arrayBuffer();
  return decoded(text)
    .split("\n")
    .map((line) => line.replaceAll(/[ \u00a0]+/g, " ").trim())
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

function decoded(text: string): string {
  return text.replaceAll(
    /&(?:#([0-9]{1,7})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{0,30}));/gi,
    (whole, decimal?: string, hexadecimal?: string, name?: string) => {
      if (name !== undefined) return decodeNamedCharacterReference(name) || whole;
      const digits = decimal ?? hexadecimal ?? "";
      return digits.length > NUMERIC_REFERENCE_DIGITS
        ? whole
        : decodeNumericCharacterReference(digits, decimal === undefined ? 16 : 10);
    },
  );
}
