/**
 * Owns: what is measured of all systems one after another, round by round: cycles in sessions that are there, in fresh ones, and
 * by one caller alone. A ratio is that of one round.
 */

import { execFileSync } from "node:child_process";
import { cycles, cyclesFor, repeated, type Sample, sessionsOf } from "./load.ts";
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
  for (const target of targets) await warm(target, plan.warmMs);
  const until = performance.now() + plan.roundsMs;
  for (let round = 0; round < plan.rounds; round += 1) {
    if (round > 1 && performance.now() > until) break;
    const measured = await measureRound(
      round % 2 === 0 ? targets : targets.toReversed(),
      round,
      plan,
    );
    for (const [name, figures] of measured) rounds.get(name)?.push(figures);
  }
  return rounds;
}

/** Code is compiled as it runs, and more of it the longer it runs: for as long as a server's first minutes matter little. */
async function warm(target: Target, ms: number): Promise<void> {
  await cyclesFor(ms, target, repeated(sessionsOf("warm", 1), 2));
}

/** Measure by measure, each of all systems: what the machine does otherwise changes from second to second. */
async function measureRound(
  targets: readonly Target[],
  round: number,
  plan: Plan,
): Promise<ReadonlyMap<string, Round>> {
  const samplesOf = async (measure: (target: Target) => Promise<Sample>) => {
    const samples = new Map<Target, Sample>();
    for (const target of targets) {
      await settle(target, plan);
      samples.set(target, await measure(target));
    }
    return (target: Target) => samples.get(target) ?? nothingOf(target);
  };
  const inExisting = repeated(sessionsOf(`fresh${round}`, 1), CYCLES_IN_EXISTING);
  const fresh = await samplesOf((target) =>
    cycles(target, sessionsOf(`fresh${round}`, plan.freshEach)),
  );
  const existing = await samplesOf((target) => cyclesFor(plan.existingMs, target, inExisting));
  const alone = await samplesOf((target) => cycles(target, aloneIn(plan)));
  return new Map(
    targets.map((target) => [
      target.name,
      {
        existing: existing(target).cyclesASecond,
        fresh: fresh(target).cyclesASecond,
        cpuMs: existing(target).cpuMsACycle,
        doneP50Ms: medianOf(alone(target).finishMs),
        doneP99Ms: percentile(alone(target).finishMs, 99),
        cycleP50Ms: medianOf(alone(target).cycleMs),
      },
    ]),
  );
}

function nothingOf({ name }: Target): never {
  throw new Error(`nothing was measured of ${name}`);
}

/**
 * The system is at work as if no other one had been measured meanwhile; then what was written is on the disk, and what was put
 * off is done.
 */
async function settle(target: Target, { againMs, pauseMs }: Plan): Promise<void> {
  await warm(target, againMs);
  execFileSync("sync");
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
}

function aloneIn({ aloneCycles }: Plan): string[][] {
  const sessions = sessionsOf("warm", 1).flat();
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
