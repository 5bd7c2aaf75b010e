/**
 * Owns: whom a question is addressed to.
 */

import type { Recipient } from "./channel.ts";

/** By name: one recipient, or the members of a group. */
export type Directory = ReadonlyMap<string, readonly Recipient[]>;

/** Whom a question is addressed to, as every surface shows it. */
export interface Addressed {
  readonly to?: string | undefined;
  /** Who may answer beside the one of `to`. */
  readonly recipients?: readonly string[] | undefined;
}

/** Whether a link, a mail or a button that was made for `recipient` (undefined: for nobody) may still answer. */
export function isAddressedTo(question: Addressed, recipient: string | undefined): boolean {
  if (recipient === question.to) return true;
  return recipient !== undefined && question.recipients?.includes(recipient) === true;
}
