import { expect, it } from "vitest";
import { objectAt, type Placement, workspacesSchema } from "../../src/core/placement.ts";

/** Says how an object was looked for: the platform's own namespaces have no jurisdiction on this machine. */
function lookedFor(placement: Placement): readonly unknown[] {
  const asked: unknown[] = [];
  const namespace = {
    jurisdiction: (name: string) => {
      asked.push(`in ${name}`);
      return namespace;
    },
    getByName: (...words: unknown[]) => {
      asked.push(...words);
      return {};
    },
  };
  objectAt(namespace as never, "acme/1", placement);
  return asked;
}

it("looks for an object in its workspace's jurisdiction, and hints where to make it", () => {
  expect(lookedFor({})).toEqual(["acme/1"]);
  expect(lookedFor({ jurisdiction: "eu" })).toEqual(["in eu", "acme/1"]);
  expect(lookedFor({ locationHint: "weur" })).toEqual(["acme/1", { locationHint: "weur" }]);
  expect(lookedFor({ jurisdiction: "eu", locationHint: "weur" })).toEqual([
    "in eu",
    "acme/1",
    { locationHint: "weur" },
  ]);
});

it("takes places that the platform has, for names that a workspace can have", () => {
  const placed = { acme: { jurisdiction: "eu", locationHint: "weur" }, beta: {} };
  expect(workspacesSchema.parse(placed)).toEqual(placed);
  for (const wrong of [
    { acme: { jurisdiction: "de" } },
    { acme: { locationHint: "here" } },
    { acme: { region: "eu" } },
    { Acme: {} },
    [],
  ])
    expect(workspacesSchema.safeParse(wrong).success, JSON.stringify(wrong)).toBe(false);
});
