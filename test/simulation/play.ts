/** Owns: playing one schedule from its beginning to the proof of its outcome. */

import { proveOutcome } from "./checks.ts";
import { People } from "./people.ts";
import type { Played, Schedule } from "./schedules.ts";
import { writeScript } from "./script.ts";
import { simulation } from "./simulation.ts";
import { Violation } from "./world.ts";

let sessions = 0;

export async function play({ seed, fault }: Schedule): Promise<Played> {
  const script = writeScript(seed);
  simulation.begin(fault);
  sessions += 1;
  const people = new People(script, `simulated-${seed}-${sessions}`);
  const violations: string[] = [];
  let deaths = 0;
  try {
    await people.play();
    deaths = simulation.deaths;
    await proveOutcome(people, script);
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    violations.push(error.message);
  }
  const { watch, struck, visits, ledger } = simulation;
  violations.unshift(...watch.violations);
  return {
    ...(violations.length > 0 && { violation: violations.join("\n") }),
    struck,
    visits: Object.fromEntries(visits),
    modelCalls: ledger.modelCalls.length,
    deaths,
    done: Object.fromEntries(people.done),
  };
}
