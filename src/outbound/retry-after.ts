/**
 * Owns: reading `Retry-After`, by which a server that is busy says when to come again.
 */

/** In milliseconds from `now`. The header gives seconds, or a date. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const header = headers.get("retry-after");
  if (header === null) return undefined;
  const delayMs = /^[0-9]{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return delayMs > 0 ? delayMs : undefined;
}
