import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { factSchema } from "../src/core/event.ts";
import { readPage, tableOf } from "./document-tables.ts";

const root = join(import.meta.dirname, "..");
const page = await readPage("docs/journal.md");

/** The names in the first column of the tables of a section. */
function namedIn(heading: string): string[] {
  return tableOf(page, heading).flatMap(({ names }) => names);
}

/** The tables that stand in a room's statements, as a database has them, each with its columns in order. */
async function tablesOf(room: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const database = new DatabaseSync(":memory:");
  for (const file of await readdir(join(root, room))) {
    const code = await readFile(join(root, room, file), "utf8");
    for (const [, statement = ""] of code.matchAll(/`(CREATE TABLE [^`]+)`/g))
      database.exec(statement);
  }
  const columns = database
    .prepare(
      `SELECT m.name AS "table", c.name AS "column" FROM sqlite_master m, pragma_table_info(m.name) c
       WHERE m.type = 'table' ORDER BY m.name, c.cid`,
    )
    .all();
  const byTable = Map.groupBy(columns, (row) => String(row["table"]));
  return new Map(
    Array.from(byTable, ([table, rows]) => [table, rows.map((row) => String(row["column"]))]),
  );
}

it("names every fact, and none that isn't there", () => {
  const types = factSchema.options.map((option) => option.shape.type.value);
  expect(namedIn("The facts").toSorted()).toEqual(types.toSorted());
});

it.each([
  ["src/journal", ["journal", "tasks"]],
  ["src/inbox", ["items", "sessions"]],
])("names every table of %s with its columns, in their order", async (room, some) => {
  const tables = await tablesOf(room);
  expect([...tables.keys()]).toEqual(expect.arrayContaining(some));
  for (const [table, columns] of tables) {
    const named = namedIn(`Table \`${table}\``);
    expect(named.slice(0, columns.length), table).toEqual(columns);
  }
});
