/**
 * Owns: retention inside one transaction: when to look for what was settled long since, and deleting it. What is open
 * stays, with all that belongs to it.
 */

import type { FactOf } from "../core/event.ts";
import { type KeptFor, nextSweep, outlived } from "../core/retention.ts";
import type { Database } from "../journal/database.ts";
import type { Head } from "../journal/journal.ts";
import {
  eraseTask,
  eraseTurn,
  readSettledQuestions,
  readSettledTurns,
} from "../journal/erasing.ts";

export class Sweeper {
  readonly #database: Database;
  readonly #keptFor: KeptFor;
  readonly #at: number;
  /** When to look next; undefined where nothing that is kept will ever end. */
  #sweepAt: number | undefined;
  #erased = false;

  constructor(database: Database, keptFor: KeptFor, sweepAt: number | undefined, at: number) {
    this.#database = database;
    this.#keptFor = keptFor;
    this.#sweepAt = sweepAt;
    this.#at = at;
  }

  /** What the session's head says of it. */
  get head(): Pick<Head, "sweepAt" | "erased"> {
    return {
      ...(this.#sweepAt !== undefined && { sweepAt: this.#sweepAt }),
      ...(this.#erased && { erased: true }),
    };
  }

  /** Something was settled: it is kept for so long, counted from now. */
  keep(agent: string | undefined): void {
    const kept = this.#keptFor(agent);
    if (kept !== undefined) this.#sweepAt = Math.min(this.#sweepAt ?? Infinity, this.#at + kept);
  }

  /** Everything is deleted: nothing is kept any more. */
  forget(): void {
    this.#sweepAt = undefined;
    this.#erased = true;
  }

  /** Deletes what has been kept long enough, where it is time to look; says what that was. */
  sweep(open: readonly number[]): FactOf<"settled.erased"> | undefined {
    if (this.#sweepAt === undefined || this.#sweepAt > this.#at) return undefined;
    const settled = readSettledTurns(this.#database, open);
    const direct = readSettledQuestions(this.#database);
    const turns = outlived(settled, this.#keptFor, this.#at);
    const questions = outlived(direct, this.#keptFor, this.#at);
    for (const n of questions) eraseTask(this.#database, n);
    for (const turn of turns) questions.push(...eraseTurn(this.#database, turn));
    this.#sweepAt = nextSweep([...settled, ...direct], this.#keptFor, this.#at);
    return turns.length + questions.length === 0
      ? undefined
      : { type: "settled.erased", turn: 0, turns, questions };
  }
}
