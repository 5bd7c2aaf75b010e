/**
 * Owns: following a stream of events over any number of connections: each event that lasts comes once, in order, and after
 * a cut the next connection continues behind the last one that came.
 */

import { createParser } from "eventsource-parser";
import type { SessionEvent } from "../core/session-event.ts";
import { HoldpointProblem, HoldpointUnreachable } from "./problem.ts";
import { type CallOptions, isPassingStatus, pause, type Transport } from "./transport.ts";

export interface EventOptions extends CallOptions {
  /** The `id` of the last event that you have: what follows it is told. From the start where it is left out. */
  readonly after?: string | undefined;
}

/** A stream that tells its readers not to come again soon is over. */
const OVER_RETRY_MS = 600_000;
const RECONNECT_MS = 1_000;
const RECONNECT_MAX_MS = 20_000;
/** Of one event; none of the Worker's is so long. */
const EVENT_UNITS_MAX = 16 * 1024 * 1024;

/** Once it was connected it goes on until the stream is over, the Worker refuses, or `signal` ends it. */
export async function* followEvents(
  transport: Transport,
  path: string,
  { after, signal }: EventOptions,
): AsyncGenerator<SessionEvent, void, undefined> {
  let last = after;
  let isConnected = false;
  let reconnectMs = RECONNECT_MS;
  for (;;) {
    const connection = new AbortController();
    const both =
      signal === undefined ? connection.signal : AbortSignal.any([signal, connection.signal]);
    const lastId = last === undefined ? {} : { "last-event-id": last };
    try {
      const response = await transport.open({
        method: "GET",
        path,
        headers: { accept: "text/event-stream", ...lastId },
        isRepeatable: true,
        signal: both,
      });
      if (!/^text\/event-stream\b/i.test(response.headers.get("content-type") ?? ""))
        throw new HoldpointUnreachable(`GET ${path}: no stream of events`, {
          status: response.status,
        });
      isConnected = true;
      for await (const told of eventsOf(response)) {
        if (typeof told === "number") {
          if (told >= OVER_RETRY_MS) return;
          reconnectMs = told;
          continue;
        }
        last = told.id ?? last;
        yield told;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!isConnected || !isPassing(error)) throw error;
      reconnectMs = Math.min(2 * reconnectMs, RECONNECT_MAX_MS);
    } finally {
      // A reader that stops reading lets go of the connection too.
      connection.abort();
    }
    await pause(reconnectMs, signal);
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof HoldpointUnreachable) return true;
  return error instanceof HoldpointProblem && isPassingStatus(error.status);
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
    maxBufferSize: EVENT_UNITS_MAX,
  });
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new HoldpointUnreachable("the stream broke", { cause });
    });
    if (done) return;
    parser.feed(decoder.decode(value, { stream: true }));
    yield* told.splice(0);
  }
}
