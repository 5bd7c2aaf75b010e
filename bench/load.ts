/**
 * Owns: the load: callers, each with sessions of its own, who do cycle after cycle; and what was measured of it.
 */

import { CONNECTIONS } from "./http.ts";
import type { Target } from "./target.ts";

export interface Sample {
  readonly cyclesASecond: number;
  readonly cpuMsACycle: number;
  /** Of each cycle, from the sending of the answer until the caller saw that the turn is done. */
  readonly finishMs: readonly number[];
  readonly cycleMs: readonly number[];
}

/** One cycle for each entry of `sessions`, which has a list for each caller: two cycles of a session are never at once. */
export function cycles(target: Target, sessions: readonly (readonly string[])[]): Promise<Sample> {
  return cyclesFor(0, target, sessions);
}

/** Each caller goes through its list once, and again until so many milliseconds have passed. */
export async function cyclesFor(
  ms: number,
  target: Target,
  sessions: readonly (readonly string[])[],
): Promise<Sample> {
  const finishMs: number[] = [];
  const cycleMs: number[] = [];
  const cpuBefore = target.cpuMs();
  const began = performance.now();
  await Promise.all(
    sessions.map(async (ofCaller) => {
      do
        for (const session of ofCaller) {
          const started = performance.now();
          const parked = await target.start(session);
          const answered = performance.now();
          await target.finish(parked);
          const done = performance.now();
          finishMs.push(done - answered);
          cycleMs.push(done - started);
        }
      while (performance.now() - began < ms);
    }),
  );
  const seconds = (performance.now() - began) / 1_000;
  return {
    cyclesASecond: finishMs.length / seconds,
    cpuMsACycle: (target.cpuMs() - cpuBefore) / finishMs.length,
    finishMs,
    cycleMs,
  };
}

/** Sessions of their own for so many callers. */
export function sessionsOf(prefix: string, each: number, callers = CONNECTIONS): string[][] {
  return Array.from({ length: callers }, (_, caller) =>
    Array.from({ length: each }, (__, n) => `${prefix}-${caller}-${n}`),
  );
}

/** The same sessions so many times, one after another. */
export function repeated(sessions: readonly (readonly string[])[], times: number): string[][] {
  return sessions.map((ofCaller) => Array.from({ length: times }, () => ofCaller).flat());
}
