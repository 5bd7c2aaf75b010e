/**
 * Owns: how often something may be tried within a window of time, counted in this isolate's memory. It slows down one
 * who hammers at a link; it is no wall, since another isolate counts for itself. What is tried is safe without it.
 */

export interface TriesOptions {
  /** Tries within any window. */
  readonly limit: number;
  readonly windowMs: number;
  /** Beyond it the key that was tried longest ago is forgotten. */
  readonly maxKeys: number;
}

export interface Tries {
  /** Counts a try of `key` at `now`, and says whether it may go on. A refused one is not counted, so that it ends. */
  readonly may: (key: string, now: number) => boolean;
}

export function createTries({ limit, windowMs, maxKeys }: TriesOptions): Tries {
  // The times of each key, oldest first. A Map keeps its keys in the order in which they were set.
  const timesByKey = new Map<string, readonly number[]>();

  function may(key: string, now: number): boolean {
    const recent = (timesByKey.get(key) ?? []).filter((time) => time > now - windowMs);
    const isAllowed = recent.length < limit;
    timesByKey.delete(key);
    timesByKey.set(key, isAllowed ? [...recent, now] : recent);
    const [oldest] = timesByKey.keys();
    if (timesByKey.size > maxKeys && oldest !== undefined) timesByKey.delete(oldest);
    return isAllowed;
  }

  return { may };
}
