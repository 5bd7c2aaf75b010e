import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { factSchema } from "../src/core/event.ts";
import type { Database } from "../src/journal/database.ts";
import { createTables } from "../src/journal/schema.ts";

const page = await readFile(join(import.meta.dirname, "../docs/journal.md"), "utf8");

/** The text of a section of the page, by its heading. */
function section(heading: string): string {
  const found = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  if (found === undefined) throw new Error(`docs/journal.md has no section ${heading}`);
  return found;
}

/** The names in the first column of a section's tables. */
function named(heading: string): string[] {
  return Array.from(section(heading).matchAll(/^\| `([^`]+)` \|/gm), ([, name = ""]) => name);
}

it("names every fact, and none that isn't there", () => {
  const types = factSchema.options.map((option) => option.shape.type.value);
  expect(named("The facts").toSorted()).toEqual(types.toSorted());
});

it("names every table with every column", () => {
  const database = new DatabaseSync(":memory:");
  createTables({ run: (statement: string) => database.exec(statement) } as unknown as Database);
  const columns = database.prepare(
    "SELECT m.name AS name, c.name AS field FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid",
  );
  const tables = Map.groupBy(columns.all(), ({ name }) => String(name));
  expect(tables.size).toBeGreaterThan(0);
  for (const [table, fields] of tables)
    expect(named(`Table \`${table}\``), table).toEqual(
      expect.arrayContaining(fields.map(({ field }) => String(field))),
    );
});
