/**
 * Owns: a profile of Holdpoint's cycle in existing sessions, printed by whose code the time was spent in.
 */

import { bundleOf } from "./bundle.ts";
import { cycles, repeated, sessionsOf } from "./load.ts";
import { ourTarget, VARIABLES } from "./ours/target.ts";
import { attribute, type Place, profileWhile } from "./profile.ts";
import { table } from "./table.ts";
import { serve } from "./workerd.ts";

const CYCLES = 8;
const SHOWN = 40;

export async function runProfile(): Promise<void> {
  // Unminified, so that functions have their names.
  const bundle = bundleOf("profiled", "wrangler.toml", false);
  const server = await serve({ name: "profiled", bundle, variables: VARIABLES, inspect: true });
  const target = ourTarget(server);
  const sessions = sessionsOf("profiled", 4);
  await cycles(target, repeated(sessions, 4));
  let done = 0;
  const profile = await profileWhile(server.inspector ?? "", async () => {
    done = (await cycles(target, repeated(sessions, CYCLES))).finishMs.length;
  });
  await target.stop();
  const { busyMs, owners, places, inclusive } = attribute(profile, bundle.map);
  const share = (ms: number): string => `${((100 * ms) / busyMs).toFixed(1)} %`;
  const micros = (ms: number): string => ((1_000 * ms) / done).toFixed(0);
  const rows = (all: readonly Place[]): string[][] =>
    all.slice(0, SHOWN).map(({ what, ms }) => [what, micros(ms), share(ms)]);
  console.log(`${done} cycles, ${micros(busyMs)} µs of JavaScript each\n`);
  const byTime = [...owners].sort(([, one], [, other]) => other - one);
  console.log(
    table(
      ["whose", "µs a cycle", "share"],
      byTime.map(([owner, ms]) => [owner, micros(ms), share(ms)]),
    ),
  );
  console.log(`\n${table(["in the function itself", "µs a cycle", "share"], rows(places))}`);
  console.log(`\n${table(["with all that it calls", "µs a cycle", "share"], rows(inclusive))}`);
}
