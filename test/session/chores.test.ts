import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Chore } from "../../src/core/chore.ts";
import { CHORE_TIMEOUT_MS, CHORES_AT_ONCE } from "../../src/core/limits.ts";
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

  dueBy(): Chore[] {
    return [...this.left];
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

function runnerOf(owed: Owed, perform: (n: number) => Promise<undefined>): ChoreRunner {
  const store = {
    chores: owed,
    now: () => Date.now(),
    changeChores: (change: (chores: Owed) => void) => change(owed),
  } as unknown as SessionStore;
  return new ChoreRunner(store, {
    perform: ({ n }) => perform(n),
    random: () => 0,
    tried: () => undefined,
    waitUntil: () => undefined,
    report: () => undefined,
  });
}

it("holds up nobody's word but that of the same turn by one that hangs, and that for a minute", async () => {
  const owed = new Owed(1, 2, 1, 3);
  const performed: number[] = [];
  const runner = runnerOf(owed, (n) => {
    performed.push(n);
    return n === 0 ? new Promise(() => undefined) : Promise.resolve(undefined);
  });
  runner.ring();
  await vi.advanceTimersByTimeAsync(CHORE_TIMEOUT_MS - 1);
  expect(performed).toEqual([0, 1, 3]);
  await vi.advanceTimersByTimeAsync(1);
  expect(performed).toEqual([0, 1, 3, 2]);
  expect(owed.failures).toEqual(["0: it did not end within 60000 ms"]);
  expect(owed.left).toEqual([]);
  expect(runner.isRunning).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

it("tells a few at once, and no more", async () => {
  const owed = new Owed(...Array.from({ length: 20 }, (_, turn) => turn));
  const most: number[] = [];
  let now = 0;
  const runner = runnerOf(owed, async () => {
    now += 1;
    most.push(now);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    now -= 1;
    return undefined;
  });
  runner.ring();
  await vi.runAllTimersAsync();
  expect(owed.left).toEqual([]);
  expect(Math.max(...most)).toBe(CHORES_AT_ONCE);
});
