/**
 * Owns: the tables of a shard of the inbox, and those that an earlier version left, brought into their form. Items stand in
 * the order in which they are listed: what is new comes beside what was new before, so that a report changes few pages.
 */

const ITEMS = `CREATE TABLE IF NOT EXISTS items (
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    id TEXT NOT NULL,
    agent TEXT NOT NULL,
    question_kind TEXT NOT NULL,
    recipient TEXT NOT NULL,
    view TEXT NOT NULL,
    PRIMARY KEY (kind, status, created_at, id)
  ) STRICT, WITHOUT ROWID`;

const TABLES = [
  `CREATE TABLE IF NOT EXISTS sessions (
    key TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    version INTEGER NOT NULL,
    wake_at INTEGER,
    wakes INTEGER NOT NULL DEFAULT 0,
    rows_written INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS sessions_to_wake ON sessions (wake_at) WHERE wake_at IS NOT NULL",
  ITEMS,
  "CREATE UNIQUE INDEX IF NOT EXISTS items_by_id ON items (id)",
  `CREATE TABLE IF NOT EXISTS failing (session TEXT PRIMARY KEY) STRICT, WITHOUT ROWID`,
];

/** From items by their ids, with an index for their order. */
const PUT_ITEMS_IN_ORDER = [
  "ALTER TABLE items RENAME TO items_before",
  ITEMS,
  `INSERT INTO items (kind, status, created_at, id, agent, question_kind, recipient, view)
    SELECT kind, status, created_at, id, agent, question_kind, recipient, view FROM items_before`,
  "DROP TABLE items_before",
];

/** Whether anything was ever told to the shard. */
export function hasTables(sql: SqlStorage): boolean {
  return columnsOf(sql, "sessions").size > 0;
}

/** Makes the tables where they are not there, and gives those of an earlier version their form of now. */
export function prepareTables(storage: DurableObjectStorage): void {
  const { sql } = storage;
  const isInOrder = columnsOf(sql, "items").get("id") !== 1;
  if (!isInOrder)
    storage.transactionSync(() => {
      for (const step of PUT_ITEMS_IN_ORDER) sql.exec(step);
    });
  for (const statement of TABLES) sql.exec(statement);
  const columns = columnsOf(sql, "sessions");
  for (const column of ["wakes", "rows_written"])
    if (!columns.has(column))
      sql.exec(`ALTER TABLE sessions ADD COLUMN ${column} INTEGER NOT NULL DEFAULT 0`);
}

/** A table's columns, each with its place in the primary key, from 1; 0 for one that is not in it. */
function columnsOf(sql: SqlStorage, table: "items" | "sessions"): ReadonlyMap<string, number> {
  const rows = sql.exec<{ name: string; pk: number }>(`PRAGMA table_info('${table}')`);
  return new Map(Array.from(rows, ({ name, pk }) => [name, pk]));
}
