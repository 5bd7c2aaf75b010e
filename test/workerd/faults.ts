/**
 * The ports through which tests meddle with the engine: its clock, and what happens once a commit stands. Tests and
 * objects share one isolate, so this module is the same on both sides.
 */

import type { Commit } from "../../src/journal/journal.ts";

class Faults {
  /** Commits since the last reset. */
  commits = 0;
  /** Whether the object that had to die did. */
  crashed = false;
  /** What the engine reported as defects, the first hundred of them. */
  readonly defects: unknown[] = [];
  /** What went to the log, the last thousand lines. */
  lines: readonly object[] = [];
  #crashAt = 0;
  #always = false;
  #dying = false;
  #last: DurableObjectState | undefined;

  /** The object dies as soon as so many more commits stand on disk; 0: it lives. */
  crashAfter(commits: number): void {
    this.commits = 0;
    this.crashed = false;
    this.#crashAt = commits;
    this.#always = false;
  }

  /** The object dies at its next commit, and so does every life of it that follows. */
  crashAlways(): void {
    this.crashAfter(1);
    this.#always = true;
  }

  report(defect: unknown): void {
    if (this.defects.length < 100) this.defects.push(defect);
  }

  log(line: object): void {
    this.lines = [...this.lines.slice(-999), line];
  }

  /** The object that committed last dies here and now; what it committed is on disk. */
  die(): Promise<never> {
    if (this.#last === undefined) throw new Error("no object has committed anything");
    this.#kill(this.#last);
    return new Promise(() => undefined);
  }

  now(): number {
    // A dead object commits nothing more: whatever still unwinds in it meets this first.
    if (this.#dying) throw new Error("the object is dead");
    return Date.now();
  }

  committed(commits: readonly Commit[], state: DurableObjectState): void {
    if (commits.length === 0) return;
    this.commits += 1;
    this.#last = state;
    if (this.commits !== this.#crashAt && !this.#always) return;
    this.#kill(state);
    throw new Error("the object died here");
  }

  /** Nothing else reaches the object from here on, until what it committed is on disk and it is gone. */
  #kill(state: DurableObjectState): void {
    this.#dying = true;
    void state.blockConcurrencyWhile(async () => {
      await state.storage.sync();
      this.#dying = false;
      this.crashed = true;
      state.abort("the test crashed the object");
    });
  }
}

export const faults = new Faults();
