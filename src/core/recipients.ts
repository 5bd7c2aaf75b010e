/**
 * Owns: whom a question is addressed to: the names that its author configured, the addresses behind them, groups, and
 * which channels reach whom. A model, or a caller, chooses among names and never gives an address.
 */

import type { Channel, Recipient } from "./channel.ts";
import type { WrittenTerms } from "./life.ts";
import { REFUSAL_ISSUE_CHARACTERS } from "./limits.ts";
import type { Issue } from "./refusal.ts";
import { shorten } from "./text.ts";

/** By name: one recipient, or the members of a group. */
export type Directory = ReadonlyMap<string, readonly Recipient[]>;

/** The channels by which an agent's questions reach people, who those people are, and the terms of its questions. */
export interface Reach {
  readonly channels: readonly Channel[];
  readonly directory: Directory;
  readonly terms: WrittenTerms;
}

export const NO_REACH: Reach = { channels: [], directory: new Map(), terms: {} };

/** What is wrong with a name; undefined for one that a question may be addressed to. */
export function issueOfName(directory: Directory, path: string, name: string): Issue | undefined {
  // An author who configured nobody knows the names elsewhere.
  if (directory.size === 0 || directory.has(name)) return undefined;
  const message = `must be one of ${[...directory.keys()].join(", ")}`;
  return { path, message: shorten(message, REFUSAL_ISSUE_CHARACTERS) };
}

/** The people behind a name. One who is not configured any more keeps the name, and has no address. */
export function peopleOf(directory: Directory, name: string): readonly Recipient[] {
  return directory.get(name) ?? [{ name }];
}

/** One person by name, as a link or a delivery names them. */
export function personNamed(directory: Directory, name: string): Recipient {
  const people = directory.get(name);
  if (people?.length === 1 && people[0] !== undefined) return people[0];
  return { name };
}

type AddressKind = Exclude<keyof Recipient, "name">;
const ADDRESS_KINDS: readonly AddressKind[] = ["email", "slack", "webhook"];

/**
 * Whether a channel brings questions to this recipient. One with addresses is reached by those channels whose address
 * they have, and by channels that need none; one without any is left to each channel, which knows its own default.
 */
export function reaches(channel: string, recipient: Recipient | undefined): boolean {
  if (recipient === undefined || ADDRESS_KINDS.every((kind) => recipient[kind] === undefined))
    return true;
  const kind = ADDRESS_KINDS.find((each) => each === channel);
  return kind === undefined || recipient[kind] !== undefined;
}

/** Whom a question is addressed to, as every surface shows it. */
export interface Addressed {
  readonly to?: string | undefined;
  /** Who may answer beside the one of `to`: the members of a group, and those to whom it was escalated. */
  readonly recipients?: readonly string[] | undefined;
}

/** Whether a link, a mail or a button that was made for `recipient` (undefined: for nobody) may still answer. */
export function isAddressedTo(question: Addressed, recipient: string | undefined): boolean {
  if (recipient === question.to) return true;
  return recipient !== undefined && question.recipients?.includes(recipient) === true;
}

/** The people whom a question is addressed to now; undefined stands for nobody in particular. */
export function peopleAddressed(
  directory: Directory,
  { to, recipients = [] }: Addressed,
): readonly (Recipient | undefined)[] {
  const isGroup = (name: string) =>
    directory.get(name)?.some((person) => person.name !== name) === true;
  const named = [...(to === undefined ? [] : [to]), ...recipients]
    .filter((name) => !isGroup(name))
    .map((name) => personNamed(directory, name));
  return to === undefined ? [undefined, ...named] : named;
}

/** Moved to somebody else: whoever it was addressed to before is out of it. */
export function addressedTo(directory: Directory, to: string | undefined): Addressed {
  if (to === undefined) return {};
  const members = peopleOf(directory, to)
    .map(({ name }) => name)
    .filter((name) => name !== to);
  return { to, ...(members.length > 0 && { recipients: members }) };
}

/** Escalated to somebody: they may answer too. */
export function alsoAddressedTo(directory: Directory, now: Addressed, to: string): Addressed {
  const added = [to, ...peopleOf(directory, to).map(({ name }) => name)];
  const recipients = [...(now.recipients ?? []), ...added].filter((name) => name !== now.to);
  return { ...now, recipients: [...new Set(recipients)] };
}
