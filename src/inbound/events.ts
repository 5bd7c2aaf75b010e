/**
 * Owns: events on the wire, as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): the
 * Worker holds the caller's stream, and sends a comment now and then where nothing happens.
 */

import type { SessionKey } from "../core/ids.ts";
import { HEARTBEAT_MS, READER_RETRY_AFTER_END_MS, READER_RETRY_MS } from "../core/limits.ts";
import { type EventPlace, parseEventId, type SessionEvent } from "../core/session-event.ts";
import type { Listening, ListenRequest } from "../session/face.ts";
import type { CallerContext, Door } from "./door.ts";
import { withEventUrls } from "./links.ts";
import { Problem, problemOf } from "./problem.ts";
import { faceOf } from "./sessions.ts";

/** Whether a caller wants to be told by events what becomes of what it starts. */
export function readsEvents(context: CallerContext): boolean {
  return /(?:^|,)\s*text\/event-stream\s*(?:[,;]|$)/i.test(context.req.header("accept") ?? "");
}

export async function eventResponse(
  context: CallerContext,
  door: Door,
  key: SessionKey,
  request: Omit<ListenRequest, "after">,
): Promise<Response> {
  const after = readLastEventId(context);
  const listening = await faceOf(context, door, key).listen({
    ...request,
    ...(after !== undefined && { after }),
  });
  if (!listening.ok) throw problemOf(listening.refusal);
  const stream = eventStream(listening.value, (event) => withEventUrls(context, door, event));
  return context.body(stream, 200, { "content-type": "text/event-stream" });
}

function readLastEventId(context: CallerContext): EventPlace | undefined {
  const id = context.req.header("last-event-id");
  if (id === undefined) return undefined;
  const place = parseEventId(id);
  if (place !== undefined) return place;
  throw new Problem("invalid_request", "Last-Event-ID is no id of an event.", {
    issues: [{ path: "Last-Event-ID", message: "is not one of ours" }],
  });
}

const BEAT = ":\n\n";

export function eventStream(
  listening: Listening,
  show: (event: SessionEvent) => Promise<SessionEvent>,
): ReadableStream<Uint8Array> {
  return heldStream(listening, {
    begin: retry(READER_RETRY_MS),
    frame: async (event) => frame(await show(event)),
    end: END,
  });
}

/** What is told one by one: undefined once there is no more. Asked one at a time. */
export interface Told<T> {
  next(): Promise<T | undefined>;
  close(): void;
}

/** How it looks on the wire. */
interface Wire<T> {
  readonly begin: string;
  readonly frame: (item: T) => Promise<string>;
  readonly end: string;
}

/** Pulled by the reader: what a slow one does not take waits where it is bounded. */
export function heldStream<T>(told: Told<T>, wire: Wire<T>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const nextOrBeat = withBeats(told);
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(wire.begin));
    },
    async pull(controller) {
      try {
        const next = await nextOrBeat();
        const text = next === BEAT ? BEAT : next === undefined ? wire.end : await wire.frame(next);
        controller.enqueue(encoder.encode(text));
        if (next === undefined) controller.close();
      } catch (error) {
        told.close();
        throw error;
      }
    },
    cancel: () => told.close(),
  });
}

/** The next of it, or a comment where none comes for a while: then it is still waited for. */
function withBeats<T>(told: Told<T>): () => Promise<T | undefined | typeof BEAT> {
  let next: Promise<T | undefined> | undefined;
  return async () => {
    next ??= told.next();
    const { promise: beat, resolve } = Promise.withResolvers<typeof BEAT>();
    const timer = setTimeout(() => resolve(BEAT), HEARTBEAT_MS);
    const first = await Promise.race([next, beat]).finally(() => clearTimeout(timer));
    if (first !== BEAT) next = undefined;
    return first;
  };
}

function retry(ms: number): string {
  return `retry: ${ms}\n\n`;
}

/** A browser's own client comes again whenever a stream ends: not so soon, where all was told. */
const END = retry(READER_RETRY_AFTER_END_MS);

/** JSON holds no line break of its own, so the data is one line. */
function frame({ id, ...event }: SessionEvent): string {
  const idLine = id === undefined ? "" : `id: ${id}\n`;
  return `${idLine}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
