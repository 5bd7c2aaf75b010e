/**
 * Owns: what is measured of all systems one after another, round by round: cycles in sessions that are there, in fresh ones,
 * and by one caller alone. A ratio is that of one round.
 */

import { execFileSync } from "node:child_process";
import { cycles, cyclesFor, repeated, sessionsOf } from "./load.ts";
import type { Plan } from "./plan.ts";
import { medianOf, percentile } from "./statistics.ts";
import type { Target } from "./target.ts";

export interface Round {
  readonly existing: number;
  readonly fresh: number;
  readonly cpuMs: number;
  readonly doneP50Ms: number;
  readonly doneP99Ms: number;
  readonly cycleP50Ms: number;
}

/** The rounds of each system, by its name; those of one place are of one round. */
export type Rounds = ReadonlyMap<string, readonly Round[]>;

const CYCLES_IN_EXISTING = 12;

export async function measureRounds(targets: readonly Target[], plan: Plan): Promise<Rounds> {
  const rounds = new Map<string, Round[]>(targets.map(({ name }) => [name, []]));
  for (const target of targets) await warm(target, plan);
  const until = performance.now() + plan.roundsMs;
  for (let round = 0; round < plan.rounds; round += 1) {
    if (round > 1 && performance.now() > until) break;
    for (const target of round % 2 === 0 ? targets : targets.toReversed())
      rounds.get(target.name)?.push(await measureRound(target, round, plan));
  }
  return rounds;
}

/** Code is compiled as it runs, and more of it the longer it runs: for as long as a server's first minutes matter little. */
async function warm(target: Target, { warmMs }: Plan): Promise<void> {
  const until = performance.now() + warmMs;
  const sessions = sessionsOf("warm", 1);
  while (performance.now() < until) await cycles(target, repeated(sessions, 2));
}

async function measureRound(target: Target, round: number, plan: Plan): Promise<Round> {
  await pause(plan);
  const fresh = await cycles(target, sessionsOf(`fresh${round}`, plan.freshEach));
  await pause(plan);
  const existing = await cyclesFor(
    plan.existingMs,
    target,
    repeated(sessionsOf(`fresh${round}`, 1), CYCLES_IN_EXISTING),
  );
  await pause(plan);
  const alone = await cycles(target, aloneIn(round, plan));
  return {
    existing: existing.cyclesASecond,
    fresh: fresh.cyclesASecond,
    cpuMs: existing.cpuMsACycle,
    doneP50Ms: medianOf(alone.finishMs),
    doneP99Ms: percentile(alone.finishMs, 99),
    cycleP50Ms: medianOf(alone.cycleMs),
  };
}

/** What was written before is on the disk, and what was put off is done. */
function pause({ pauseMs }: Plan): Promise<void> {
  execFileSync("sync");
  return new Promise((resolve) => setTimeout(resolve, pauseMs));
}

function aloneIn(round: number, { aloneCycles }: Plan): string[][] {
  const sessions = sessionsOf(`fresh${round}`, 1).flat();
  return [Array.from({ length: aloneCycles }, (_, n) => sessions[n % sessions.length] ?? "")];
}

export interface Growth {
  readonly questions: number;
  readonly tenthMs: number;
  readonly lastMs: number;
}

const BEFORE = 9;
const MEASURED = 12;

/**
 * What the last question of a long session takes against the tenth of a short one, in turns: the whole conversation is shown
 * to the model each time.
 */
export async function measureGrowth(target: Target, questions: number): Promise<Growth> {
  await cycles(target, repeated([["long"]], questions - MEASURED / 2));
  const tenthMs: number[] = [];
  const lastMs: number[] = [];
  for (let n = 0; n < MEASURED; n += 1) {
    await cycles(target, repeated([[`short-${n}`]], BEFORE));
    tenthMs.push(...(await cycles(target, [[`short-${n}`]])).cycleMs);
    lastMs.push(...(await cycles(target, [["long"]])).cycleMs);
  }
  return { questions, tenthMs: medianOf(tenthMs), lastMs: medianOf(lastMs) };
}
