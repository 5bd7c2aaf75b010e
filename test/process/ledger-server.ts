/**
 * Owns: the world outside, as a process that is killed leaves it: a server on loopback that remembers which effects it
 * was asked for, and under which Idempotency-Key, and that can leave a request without an answer.
 */

import { loopback } from "../agent/loopback.ts";
import { until } from "./until.ts";

export interface LedgerServer extends AsyncDisposable {
  readonly url: string;
  /** The Idempotency-Keys of the requests to a path, in the order in which they came. */
  keys(path: string): readonly string[];
  /** From now on requests to the path get no answer, until the function that is returned is called. */
  hold(path: string): () => void;
  /** Resolves when so many requests to the path have come. */
  arrived(path: string, requests: number): Promise<void>;
}

export async function ledgerServer(): Promise<LedgerServer> {
  const held = new Map<string, Promise<void>>();
  const server = await loopback(async ({ path }) => {
    await held.get(path);
    return { body: { done: path } };
  });
  const keys = (path: string) =>
    server.received
      .filter((request) => request.path === path)
      .map(({ headers }) => String(headers["idempotency-key"]));
  return {
    url: server.url,
    keys,
    hold(path) {
      const { promise, resolve } = Promise.withResolvers<void>();
      held.set(path, promise);
      return () => {
        held.delete(path);
        resolve();
      };
    },
    async arrived(path, requests) {
      await until(`${requests} requests to ${path}`, () =>
        keys(path).length >= requests ? true : undefined,
      );
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
