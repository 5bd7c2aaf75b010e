import { expect, it } from "vitest";
import { LANGUAGES } from "../../src/core/language.ts";
import { NOTICE_EVENTS, type NoticeEvent } from "../../src/core/channel.ts";
import type { Question } from "../../src/core/question.ts";
import { email } from "../../src/outbound/email.ts";
import { readMailAnswer } from "../../src/inbound/mail-answer.ts";
import { lookOf, type LookOptions } from "../../src/look-options.ts";
import { messageWordsOf } from "../../src/pages/message-words.ts";
import { APPROVAL, CHOICE, FORM, JSON_VALUE, MULTIPLE, OPEN } from "../pages/questions.ts";

const LOGO = "https://brand.example/logo.png";
const BRAND = { name: "Kreditbank <Süd>", colour: "#fc0", logo: LOGO };

interface Mail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The mail that an author's options make of a question. */
async function mailed(
  question: Question,
  look: LookOptions,
  event: NoticeEvent = "question.asked",
): Promise<Mail> {
  const taken: Mail[] = [];
  const binding = {
    send: (builder: Mail) => {
      taken.push(builder);
      return Promise.resolve({ messageId: "<1@mail.example>" });
    },
  };
  await email({ from: "desk@mail.example", to: "dana@lender.example" }).send(
    { id: "1", event, question },
    {
      env: { EMAIL: binding },
      workspace: "acme",
      linkSecret: "a secret of tests",
      development: true,
      now: 0,
      look: lookOf(look),
    },
  );
  const [mail] = taken;
  if (mail === undefined) throw new Error("nothing was sent");
  return mail;
}

it("asks in German where the author chose it", async () => {
  const question = { ...CHOICE, agent: "loans", answerUrl: "https://holdpoint.test/a/t" };
  const mail = await mailed(question, { lang: "de" }, "question.reminded");
  expect(mail.subject).toBe(`Erinnerung: ${CHOICE.question}`);
  expect(mail.text).toMatch(
    /^Eine Erinnerung, denn noch kam keine Antwort\. Der Agent loans fragt Sie:/,
  );
  expect(mail.text).toContain("Oder auf der Seite antworten: https://holdpoint.test/a/t\n");
  expect(mail.text).toContain(`Kennung ${CHOICE.requestId}`);
  expect(mail.html).toContain('<html lang="de">');
  expect(mail.html).toContain(">Oder auf der Seite antworten</a>");
});

it("says in German what stands in the context without words of its own", async () => {
  const context = "![](https://chart.example/c.png)[^1]\n\n|a|\n|-|\n|b|\n\n[^1]: The source.";
  const { html } = await mailed({ ...CHOICE, context }, { lang: "de" });
  for (const words of [">Bild</a>", ">Fußnoten</h", 'aria-label="Tabelle"', '"Zurück zum Text"'])
    expect(html).toContain(words);
  expect(html).not.toMatch(/Image|Footnotes|Table|Back to/);
});

it("tells in German how a question ended", async () => {
  const settled = (more: Partial<Question>): Question => ({
    ...OPEN,
    history: [],
    status: "answered",
    ...more,
  });
  const answered = settled({
    answeredBy: "lead@lender.example",
    answeredAt: "2026-12-01T10:30:00.000Z",
    answeredVia: "slack",
  });
  expect((await mailed(answered, { lang: "de" }, "question.answered")).text).toContain(
    "Sie wurde von lead@lender.example am 1. Dezember 2026 um 10:30 UTC in Slack beantwortet. Für Sie ist nichts mehr zu tun.",
  );
  const byDefault = settled({ answeredBy: "default", answeredVia: "default" });
  expect((await mailed(byDefault, { lang: "de" }, "question.answered")).text).toContain(
    "mit der vorgesehenen Antwort beantwortet, weil niemand kam",
  );
});

it("leaves no word of English in a German mail, whatever is asked and whatever happened", async () => {
  const english = /\b(?:the|you|your|answer|reply|with|page|reference|by|open|until|no|it|was)\b/i;
  for (const { requestId, kind, ...rest } of [APPROVAL, CHOICE, FORM, JSON_VALUE, MULTIPLE, OPEN])
    for (const event of NOTICE_EVENTS) {
      const ended = /answered|declined|cancelled|expired/.exec(event)?.[0];
      // Only our own words are looked at: what was asked is in whatever language it is in.
      const question = {
        requestId,
        kind,
        ...(rest.questions !== undefined && { questions: rest.questions }),
        ...(rest.answerSchema !== undefined && { answerSchema: rest.answerSchema }),
        question: "?",
        sessionId: rest.sessionId,
        status: (ended ?? "waiting") as Question["status"],
        toolName: "werkzeug",
        deliveries: [],
        history: [],
        createdAt: rest.createdAt,
        expiresAt: "2026-12-02T10:30:00.000Z",
        answerUrl: "https://holdpoint.test/a/t",
        ...(ended !== undefined && { answeredBy: "lead", answeredVia: "page" as const }),
      };
      const { subject, text } = await mailed(question, { lang: "de" }, event);
      const labels = (rest.questions ?? []).flatMap(({ options }) =>
        options.flatMap(({ label, description }) => [label, description]),
      );
      const own = labels.reduce(
        (words, label) => words.replaceAll(label, ""),
        `${subject} ${text}`,
      );
      expect(own.replaceAll(/https:\S+/g, ""), `${kind} ${event}`).not.toMatch(english);
    }
});

it("takes the words that its mail asks for, in each language", () => {
  const yes = { en: "yes", de: "ja" };
  const no = { en: "no", de: "nein" };
  for (const language of LANGUAGES) {
    expect(messageWordsOf(language).howToReply({ kind: "decision" })).toMatch(
      new RegExp(`\\b${yes[language]}\\b.*\\b${no[language]}\\b`),
    );
    expect(readMailAnswer(APPROVAL, yes[language])).toEqual({
      ok: true,
      answer: { approved: true },
    });
    expect(readMailAnswer(APPROVAL, `${no[language]}: zu viel`)).toEqual({
      ok: true,
      answer: { approved: false, reason: "zu viel" },
    });
  }
  expect(readMailAnswer(APPROVAL, "ja, aber nur 100")).toMatchObject({ ok: false });
});

it("shows the brand's name, colour and logo", async () => {
  const { text, html } = await mailed(
    { ...OPEN, answerUrl: "https://holdpoint.test/a/t" },
    { brand: BRAND },
  );
  expect(text).toContain("Kreditbank <Süd> · ");
  expect(html).toContain(`<img src="${LOGO}" alt="Kreditbank &lt;Süd&gt;"`);
  expect(html).toContain("background:#ffcc00;color:#000000");
  expect(html).toContain("border-bottom:3px solid #ffcc00");
  expect(html.match(/<img /g)).toHaveLength(1);
});

it("shows our own where no brand is chosen, and loads nothing", async () => {
  const { html } = await mailed({ ...OPEN, answerUrl: "https://holdpoint.test/a/t" }, {});
  expect(html).toContain("<bdi>Holdpoint</bdi>");
  expect(html).toContain("background:#0b5f49;color:#ffffff");
  expect(html).not.toContain("<img");
});
