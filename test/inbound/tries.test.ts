import { expect, it } from "vitest";
import { createTries } from "../../src/inbound/tries.ts";

it("allows so many tries of a key within any window, and the next one after it", () => {
  const tries = createTries({ limit: 3, windowMs: 60_000, maxKeys: 10 });
  expect([0, 10_000, 20_000].map((now) => tries.may("a", now))).toEqual([true, true, true]);
  expect(tries.may("a", 59_999)).toBe(false);
  expect(tries.may("a", 60_000)).toBe(true);
  expect(tries.may("a", 60_001)).toBe(false);
  expect(tries.may("a", 70_000)).toBe(true);
});

it("does not count a refused try, so that hammering ends with the window", () => {
  const tries = createTries({ limit: 1, windowMs: 1_000, maxKeys: 10 });
  expect(tries.may("a", 0)).toBe(true);
  for (let now = 1; now < 1_000; now += 1) expect(tries.may("a", now)).toBe(false);
  expect(tries.may("a", 1_000)).toBe(true);
});

it("counts each key for itself", () => {
  const tries = createTries({ limit: 1, windowMs: 1_000, maxKeys: 10 });
  expect(tries.may("a", 0)).toBe(true);
  expect(tries.may("b", 0)).toBe(true);
  expect(tries.may("a", 0)).toBe(false);
});

it("forgets the key that was tried longest ago when there are too many", () => {
  const tries = createTries({ limit: 1, windowMs: 1_000, maxKeys: 2 });
  tries.may("a", 0);
  tries.may("b", 0);
  tries.may("a", 1);
  tries.may("c", 2);
  expect(tries.may("a", 3)).toBe(false);
  expect(tries.may("b", 3)).toBe(true);
});
