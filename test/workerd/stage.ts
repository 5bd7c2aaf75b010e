/**
 * Owns: what a test moves, or waits for, while a turn runs: gates at which the tests' tools stand still, the policy that
 * an approval rule reads, and the facts that are committed. Tests and objects share one isolate, so this module is the
 * same on both sides; but not their I/O: each side waits by a timer of its own, and never for a promise of the other's.
 */

import type { ApprovalDecision } from "../../src/agent/agent.ts";
import type { Fact } from "../../src/core/event.ts";
import type { Commit } from "../../src/journal/journal.ts";

class Stage {
  readonly #passed = new Set<string>();
  readonly #opened = new Set<string>();
  readonly #facts = new Map<Fact["type"], number>();
  #tests = 0;
  /** What the approval rule of `guarded` says; throws where it is an error. */
  policy: ApprovalDecision | (() => Promise<ApprovalDecision>) | Error = true;

  /** What the input check of `checked` waits for. */
  check: () => Promise<void> = () => Promise.resolve();

  /** A tool stands here until the test opens the gate. Throws where the test ends before. */
  async stopAt(gate: string): Promise<void> {
    const test = this.#tests;
    this.pass(gate);
    await until(() => this.#opened.has(gate) || this.#tests > test);
    if (!this.#opened.has(gate)) throw new Error("the test is over");
  }

  /** A tool comes by here, and goes on. */
  pass(gate: string): void {
    this.#passed.add(gate);
  }

  /** Resolves once a tool came to the gate. */
  reached(gate: string): Promise<void> {
    return until(() => this.#passed.has(gate));
  }

  open(gate: string): void {
    this.#opened.add(gate);
  }

  /** Resolves once the next fact of this type is committed. Asked for before what brings it about. */
  next(type: Fact["type"]): Promise<void> {
    const before = this.#facts.get(type) ?? 0;
    return until(() => (this.#facts.get(type) ?? 0) > before);
  }

  committed(commits: readonly Commit[]): void {
    for (const { type } of commits.flatMap(({ facts }) => facts))
      this.#facts.set(type, (this.#facts.get(type) ?? 0) + 1);
  }

  /** Ends a test: nothing of it is left that stands anywhere. */
  clear(): void {
    this.#tests += 1;
    this.#passed.clear();
    this.#opened.clear();
    this.policy = true;
    this.check = () => Promise.resolve();
  }

  decide(): ApprovalDecision | Promise<ApprovalDecision> {
    if (this.policy instanceof Error) throw this.policy;
    return typeof this.policy === "function" ? this.policy() : this.policy;
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}

export const stage = new Stage();
