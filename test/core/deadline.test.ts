import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { withinTime } from "../../src/core/deadline.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const late = (): Error => new Error("too late");

it("ends what never ends once its time is over, and not before", async () => {
  let end: unknown;
  withinTime(20, late, () => new Promise(() => undefined)).catch((error: unknown) => (end = error));
  await vi.advanceTimersByTimeAsync(19);
  expect(end).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(end).toEqual(late());
});

it("leaves no timer behind what ended in time, however it did", async () => {
  const broken = new Error("no ledger");
  const fail = (): never => {
    throw broken;
  };
  expect(await withinTime(20, late, () => Promise.resolve(true))).toBe(true);
  await expect(withinTime(20, late, () => Promise.reject(broken))).rejects.toBe(broken);
  await expect(withinTime(20, late, fail)).rejects.toBe(broken);
  expect(vi.getTimerCount()).toBe(0);
});
