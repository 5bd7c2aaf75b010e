/**
 * Owns: doing what the session owes to others, a few chores at once, each deleted once it is done and put off when it
 * fails. Does not own: what a chore does (`performing.ts`), nor when one is written (`draft.ts`).
 */

import { messageOf } from "../agent/tools.ts";
import { type Chore, choreRetry, type OwedNotice } from "../core/chore.ts";
import { withinTime } from "../core/deadline.ts";
import type { JsonObject } from "../core/json.ts";
import { CHORE_TIMEOUT_MS, CHORES_AT_ONCE } from "../core/limits.ts";
import { retryDelay } from "../core/retry.ts";
import {
  deleteChore,
  hasChores,
  noteFailure,
  noteSent,
  readDueChores,
  reviveChore,
} from "../journal/chores.ts";
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

  /** Those that are due, in no order. */
  dueBy(now: number): Chore[] {
    return [...this.#due.values()].filter(({ dueAt }) => dueAt <= now);
  }

  /** When each is due, in milliseconds since the epoch, in no order. */
  get dueTimes(): number[] {
    return Array.from(this.#due.values(), ({ dueAt }) => dueAt);
  }

  /** Takes in what a transaction wrote. */
  written(chores: readonly Chore[]): void {
    for (const chore of chores) this.#due.set(chore.n, chore);
    this.#exist ||= chores.length > 0;
  }

  done(chore: Chore): void {
    const now = this.#due.get(chore.n);
    // Something to tell came to it meanwhile.
    if (now !== undefined && now !== chore) return;
    deleteChore(this.#database, chore.n);
    this.#due.delete(chore.n);
  }

  /** Makes one due again that is there. */
  revive(chore: Chore): void {
    reviveChore(this.#database, chore);
    this.#due.set(chore.n, chore);
  }

  /** Notes what a delivery told, and goes on with what is left: more may have come to tell while it was on its way. */
  told({ n, tries, content }: Chore, { notices, isSent, reference, more }: Told, at: number): void {
    const now = this.#due.get(n)?.content ?? content;
    if (now.kind !== "deliver") throw new Error(`chore ${n} is no delivery`);
    const left = [...now.notices.slice(notices), ...more];
    const chore = {
      n,
      dueAt: at,
      tries: left.length > 0 ? 0 : isSent ? tries + 1 : tries,
      content: { ...now, notices: left },
    };
    noteSent(this.#database, chore, at, reference);
    if (left.length === 0) this.#due.delete(n);
    else this.#due.set(n, chore);
  }

  failed(chore: Chore, error: string, isGivenUp: boolean): void {
    noteFailure(this.#database, chore, error, isGivenUp);
    // What it has to tell may have grown meanwhile.
    const content = this.#due.get(chore.n)?.content ?? chore.content;
    if (isGivenUp) this.#due.delete(chore.n);
    else this.#due.set(chore.n, { ...chore, content });
  }
}

/** What came of a try to deliver. */
export interface Told {
  /** How many of the notices in front are done with. */
  readonly notices: number;
  /** Whether one of them was sent: the others were needed no more. */
  readonly isSent: boolean;
  readonly reference?: JsonObject;
  /** What has to be told besides, since it happened meanwhile. */
  readonly more: readonly OwedNotice[];
}

export interface ChorePorts {
  readonly perform: (chore: Chore) => Promise<Told | undefined>;
  readonly random: () => number;
  /** Told of each chore of which a try came to its end. */
  readonly tried: (chore: Chore) => void;
  readonly waitUntil: (work: Promise<unknown>) => void;
  readonly report: (defect: unknown) => void;
}

export class ChoreRunner {
  readonly #store: SessionStore;
  readonly #ports: ChorePorts;
  /** The lanes in which one is being done. */
  readonly #busy = new Set<string>();

  constructor(store: SessionStore, ports: ChorePorts) {
    this.#store = store;
    this.#ports = ports;
  }

  get isRunning(): boolean {
    return this.#busy.size > 0;
  }

  /** Does what is due, where nobody does it already. */
  ring(): void {
    for (let chore = this.#next(); chore !== undefined; chore = this.#next()) {
      this.#busy.add(laneOf(chore));
      this.#ports.waitUntil(this.#do(chore));
    }
  }

  /** The first that is due and whose lane is free. */
  #next(): Chore | undefined {
    if (this.#busy.size >= CHORES_AT_ONCE) return undefined;
    return this.#store.chores
      .dueBy(this.#store.now())
      .filter((chore) => !this.#busy.has(laneOf(chore)))
      .sort((one, other) => one.dueAt - other.dueAt || one.n - other.n)[0];
  }

  async #do(chore: Chore): Promise<void> {
    try {
      await this.#try(chore);
      this.#ports.tried(chore);
    } finally {
      this.#busy.delete(laneOf(chore));
    }
    // Not where it threw: what can't be noted down would be done again and again. The alarm comes back to it.
    this.ring();
  }

  async #try(chore: Chore): Promise<void> {
    let told: Told | undefined;
    try {
      told = await withinTime(CHORE_TIMEOUT_MS, tookTooLong, () => this.#ports.perform(chore));
    } catch (error) {
      this.#fail(chore, error);
      return;
    }
    if (!this.#store.chores.has(chore)) return;
    const now = this.#store.now();
    this.#store.changeChores((chores) =>
      told === undefined ? chores.done(chore) : chores.told(chore, told, now),
    );
  }

  #fail(chore: Chore, error: unknown): void {
    if (!this.#store.chores.has(chore)) return;
    const tries = chore.tries + 1;
    const { retryable, retryAfterMs } = adviceOf(error);
    const delay = retryable
      ? retryDelay(choreRetry(chore.content), tries, this.#ports.random(), retryAfterMs)
      : null;
    if (delay === null) this.#ports.report(error);
    const put = { ...chore, tries, dueAt: this.#store.now() + (delay ?? 0) };
    this.#store.changeChores((chores) => chores.failed(put, messageOf(error), delay === null));
  }
}

/** Whoever can't be reached holds up only what must come in order: word of one turn, and what becomes of children. */
function laneOf({ n, content }: Chore): string {
  switch (content.kind) {
    case "deliver":
      return `deliver ${n}`;
    case "callback":
    case "result":
      return `${content.kind} ${content.turn}`;
    case "startChild":
    case "cancelChild":
    case "tellParent":
      return "family";
  }
}

/** What was to be told may have arrived: it is told again, as what failed on its way is. */
function tookTooLong(): Error {
  return new Error(`it did not end within ${CHORE_TIMEOUT_MS} ms`);
}

/** What a failure says of further tries, where it is a channel's own that says something. */
function adviceOf(error: unknown): { readonly retryable: boolean; readonly retryAfterMs?: number } {
  if (!(error instanceof Error)) return { retryable: true };
  const { retryable, retryAfterMs } = error as { retryable?: unknown; retryAfterMs?: unknown };
  return {
    retryable: retryable !== false,
    ...(typeof retryAfterMs === "number" && { retryAfterMs }),
  };
}
