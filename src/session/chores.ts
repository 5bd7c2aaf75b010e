/**
 * Owns: doing what the session owes to others: one chore after another, each deleted once it is done and put off when it
 * fails. Does not own: what a chore does (`performing.ts`), nor when one is written (`draft.ts`).
 */

import { messageOf } from "../agent/tools.ts";
import { type Chore, choreRetry } from "../core/chore.ts";
import { retryDelay } from "../core/retry.ts";
import { deleteChore, hasChores, noteFailure, noteSent, readDueChores } from "../journal/chores.ts";
import type { Database } from "../journal/database.ts";
import type { SessionStore } from "./store.ts";

/** The chores that are not done, kept in memory beside their rows: what is due is asked for at every commit. */
export class Chores {
  readonly #database: Database;
  #due = new Map<number, Chore>();
  #exist = false;

  constructor(database: Database) {
    this.#database = database;
    this.reload();
  }

  /** Reads them from their rows: at the start, and after a transaction that was rolled back. */
  reload(): void {
    this.#exist = hasChores(this.#database);
    const due = this.#exist ? readDueChores(this.#database) : [];
    this.#due = new Map(due.map((chore) => [chore.n, chore]));
  }

  /** Whether the session ever had one, so that there is a table to read. */
  get exist(): boolean {
    return this.#exist;
  }

  /** Whether it is still owed: what belongs to an erased session no longer is. */
  has({ n }: Chore): boolean {
    return this.#due.has(n);
  }

  /** The one that is due first. */
  get next(): Chore | undefined {
    let next: Chore | undefined;
    for (const chore of this.#due.values())
      if (next === undefined || chore.dueAt < next.dueAt) next = chore;
    return next;
  }

  /** Takes in what a transaction wrote. */
  written(chores: readonly Chore[]): void {
    for (const chore of chores) this.#due.set(chore.n, chore);
    this.#exist ||= chores.length > 0;
  }

  done({ n, content }: Chore): void {
    if (content.kind === "deliver") noteSent(this.#database, n);
    else deleteChore(this.#database, n);
    this.#due.delete(n);
  }

  failed(chore: Chore, error: string, isGivenUp: boolean): void {
    noteFailure(this.#database, chore, error, isGivenUp);
    if (isGivenUp) this.#due.delete(chore.n);
    else this.#due.set(chore.n, chore);
  }
}

export interface ChorePorts {
  readonly perform: (chore: Chore) => Promise<void>;
  readonly random: () => number;
  readonly waitUntil: (work: Promise<unknown>) => void;
  readonly report: (defect: unknown) => void;
}

export class ChoreRunner {
  readonly #store: SessionStore;
  readonly #ports: ChorePorts;
  #running = false;

  constructor(store: SessionStore, ports: ChorePorts) {
    this.#store = store;
    this.#ports = ports;
  }

  get isRunning(): boolean {
    return this.#running;
  }

  /** Does what is due, where nobody does it already. */
  ring(): void {
    if (this.#running || this.#due() === undefined) return;
    this.#running = true;
    this.#ports.waitUntil(this.#run());
  }

  #due(): Chore | undefined {
    const { next } = this.#store.chores;
    return next !== undefined && next.dueAt <= this.#store.now() ? next : undefined;
  }

  async #run(): Promise<void> {
    try {
      for (let chore = this.#due(); chore !== undefined; chore = this.#due()) await this.#do(chore);
    } finally {
      this.#running = false;
    }
  }

  async #do(chore: Chore): Promise<void> {
    try {
      await this.#ports.perform(chore);
    } catch (error) {
      this.#fail(chore, error);
      return;
    }
    if (this.#store.chores.has(chore)) this.#store.changeChores((chores) => chores.done(chore));
  }

  #fail(chore: Chore, error: unknown): void {
    if (!this.#store.chores.has(chore)) return;
    const tries = chore.tries + 1;
    const delay = retryDelay(choreRetry(chore.content), tries, this.#ports.random());
    if (delay === null) this.#ports.report(error);
    const put = { ...chore, tries, dueAt: this.#store.now() + (delay ?? 0) };
    this.#store.changeChores((chores) => chores.failed(put, messageOf(error), delay === null));
  }
}
