/**
 * Owns: a question's life between its asking and its end: when somebody is reminded, to whom it goes on when nobody
 * answers, and what becomes of it in the end. Its terms are checked when it is asked; what is due next follows from them
 * and from what happened. Does not own: who is told of it, and how.
 */

import * as z from "zod";
import { type Answer, checkAnswer } from "./answer.ts";
import { boundedJson } from "./json-bounds.ts";
import { durationSchema } from "./duration.ts";
import { issueAt, issuesBelow } from "./issue.ts";
import {
  DEFAULT_ANSWER_BYTES,
  ESCALATIONS,
  JSON_NESTING_LEVELS,
  RECIPIENT_NAME_CHARACTERS,
  REMINDERS,
  TERM_MS_MAX,
  TERM_MS_MIN,
} from "./limits.ts";
import { boundedList } from "./list.ts";
import type { Addressed } from "./recipients.ts";
import type { Checked } from "./refusal.ts";
import { givenJson } from "./schema-parts.ts";
import type { QuestionContent, QuestionSettlement } from "./task.ts";
import { strippedText } from "./text.ts";

/** A time after the question was asked. */
const term = durationSchema.refine(
  (ms) => ms >= TERM_MS_MIN && ms <= TERM_MS_MAX,
  "must be from 1s to 366d",
);

export const recipientNameSchema = strippedText({ max: RECIPIENT_NAME_CHARACTERS });

/** The terms as they are written down, in configuration and in requests: `remind`, `escalate`, `expire`. */
export const termsShape = {
  remind: boundedList(term, { min: 0, max: REMINDERS })
    .refine((times) => new Set(times).size === times.length, "must name no time twice")
    .optional(),
  escalate: boundedList(z.strictObject({ after: term, to: recipientNameSchema }), {
    min: 0,
    max: ESCALATIONS,
  }).optional(),
  expire: z
    .strictObject({
      after: term,
      // oxlint-disable-next-line unicorn/no-thenable -- the wire's name; it goes no further than this schema
      then: z
        .union([
          z.enum(["timeout", "deny"], 'must be "timeout", "deny" or { answer }'),
          z.strictObject({
            answer: givenJson(),
          }),
        ])
        .default("timeout"),
    })
    .transform(({ after, then: ending }) => ({ after, ending }))
    .optional(),
};

/** The terms that stand beside a question, and what else stands there. */
export const withTermsSchema = z
  .looseObject(termsShape)
  .transform(({ remind, escalate, expire, ...rest }) => ({
    rest,
    terms: writtenTerms({ remind, escalate, expire }),
  }));

const termsSchema = z.strictObject(termsShape);
export type TermsInput = z.input<typeof termsSchema>;
export type WrittenTerms = z.output<typeof termsSchema>;

/** Without those that are `undefined`. */
export function writtenTerms({
  remind,
  escalate,
  expire,
}: {
  readonly [Name in keyof WrittenTerms]: WrittenTerms[Name] | undefined;
}): WrittenTerms {
  return {
    ...(remind !== undefined && { remind }),
    ...(escalate !== undefined && { escalate }),
    ...(expire !== undefined && { expire }),
  };
}

/** How a question ends by itself. */
export type Ending = "timeout" | "deny" | { readonly answer: Answer };

/** What a question lives by. Times are in milliseconds after it was asked, in order. */
export interface Terms {
  readonly remind?: readonly number[];
  readonly escalate?: readonly { readonly after: number; readonly to: string }[];
  readonly expire?: { readonly after: number; readonly ending: Ending };
}

/** What happened to a question since it was asked, its end aside. */
export interface LifeEvent {
  readonly event: "question.reminded" | "question.escalated" | "question.assigned";
  readonly at: number;
  readonly to?: string;
  readonly by?: string;
}

/** Where somebody outside wants to be told of what happens. */
export interface Callback {
  readonly url: string;
  /** Where the request came in, of a caller who may be told the links by which questions are answered. */
  readonly origin?: string;
}

/** What a question has beside what it asks. Most have nothing of it. */
export interface Life extends Addressed {
  readonly terms?: Terms;
  readonly events?: readonly LifeEvent[];
  readonly callback?: Callback;
  /** Its deliveries, by the numbers of their chores. */
  readonly deliveries?: readonly number[];
}

