/**
 * Owns: what a message in Slack says about a question, as Block Kit takes it. What a model or a person wrote is escaped, so
 * that it mentions nobody and links nowhere; what is too long is cut, and then answered on the page alone: nobody answers
 * by a button what the message could not show whole. Does not own: where it is posted (`outbound/slack.ts`).
 */

import type { NoticeEvent } from "../core/channel.ts";
import { isJsonObject } from "../core/json.ts";
import { SLACK_BUTTON_UNITS, SLACK_SECTION_UNITS } from "../core/limits.ts";
import type { Question } from "../core/question.ts";
import { type SlackButton, slackButtons } from "../core/slack-form.ts";
import { SLACK_USER } from "../core/slack-wire.ts";
import { endedOf } from "./ended.ts";
import { visibleJson } from "./json-view.tsx";
import { DEFAULT_LOOK, type Look, wordingOf } from "./look.ts";
import { messageWordsOf } from "./message-words.ts";
import type { SettledStatus, Wording } from "./wording.ts";

export interface SlackMessage {
  /** For notifications, and where blocks are not shown. */
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
}

/** `verbatim`: Slack makes no links or mentions of what only looks like one. */
interface Mrkdwn {
  readonly type: "mrkdwn";
  readonly text: string;
  readonly verbatim: true;
}

interface ButtonElement {
  readonly type: "button";
  readonly action_id: string;
  readonly text: { readonly type: "plain_text"; readonly text: string; readonly emoji: false };
  readonly value?: string;
  readonly url?: string;
  readonly style?: "primary" | "danger";
}

export type SlackBlock =
  | { readonly type: "section"; readonly text: Mrkdwn }
  | { readonly type: "context"; readonly elements: readonly Mrkdwn[] }
  | { readonly type: "actions"; readonly elements: readonly ButtonElement[] };

export interface AskingMessage {
  readonly event: NoticeEvent;
  readonly question: Question;
  readonly look?: Partial<Look>;
  /** What the button of this key carries: it is what a click sends. */
  readonly valueOf: (key: string) => string;
}

/** The question with its buttons. Without an actions block there is no way to answer it. */
export function askingMessage({ event, question, look, valueOf }: AskingMessage): SlackMessage {
  const { language } = { ...DEFAULT_LOOK, ...look };
  const words = messageWordsOf(language);
  const wording = wordingOf(language);
  const isApproval = question.kind === "approval";
  const said = words.opening(event, question.agent, isApproval);
  const opening = escaped(said);
  const asked = escaped(question.question);
  const tool = isApproval
    ? escaped(words.toolIsGiven(question.toolName ?? words.theTool))
    : undefined;
  const given = isApproval ? callCode(question) : undefined;
  const choices = choicesText(question);
  const context = bolder(escaped(question.context ?? ""));
  const isWhole = [opening, asked, tool, given, choices, context].every(
    (part) => part === undefined || part.isWhole,
  );
  const footer = [
    question.expiresAt !== undefined && words.openUntil(wording.time(question.expiresAt)),
    words.reference(question.requestId),
  ];
  const elements = [
    ...(isWhole ? slackButtons(question).map((each) => answerButton(each, wording, valueOf)) : []),
    ...pageButton(question, words.answerOnPage),
  ];
  return {
    text: escaped(`${said} ${question.question}`).text,
    blocks: [
      contextBlock(opening.text),
      section(asked.text),
      ...(tool === undefined ? [] : [contextBlock(tool.text)]),
      ...[given, choices, context].flatMap((part) =>
        part === undefined || part.text === "" ? [] : [section(part.text)],
      ),
      ...(isWhole ? [] : [contextBlock(words.slack.shownInPart)]),
      ...(elements.length > 0 ? [{ type: "actions" as const, elements }] : []),
      contextBlock(footer.filter((part) => part !== false).join(" ")),
    ],
  };
}

/** Below the message that has the buttons: it is reminded of, or sent once more. */
export function followUpMessage({
  event,
  question,
  look,
}: Omit<AskingMessage, "valueOf">): SlackMessage {
  const words = messageWordsOf(look?.language ?? DEFAULT_LOOK.language);
  const said = words.opening(event, question.agent, question.kind === "approval");
  const asked = escaped(question.question);
  const elements = pageButton(question, words.answerOnPage);
  return {
    text: escaped(`${said} ${question.question}`).text,
    blocks: [
      contextBlock(escaped(said).text),
      section(asked.text),
      contextBlock(words.slack.stillOpen),
      ...(elements.length > 0 ? [{ type: "actions" as const, elements }] : []),
    ],
  };
}

