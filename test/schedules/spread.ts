/**
 * Owns: playing as many schedules as are asked for, spread evenly over the kinds of faults, by several players at once; and
 * what is printed of them.
 */

import {
  faultOfKind,
  formatSchedule,
  KINDS,
  kindOf,
  type Played,
  type Schedule,
} from "../simulation/schedules.ts";

/** Faults tried in each script, once it was played without any. */
const FAULTS_A_SCRIPT = 16;
/** More than so many that fail say nothing new. */
const FAILURES_SHOWN = 5;

/** Plays one schedule after another. */
export type Player = (schedule: Schedule) => Promise<Played>;

export interface Campaign {
  /** How many schedules in which a fault struck. */
  readonly wanted: number;
  /** The first seed. */
  readonly from: number;
  /** When to be content with fewer, in milliseconds from now; never where it is left out. */
  readonly patienceMs?: number;
}

export class Spread {
  /** What did not hold, and how to play it again. */
  readonly failures: string[] = [];
  /** How often each kind of fault struck. */
  readonly hits = new Map(KINDS.map((kind) => [kind, 0]));
  readonly #acts = new Map<string, number>();
  readonly #total = { scripts: 0, struck: 0, modelCalls: 0, deaths: 0 };

  async playAll(campaign: Campaign, players: readonly Player[]): Promise<void> {
    const { wanted, from, patienceMs = Infinity } = campaign;
    const end = Date.now() + patienceMs;
    const isOver = () =>
      this.#total.struck >= wanted || this.failures.length >= FAILURES_SHOWN || Date.now() >= end;
    await Promise.all(
      players.map(async (player) => {
        while (!isOver()) {
          const seed = from + this.#total.scripts;
          this.#total.scripts += 1;
          await this.#playScript(player, seed, isOver);
        }
      }),
    );
  }

  /** A script without a fault, and then with a fault in each of some of the places that it went through. */
  async #playScript(player: Player, seed: number, isOver: () => boolean): Promise<void> {
    const { visits, violation } = await this.playOne(player, { seed, fault: undefined });
    if (violation !== undefined) return;
    for (let n = 0; n < FAULTS_A_SCRIPT && !isOver(); n += 1) {
      const kind = this.#rarest(visits);
      const { struck } = await this.playOne(player, {
        seed,
        fault: faultOfKind(kind, visits, seed, n),
      });
      if (!struck) continue;
      this.#total.struck += 1;
      this.hits.set(kind, (this.hits.get(kind) ?? 0) + 1);
    }
  }

  async playOne(player: Player, schedule: Schedule): Promise<Played> {
    const played = await player(schedule);
    this.#total.modelCalls += played.modelCalls;
    this.#total.deaths += played.deaths;
    for (const [act, times] of Object.entries(played.done))
      this.#acts.set(act, (this.#acts.get(act) ?? 0) + times);
    if (played.violation !== undefined)
      this.failures.push(
        `SEED="${formatSchedule(schedule)}" npm run simulate\n${played.violation}`,
      );
    return played;
  }

  /** Of the kinds of faults that the script has a place for, one whose turn it is: a crash comes three times as often. */
  #rarest(visits: Played["visits"]): string {
    const due = (kind: string, count: number) =>
      kindOf(kind).deed === "crash" ? count / 3 : count;
    const [first] = [...this.hits]
      .filter(([kind]) => (visits[kindOf(kind).place] ?? 0) > 0)
      .sort(([one, count], [other, its]) => due(one, count) - due(other, its));
    if (first === undefined) throw new Error("the script goes nowhere");
    return first[0];
  }

  /** What was played, with how many schedules hit each kind of fault. */
  report(): string {
    const { scripts, struck, modelCalls, deaths } = this.#total;
    const acts = Array.from(this.#acts, ([act, times]) => `${act} ${times}`).join(" · ");
    return `${struck} schedules of ${scripts} scripts, ${modelCalls} model calls, ${deaths} deaths\n${tableOf(this.hits)}\n  people: ${acts}`;
  }
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
