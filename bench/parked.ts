/**
 * Owns: what turns cost that wait: bytes on disk, and memory of the process that serves them.
 */

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CONNECTIONS } from "./http.ts";
import type { Target } from "./target.ts";

/** Bytes on disk of one parked turn in a session of its own. Ends the system, so that it closes its databases. */
export async function bytesOfParked(target: Target, turns: number): Promise<number> {
  for (let n = 0; n < turns; n += 1) await target.start(`disk-${n}`);
  await target.stop();
  // One database for all, or one for each: what all take is divided.
  return bytesUnder(target.data) / turns;
}

function bytesUnder(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    // The platform's own registry of alarms is one for all objects.
    if (entry.isFile() && !entry.name.startsWith("metadata."))
      bytes += statSync(join(entry.parentPath, entry.name)).size;
  return bytes;
}

export interface ParkedMemory {
  readonly turns: number;
  /** Both for 1 000 turns. */
  readonly atOnceBytes: number;
  readonly laterBytes: number;
}

/** The platform evicts an idle object after ten seconds. */
const UNTIL_EVICTED_MS = 13_000;

export async function memoryOfParked(
  targets: readonly (readonly [Target, number])[],
): Promise<ParkedMemory[]> {
  const begun: { target: Target; turns: number; before: number; after: number }[] = [];
  for (const [target, turns] of targets) {
    // Code is loaded and compiled before it counts.
    for (let n = 0; n < CONNECTIONS; n += 1) await target.finish(await target.start(`warm-${n}`));
    const before = target.rssBytes();
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async (_, caller) => {
        for (let n = caller; n < turns; n += CONNECTIONS) await target.start(`memory-${n}`);
      }),
    );
    begun.push({ target, turns, before, after: target.rssBytes() });
  }
  await pause(UNTIL_EVICTED_MS);
  return begun.map(({ target, turns, before, after }) => ({
    turns,
    atOnceBytes: ((after - before) * 1_000) / turns,
    laterBytes: ((target.rssBytes() - before) * 1_000) / turns,
  }));
}
