/**
 * Owns: playing a share of the schedules: as many as are asked for, spread evenly over the kinds of faults, and what is
 * printed of them. Two test files play a half each, so that two cores have work.
 */

import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect } from "vitest";
import { ACTS } from "./people.ts";
import {
  type Fault,
  faultOfKind,
  formatSchedule,
  KINDS,
  kindOf,
  parseSchedule,
  play,
  type Played,
  type Schedule,
} from "./schedules.ts";

/** Faults tried in each script, once it was played without any. */
const FAULTS_A_SCRIPT = 10;
/** More than so many that fail say nothing new. */
const FAILURES_SHOWN = 5;
/** How much faster than the clock on the wall the engine's short waits in memory pass. */
const HASTE = 100;

/** As environment variables: SCHEDULES how many, FROM the first seed, SEED the one schedule to play alone. */
const { SCHEDULES, FROM, SEED } = env as unknown as Record<"SCHEDULES" | "FROM" | "SEED", string>;

const real = globalThis.setTimeout;

/** To be called at the top of a test file. Objects and tests share one isolate, and so one `setTimeout`. */
export function hurry(): void {
  beforeAll(() => {
    const hasty = (run: () => void, ms = 0) => real(run, ms / HASTE);
    globalThis.setTimeout = hasty as typeof setTimeout;
  });
  afterAll(() => {
    globalThis.setTimeout = real;
  });
}

export const TIMEOUT_MS = 120_000 + Number(SCHEDULES) * 2_000;

/** Plays this share of `shares`; fails with the schedules in which something did not hold. */
export async function playShare(share: number, shares: number): Promise<void> {
  const failures: string[] = [];
  const hits = new Map(KINDS.map((kind) => [kind, 0]));
  const acts = new Map<string, number>(ACTS.map((act) => [act, 0]));
  const total = { scripts: 0, modelCalls: 0, deaths: 0 };
  const wanted = SEED === "" ? Math.ceil(Number(SCHEDULES) / shares) : 0;
  const begun = Date.now();

  const tryOut = async (schedule: Schedule): Promise<Played> => {
    const played = await play(schedule);
    total.modelCalls += played.modelCalls;
    total.deaths += played.deaths;
    for (const [act, times] of played.done) acts.set(act, (acts.get(act) ?? 0) + times);
    if (played.violation !== undefined)
      failures.push(`SEED="${formatSchedule(schedule)}" npm run simulate\n${played.violation}`);
    return played;
  };

  if (SEED !== "" && share === 0) await tryOut(parseSchedule(SEED));
  let struck = 0;
  for (let seed = Number(FROM) + share; struck < wanted; seed += shares) {
    total.scripts += 1;
    const { visits, violation } = await tryOut({ seed, fault: undefined });
    const faults = violation === undefined ? FAULTS_A_SCRIPT : 0;
    for (let fault = 0; fault < faults && failures.length < FAILURES_SHOWN; fault += 1) {
      const kind = rarest(hits, visits);
      const next: Fault = faultOfKind(kind, visits, seed, fault);
      const played = await tryOut({ seed, fault: next });
      if (!played.struck) continue;
      struck += 1;
      hits.set(kind, (hits.get(kind) ?? 0) + 1);
    }
    if (failures.length >= FAILURES_SHOWN) break;
  }

  if (wanted > 0) {
    const each = Math.round((Date.now() - begun) / (struck + total.scripts));
    console.log(
      `${struck} schedules of ${total.scripts} scripts, ${total.modelCalls} model calls, ${total.deaths} deaths, ${each} ms each\n${tableOf(hits)}\n  people: ${Array.from(acts, ([act, times]) => `${act} ${times}`).join(" · ")}`,
    );
  }
  expect(failures.join("\n\n").slice(0, 10_000)).toBe("");
  if (wanted >= KINDS.length) expect(KINDS.filter((kind) => hits.get(kind) === 0)).toEqual([]);
}

/** Of the kinds of faults that the script has a place for, one whose turn it is: a crash comes three times as often. */
function rarest(hits: ReadonlyMap<string, number>, visits: Played["visits"]): string {
  const due = (kind: string, count: number) => (kindOf(kind).deed === "crash" ? count / 3 : count);
  const [first] = [...hits]
    .filter(([kind]) => (visits.get(kindOf(kind).place) ?? 0) > 0)
    .sort(([one, count], [other, its]) => due(one, count) - due(other, its));
  if (first === undefined) throw new Error("the script goes nowhere");
  return first[0];
}

/** How many schedules hit each kind of fault: a line for each place, a column for each deed. */
function tableOf(hits: ReadonlyMap<string, number>): string {
  const lines = new Map<string, string[]>();
  for (const [kind, count] of hits) {
    const { place, deed } = kindOf(kind);
    lines.set(place, [...(lines.get(place) ?? []), `${deed} ${count}`]);
  }
  return Array.from(lines, ([place, counts]) => `  ${place.padEnd(15)}${counts.join(" · ")}`).join(
    "\n",
  );
}
