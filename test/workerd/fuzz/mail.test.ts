import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { MAIL_TEXT_CHARACTERS } from "../../../src/core/limits.ts";
import type { Question } from "../../../src/core/question.ts";
import {
  parseAuthenticationResults,
  passesDmarc,
} from "../../../src/inbound/authentication-results.ts";
import { readMailAnswer } from "../../../src/inbound/mail-answer.ts";
import { readMail } from "../../../src/inbound/mail-message.ts";
import { englishMessages } from "../../../src/pages/english-messages.ts";
import { replyOf } from "../../../src/inbound/mail-reply.ts";
import { casesOf, holds } from "../../replayable.ts";
import { MAIL_FILES, mailBytes } from "../post-office.ts";

const CASES = Math.ceil(casesOf(env as never, 600) / 4);

/** Mails as programs write them, which the fuzz changes. */
const MAILS = MAIL_FILES.map(mailBytes);

const OPTIONS = [
  { id: "approve", label: "Approve" },
  { id: "deny", label: "Deny" },
];
const QUESTIONS = [
  { kind: "person", question: "Go?", options: OPTIONS },
  { kind: "person", question: "Go?", options: OPTIONS, multiple: true, allowText: false },
  { kind: "person", question: "Why?" },
  { kind: "tool", question: "How many?", answerSchema: { type: "integer" } },
  { kind: "tool", question: "Well?", answerSchema: { type: "boolean" } },
  { kind: "approval", question: "Run it?", toolName: "pay", arguments: {} },
] as unknown as readonly Question[];

const PIECES = [
  ..."From: To: Subject: Content-Type: MIME-Version: Reply-To: In-Reply-To: Date: --x --x--".split(
    " ",
  ),
  ..."base64 quoted-printable multipart/mixed;boundary=x text/html utf-7 =?utf-8?B?AAAA?= =?x?Q?=".split(
    " ",
  ),
  "\r\n",
  "\r\n\r\n",
  "\n> ",
  "\u0000",
  "<div>",
  "<blockquote>",
  "&#x110000;",
  "<!--",
  ">> >",
  "On Monday, Dana wrote:\n",
  "-- \n",
  "Authentication-Results: mx; dmarc=pass ",
  '"',
  "(((",
  "<",
  "approve",
  "1",
  "Deny",
  "1, 2",
  "=00=FF=",
  "a@b.example",
  "\ud83d",
  "x".repeat(5_000),
];
const PIECE = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...PIECES) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 10 }) },
);
const CHANGE = fc.record({ at: fc.nat(), cut: fc.nat(200), piece: PIECE });

function changed(mail: Uint8Array, changes: readonly { at: number; cut: number; piece: string }[]) {
  return changes.reduce((bytes: Uint8Array<ArrayBuffer>, { at, cut, piece }) => {
    const from = at % (bytes.length + 1);
    const added = new TextEncoder().encode(piece);
    const rest = bytes.subarray(Math.min(bytes.length, from + cut));
    const whole = new Uint8Array(from + added.length + rest.length);
    whole.set(bytes.subarray(0, from));
    whole.set(added, from);
    whole.set(rest, from + added.length);
    return whole;
  }, Uint8Array.from(mail));
}

it(
  "reads any mail or finds that it is none, and makes an answer of its text or says why not",
  {
    timeout: 600_000,
  },
  async () => {
    expect(MAILS.length).toBeGreaterThan(50);
    const mail = fc.oneof(
      {
        weight: 4,
        arbitrary: fc
          .tuple(fc.nat(MAILS.length - 1), fc.array(CHANGE, { maxLength: 4 }))
          .map(([place, changes]) => ({ place, changes })),
      },
      {
        weight: 1,
        arbitrary: fc.array(CHANGE, { maxLength: 12 }).map((changes) => ({ place: -1, changes })),
      },
    );
    await holds(
      env as never,
      CASES,
      fc.asyncProperty(
        mail,
        fc.constantFrom(...QUESTIONS),
        async ({ place, changes }, question) => {
          const bytes = changed(MAILS[place] ?? new Uint8Array(0), changes);
          const read = await readMail(bytes, "dana@example.com");
          if (read?.text === undefined) return;
          expect(read.text.length).toBeLessThanOrEqual(MAIL_TEXT_CHARACTERS);
          const reading = readMailAnswer(question, replyOf(read.text, read.from?.name));
          if (!reading.ok) expect(reading.why(englishMessages.mail).length).toBeLessThan(1_000);
        },
      ),
    );
  },
);

it("believes no server but the one that is named, whatever a header says", async () => {
  const part = fc.constantFrom(
    "mx.example",
    "mx.other",
    ";",
    " ",
    "dmarc=pass",
    "dmarc",
    "=",
    "pass",
    "(",
    ")",
    '"',
    "\\",
    "header.from=bank.example",
    "header.from=",
    "bank.example",
    "spf=fail",
    "\t",
    "1",
    "none",
  );
  await holds(
    env as never,
    CASES,
    fc.property(fc.array(part, { maxLength: 14 }), (parts) => {
      const header = parts.join("");
      const parsed = parseAuthenticationResults(header);
      const believed = passesDmarc(header, "mx.example", "bank.example");
      if (parsed?.authority !== "mx.example") expect(believed).toBe(false);
      if (believed) expect(header).toMatch(/dmarc[\s\S]*pass/);
    }),
  );
});
