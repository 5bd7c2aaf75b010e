/**
 * Owns: callers that wait in memory for a turn to change. They hold nothing: a caller that hangs up, or an object that
 * dies, cancels no work.
 */

export class Waiters {
  readonly #waiting = new Map<number, Set<() => void>>();

  /** Resolves when `done` holds, judged after each commit of the turn, or after `ms` milliseconds. */
  async until(turn: number, ms: number, done: () => boolean): Promise<void> {
    const deadline = Date.now() + ms;
    while (!done()) {
      const left = deadline - Date.now();
      if (left <= 0) return;
      await this.#next(turn, left);
    }
  }

  /** A commit concerned these turns. */
  tell(turns: readonly number[]): void {
    for (const turn of turns) {
      const waiting = this.#waiting.get(turn);
      this.#waiting.delete(turn);
      for (const wake of waiting ?? []) wake();
    }
  }

  #next(turn: number, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(turn) ?? new Set();
      this.#waiting.set(turn, waiting);
      const timer = setTimeout(() => {
        waiting.delete(wake);
        resolve();
      }, ms);
      const wake = () => {
        clearTimeout(timer);
        resolve();
      };
      waiting.add(wake);
    });
  }
}
