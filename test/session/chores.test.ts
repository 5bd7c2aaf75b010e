import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Chore } from "../../src/core/chore.ts";
import { CHORE_TIMEOUT_MS } from "../../src/core/limits.ts";
import { ChoreRunner } from "../../src/session/chores.ts";
import type { SessionStore } from "../../src/session/store.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A session's chores as their runner sees them, in memory. */
class Owed {
  readonly left: Chore[];
  readonly failures: string[] = [];

  constructor(...turns: number[]) {
    this.left = turns.map((turn, n) => ({
      n,
      dueAt: 0,
      tries: 0,
      content: { kind: "result", turn },
    }));
  }

  get next(): Chore | undefined {
    return this.left[0];
  }

  has(chore: Chore): boolean {
    return this.left.includes(chore);
  }

  done(chore: Chore): void {
    this.left.splice(this.left.indexOf(chore), 1);
  }

  /** Due again at some other time. */
  failed({ n }: Chore, error: string): void {
    this.failures.push(`${n}: ${error}`);
    this.left.splice(
      this.left.findIndex((each) => each.n === n),
      1,
    );
  }
}

it("gives each a minute, so that one which hangs holds up no other", async () => {
  const owed = new Owed(1, 2);
  const store = {
    chores: owed,
    now: () => Date.now(),
    changeChores: (change: (chores: Owed) => void) => change(owed),
  } as unknown as SessionStore;
  const performed: number[] = [];
  const runner = new ChoreRunner(store, {
    perform: ({ n }) => {
      performed.push(n);
      return n === 0 ? new Promise(() => undefined) : Promise.resolve(undefined);
    },
    random: () => 0,
    tried: () => undefined,
    waitUntil: () => undefined,
    report: () => undefined,
  });
  runner.ring();
  await vi.advanceTimersByTimeAsync(CHORE_TIMEOUT_MS - 1);
  expect(performed).toEqual([0]);
  await vi.advanceTimersByTimeAsync(1);
  expect(performed).toEqual([0, 1]);
  expect(owed.failures).toEqual(["0: it did not end within 60000 ms"]);
  expect(owed.left).toEqual([]);
  expect(runner.isRunning).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});
