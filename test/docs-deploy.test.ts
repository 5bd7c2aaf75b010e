import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readConfig } from "../src/env.ts";
import { bindingPropsSchema } from "../src/binding-props.ts";
import { readPage, tableOf } from "./document-tables.ts";

const root = join(import.meta.dirname, "..");
const page = await readPage("docs/deploy.md");

function blocksOf(language: string): readonly string[] {
  return Array.from(
    page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms")),
    ([, text = ""]) => text,
  );
}

/** The cells of the table whose first heading this is, as numbers behind the row's name. */
function rowsOf(heading: string): ReadonlyMap<string, readonly number[]> {
  const [, table = ""] = page.split(`| ${heading} |`);
  const [lines = ""] = table.split("\n\n");
  return new Map(
    lines
      .split("\n")
      .slice(2)
      .map((line) => line.split("|").map((cell) => cell.trim()))
      .map(([, name = "", ...cells]) => [name, cells.slice(0, -1).map(Number)]),
  );
}

it("shows variables that the Worker takes", () => {
  const variables = Object.fromEntries(
    blocksOf("toml").flatMap((text) =>
      Array.from(text.matchAll(/^([A-Z_]+) = (["'])(.*)\2$/gm), ([, name = "", , value = ""]) => [
        [name, value] as const,
      ]).flat(),
    ),
  );
  expect(Object.keys(variables).length).toBeGreaterThanOrEqual(5);
  const config = readConfig(variables);
  expect(config.publicUrl).toBe("https://ask.example.com");
  expect(config.workspaces.get("acme")).toEqual({ jurisdiction: "eu" });
});

it("shows secrets that the Worker takes", () => {
  const secrets = Object.fromEntries(
    blocksOf("sh").flatMap((text) =>
      Array.from(
        text.matchAll(/^echo '(.*)' \| npx wrangler secret put (\w+)$/gm),
        ([, value = "", name = ""]) => [[name, value.replace("'$HASH'", "0".repeat(64))] as const],
      ).flat(),
    ),
  );
  expect(Object.keys(secrets).toSorted()).toEqual(["API_KEYS", "JWT_ISSUERS"]);
  const { keys, issuers } = readConfig(secrets);
  expect(keys[0]?.workspace).toBe("acme");
  expect(issuers[0]?.jwks).toBe("https://team.cloudflareaccess.com/cdn-cgi/access/certs");
});

it("shows a binding with properties that the entry point takes, and the code that a test runs", async () => {
  const [, props = ""] = /^props = \{(.*)\}$/m.exec(page) ?? [];
  const json = `{${props.replaceAll(/(\w+) = /g, '"$1": ')}}`;
  expect(bindingPropsSchema.safeParse(JSON.parse(json)).success).toBe(true);
  const sample = await readFile(join(root, "test/fixtures/bound/sample.ts"), "utf8");
  expect(blocksOf("ts")).toEqual([sample]);
});

it("reckons with the rows that a test pins", async () => {
  const pinned = await readFile(join(root, "test/workerd/rows.test.ts"), "utf8");
  const [, rows = ""] = /expect\(rows\)\.toBe\((\d+)\)/.exec(pinned) ?? [];
  expect(page).toContain(`the session writes ${rows} in a cycle`);
});

it("has worked out what it costs from the list prices and what a question takes", () => {
  const prices = rowsOf("of each");
  const bill = rowsOf("a month, in US dollars");
  expect(prices.size).toBe(6);
  for (const [column, questions] of [1_000, 1_000_000].entries()) {
    for (const [name, [each = 0, included = 0, price = 0]] of prices) {
      const more = Math.max(0, each * questions - included);
      expect(bill.get(name)?.[column], name).toBeCloseTo((more / 1_000_000) * price, 2);
    }
    const kept = Math.max(0, (questions * 20_000) / 1e9 - 5) * 0.2;
    expect(bill.get("what is kept")?.[column]).toBeCloseTo(kept, 2);
    const parts = [...bill].filter(([name]) => name !== "together");
    const sum = parts.reduce((total, [, cells]) => total + (cells[column] ?? 0), 0);
    expect(bill.get("together")?.[column]).toBeCloseTo(sum, 2);
  }
});

it("has a row in the README for each variable that it shows", async () => {
  const readme = await readPage("README.md");
  const names = tableOf(readme, "Configuration").flatMap(({ names: all }) => all);
  for (const name of ["API_KEYS", "JWT_ISSUERS", "RATE_LIMIT", "WORKSPACES", "PUBLIC_URL"])
    expect(names).toContain(name);
});
