/**
 * Owns: the proof that no workspace can see or reach another: each route of the app's own table is asked with the ids of
 * everything that another workspace has, by a key that has all rights in its own.
 */

import { expect } from "vitest";
import { sha256Hex } from "../../../src/core/ids.ts";
import { takenBodies } from "./bodies.ts";
import type { Body } from "./body.ts";
import { exchange } from "./exchange.ts";
import { type Pair, pathsToWhatIsThere } from "./places.ts";
import { type Plan, type Route, routeName } from "./plans.ts";
import { ROUTES } from "./run.ts";
import { MARKERS, World } from "./world.ts";

/** Doors that ask for no key: what stands for the caller there says for which workspace. */
export const KEYLESS: readonly string[] = [
  "GET /healthz",
  "POST /v1/hooks/:name",
  "POST /v1/slack/interactions",
  "GET /a/:token",
  "POST /a/:token",
];

const SESSIONS = "waiting.id asked.id over.id".split(" ").map((name) => `{{${name}}}`);
const BODIES_A_ROUTE = 5;

/** What names a session outside the path. */
const QUERIES: readonly (readonly Pair[])[] = [
  [],
  ...SESSIONS.map((session): Pair[] => [
    ["sessionId", session],
    ["status", "all"],
  ]),
  [["cursor", "{{asked.cursor}}"]],
];

const NAMING: readonly object[] = SESSIONS.flatMap((session) => [
  { sessionId: session },
  { sessionId: session, question: "Whose?" },
  {
    session_id: session,
    agent_id: "playground",
    payload: { content: [{ type: "text", text: "Whose?" }] },
  },
]);

/** `there`: waits until all that the other workspace has can be found. */
export async function provesApart(there: () => Promise<void> = async () => {}): Promise<void> {
  const everything = [
    {
      id: "stranger",
      sha256: await sha256Hex("stranger"),
      workspace: "stranger",
      can: ["run", "answer", "read", "admin"],
    },
  ];
  const variables = { API_KEYS: JSON.stringify(everything) };
  const world = new World();
  await world.renew();
  await there();
  for (const route of ROUTES) {
    if (KEYLESS.includes(routeName(route))) continue;
    const statuses = new Set<number>();
    for (const plan of plansOf(route)) {
      const { status, text, rows } = await exchange(world, plan, variables);
      const told = `${plan.method} ${world.spell(plan.path)}: ${status} ${text.slice(0, 500)}`;
      expect(status, told).not.toBe(401);
      expect(status, told).not.toBe(500);
      expect(text, told).not.toContain(MARKERS.dev);
      for (const object of rows.keys()) expect(object, told).toMatch(/^stranger\//);
      statuses.add(status);
    }
    // What the path names was looked for, in the stranger's own workspace, and was not there.
    if (route.path.includes("/:")) {
      expect([...statuses], routeName(route)).toContain(404);
      expect(
        [...statuses].filter((status) => status < 400),
        routeName(route),
      ).toEqual([]);
    }
  }
}

function plansOf(route: Route): readonly Plan[] {
  const reads = route.method === "GET";
  const named = NAMING.map((body) => textBody(JSON.stringify(body)));
  const taken = takenBodies(route.method, route.path, BODIES_A_ROUTE);
  const sent = reads ? [undefined] : [undefined, ...named, ...taken];
  return pathsToWhatIsThere(route.path).flatMap((path) =>
    (reads && !route.path.includes("/:") ? QUERIES : [[]]).flatMap((query) =>
      sent.map((body) => ({
        route: routeName(route),
        method: route.method,
        path,
        query,
        headers: [
          ["authorization", "Bearer stranger"],
          ["idempotency-key", "one"],
        ],
        body,
        signature: undefined,
      })),
    ),
  );
}

function textBody(text: string): Body {
  return { form: "text", text, type: "application/json", spoilt: "no", chunks: 0 };
}
