/** The world outside, as the tests' tools touch it: an effect counts once for each idempotency key. */
class Ledger {
  readonly #effects = new Map<string, string>();
  #tries = 0;

  record(what: string, idempotencyKey: string): void {
    this.#tries += 1;
    this.#effects.set(idempotencyKey, what);
  }

  /** What was done, each effect once for its key. */
  get effects(): string[] {
    return [...this.#effects.values()].sort();
  }

  /** How often a tool ran, repetitions counted. */
  get tries(): number {
    return this.#tries;
  }

  clear(): void {
    this.#effects.clear();
    this.#tries = 0;
  }
}

export const ledger = new Ledger();
