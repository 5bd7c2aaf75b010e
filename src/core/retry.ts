/**
 * Owns: when a failed attempt is tried again. One function from the number of failures to a delay, or to "stop".
 */

import { RETRY_DELAY_MAX_MS, RETRY_FIRST_MS } from "./limits.ts";

export interface RetryPolicy {
  /** Attempts in all, the first one included, before a turn is failed. */
  readonly maxAttempts: number;
  /** Delay before the third attempt; it doubles from there. The second comes after RETRY_FIRST_MS. */
  readonly retryDelayMs: number;
}

/**
 * Milliseconds until the next attempt after `attempts` failed ones in a row, or null where no more may follow.
 * `jitter` is in [0, 1) and spreads the delay over its upper half, so that what failed together does not return together.
 * A provider's `Retry-After` (milliseconds) is kept: the delay is never shorter.
 */
export function retryDelay(
  policy: RetryPolicy,
  attempts: number,
  jitter: number,
  retryAfterMs = 0,
): number | null {
  if (attempts >= policy.maxAttempts) return null;
  const whole = attempts <= 1 ? RETRY_FIRST_MS : policy.retryDelayMs * 2 ** (attempts - 2);
  const spread = Math.min(whole, RETRY_DELAY_MAX_MS) * (0.5 + jitter / 2);
  return Math.max(Math.ceil(spread), Math.min(retryAfterMs, RETRY_DELAY_MAX_MS));
}

/**
 * The same for a turn that is tried again only when it is told to: from when on that has an effect. Whoever tells it
 * spreads the calls, so the delay is the policy's own from the first failure on.
 */
export function toldRetryDelay(
  policy: RetryPolicy,
  attempts: number,
  retryAfterMs = 0,
): number | null {
  if (attempts >= policy.maxAttempts) return null;
  const delay = Math.max(policy.retryDelayMs * 2 ** (attempts - 1), retryAfterMs);
  return Math.min(delay, RETRY_DELAY_MAX_MS);
}
