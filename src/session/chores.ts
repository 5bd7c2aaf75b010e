/**
 * Owns: doing what the session owes to others: one chore after another, each deleted once it is done and put off when it
 * fails. Does not own: what a chore does (`children.ts`), nor when one is written (`draft.ts`).
 */

import { messageOf } from "../agent/tools.ts";
import { type Chore, CHORE_RETRY } from "../core/chore.ts";
import { RETRY_DELAY_MAX_MS } from "../core/limits.ts";
import { retryDelay } from "../core/retry.ts";
import type { SessionStore } from "./store.ts";

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

  /** Does what is due, where nobody does it already. */
  ring(): void {
    if (this.#running || this.#store.dueChore() === undefined) return;
    this.#running = true;
    this.#ports.waitUntil(this.#run());
  }

  async #run(): Promise<void> {
    try {
      for (let chore = this.#store.dueChore(); chore !== undefined; chore = this.#store.dueChore())
        await this.#do(chore);
    } finally {
      this.#running = false;
    }
  }

  async #do(chore: Chore): Promise<void> {
    try {
      await this.#ports.perform(chore);
      this.#store.finishChore(chore.n);
    } catch (error) {
      const tries = chore.tries + 1;
      const delay = retryDelay(CHORE_RETRY, tries, this.#ports.random()) ?? RETRY_DELAY_MAX_MS;
      if (tries === CHORE_RETRY.maxAttempts) this.#ports.report(error);
      this.#store.delayChore(chore.n, this.#store.now() + delay, messageOf(error));
    }
  }
}
