/**
 * Owns: reading a stream of events in a test as a strict client does: by a parser of server-sent events, each event by
 * the schema, and what the stream's own fields say compared with what its data say.
 */

import { exports } from "cloudflare:workers";
import { createParser } from "eventsource-parser";
import { expect } from "vitest";
import { type SessionEvent, sessionEventSchema } from "../../src/core/session-event.ts";
import { ORIGIN } from "./client.ts";

export interface Opening {
  readonly lastEventId?: string;
  readonly key?: string;
}

export function requestEvents(path: string, { lastEventId, key = "dev-key" }: Opening = {}) {
  return exports.default.fetch(
    new Request(`${ORIGIN}${path}`, {
      headers: {
        authorization: `Bearer ${key}`,
        ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
      },
    }),
  );
}

export async function openEvents(path: string, opening: Opening = {}): Promise<EventReader> {
  return readerOf(await requestEvents(path, opening));
}

export function readerOf(response: Response): EventReader {
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  if (response.body === null) throw new Error("the response has no body");
  return new EventReader(response.body);
}

export class EventReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  readonly #waiting: SessionEvent[] = [];
  readonly #parser = createParser({
    onEvent: ({ id, event: type, data }) => {
      const event = sessionEventSchema.parse(JSON.parse(data));
      expect(event).not.toHaveProperty("id");
      expect(type).toBe(event.type);
      this.#waiting.push(id === undefined ? event : { ...event, id });
    },
    onRetry: (ms) => this.retries.push(ms),
    onComment: () => {
      this.comments += 1;
    },
    onError: (error) => {
      throw error;
    },
  });
  readonly retries: number[] = [];
  comments = 0;

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader();
  }

  /** The next event; undefined at the stream's end. */
  async next(): Promise<SessionEvent | undefined> {
    while (this.#waiting.length === 0) {
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#parser.feed(this.#decoder.decode(value, { stream: true }));
    }
    return this.#waiting.shift();
  }

  /** All events up to the first for which it holds, that one included. Throws where the stream ends before. */
  async until(holds: (event: SessionEvent) => boolean): Promise<SessionEvent[]> {
    const read: SessionEvent[] = [];
    for (;;) {
      const event = await this.next();
      if (event === undefined)
        throw new Error(`the stream ended after ${typesOf(read).join(", ")}`);
      read.push(event);
      if (holds(event)) return read;
    }
  }

  untilType(type: SessionEvent["type"]): Promise<SessionEvent[]> {
    return this.until((event) => event.type === type);
  }

  /** All events up to the stream's end. */
  async rest(): Promise<SessionEvent[]> {
    const read: SessionEvent[] = [];
    for (let event = await this.next(); event !== undefined; event = await this.next())
      read.push(event);
    return read;
  }

  close(): Promise<void> {
    return this.#reader.cancel();
  }
}

export function typesOf(events: readonly SessionEvent[]): string[] {
  return events.map(({ type }) => type);
}

/** What lasts of what was read. */
export function durable(events: readonly SessionEvent[]): SessionEvent[] {
  return events.filter(({ id }) => id !== undefined);
}
