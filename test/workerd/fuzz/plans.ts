/**
 * Owns: what one request of the fuzz is. A plan is data, with the words of the world in it, so that a case can be printed,
 * made smaller, and sent again.
 */

import * as fc from "fast-check";
import { bodies } from "./bodies.ts";
import type { Body } from "./body.ts";
import { HEADERS, METHODS, type Pair, paths, QUERIES, STRAY_PATHS } from "./places.ts";

export interface Plan {
  /** Of the table of the app's routes, which says how the request was made. */
  readonly route: string;
  readonly method: string;
  readonly path: string;
  readonly query: readonly Pair[];
  readonly headers: readonly Pair[];
  readonly body: Body | undefined;
  /** By which scheme a webhook is signed, if it is. */
  readonly signature: Signature | undefined;
}

export type Signature = "github" | "standard" | "slack" | "broken";

export interface Route {
  readonly method: string;
  readonly path: string;
}

export function routeName({ method, path }: Route): string {
  return `${method} ${path}`;
}

/** Requests to one route of the app. Throws where nothing is known of what it takes. */
export function plansOf(route: Route): fc.Arbitrary<Plan> {
  const signatures = fc.constantFrom<Signature[]>("github", "standard", "slack", "broken");
  return fc
    .record({
      route: fc.constant(routeName(route)),
      method: fc.oneof(
        { weight: 30, arbitrary: fc.constant(route.method) },
        { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
      ),
      path: paths(route.path),
      query: fc.oneof(
        { weight: route.method === "GET" ? 1 : 9, arbitrary: fc.constant([]) },
        { weight: 2, arbitrary: QUERIES },
      ),
      headers: HEADERS,
      body: bodies(route.method, route.path),
      signature: route.path.includes("/slack/")
        ? fc.constantFrom<Signature[]>("slack", "slack", "slack", "broken")
        : route.path.includes("/hooks/")
          ? signatures
          : fc.constant(undefined),
    })
    .map((plan) => ({
      ...plan,
      // What has a key of its own in most requests, and another one in few.
      headers: route.path.endsWith("/resume")
        ? [["idempotency-key", "fuzzed"] as const, ...plan.headers]
        : plan.headers,
      body: plan.method === "GET" || plan.method === "HEAD" ? undefined : plan.body,
    }));
}

export const STRAY_PLANS: fc.Arbitrary<Plan> = fc.record({
  route: fc.constant("nowhere"),
  method: fc.constantFrom(...METHODS),
  path: STRAY_PATHS,
  query: QUERIES,
  headers: HEADERS,
  body: fc.constant(undefined),
  signature: fc.constant(undefined),
});
