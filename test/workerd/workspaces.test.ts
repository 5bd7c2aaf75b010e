import { expect, it } from "vitest";
import { KEYLESS, provesApart } from "./fuzz/foreign.ts";
import { routeName } from "./fuzz/plans.ts";
import { ROUTES } from "./fuzz/run.ts";

it("has no door without a key but those that say themselves for which workspace", () => {
  const outside = ROUTES.filter(({ path }) => !/^\/(?:api\/)?v1\//.test(path)).map(routeName);
  expect(outside.toSorted()).toEqual(KEYLESS.filter((name) => !name.includes("/v1/")).toSorted());
});

it("reaches nothing of another workspace by any route, whatever its ids are used for", () =>
  provesApart());
