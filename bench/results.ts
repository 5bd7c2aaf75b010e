/**
 * Owns: what a run measured, as one value.
 */

import type { ParkedMemory } from "./parked.ts";
import type { CycleCounts, Shard } from "./rows.ts";
import type { Growth, Rounds } from "./throughput.ts";
import type { Waking } from "./waking.ts";

export interface Results {
  readonly isQuick: boolean;
  readonly names: readonly string[];
  readonly differences: readonly { readonly name: string; readonly text: string }[];
  readonly rounds: Rounds;
  readonly growth: ReadonlyMap<string, Growth>;
  /** Bytes of one parked turn. */
  readonly disk: ReadonlyMap<string, number>;
  readonly memory: ReadonlyMap<string, ParkedMemory>;
  readonly waking: Waking;
  /** Milliseconds of CPU until the first request is answered. */
  readonly startUp: ReadonlyMap<string, number>;
  /** Compressed bytes. */
  readonly bundles: ReadonlyMap<string, number>;
  readonly counts: ReadonlyMap<string, CycleCounts>;
  readonly shard: Shard;
  readonly minutes: number;
}
