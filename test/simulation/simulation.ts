/**
 * Owns: what tests and objects share while a script is played: the clock, the one fault and the places where it may
 * strike, which objects are dead, and what is under way. They share one isolate, so this module is the same on both
 * sides; but not their I/O: each side waits by timers of its own, and never for a promise of the other's.
 */

import type { Deed, Fault, Place } from "./faults.ts";
import { Ledger } from "./ledger.ts";
import { Watch } from "./watch.ts";

/** What an object that is dead meets, whatever it still tries. */
export class Dead extends Error {
  override readonly name = "Dead";
}

/** What is refused on purpose. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/** So far ahead that the platform never fires an alarm by itself: the simulation does. */
const BEGINNING = Date.UTC(2100, 0, 1);

/** One life of one session's object. */
interface Life {
  readonly state: DurableObjectState;
  /** What the engine waits for, model calls, tools and chores, each by a token of its own. */
  readonly underWay: Set<object>;
  dying: boolean;
}

class Simulation {
  now = BEGINNING;
  ledger = new Ledger();
  watch = new Watch();
  /** How often each place was visited. */
  visits = new Map<Place, number>();
  /** Objects that died and were not woken yet, by the keys of their sessions. */
  dead = new Set<string>();
  deaths = 0;
  /** Whether the disk refused a transaction: what it was for may wait for the alarm. */
  isDiskRefused = false;
  /** Whether the fault struck. */
  struck = false;
  /** Where the engine stands still until the world has done the fault's deed. */
  paused: { readonly session: string; readonly deed: Deed } | undefined;
  /** How often any alarm was set or cleared. */
  alarmsSet = 0;
  #alarms = new Map<string, number | null>();
  #fault: Fault | undefined;
  #lives = new Map<string, Life>();

  begin(fault: Fault | undefined): void {
    this.now = BEGINNING;
    this.ledger = new Ledger();
    this.watch = new Watch();
    this.visits = new Map();
    this.dead = new Set();
    this.deaths = 0;
    this.isDiskRefused = false;
    this.struck = false;
    this.paused = undefined;
    this.#alarms = new Map();
    this.#fault = fault;
    this.#lives = new Map();
  }

  /** A session's alarm as it was last set, in milliseconds since the epoch. */
  alarmOf(session: string): number | null {
    return this.#alarms.get(session) ?? null;
  }

  noteAlarm(session: string, at: number | null): void {
    this.#proveAlive(session);
    this.#alarms.set(session, at);
    this.alarmsSet += 1;
  }

  /** An object came to life. */
  wake(session: string, state: DurableObjectState): void {
    this.#lives.set(session, { state, underWay: new Set(), dying: false });
  }

  /** A place where nothing is waited for. Throws where the object dies here, or is dead already. */
  pass(place: Place, session: string): void {
    this.#proveAlive(session);
    const deed = this.strikes(place);
    if (deed === "refuse") {
      this.isDiskRefused = true;
      throw new Refused(`${place} is refused`);
    }
    if (deed === "crash") this.kill(session);
    this.#proveAlive(session);
  }

  /** A place where the engine waits for the world. Never returns where the object dies here. */
  async stop(place: Place, session: string): Promise<void> {
    if (this.#isDying(session)) await never();
    const deed = this.strikes(place);
    switch (deed) {
      case undefined:
        return;
      case "refuse":
        throw new Refused(`${place} is refused`);
      case "crash":
        this.kill(session);
        return never();
      case "alarm":
      case "answer":
      case "again":
      case "cancel":
        this.paused = { session, deed };
        while (this.paused !== undefined) await new Promise((resolve) => setTimeout(resolve, 0));
        if (this.#isDying(session)) await never();
    }
  }

  /** Work of the world for an object, from a place before it to a place after it. */
  async around<T>(
    session: string,
    before: Place,
    after: Place | undefined,
    work: () => T | Promise<T>,
  ): Promise<T> {
    const underWay = this.#lives.get(session)?.underWay;
    const token = {};
    underWay?.add(token);
    try {
      await this.stop(before, session);
      const result = await work();
      if (after !== undefined) await this.stop(after, session);
      return result;
    } finally {
      underWay?.delete(token);
    }
  }

  /** Ends an object as soon as what it committed is on disk; until then nothing that it tries has an effect. */
  kill(session: string): void {
    const life = this.#lives.get(session);
    if (life === undefined) throw new Error(`no object of session ${session} is alive`);
    life.dying = true;
    life.underWay.clear();
    this.watch.waitsForAlarm(session);
    this.deaths += 1;
    void life.state.blockConcurrencyWhile(async () => {
      await life.state.storage.sync();
      this.dead.add(session);
      life.state.abort("the simulation killed the object");
    });
  }

  /** A defect that the engine reported. Those of a dead object, and of what was refused, are none of its own. */
  report(defect: unknown): void {
    // By name: some came through a call from another object, and are copies.
    if (defect instanceof Error && (defect.name === "Dead" || defect.name === "Refused")) return;
    this.watch.violations.push(`a defect was reported: ${String(defect)}`);
  }

  /** Whether no object is dying, and none waits for the world. */
  get isQuiet(): boolean {
    return [...this.#lives.values()].every(({ dying, underWay }) => !dying && underWay.size === 0);
  }

  /** Whether every object stands still until something arrives or its alarm fires. */
  get isAtRest(): boolean {
    const isLate = this.deaths > 0 || this.isDiskRefused;
    return this.isQuiet && this.sessions.every((key) => this.watch.isAtRest(key, this.now, isLate));
  }

  /** What keeps the objects from being at rest, for whoever looks into a violation. */
  get unrest(): string {
    const lives = Array.from(this.#lives, ([session, { dying, underWay }]) => {
      const { turns, owed, told, last, beside, children } = this.watch.session(session);
      return {
        session,
        alarm: this.alarmOf(session),
        dying,
        underWay: underWay.size,
        turns: [...turns.values()],
        owed: [...owed],
        told,
        last,
        beside: [...beside],
        children: [...children],
        facts: this.watch.session(session).facts.slice(-6),
      };
    });
    return JSON.stringify({ now: this.now, lives });
  }

  get sessions(): readonly string[] {
    return [...this.#lives.keys()];
  }

  get hasFault(): boolean {
    return this.#fault !== undefined;
  }

  /** Counts a visit; what the fault does there, where it strikes. */
  strikes(place: Place): Deed | undefined {
    const visit = (this.visits.get(place) ?? 0) + 1;
    this.visits.set(place, visit);
    if (this.struck || this.#fault?.place !== place || this.#fault.nth !== visit) return undefined;
    this.struck = true;
    return this.#fault.deed;
  }

  #isDying(session: string): boolean {
    return this.#lives.get(session)?.dying === true;
  }

  #proveAlive(session: string): void {
    if (this.#isDying(session)) throw new Dead("the object is dead");
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

export const simulation = new Simulation();
