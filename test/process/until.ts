/**
 * Owns: waiting from outside for something to come true, with a deadline.
 */

import { setTimeout as elapsed } from "node:timers/promises";

const LOOK_AGAIN_MS = 50;

/** What `look` returns, once that is not undefined. Throws when the deadline passes first, and says what was waited for. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  deadlineMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${deadlineMs} ms`);
    await elapsed(LOOK_AGAIN_MS);
  }
}
