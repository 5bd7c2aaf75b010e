import { expect, it } from "vitest";
import { RECENT_KEPT } from "../../src/core/limits.ts";
import type { TaskRecord } from "../../src/core/task.ts";
import type { Turn } from "../../src/core/turn.ts";
import { Recent } from "../../src/session/recent.ts";

const NUMBERS = Array.from({ length: 3 * RECENT_KEPT }, (_, n) => n);
const turn = (n: number) => ({ n }) as Turn;
const question = (n: number) => ({ n }) as TaskRecord;

it("keeps the last few that were written or read, and no more", () => {
  const recent = new Recent();
  for (const n of NUMBERS)
    recent.take({ commits: [], settled: [turn(n)], questions: [question(n)] });
  const last = NUMBERS.slice(-RECENT_KEPT);
  expect(NUMBERS.filter((n) => recent.turn(n) !== undefined)).toEqual(last);
  expect(NUMBERS.filter((n) => recent.question(n) !== undefined)).toEqual(last);
  for (const n of NUMBERS) recent.read(question(1_000 + n));
  expect(NUMBERS.filter((n) => recent.question(1_000 + n) !== undefined)).toEqual(last);
});

it("forgets a turn to which something was added, and everything where a question may be otherwise", () => {
  const recent = new Recent();
  recent.take({ commits: [], settled: [turn(1), turn(2)], questions: [question(3)] });
  recent.take({
    commits: [{ seq: 4, turn: 1, at: 0, facts: [] }],
    settled: [],
    questions: [],
  });
  expect([recent.turn(1), recent.turn(2), recent.question(3)]).toEqual([
    undefined,
    turn(2),
    question(3),
  ]);
  recent.take({ commits: [], settled: [], questions: undefined });
  expect([recent.turn(2), recent.question(3)]).toEqual([undefined, undefined]);
});
