import { expect, it } from "vitest";
import { runSuite, type Verdict } from "./json-schema-suite.ts";
import { REFUSED_GROUPS, WRONG_TESTS } from "./json-schema-suite-known.ts";

const results = runSuite();

it("passes JSON Schema's own tests of 2020-12, all but those that are known", () => {
  expect(results).toHaveLength(1788);
  for (const file of new Set(results.map((result) => result.file)))
    console.log(`${passedOf(file)} ${file}`);
  console.log(`${passedOf()} in all`);
  expect(named("undecided")).toEqual([]);
});

it("refuses the schemas of the known groups, and of no others", () => {
  const known = Object.values(REFUSED_GROUPS).flatMap((files) =>
    Object.entries(files).flatMap(([file, groups]) => groups.map((group) => `${file}: ${group}`)),
  );
  const refused = results.filter(({ verdict }) => verdict === "refused");
  const groups = new Set(refused.map(({ file, group }) => `${file}: ${group}`));
  expect([...groups].sort()).toEqual(known.sort());
});

it("judges the known values otherwise than the suite, and no others", () => {
  const known = Object.values(WRONG_TESTS).flatMap((files) =>
    Object.entries(files).flatMap(([file, groups]) =>
      Object.entries(groups).flatMap(([group, tests]) =>
        tests.map((test) => `${file}: ${group}: ${test}`),
      ),
    ),
  );
  expect(named("wrong")).toEqual(known.sort());
});

function named(verdict: Verdict): readonly string[] {
  return results
    .filter((result) => result.verdict === verdict)
    .map(({ file, group, test }) => `${file}: ${group}: ${test}`)
    .sort();
}

function passedOf(file?: string): string {
  const all = results.filter((result) => file === undefined || result.file === file);
  return `${all.filter(({ verdict }) => verdict === "right").length} of ${all.length}`;
}
