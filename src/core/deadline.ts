/**
 * Owns: how long something is waited for that may never end: code of an agent's author, or whoever is told something.
 */

/**
 * What `work` comes to. Rejects with what `late` makes where it has not ended after `timeoutMs` milliseconds: it may go on by
 * itself then, and nobody heeds what becomes of it.
 */
export async function withinTime<T>(
  timeoutMs: number,
  late: () => Error,
  work: () => T | PromiseLike<T>,
): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(late()), timeoutMs);
  try {
    return await Promise.race([work(), timeout.promise]);
  } finally {
    // A timer left behind would keep a parked object in memory (I11).
    clearTimeout(timer);
  }
}
