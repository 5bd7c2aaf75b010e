/** Owns: the last few of what was written or read, by their numbers, for whoever asks for them next. */

/** Enough for what a session that changes fast does between two reports to the inbox, and little memory where each is large. */
const KEPT = 12;

export class Recent<T extends { readonly n: number }> {
  readonly #kept = new Map<number, T>();

  get(n: number): T | undefined {
    return this.#kept.get(n);
  }

  keep(item: T): void {
    this.#kept.delete(item.n);
    this.#kept.set(item.n, item);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  drop(n: number): void {
    this.#kept.delete(n);
  }

  clear(): void {
    this.#kept.clear();
  }
}
