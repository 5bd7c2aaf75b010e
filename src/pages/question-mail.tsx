/**
 * Owns: what a mail about a question says: subject, plain text and HTML, and how an answer is written below it. Nothing
 * that a model or a person wrote becomes markup here, nor a second line of the subject. Does not own: to whom it goes,
 * and the address that takes the reply (`outbound/email.ts`).
 */

import type { Child } from "hono/jsx";
import type { NoticeEvent } from "../core/channel.ts";
import { MAIL_SUBJECT_CHARACTERS } from "../core/limits.ts";
import { howToReply, type MailChoice, type MailForm, mailForm } from "../core/mail-form.ts";
import type { Question } from "../core/question.ts";
import { shorten } from "../core/text.ts";
import { visibleJson } from "./json-view.tsx";
import { renderDocument } from "./layout.tsx";
import { renderMarkdown } from "./markdown.ts";
import { english } from "./english.tsx";
import { DEFAULT_LOOK } from "./look.ts";

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
}

export function questionMail(options: QuestionMailOptions): QuestionMail {
  const { question } = options;
  return isEnding(options.event)
    ? endingMail(options)
    : askingMail(options, mailForm(question), openingOf(options.event, question));
}

type EndingEvent =
  | "question.answered"
  | "question.declined"
  | "question.cancelled"
  | "question.expired";

function isEnding(event: NoticeEvent): event is EndingEvent {
  switch (event) {
    case "question.answered":
    case "question.declined":
    case "question.cancelled":
    case "question.expired":
      return true;
    case "question.asked":
    case "question.reminded":
    case "question.escalated":
    case "question.assigned":
      return false;
  }
}

const PREFIXES: Readonly<Record<NoticeEvent, string>> = {
  "question.asked": "",
  "question.reminded": "Reminder: ",
  "question.escalated": "Passed on to you: ",
  "question.assigned": "",
  "question.answered": "Answered: ",
  "question.declined": "Declined: ",
  "question.cancelled": "Cancelled: ",
  "question.expired": "Expired: ",
};

/** Clients put mails into one conversation by their subject too, so a mail below another keeps it. */
function subjectOf({ event, question, isFollowUp }: QuestionMailOptions): string {
  const prefix = isFollowUp ? "Re: " : PREFIXES[event];
  return `${prefix}${subjectLine(question.question)}`;
}

/** On one line, without what would turn the direction of the rest, and cut. */
export function subjectLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu, " ").trim();
  return shorten(line, MAIL_SUBJECT_CHARACTERS);
}

function openingOf(event: NoticeEvent, { kind, agent }: Question): string {
  const asks = kind === "approval" ? "for your approval" : "you";
  const asked = agent === undefined ? "You are asked:" : `The agent ${agent} asks ${asks}:`;
  switch (event) {
    case "question.reminded":
      return `A reminder, since no answer came yet. ${asked}`;
    case "question.escalated":
      return `Nobody has answered this yet, so it was passed on to you. ${asked}`;
    case "question.assigned":
      return `This was given to you. ${asked}`;
    default:
      return asked;
  }
}

function askingMail(options: QuestionMailOptions, form: MailForm, opening: string): QuestionMail {
  const { question } = options;
  const how = howToReply(form);
  return {
    subject: subjectOf(options),
    text: paragraphs([
      opening,
      question.question,
      question.context,
      question.kind === "approval" && form.kind === "decision" && callText(question),
      form.kind === "choice" && choicesText(question, form),
      how,
      question.answerUrl !== undefined && `${pageWords(form)}: ${question.answerUrl}`,
      footerText(question),
    ]),
    html: document(
      <>
        <p style={SOFT}>{opening}</p>
        <Headline text={question.question} />
        {question.context === undefined ? null : (
          <div style={WHY} dangerouslySetInnerHTML={{ __html: renderMarkdown(question.context) }} />
        )}
        {question.kind === "approval" && form.kind === "decision" ? (
          <>
            <p>
              <bdi>{question.toolName ?? "The tool"}</bdi> would be given:
            </p>
            <pre style={CODE} dir="ltr">
              {visibleJson(question.arguments ?? {})}
            </pre>
          </>
        ) : null}
        {form.kind === "choice" ? <Choices question={question} form={form} /> : null}
        {how === undefined ? null : <p>{how}</p>}
        {question.answerUrl === undefined ? null : (
          <p>
            <a href={question.answerUrl} style={BUTTON}>
              {pageWords(form)}
            </a>
          </p>
        )}
        <p style={SMALL}>{footerText(question)}</p>
      </>,
    ),
  };
}

function pageWords(form: MailForm): string {
  return form.kind === "page" ? "Answer on the page" : "Or answer on the page";
}

function footerText({ requestId, expiresAt }: Question): string {
  const until = expiresAt === undefined ? "" : `Open until ${english.time(expiresAt)}. `;
  return `${until}Reference ${requestId}`;
}

function callText({ toolName, arguments: given }: Question): string {
  return `${toolName ?? "The tool"} would be given:\n${visibleJson(given ?? {})}`;
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

function endingMail(options: QuestionMailOptions): QuestionMail {
  const { event, question } = options;
  const words = endingWords(event, question);
  return {
    subject: subjectOf(options),
    text: paragraphs([question.question, words, `Reference ${question.requestId}`]),
    html: document(
      <>
        <Headline text={question.question} />
        <p>
          <bdi>{words}</bdi>
        </p>
        <p style={SMALL}>Reference {question.requestId}</p>
      </>,
    ),
  };
}

function endingWords(event: NoticeEvent, question: Question): string {
  const ended = question.history.findLast(({ event: each }) => each === event);
  const at = question.answeredAt ?? ended?.at;
  const when = at === undefined ? "" : ` on ${english.time(at)}`;
  if (event === "question.expired")
    return `No answer came in time: it expired${when}. Nothing is left for you to do.`;
  const verb = event.slice("question.".length);
  const by = question.answeredBy ?? ended?.by;
  const door = by === "link" ? "" : sayDoor(question.answeredVia);
  return `It was ${verb}${sayBy(by)}${when}${event === "question.cancelled" ? "" : door}. Nothing is left for you to do.`;
}

/** The door, as it ends a sentence; empty where the name before it says it already. */
function sayDoor(via: Question["answeredVia"]): string {
  switch (via) {
    case undefined:
    case "default":
      return "";
    case "page":
      return ", on the page";
    case "email":
      return ", by email";
    case "slack":
      return ", in Slack";
    case "api":
    case "service":
    case "code":
      return ", through the API";
  }
}

/** `link` and `default` are no names of persons. */
function sayBy(by: string | undefined): string {
  if (by === undefined) return "";
  if (by === "link") return " through the link";
  return by === "default" ? " by default, since nobody did" : ` by ${by}`;
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
const BUTTON =
  "display:inline-block;padding:.6em 1.1em;border-radius:.5em;background:#0b5f49;color:#fff;text-decoration:none";
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

function document(content: Child): string {
  return renderDocument(
    DEFAULT_LOOK,
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
      </head>
      <body style={BODY}>{content}</body>
    </html>,
  );
}
