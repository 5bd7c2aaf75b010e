import { globSync } from "node:fs";
import { expect, it } from "vitest";
import { readPage, tableOf } from "./document-tables.ts";

const page = await readPage("docs/guarantees.md");

/** A test's or a group's first line, down to its name; what stands in for `each` of a table is passed over. */
const NAMED =
  /^( *)(describe|it)(?:\.\w+\([^]*?\))?\(\s*(?:"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`)\s*,/gm;
/** A file, and the names of its tests behind it. */
const PROOF = /`(test\/[\w./-]+\.test\.ts)`((?:,? "[^"]+")*)/g;

interface Proof {
  readonly file: string;
  readonly names: readonly string[];
}

function proofsIn(text: string): Proof[] {
  return Array.from(text.matchAll(PROOF), ([, file = "", names = ""]) => ({
    file,
    names: Array.from(names.matchAll(/"([^"]+)"/g), ([, name = ""]) => name),
  }));
}

/** The names of a file's tests, each behind those of its groups; what a name is filled in with is `…`. */
async function testsOf(file: string): Promise<ReadonlySet<string>> {
  const groups: { readonly indent: number; readonly name: string }[] = [];
  const names = new Set<string>();
  for (const [, space = "", kind, plain, filled] of (await readPage(file)).matchAll(NAMED)) {
    const name = (plain ?? filled ?? "").replaceAll(/\$\{[^}]*\}/g, "…");
    while ((groups.at(-1)?.indent ?? -1) >= space.length) groups.pop();
    if (kind === "describe") groups.push({ indent: space.length, name });
    else names.add([...groups.map((group) => group.name), name].join(" > "));
  }
  return names;
}

it("names no test that isn't there", async () => {
  const proofs = proofsIn(page);
  expect(proofs.length).toBeGreaterThan(50);
  const files = new Set(globSync("test/**/*.test.ts"));
  const missing: string[] = [];
  for (const { file, names } of proofs) {
    const tests = files.has(file) ? await testsOf(file) : new Set();
    if (names.length === 0) missing.push(`${file}: no test of it is named`);
    missing.push(...names.filter((name) => !tests.has(name)).map((name) => `${file}: ${name}`));
  }
  expect(missing).toEqual([]);
});

it.each([
  ["The promises", Array.from({ length: 11 }, (_, n) => `I${n + 1}`)],
  ["How waits go wrong elsewhere", Array.from({ length: 21 }, (_, n) => String(n + 1))],
])("proves each row of %s", (heading, numbers) => {
  const rows = tableOf(page, heading);
  expect(rows.map(({ cells }) => cells[0] ?? "")).toEqual(expect.arrayContaining(numbers));
  for (const { cells } of rows) expect(proofsIn(cells.at(-1) ?? ""), cells[0]).not.toEqual([]);
});

it("says how much is played, here and at length", async () => {
  const [schedules, kills, cases] = tableOf(page, "How much is played").map(({ cells }) =>
    cells.map((cell) => Number(/^[\d ]+/.exec(cell)?.[0].replaceAll(" ", ""))),
  );
  const { scripts } = JSON.parse(await readPage("package.json")) as {
    scripts: Readonly<Record<string, string>>;
  };
  const standard = (script: string) => Number(/:-(\d+)\}/.exec(scripts[script] ?? "")?.[1]);
  const inFile = async (file: string, pattern: RegExp) =>
    Number(pattern.exec(await readPage(file))?.[1]);
  expect(schedules?.slice(1, 3)).toEqual([
    await inFile("test/schedules/schedules.test.ts", /SCHEDULES = "(\d+)"/),
    standard("simulate"),
  ]);
  expect(kills?.slice(1, 3)).toEqual([
    await inFile("test/process/torture.test.ts", /\["KILLS"\] \?\? "(\d+)"/),
    standard("torture"),
  ]);
  expect(cases?.slice(1, 3)).toEqual([
    await inFile("test/workerd/fuzz/fuzz.test.ts", /casesOf\(env as never, (\d+)\)/),
    standard("fuzz"),
  ]);
});
