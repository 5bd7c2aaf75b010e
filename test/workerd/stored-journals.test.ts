import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it } from "vitest";
import { deriveSessionKey } from "../../src/core/ids.ts";
import { JOURNAL_VERSION } from "../../src/journal/schema.ts";
import one from "../fixtures/journals/1.json" with { type: "json" };
import { fireAlarm, readTurn, stubOf } from "./client.ts";
import { conversation } from "./journey.ts";
import { ledger } from "./ledger.ts";
import { stage } from "./stage.ts";
import { STORED_SESSIONS } from "./stored-sessions.ts";

type Row = Record<string, string | number | null>;

/** What a session's object has on its disk. */
interface Stored {
  readonly name: string;
  readonly tables: readonly string[];
  readonly rows: Readonly<Record<string, readonly Row[]>>;
}

const VERSIONS: readonly { readonly version: number; readonly sessions: readonly Stored[] }[] = [
  one,
];

/** RECORD_JOURNALS=1: prints what the next fixture has to hold, a line for each session, and checks nothing. */
const { RECORD_JOURNALS } = env as { readonly RECORD_JOURNALS?: string };

afterEach(() => {
  ledger.clear();
  stage.clear();
});

async function sessionOf(version: number, n: number): Promise<{ name: string; id: string }> {
  const name = `stored-${version}-${n}`;
  return { name, id: `sess_${await deriveSessionKey({ from: "name", name })}` };
}

function record(id: string, name: string): Promise<Stored> {
  return runInDurableObject(stubOf(id), (_instance, { storage: { sql } }) => {
    const tables = sql.exec<{ sql: string }>(
      "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
    );
    const rows = (table: string) => sql.exec<Row>(`SELECT * FROM ${table}`).toArray();
    return {
      name,
      tables: Array.from(tables, (table) => table.sql),
      rows: { journal: rows("journal"), tasks: rows("tasks") },
    };
  });
}

async function load(id: string, { tables, rows }: Stored): Promise<void> {
  await runInDurableObject(stubOf(id), async (_instance, { storage }) => {
    for (const statement of tables) storage.sql.exec(statement);
    for (const [table, all] of Object.entries(rows))
      for (const row of all)
        storage.sql.exec(
          `INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${Object.keys(row)
            .map(() => "?")
            .join()})`,
          ...Object.values(row),
        );
    await storage.setAlarm(Date.now() + 60_000);
  });
  await abortAllDurableObjects();
}

const CASES = VERSIONS.flatMap(({ version, sessions }) =>
  sessions.map((stored, n) => ({ version, n, stored, name: stored.name })),
);

if (RECORD_JOURNALS !== undefined) {
  it("records a fixture of the version of today", async () => {
    for (const [n, session] of STORED_SESSIONS.entries()) {
      const { name, id } = await sessionOf(JOURNAL_VERSION, n);
      await session.begin(name);
      console.log(`RECORDED ${JSON.stringify(await record(id, session.name))}`);
    }
    expect.assertions(0);
  });
} else {
  it("has a fixture of each version, and of each session", () => {
    expect(VERSIONS.map(({ version }) => version)).toEqual(
      Array.from({ length: JOURNAL_VERSION }, (_, n) => n + 1),
    );
    expect(VERSIONS.at(-1)?.sessions.map(({ name }) => name)).toEqual(
      STORED_SESSIONS.map(({ name }) => name),
    );
  });

  it.each(CASES)(
    "loads and finishes $name, as version $version wrote it",
    async ({ version, n, stored }) => {
      const { id } = await sessionOf(version, n);
      await load(id, stored);
      await fireAlarm(id);
      const turn = await readTurn(`turn_${id.slice("sess_".length)}00000001`);
      const session = STORED_SESSIONS.find(({ name }) => name === stored.name);
      await session?.finish(turn);
      expect((await conversation(id)).length).toBeGreaterThan(1);
    },
  );
}
