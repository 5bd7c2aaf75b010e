import { expect, it } from "vitest";
import { TOOL_TIMEOUT_MS } from "../src/core/limits.ts";
import { agentOptionsSchema } from "../src/options.ts";
import { namesIn, readPage, tableOf } from "./document-tables.ts";

const page = await readPage("docs/library.md");
const { shape } = agentOptionsSchema;
const named = (heading: string) => tableOf(page, heading).flatMap(({ names }) => names);

it.each([
  ["`createHarness`", shape],
  ["`toolRules`", shape.toolRules.unwrap().valueType.shape],
  ["`humanInput`", shape.humanInput.unwrap().options[1].shape],
])("has a row for each option of %s, and for none that isn't there", (heading, options) => {
  expect(named(heading).toSorted()).toEqual(Object.keys(options).toSorted());
});

it("says of each number what it is where it is left out", () => {
  const defaults: Readonly<Record<string, unknown>> = {
    ...agentOptionsSchema.parse({ model: () => undefined, system: "x" }),
    timeoutMs: TOOL_TIMEOUT_MS,
  };
  const rows = [...tableOf(page, "`createHarness`"), ...tableOf(page, "`toolRules`")];
  const numbers = rows.flatMap(({ names: [name = ""], cells }) => {
    const said = cells[2]?.replaceAll(" ", "") ?? "";
    return /^\d+$/.test(said) ? [[name, Number(said)] as const] : [];
  });
  expect(numbers.length).toBeGreaterThan(5);
  for (const [name, said] of numbers) expect(said, name).toBe(defaults[name]);
});

it("names every export, and of the types none that isn't there", async () => {
  const face = await readPage("src/holdpoint.ts");
  const exports = Array.from(
    face.matchAll(/^export (type )?\{([^}]+)\}/gm),
    ([, type = "", list = ""]) => list.split(",").map((name) => `${type}${name.trim()}`),
  )
    .flat()
    .filter((name) => !name.endsWith(" ") && name !== "");
  expect(exports.length).toBeGreaterThan(40);
  const types = exports.filter((name) => name.startsWith("type "));
  const isKnown = new Set(types.map((name) => name.slice("type ".length)));
  expect(named("Types").toSorted()).toEqual([...isKnown].toSorted());
  const prose = page.replaceAll(/^```.*?^```$/gms, "");
  const words = new Set(namesIn(prose).map((text) => /^\w+/.exec(text)?.[0]));
  for (const name of exports) if (!name.startsWith("type ")) expect(words).toContain(name);
});

it("names every code that only code is refused with", async () => {
  const source = await readPage("src/library/refusal.ts");
  const union = /type DeferredCode =([^;]+);/.exec(source)?.[1] ?? "";
  const codes = Array.from(union.matchAll(/"(\w+)"/g), ([, code = ""]) => code);
  expect(named("Refusals").toSorted()).toEqual(codes.toSorted());
});
