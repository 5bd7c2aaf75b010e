/**
 * Owns: a run of the benchmark from its bundles to its results, one measure after another.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentsTarget } from "./peers/agents/target.ts";
import { type Bundle, BENCH, bundleOf } from "./bundle.ts";
import { floorTarget } from "./floor/target.ts";
import { ourTarget, VARIABLES } from "./ours/target.ts";
import { bytesOfParked, memoryOfParked, type ParkedMemory } from "./parked.ts";
import { FULL, type Plan, QUICK } from "./plan.ts";
import { resultsText } from "./report.ts";
import type { Results } from "./results.ts";
import { countCycle, type CycleCounts, measureShard } from "./rows.ts";
import { cpuOfStart } from "./start-up.ts";
import type { Target } from "./target.ts";
import { type Growth, measureGrowth, measureRounds } from "./throughput.ts";
import { measureWaking } from "./waking.ts";
import { type Server, serve } from "./workerd.ts";

/** A system, started anew for each measure, so that none finds what another left behind. */
interface Contestant {
  readonly name: string;
  readonly isPeer: boolean;
  readonly bundle: Bundle | undefined;
  readonly variables: Readonly<Record<string, string>>;
  readonly counted:
    | { readonly bundle: Bundle; readonly targetOf: (server: Server) => Target }
    | undefined;
  start(folder: string): Promise<Target>;
}

export async function runBench(options: {
  readonly isQuick: boolean;
  readonly withPeers: boolean;
}): Promise<void> {
  const plan = options.isQuick ? QUICK : FULL;
  const began = performance.now();
  const contestants = await makeContestants(options.withPeers);
  const results = await measure(contestants, plan, options.isQuick, began);
  const text = resultsText(results);
  console.log(text);
  if (!options.isQuick) writeFileSync(join(BENCH, "RESULTS.md"), text);
}

async function makeContestants(withPeers: boolean): Promise<Contestant[]> {
  say("Bundles");
  const floor = bundleOf("floor", "bench/floor/wrangler.toml");
  const ours = bundleOf("ours", "wrangler.toml");
  const counted = bundleOf("counted", "bench/ours/wrangler.toml");
  const contestants = [
    onWorkerd("floor", floor, {}, floorTarget, floor),
    onWorkerd("holdpoint", ours, VARIABLES, (server) => ourTarget(server), counted),
  ];
  if (!withPeers) return contestants;
  const agents = bundleOf("agents", "bench/peers/agents/wrangler.toml");
  // Its packages are there only with the peers.
  const { langgraphTarget } = await import("./peers/langgraph/target.ts");
  return [
    ...contestants,
    { ...onWorkerd("agents", agents, {}, agentsTarget, agents), isPeer: true },
    {
      name: "langgraph",
      isPeer: true,
      bundle: undefined,
      variables: {},
      counted: undefined,
      start: (folder) => langgraphTarget(`${folder}-langgraph`),
    },
  ];
}

function onWorkerd(
  name: string,
  bundle: Bundle,
  variables: Readonly<Record<string, string>>,
  targetOf: (server: Server) => Target,
  counted: Bundle,
): Contestant {
  return {
    name,
    isPeer: false,
    bundle,
    variables,
    counted: { bundle: counted, targetOf },
    start: async (folder) =>
      targetOf(await serve({ name: `${folder}-${name}`, bundle, variables })),
  };
}

async function measure(
  contestants: readonly Contestant[],
  plan: Plan,
  isQuick: boolean,
  began: number,
): Promise<Results> {
  const [floor, ours] = contestants;
  if (floor?.bundle === undefined || ours?.bundle === undefined || ours.counted === undefined)
    throw new Error("the floor and Holdpoint are always measured");

  say("Cycles, round by round");
  const inRounds = await startAll(contestants, "rounds");
  const rounds = await measureRounds(inRounds, plan);
  const differences = inRounds.map(({ name, differences: text }) => ({ name, text }));
  await stopAll(inRounds);

  say("A long session");
  const growth = new Map<string, Growth>();
  for (const { name, isPeer, start } of contestants) {
    const target = await start("growth");
    growth.set(name, await measureGrowth(target, isPeer ? plan.peerGrowth : plan.growth));
    await target.stop();
  }

  say("Parked turns: bytes on disk, memory");
  const disk = new Map<string, number>();
  for (const { name, start } of contestants)
    disk.set(name, await bytesOfParked(await start("disk"), plan.parkedForDisk));
  const inMemory = await startAll(contestants, "memory");
  const parkedTurns = contestants.map(({ isPeer }) =>
    isPeer ? plan.peerParkedForMemory : plan.parkedForMemory,
  );
  const measured = await memoryOfParked(
    inMemory.map((target, place) => [target, parkedTurns[place] ?? 0] as const),
  );
  const memory = new Map<string, ParkedMemory>();
  for (const [place, { name }] of contestants.entries()) {
    const parked = measured[place];
    if (parked !== undefined) memory.set(name, parked);
  }
  await stopAll(inMemory);

  say("Waking, starting");
  const waking = await measureWaking(floor.bundle, ours.bundle, plan.wakings);
  const startUp = new Map<string, number>();
  for (const { name, bundle, variables } of contestants)
    if (bundle !== undefined)
      startUp.set(name, await cpuOfStart(`start-${name}`, bundle, variables, plan.starts));

  say("Rows and requests of a cycle, one shard of the inbox");
  const counts = new Map<string, CycleCounts>();
  for (const { name, variables, counted } of contestants)
    if (counted !== undefined)
      counts.set(
        name,
        await countCycle(`counted-${name}`, counted.bundle, variables, counted.targetOf),
      );
  const shard = await measureShard(ours.counted.bundle, VARIABLES, plan.tellSeconds);

  return {
    isQuick,
    names: contestants.map(({ name }) => name),
    differences,
    rounds,
    growth,
    disk,
    memory,
    waking,
    startUp,
    bundles: new Map(
      contestants.flatMap(({ name, bundle }) =>
        bundle === undefined ? [] : [[name, bundle.gzipBytes] as const],
      ),
    ),
    counts,
    shard,
    minutes: (performance.now() - began) / 60_000,
  };
}

function startAll(contestants: readonly Contestant[], folder: string): Promise<Target[]> {
  return Promise.all(contestants.map(({ start }) => start(folder)));
}

async function stopAll(targets: readonly Target[]): Promise<void> {
  for (const target of targets) await target.stop();
}

function say(text: string): void {
  console.error(`== ${Math.round(performance.now() / 1_000)} s: ${text}`);
}
