/**
 * Owns: what a mail about a question says: subject, plain text and HTML, and how an answer is written below it. Nothing
 * that a model or a person wrote becomes markup here, nor a second line of the subject. Does not own: to whom it goes,
 * and the address that takes the reply (`outbound/email.ts`).
 */

import type { Child } from "hono/jsx";
import type { NoticeEvent } from "../core/channel.ts";
import { MAIL_SUBJECT_CHARACTERS } from "../core/limits.ts";
import type { Brand } from "../core/brand.ts";
import { type MailChoice, type MailForm, mailForm } from "../core/mail-form.ts";
import type { Question } from "../core/question.ts";
import { shorten } from "../core/text.ts";
import { visibleJson } from "./json-view.tsx";
import { renderDocument } from "./layout.tsx";
import { renderMarkdown } from "./markdown.ts";
import { DEFAULT_LOOK, type Look, wordingOf } from "./look.ts";
import { endedOf } from "./ended.ts";
import { type MessageWords, messageWordsOf } from "./message-words.ts";
import { fillOf } from "./theme.ts";
import type { SettledStatus } from "./wording.ts";

export interface QuestionMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface QuestionMailOptions {
  readonly event: NoticeEvent;
  readonly question: Question;
  /** An earlier mail of this question went to the same person: this one belongs below it. */
  readonly isFollowUp: boolean;
  /** What is not chosen is English, and our own brand. */
  readonly look?: Partial<Look>;
}

export function questionMail(options: QuestionMailOptions): QuestionMail {
  const { event, question, look: { language, brand } = {} } = options;
  const look = {
    language: language ?? DEFAULT_LOOK.language,
    brand: brand ?? DEFAULT_LOOK.brand,
  };
  return isEnding(event)
    ? endingMail(options, look, SETTLED[event])
    : askingMail(options, look, mailForm(question));
}

const SETTLED = {
  "question.answered": "answered",
  "question.declined": "declined",
  "question.cancelled": "cancelled",
  "question.expired": "expired",
} as const;

function isEnding(event: NoticeEvent): event is keyof typeof SETTLED {
  return event in SETTLED;
}

/** Clients put mails into one conversation by their subject too, so a mail below another keeps it. */
function subjectOf({ event, question, isFollowUp }: QuestionMailOptions, words: MessageWords) {
  const prefix = isFollowUp ? "Re: " : words.prefixes[event];
  return `${prefix}${subjectLine(question.question)}`;
}

/** On one line, without what would turn the direction of the rest, and cut. */
export function subjectLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu, " ").trim();
  return shorten(line, MAIL_SUBJECT_CHARACTERS);
}

function askingMail(options: QuestionMailOptions, look: Look, form: MailForm): QuestionMail {
  const { event, question } = options;
  const words = messageWordsOf(look.language);
  const opening = words.opening(event, question.agent, question.kind === "approval");
  const how = words.howToReply(form);
  const page = form.kind === "page" ? words.answerOnPage : words.orAnswerOnPage;
  const given = words.toolIsGiven(question.toolName ?? words.theTool);
  const isShownCall = question.kind === "approval" && form.kind === "decision";
  const call = visibleJson(question.arguments ?? {});
  return {
    subject: subjectOf(options, words),
    text: paragraphs([
      opening,
      question.question,
      question.context,
      isShownCall && `${given}\n${call}`,
      form.kind === "choice" && choicesText(question, form),
      how,
      question.answerUrl !== undefined && `${page}: ${question.answerUrl}`,
      footerText(question, look),
    ]),
    html: document(
      look,
      <>
        <p style={SOFT}>{opening}</p>
        <Headline text={question.question} />
        {question.context === undefined ? null : (
          <div
            style={WHY}
            dangerouslySetInnerHTML={{
              __html: renderMarkdown(question.context, wordingOf(look.language).markdown),
            }}
          />
        )}
        {isShownCall ? (
          <>
            <p>
              <bdi>{given}</bdi>
            </p>
            <pre style={CODE} dir="ltr">
              {call}
            </pre>
          </>
        ) : null}
        {form.kind === "choice" ? <Choices question={question} form={form} /> : null}
        {how === undefined ? null : <p>{how}</p>}
        {question.answerUrl === undefined ? null : (
          <p>
            <a href={question.answerUrl} style={buttonStyle(look.brand)}>
              {page}
            </a>
          </p>
        )}
        <p style={SMALL}>{footerText(question, look)}</p>
      </>,
    ),
  };
}

