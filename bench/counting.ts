/**
 * Owns: counting what objects read, write and are asked, by the platform's own counters, whoever wrote the object: the
 * methods of its storage are watched, and its own. Only where the variable COUNTS is set, so that nothing else is measured
 * with it.
 */

export interface Counts {
  /** Rows written by statements, with one for each change of the alarm and each key that is put or deleted. */
  readonly rowsWritten: number;
  readonly rowsRead: number;
  readonly alarmsSet: number;
  /** Calls by others and alarms: what is billed as a request to an object. */
  readonly requests: number;
}

interface Watched {
  readonly label: string;
  /** What a cursor has read is known once it is read to its end. */
  readonly cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[];
  rows: number;
  alarmsSet: number;
}

const watched: Watched[] = [];
const requests = new Map<string, number>();

/** Watches the storage of an object that is being made. */
export function countsOf(label: string, state: DurableObjectState, env: unknown): void {
  if ((env as Readonly<Record<string, unknown>>)["COUNTS"] === undefined) return;
  const { storage } = state;
  const own: Watched = { label, cursors: [], rows: 0, alarmsSet: 0 };
  watched.push(own);
  const exec = storage.sql.exec.bind(storage.sql);
  Object.defineProperty(storage.sql, "exec", {
    value: (statement: string, ...bindings: SqlStorageValue[]) => {
      const cursor = exec(statement, ...bindings);
      own.cursors.push(cursor);
      return cursor;
    },
  });
  for (const name of ["setAlarm", "deleteAlarm", "put", "delete"] as const) {
    const method = storage[name].bind(storage) as (...values: unknown[]) => unknown;
    Object.defineProperty(storage, name, {
      value: (...values: unknown[]) => {
        own.rows += 1;
        if (name === "setAlarm") own.alarmsSet += 1;
        return method(...values);
      },
    });
  }
}

/** Counts the calls of some methods, which nobody but the platform makes. */
export function countRequests(label: string, prototype: object, names: readonly string[]): void {
  for (const name of names) {
    const method: unknown = Reflect.get(prototype, name);
    if (typeof method !== "function") throw new Error(`there is no ${name} to be counted`);
    Object.defineProperty(prototype, name, {
      value(this: unknown, ...given: unknown[]): unknown {
        requests.set(label, (requests.get(label) ?? 0) + 1);
        return Reflect.apply(method, this, given);
      },
    });
  }
}

/** What was counted so far in all objects, by their labels. */
export function countedRoute(): Response {
  const counts: Record<string, { -readonly [K in keyof Counts]: Counts[K] }> = {};
  for (const { label, cursors, rows, alarmsSet } of watched) {
    const sum = (counts[label] ??= {
      rowsWritten: 0,
      rowsRead: 0,
      alarmsSet: 0,
      requests: requests.get(label) ?? 0,
    });
    sum.rowsWritten += rows;
    sum.alarmsSet += alarmsSet;
    for (const cursor of cursors) {
      sum.rowsWritten += cursor.rowsWritten;
      sum.rowsRead += cursor.rowsRead;
    }
  }
  return Response.json(counts);
}
