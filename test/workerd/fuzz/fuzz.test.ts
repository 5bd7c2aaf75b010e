import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { casesOf } from "../../replayable.ts";
import { ledger } from "../ledger.ts";
import { stage } from "../stage.ts";
import { plansOf, routeName } from "./plans.ts";
import { fuzz, ROUTES } from "./run.ts";
import { REFS, World } from "./world.ts";

const CASES = casesOf(env as never, 600);

beforeEach(() => {
  stage.clear();
  ledger.clear();
});

it("has requests for every route of the app", () => {
  expect(ROUTES.length).toBeGreaterThan(20);
  for (const route of ROUTES) expect(() => plansOf(route), routeName(route)).not.toThrow();
});

it("has a world in which every word means something", async () => {
  const world = new World();
  await world.renew();
  expect([...world.refs.keys()].toSorted()).toEqual(REFS.toSorted());
  for (const [word, meaning] of world.refs) expect(meaning, word).not.toBe("");
});

it(
  `keeps its promises in ${CASES} cases over ${ROUTES.length} routes`,
  {
    timeout: 1_800_000,
  },
  async () => {
    expect(await fuzz(CASES, { isQuiet: true })).toBeGreaterThanOrEqual(CASES);
  },
);
