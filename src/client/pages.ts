/**
 * Owns: a list of the Worker as its callers go through it: item by item over all its pages, or one page at a time.
 */

import { HoldpointUnreachable } from "./problem.ts";
import type { CallOptions } from "./transport.ts";

export interface Page<T> {
  readonly items: readonly T[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** `for await (const item of list)` goes through all pages; `await list.page()` reads one. */
export interface List<T> extends AsyncIterable<T> {
  page(): Promise<Page<T>>;
}

interface Paged extends CallOptions {
  readonly cursor?: string | undefined;
}

export function listOf<T, Q extends Paged>(
  query: Q,
  read: (query: Q) => Promise<Page<T>>,
): List<T> {
  async function pageAt(at: Q): Promise<Page<T>> {
    const page: unknown = await read(at);
    if (isPage<T>(page) && (page.nextCursor === null || page.nextCursor !== at.cursor)) return page;
    throw new HoldpointUnreachable("a list from something that is no Holdpoint", {});
  }

  return {
    page: () => pageAt(query),
    async *[Symbol.asyncIterator]() {
      let { cursor } = query;
      for (;;) {
        const page = await pageAt({ ...query, cursor });
        yield* page.items;
        if (page.nextCursor === null) return;
        cursor = page.nextCursor;
      }
    },
  };
}

/** Without a cursor's end, whoever goes through all pages would go on for ever. */
function isPage<T>(value: unknown): value is Page<T> {
  if (typeof value !== "object" || value === null) return false;
  const { items, nextCursor } = value as Partial<Record<string, unknown>>;
  return Array.isArray(items) && (nextCursor === null || typeof nextCursor === "string");
}
