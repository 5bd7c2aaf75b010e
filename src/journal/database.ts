/**
 * Owns: how a session's statements are run, and the count of rows that they wrote. The rooms above see tables only
 * through the other files of this room.
 */

/** The part of a Durable Object's storage that the journal needs. */
export interface Database {
  /** Runs one statement; the cursor is lazy, so a reader that stops early reads no further. */
  run(statement: string, ...bindings: (string | number | null)[]): SqlStorageCursor<Row>;
  /** Rows written since the object woke, by the platform's own counter, with one for each change of the alarm. */
  readonly rowsWritten: number;
  /** Sets or clears the one alarm, inside the transaction that is under way. */
  setAlarm(at: number | undefined): void;
  transaction<T>(work: () => T): T;
}

export type Row = Record<string, string | number | null | ArrayBuffer>;

export function openDatabase(storage: DurableObjectStorage): Database {
  let rowsWritten = 0;
  return {
    run(statement, ...bindings) {
      const cursor = storage.sql.exec<Row>(statement, ...bindings);
      // A write has done its work, and counted it, when `exec` returns.
      rowsWritten += cursor.rowsWritten;
      return cursor;
    },
    get rowsWritten() {
      return rowsWritten;
    },
    setAlarm(at) {
      rowsWritten += 1;
      // Not awaited: inside a transaction its effect is ordered with the statements, and rolled back with them.
      void (at === undefined ? storage.deleteAlarm() : storage.setAlarm(at));
    },
    transaction: (work) => storage.transactionSync(work),
  };
}

/** Whether a table, or an index, is there: some are made when they are first needed. */
export function isThere(database: Database, name: string): boolean {
  return database.run("SELECT 1 FROM sqlite_master WHERE name = ?", name).toArray().length > 0;
}

export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new Error(`column ${column} holds no text`);
  return value;
}

export function numberOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw new Error(`column ${column} holds no number`);
  return value;
}