/** Terms that were given with the question itself must fit it. */
export function checkTerms(question: QuestionContent, terms: WrittenTerms): Checked<Terms> {
  const { expire } = terms;
  if (expire === undefined) return { ok: true, value: inOrder(terms) };
  const ending = checkEnding(question, expire.ending);
  if (!ending.ok) return { ok: false, issues: issuesBelow("expire.then", ending.issues) };
  return { ok: true, value: { ...inOrder(terms), expire: { ...expire, ending: ending.value } } };
}

/**
 * The terms of a question: its own, and its agent's where it has none. Those of an agent are for questions of every
 * kind, so an end that does not fit this one is a plain time-out for it.
 */
export function termsOf(question: QuestionContent, own: Terms, agent: WrittenTerms): Terms {
  const inherited = inOrder(agent);
  const { remind = inherited.remind, escalate = inherited.escalate } = own;
  const expire = own.expire ?? fittingEnd(question, agent);
  return {
    ...(remind !== undefined && remind.length > 0 && { remind }),
    ...(escalate !== undefined && escalate.length > 0 && { escalate }),
    ...(expire !== undefined && { expire }),
  };
}

function fittingEnd(question: QuestionContent, { expire }: WrittenTerms): Terms["expire"] {
  if (expire === undefined) return undefined;
  const ending = checkEnding(question, expire.ending);
  return { after: expire.after, ending: ending.ok ? ending.value : "timeout" };
}

function inOrder({ remind, escalate }: WrittenTerms): Terms {
  return {
    ...(remind !== undefined && { remind: remind.toSorted((one, other) => one - other) }),
    ...(escalate !== undefined && {
      escalate: escalate.toSorted((one, other) => one.after - other.after),
    }),
  };
}

type WrittenEnding = NonNullable<WrittenTerms["expire"]>["ending"];

function checkEnding(question: QuestionContent, ending: WrittenEnding): Checked<Ending> {
  if (ending === "timeout") return { ok: true, value: ending };
  if (ending === "deny") {
    if (question.kind === "approval") return { ok: true, value: ending };
    const message = "denies approvals alone: for other questions use timeout, or a default answer";
    return { ok: false, issues: [issueAt([], message)] };
  }
  const answer = boundedJson(ending.answer, {
    bytes: DEFAULT_ANSWER_BYTES,
    levels: JSON_NESTING_LEVELS,
  });
  // Nobody is there who could look at changed arguments, so a default answer changes none.
  const answerable =
    question.kind === "approval"
      ? { kind: "approval" as const, editable: false, checkInput: () => [] }
      : question;
  const checked = answer.ok ? checkAnswer(answerable, answer.value) : answer;
  return checked.ok
    ? { ok: true, value: { answer: checked.value } }
    : { ok: false, issues: issuesBelow("answer", checked.issues) };
}

/** What is due next in a question's life, and when. */
export type Due = { readonly at: number } & (
  | { readonly event: "question.reminded" }
  | { readonly event: "question.escalated"; readonly to: string }
  | { readonly event: "question.expired"; readonly ending: Ending }
);

/** Undefined where nothing is due ever. What is due at one time comes in this order: reminder, escalation, end. */
export function nextDue(createdAt: number, { terms, events = [] }: Life): Due | undefined {
  if (terms === undefined) return undefined;
  const past = (event: LifeEvent["event"]) =>
    events.reduce((count, each) => (each.event === event ? count + 1 : count), 0);
  const remind = terms.remind?.[past("question.reminded")];
  const escalate = terms.escalate?.[past("question.escalated")];
  const dues: Due[] = [];
  if (remind !== undefined) dues.push({ at: createdAt + remind, event: "question.reminded" });
  if (escalate !== undefined)
    dues.push({ at: createdAt + escalate.after, event: "question.escalated", to: escalate.to });
  if (terms.expire !== undefined) {
    const { after, ending } = terms.expire;
    dues.push({ at: createdAt + after, event: "question.expired", ending });
  }
  return dues.toSorted((one, other) => one.at - other.at)[0];
}

/** When a question ends by itself; undefined where it waits for ever. */
export function expiresAt(createdAt: number, life: Life | undefined): number | undefined {
  const expire = life?.terms?.expire;
  return expire === undefined ? undefined : createdAt + expire.after;
}

/** Who answers where nobody did. */
const NOBODY = "default";

/** How a question ends to which nobody gave an answer in time. */
export function endingSettlement(ending: Ending): QuestionSettlement {
  if (ending === "timeout") return { status: "expired" };
  const answer = ending === "deny" ? { approved: false as const } : ending.answer;
  return { status: "answered", answer, by: NOBODY, via: NOBODY };
}
