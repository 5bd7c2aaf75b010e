/**
 * Owns: what a session's last transactions wrote, in memory for who asks for it next: a caller who reads, and the inbox,
 * which is told of several at once. Whatever is not here is read from the journal.
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
    this.#questions.set(record.n, record);
  }

  /** Takes in what a transaction wrote, in the place of what was here of the same. */
  take({ commits, settled, questions }: Pick<Written, "commits" | "settled" | "questions">): void {
    if (questions === undefined || this.#turns.size + this.#questions.size > RECENT_KEPT)
      this.clear();
    for (const { turn } of commits) this.#turns.delete(turn);
    for (const turn of settled) this.#turns.set(turn.n, turn);
    for (const record of questions ?? []) this.#questions.set(record.n, record);
  }

  /** Forgets all: it is needed no more, or may be otherwise now. */
  clear(): void {
    this.#turns.clear();
    this.#questions.clear();
  }
}
