/**
 * Owns: how the pages say times, and who settled a question by which door.
 */

import type { AnsweredVia, Question } from "../core/question.ts";

const TIME_FORMAT = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "long",
  timeStyle: "short",
  timeZone: "UTC",
});

/** `2026-11-30T09:05:00.000Z` as "30 November 2026 at 09:05 UTC": a page without scripts doesn't know where it is read. */
export function sayTime(iso: string): string {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? iso : `${TIME_FORMAT.format(time)} UTC`;
}

/** When it was settled; undefined where nobody wrote that down. */
export function settledAt(question: Question): string | undefined {
  if (question.answeredAt !== undefined) return question.answeredAt;
  const at = question.history.findLast(({ event }) => event === `question.${question.status}`)?.at;
  return at ?? (question.status === "expired" ? question.expiresAt : undefined);
}

/** Who settled it; undefined where nobody did, as with an expiry. */
export function settledBy(question: Question): string | undefined {
  return (
    question.answeredBy ??
    question.history.findLast(({ event }) => event === `question.${question.status}`)?.by
  );
}

/** The door, as it ends a sentence; empty where who it was says it already. */
export function sayDoor(via: AnsweredVia | undefined, by: string | undefined): string {
  if (by === "link") return "";
  switch (via) {
    case undefined:
    case "default":
      return "";
    case "page":
      return ", on this page";
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

/** The start of a text on one line, for a place where nothing can be isolated: a window's title. */
export function titleOf(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  const characters = Array.from(line);
  return characters.length > TITLE_CHARACTERS
    ? `${characters.slice(0, TITLE_CHARACTERS).join("")}…`
    : line;
}

const TITLE_CHARACTERS = 80;
