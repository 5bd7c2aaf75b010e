/**
 * Owns: when what was settled is erased, where an agent's author bounds how long it is kept.
 */

import { RETENTION_SWEEP_MS } from "./limits.ts";

/** A turn, or a question that no turn asked, of which nothing is open. */
export interface Settled {
  readonly n: number;
  readonly agent: string | undefined;
  readonly settledAt: number;
}

/** How long what an agent settled is kept, in milliseconds; undefined is for ever. */
export type KeptFor = (agent: string | undefined) => number | undefined;

/** Whose time is over now. */
export function outlived(all: readonly Settled[], keptFor: KeptFor, now: number): number[] {
  return all.flatMap((settled) => {
    const endsAt = endOf(settled, keptFor);
    return endsAt !== undefined && endsAt <= now ? [settled.n] : [];
  });
}

/**
 * When to look next: at the end of the first one's time, and not so soon that a session which settles something every
 * minute is swept every minute. Undefined where nothing that is kept will ever end.
 */
export function nextSweep(
  all: readonly Settled[],
  keptFor: KeptFor,
  now: number,
): number | undefined {
  const ends = all.flatMap((settled) => endOf(settled, keptFor) ?? []).filter((at) => at > now);
  return ends.length === 0 ? undefined : Math.max(Math.min(...ends), now + RETENTION_SWEEP_MS);
}

function endOf({ agent, settledAt }: Settled, keptFor: KeptFor): number | undefined {
  const kept = keptFor(agent);
  return kept === undefined ? undefined : settledAt + kept;
}
