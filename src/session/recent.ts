/**
 * Owns: the turns and questions that a session's object wrote or read last, in memory for who asks for them next: a caller, and
 * the inbox, which is told of several at once. Whatever is not here is read from the journal.
 */

import { RECENT_KEPT } from "../core/limits.ts";
import type { TaskRecord } from "../core/task.ts";
import type { Turn } from "../core/turn.ts";
import type { Written } from "./draft.ts";

export class Recent {
  readonly #turns = new Map<number, Turn>();
  readonly #questions = new Map<number, TaskRecord>();

  /** A turn that was settled. */
  turn(n: number): Turn | undefined {
    return this.#turns.get(n);
  }

  question(n: number): TaskRecord | undefined {
    return this.#questions.get(n);
  }

  /** Keeps a question that was read. */
  read(record: TaskRecord): void {
    keep(this.#questions, record);
  }

  /** Takes in what a transaction wrote, in the place of what was here of the same. */
  take({ commits, settled, questions }: Pick<Written, "commits" | "settled" | "questions">): void {
    if (questions === undefined) {
      this.#turns.clear();
      this.#questions.clear();
    }
    for (const { turn } of commits) this.#turns.delete(turn);
    for (const turn of settled) keep(this.#turns, turn);
    for (const record of questions ?? []) keep(this.#questions, record);
  }
}

/** As the newest; the oldest goes where there are too many. */
function keep<T extends { readonly n: number }>(kept: Map<number, T>, item: T): void {
  kept.delete(item.n);
  kept.set(item.n, item);
  const [oldest] = kept.keys();
  if (kept.size > RECENT_KEPT && oldest !== undefined) kept.delete(oldest);
}
