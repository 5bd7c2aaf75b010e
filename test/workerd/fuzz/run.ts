/**
 * Owns: running the fuzz over the routes of the app, and saying how its cases were spread.
 */

import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { expect } from "vitest";
import { createApp } from "../../../src/inbound/app.ts";
import type { Door } from "../../../src/inbound/door.ts";
import { holds } from "../../replayable.ts";
import { faults } from "../faults.ts";
import { atRest, exchange } from "./exchange.ts";
import { type Plan, plansOf, type Route, STRAY_PLANS } from "./plans.ts";
import { provesSound } from "./properties.ts";
import { World } from "./world.ts";

/** The app's own table: what it has, and not what a list says that it has. */
export const ROUTES: readonly Route[] = createApp({} as Door)
  .routes.filter(({ method }) => method !== "ALL")
  .filter((route, at, all) => at === all.findIndex((other) => isSame(route, other)));

function isSame(one: Route, other: Route): boolean {
  return one.method === other.method && one.path === other.path;
}

/** Resolves with how many requests were sent; rejects where one broke a promise. */
export async function fuzz(
  cases: number,
  { isQuiet }: { readonly isQuiet: boolean },
): Promise<number> {
  const world = new World();
  const spread = new Map<string, Map<number, number>>();
  const plans = fc.oneof(
    ...ROUTES.map((route) => ({
      weight: route.method === "POST" ? 4 : 2,
      arbitrary: plansOf(route),
    })),
    { weight: 4, arbitrary: STRAY_PLANS },
  );
  const send = async (plan: Plan): Promise<void> => {
    const done = await exchange(world, plan);
    await provesSound(done, isQuiet);
    for (const object of done.rows.keys()) await atRest(object);
    const statuses = spread.get(plan.route) ?? new Map<number, number>();
    spread.set(plan.route, statuses.set(done.status, (statuses.get(done.status) ?? 0) + 1));
  };
  // The same once more: what was refused is refused again, and what was done is not done twice.
  const property = fc.asyncProperty(plans, fc.boolean(), async (plan, again) => {
    faults.defects.length = 0;
    await world.renew();
    await send(plan);
    if (again) await send(plan);
    expect(faults.defects).toEqual([]);
  });
  await holds(env as never, cases, property);
  console.log(Array.from(spread, spreadLine).toSorted().join("\n"));
  return [...spread.values()].flatMap((statuses) => [...statuses.values()]).reduce((a, b) => a + b);
}

/** How often a route answered with which status. */
function spreadLine([route, statuses]: readonly [string, ReadonlyMap<number, number>]): string {
  const times = Array.from(statuses, ([status, count]) => `${status} ×${count}`).toSorted();
  return `${route}: ${times.join(", ")}`;
}
