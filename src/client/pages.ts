/**
 * Owns: a list of the Worker as its callers go through it: item by item over all its pages, or one page at a time.
 */

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
  return {
    page: () => read(query),
    async *[Symbol.asyncIterator]() {
      let { cursor } = query;
      for (;;) {
        const page = await read({ ...query, cursor });
        yield* page.items;
        if (page.nextCursor === null) return;
        cursor = page.nextCursor;
      }
    },
  };
}
