/**
 * Owns: following a stream of events over any number of connections: each that lasts comes once, in order, and after a cut
 * the next connection continues behind the last one that came.
 */

import { createParser } from "eventsource-parser";
import type { SessionEvent } from "../core/session-event.ts";
import { HoldpointProblem, HoldpointUnreachable } from "./problem.ts";
import { type CallOptions, pause, type Transport } from "./transport.ts";

export interface EventOptions extends CallOptions {
  /** The `id` of the last event that you have: what follows it is told. From the start where it is left out. */
  readonly after?: string | undefined;
}

/** A stream that says so is over: the Worker tells its readers not to come again soon. */
const OVER_RETRY_MS = 600_000;
const RECONNECT_MS = 1_000;
/** Connections in a row that brought nothing, before the last one's error is the reader's. */
const BARREN_CONNECTIONS = 10;

export async function* followEvents(
  transport: Transport,
  path: string,
  { after, signal }: EventOptions,
): AsyncGenerator<SessionEvent, void, undefined> {
  let last = after;
  let reconnectMs = RECONNECT_MS;
  let barren = 0;
  for (;;) {
    const connection = new AbortController();
    const both =
      signal === undefined ? connection.signal : AbortSignal.any([signal, connection.signal]);
    try {
      const response = await transport.open({
        method: "GET",
        path,
        headers: {
          accept: "text/event-stream",
          ...(last !== undefined && { "last-event-id": last }),
        },
        isRepeatable: true,
        signal: both,
      });
      for await (const told of eventsOf(response)) {
        if (typeof told === "number") {
          if (told >= OVER_RETRY_MS) return;
          reconnectMs = told;
          continue;
        }
        barren = 0;
        last = told.id ?? last;
        yield told;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof HoldpointProblem || error instanceof HoldpointUnreachable) throw error;
      if (barren >= BARREN_CONNECTIONS)
        throw new HoldpointUnreachable(`GET ${path}: the stream breaks again and again`, {
          cause: error,
        });
    } finally {
      // A reader that stops reading lets go of the connection too.
      connection.abort();
    }
    barren += 1;
    await pause(reconnectMs, signal);
  }
}

/** The events of one connection, and the times after which the Worker wants its readers to come again. */
async function* eventsOf(response: Response): AsyncGenerator<SessionEvent | number> {
  if (response.body === null) return;
  const told: (SessionEvent | number)[] = [];
  const parser = createParser({
    onEvent: ({ id, data }) => {
      const event = JSON.parse(data) as SessionEvent;
      told.push(id === undefined ? event : { ...event, id });
    },
    onRetry: (ms) => told.push(ms),
  });
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.feed(decoder.decode(value, { stream: true }));
    yield* told.splice(0);
  }
}
