/**
 * Owns: schedules. A schedule is one random script of at least six model calls, in one or two turns of a session, and one
 * fault that strikes at one place of it: at the n-th commit, model call, tool, approval rule, delivery, told result, told
 * inbox, alarm or rest. What must hold then is in `checks.ts` and `results.ts`.
 *
 * Real: the whole product, from its HTTP door to its journal; workerd; SQLite in files, each object's own; the ending of
 * an object and its next life; calls between objects; the output gate, which lets no answer out before its commit stands.
 *
 * Simulated: the clock, which the simulation moves (far in the future, so that the platform fires no alarm by itself); the
 * firing of alarms, by hand at their times or late, one whose handler died again; short waits in memory, a hundred times
 * faster; models, which play scripts; people and callers; the world that tools, deliveries and results touch, a ledger in
 * memory. An object dies by the platform's own `abort`, once all that it committed is on disk: from the deadly place to
 * there it can write nothing more, and the world hears nothing of it. A disk that refuses a transaction is simulated, too.
 *
 * Not simulated: a machine that loses what the platform had confirmed; a network that loses or reorders calls between
 * objects; a clock that goes back; two objects of one name alive at once, which the platform rules out. Alarms come by
 * themselves, and processes are killed, in `test/process`.
 */

import { Random } from "./random.ts";
import { type Deed, DEEDS, deedsAt, type Fault, type Place, PLACES } from "./faults.ts";

export interface Schedule {
  readonly seed: number;
  /** Undefined: the script as it goes where nothing fails. */
  readonly fault: Fault | undefined;
}

/** What came of a schedule. */
export interface Played {
  /** What is wrong; left out where all held. */
  readonly violation?: string;
  readonly struck: boolean;
  /** How often each place was visited. */
  readonly visits: Readonly<Record<string, number>>;
  readonly modelCalls: number;
  readonly deaths: number;
  /** How often people did what. */
  readonly done: Readonly<Record<string, number>>;
}

/** Every kind of fault: a place, and what happens there. */
export const KINDS: readonly string[] = PLACES.flatMap((place) =>
  deedsAt(place).map((deed) => `${place} ${deed}`),
);

export function kindOf(kind: string): { readonly place: Place; readonly deed: Deed } {
  const [place = "", deed = ""] = kind.split(" ");
  if (!isOneOf(PLACES, place) || !isOneOf(DEEDS, deed)) throw new Error(`no fault is a ${kind}`);
  return { place, deed };
}

/** A fault of this kind, at one of the script's visits to its place. */
export function faultOfKind(
  kind: string,
  visits: Played["visits"],
  seed: number,
  n: number,
): Fault {
  const { place, deed } = kindOf(kind);
  const nth = new Random("fault", seed, n).between(1, visits[place] ?? 1);
  return { place, deed, nth };
}

/** As it is printed and given back, e.g. `17 commit.after 12 crash`. */
export function formatSchedule({ seed, fault }: Schedule): string {
  return fault === undefined ? String(seed) : `${seed} ${fault.place} ${fault.nth} ${fault.deed}`;
}

export function parseSchedule(text: string): Schedule {
  const [seed = "", place, nth, deed] = text.split(" ");
  if (place === undefined) return { seed: Number(seed), fault: undefined };
  return { seed: Number(seed), fault: { ...kindOf(`${place} ${deed}`), nth: Number(nth) } };
}

function isOneOf<T extends string>(list: readonly T[], text: string): text is T {
  return (list as readonly string[]).includes(text);
}
