/**
 * Owns: what a channel is: a way by which a question reaches a person, and is told there how it ended. Each channel is
 * safe to call twice for one notice, since a crash may come between the sending and the commit that notes it.
 * Does not own: when a notice is due, nor its tries.
 */

import type { Brand } from "./brand.ts";
import type { JsonObject } from "./json.ts";
import type { Language } from "./language.ts";
import type { Question } from "./question.ts";

/** What a notice tells. An ending is told only where the question itself was sent before. */
export const NOTICE_EVENTS = [
  "question.asked",
  "question.reminded",
  "question.escalated",
  "question.assigned",
  "question.answered",
  "question.declined",
  "question.cancelled",
  "question.expired",
] as const;
export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

/** The channel whose messages can come back. */
export const MAIL_CHANNEL = "email";

/** Where a recipient is reached, by channel. A model knows recipients by name only. */
export interface Recipient {
  readonly name: string;
  readonly email?: string;
  /** A Slack channel's or user's id. */
  readonly slack?: string;
  readonly webhook?: string;
}

export interface Notice {
  /** The same at each try. */
  readonly id: string;
  readonly event: NoticeEvent;
  /** With the `answerUrl` of this recipient while it waits. */
  readonly question: Question;
  /** Absent where the question is addressed to nobody: the channel then uses its own default. */
  readonly recipient?: Recipient;
  /** What the channel returned when it sent this question to this recipient: a message id, say. */
  readonly reference?: JsonObject;
}

export interface ChannelContext {
  readonly env: Readonly<Record<string, unknown>>;
  readonly workspace: string;
  /** LINK_SECRET, for what only Holdpoint itself must be able to make. */
  readonly linkSecret?: string;
  /** True only on the machine of a developer: loopback addresses are allowed there. */
  readonly development: boolean;
  readonly now: number;
  /** In which language people are spoken to, and under whose name, as far as the author chose it. */
  readonly look?: { readonly language?: Language; readonly brand?: Brand };
}

export interface Channel {
  /** Unique among an agent's channels: `email`, `slack`, `webhook`, `deliver`. */
  readonly name: string;
  /** Which notices it sends. */
  readonly events: readonly NoticeEvent[];
  /** Rejects where it could not send: it is tried again. What it returns comes back as `reference` later. */
  readonly send: (notice: Notice, context: ChannelContext) => Promise<JsonObject | undefined>;
}