/** The name stands in the text too, where there is nothing else of the brand. */
function footerText({ requestId, expiresAt }: Question, { language, brand }: Look): string {
  const words = messageWordsOf(language);
  const parts = [
    brand.name,
    expiresAt !== undefined && words.openUntil(wordingOf(language).time(expiresAt)),
    words.reference(requestId),
  ];
  return parts.filter((part) => part !== false).join(" · ");
}

type ChoiceForm = Extract<MailForm, { kind: "choice" }>;

function choicesText(question: Question, { choices, numbered }: ChoiceForm): string {
  return choices
    .map((choice, place) => {
      const { label, description } = choice;
      const words = description === undefined ? label : `${label}: ${description}`;
      const url = choiceUrl(question, choice, place);
      const mark = numbered ? `${place + 1}.` : "-";
      return `${mark} ${words}${url === undefined ? "" : `\n   ${url}`}`;
    })
    .join("\n");
}

function Choices({
  question,
  form: { choices, numbered },
}: {
  readonly question: Question;
  readonly form: ChoiceForm;
}) {
  const items = choices.map((choice, place) => {
    const { label, description } = choice;
    const url = choiceUrl(question, choice, place);
    return (
      <li dir="auto" style={ITEM}>
        {url === undefined ? <strong>{label}</strong> : <a href={url}>{label}</a>}
        {description === undefined ? null : <div style={SOFT}>{description}</div>}
      </li>
    );
  });
  return numbered ? <ol>{items}</ol> : <ul>{items}</ul>;
}

/** The page with this choice made beforehand. It is sent only when a person presses the button there. */
function choiceUrl(
  { kind, answerUrl, answerSchema }: Question,
  { id }: MailChoice,
  place: number,
): string | undefined {
  if (answerUrl === undefined || answerSchema !== undefined) return undefined;
  if (kind === "form") return `${answerUrl}?q0=${place}`;
  return id === undefined ? undefined : `${answerUrl}?option=${encodeURIComponent(id)}`;
}

function endingMail(options: QuestionMailOptions, look: Look, status: SettledStatus): QuestionMail {
  const { question } = options;
  const words = messageWordsOf(look.language);
  const how = `${words.ended(endedOf(question, status, look.language))} ${words.nothingLeft}`;
  const footer = `${look.brand.name} · ${words.reference(question.requestId)}`;
  return {
    subject: subjectOf(options, words),
    text: paragraphs([question.question, how, footer]),
    html: document(
      look,
      <>
        <Headline text={question.question} />
        <p>
          <bdi>{how}</bdi>
        </p>
        <p style={SMALL}>{footer}</p>
      </>,
    ),
  };
}

function paragraphs(texts: readonly (string | false | undefined)[]): string {
  const kept = texts.filter((text) => text !== undefined && text !== false && text !== "");
  return `${kept.join("\n\n")}\n`;
}

// Mail programs keep little but what stands at the element itself, and turn colours in the dark by themselves.
const SOFT = "color:#4f5d56;margin:0 0 .5em";
const WHY = "margin:0 0 1.25em;padding-left:1em;border-left:3px solid #d9dfdb";
const CODE =
  "margin:0 0 1.25em;padding:.75em;background:#f2f4f2;color:#15201b;white-space:pre-wrap;overflow-wrap:anywhere";
const ITEM = "margin:0 0 .5em";
const BAR = "margin:0 0 1.25em;padding:0 0 .6em;font-weight:600;border-bottom:3px solid ";
const LOGO = "max-height:2.5em;max-width:14em";
const SMALL = "color:#4f5d56;font-size:.85em";
const BODY =
  "margin:0 auto;padding:1em;max-width:38em;font:16px/1.5 -apple-system,'Segoe UI',Roboto,Arial,sans-serif;overflow-wrap:anywhere";

function Headline({ text }: { readonly text: string }) {
  return (
    <h1 dir="auto" style="margin:0 0 .8em;font-size:1.35em;line-height:1.35;white-space:pre-wrap">
      {text}
    </h1>
  );
}

function buttonStyle(brand: Brand): string {
  const { fill, onFill } = fillOf(brand);
  return `display:inline-block;padding:.6em 1.1em;border-radius:.5em;background:${fill};color:${onFill};text-decoration:none`;
}

function document(look: Look, content: Child): string {
  const { language, brand } = look;
  return renderDocument(
    look,
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
      </head>
      <body style={BODY}>
        <p style={`${BAR}${fillOf(brand).fill}`}>
          {brand.logo === undefined ? (
            <bdi>{brand.name}</bdi>
          ) : (
            // A program that shows no images shows the name in its place.
            <img src={brand.logo} alt={brand.name} style={LOGO} />
          )}
        </p>
        {content}
      </body>
    </html>,
  );
}