/** In place of the question, once it has ended: no button is left. */
export function endedMessage(
  question: Question,
  status: SettledStatus,
  { look, showsAnswer }: { readonly look?: Partial<Look>; readonly showsAnswer: boolean },
): SlackMessage {
  const language = look?.language ?? DEFAULT_LOOK.language;
  const how = slackEnded(question, status, language);
  const answer = showsAnswer ? answerText(question, wordingOf(language)) : undefined;
  const asked = escaped(question.question);
  return {
    text: how,
    blocks: [
      section(asked.text),
      ...(answer === undefined ? [] : [section(`*${answer}*`)]),
      section(how),
      contextBlock(messageWordsOf(language).reference(question.requestId)),
    ],
  };
}

/** How it ended, in one sentence. A member of the Slack workspace is shown by name, which Slack knows. */
export function slackEnded(
  question: Question,
  status: SettledStatus,
  language: Look["language"],
): string {
  const { by, ...facts } = endedOf(question, status, language);
  const isMember = facts.via === "slack" && by !== undefined && SLACK_USER.test(by);
  const shown = by === undefined ? undefined : isMember ? `<@${by}>` : escaped(by).text;
  return messageWordsOf(language).ended({ ...facts, ...(shown !== undefined && { by: shown }) });
}

/** In what words an answer that a button can give is told. */
function answerText(question: Question, { endings }: Wording): string | undefined {
  const { answer, kind, options = [] } = question;
  if (answer === undefined || !isJsonObject(answer)) return undefined;
  if (kind === "approval") return answer["approved"] === true ? endings.approved : endings.denied;
  const chosen = options.find(({ id }) => id === answer["option"]);
  return chosen === undefined ? undefined : escaped(chosen.label).text;
}

interface EscapedText {
  readonly text: string;
  readonly isWhole: boolean;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** With Slack's three control characters as entities, and no longer than a section may be. */
function escaped(text: string, max = SLACK_SECTION_UNITS): EscapedText {
  let taken = "";
  let cut = "";
  for (const character of text) {
    const next = taken + (ENTITIES[character] ?? character);
    if (next.length > max) return { text: `${cut}…`, isWhole: false };
    taken = next;
    if (taken.length < max) cut = taken;
  }
  return { text: taken, isWhole: true };
}

/** Of a context's Markdown, what Slack writes in another way and people use most. */
function bolder({ text, isWhole }: EscapedText): EscapedText {
  return { text: text.replaceAll(/\*\*([^*\n]+)\*\*/g, "*$1*"), isWhole };
}

/** A backtick would end the block of code; in JSON it can be spelt out. */
function callCode({ arguments: given }: Question): EscapedText {
  const fence = "```";
  const room = SLACK_SECTION_UNITS - 2 * fence.length - 2;
  const code = escaped(visibleJson(given ?? {}).replaceAll("`", "\\u0060"), room);
  return { ...code, text: `${fence}\n${code.text}\n${fence}` };
}

/** What the buttons can't show: descriptions, and labels that are too long for one. */
function choicesText(question: Question): EscapedText | undefined {
  const options = question.options ?? question.questions?.flatMap((each) => each.options) ?? [];
  const needsWords = options.some(
    ({ label, description }) =>
      description !== undefined || !escaped(label, SLACK_BUTTON_UNITS).isWhole,
  );
  if (!needsWords && slackButtons(question).length > 0) return undefined;
  const lines = options.map(({ label, description }) =>
    description === undefined ? `• ${label}` : `• ${label}: ${description}`,
  );
  return lines.length === 0 ? undefined : escaped(lines.join("\n"));
}

function answerButton(
  { key, label }: SlackButton,
  wording: Wording,
  valueOf: AskingMessage["valueOf"],
): ButtonElement {
  const style = label === "approve" ? "primary" : label === "deny" ? "danger" : undefined;
  return {
    ...button(`answer_${key}`, typeof label === "string" ? wording[label] : label.text),
    value: valueOf(key),
    ...(style !== undefined && { style }),
  };
}

function pageButton({ answerUrl }: Question, label: string): readonly ButtonElement[] {
  return answerUrl === undefined ? [] : [{ ...button("page", label), url: answerUrl }];
}

function button(action: string, label: string): ButtonElement {
  const { text } = escaped(label, SLACK_BUTTON_UNITS);
  return {
    type: "button",
    action_id: `holdpoint_${action}`,
    text: { type: "plain_text", text, emoji: false },
  };
}

function section(text: string): SlackBlock {
  return { type: "section", text: mrkdwn(text) };
}

function contextBlock(text: string): SlackBlock {
  return { type: "context", elements: [mrkdwn(text)] };
}

function mrkdwn(text: string): Mrkdwn {
  return { type: "mrkdwn", text, verbatim: true };
}
