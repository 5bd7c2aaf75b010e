/**
 * Owns: a reader's side of the events: one WebSocket to the session's object, over which only events come, so that the
 * object sleeps while there are none. Where it breaks (a crash, a deploy), it is made again behind the last event, and the
 * reader notices nothing. What waits for a slow reader is bounded.
 * Does not own: the object's side (`readers.ts`), nor how events look on a wire.
 */

import * as z from "zod";
import {
  READER_BUFFER_UNITS,
  READER_DELTAS_UNITS,
  RECONNECT_CALM_MS,
  RECONNECT_MS,
  RECONNECT_TRIES,
} from "../core/limits.ts";
import { accepted, type Outcome, type Refusal, refused } from "../core/refusal.ts";
import { type EventPlace, parseEventId, type SessionEvent } from "../core/session-event.ts";

/** What a reader wants to be told. */
export interface ListenRequest {
  /** One turn's events, until it is over; without it the session's, without end. */
  readonly turn?: number;
  /** The place behind which to continue; without it from the beginning. */
  readonly after?: EventPlace;
  /** A session that is named by its id must be there. */
  readonly mustExist: boolean;
}

const listenRequestSchema = z.object({
  turn: z.int().optional(),
  after: z.object({ seq: z.int(), index: z.int() }).optional(),
  mustExist: z.boolean(),
});

/** Asks a session's object for a socket: the answer is one, or a refusal as JSON. */
export async function openSocket(
  object: Pick<DurableObjectStub, "fetch">,
  request: ListenRequest,
): Promise<Outcome<WebSocket>> {
  const query = new URLSearchParams({ listen: JSON.stringify(request) });
  const response = await object.fetch(`https://session/events?${query}`, {
    headers: { upgrade: "websocket" },
  });
  return response.webSocket === null
    ? refused(await response.json<Refusal>())
    : accepted(response.webSocket);
}

/** What a request of `openSocket` asks for. */
export function listenRequestOf(request: Request): ListenRequest {
  const { turn, after, mustExist } = listenRequestSchema.parse(
    JSON.parse(new URL(request.url).searchParams.get("listen") ?? "null"),
  );
  return { mustExist, ...(turn !== undefined && { turn }), ...(after !== undefined && { after }) };
}

/** How the object ends a socket: the turn is over and all was told, or there is more than it sends at a time. */
export const CLOSED = { over: 4000, more: 4001 } as const;

export interface Listening {
  /** The next event; undefined once there will be none. Throws where the session can't be reached. Asked one at a time. */
  next(): Promise<SessionEvent | undefined>;
  close(): void;
}

/** Opens a socket behind a place. Throws where the object doesn't answer. */
export type Connect = (after: EventPlace | undefined) => Promise<Outcome<WebSocket>>;

export async function listen(
  connect: Connect,
  after: EventPlace | undefined,
): Promise<Outcome<Listening>> {
  const connected = await connect(after);
  if (!connected.ok) return connected;
  const listener = new Listener(connect, after);
  listener.attach(connected.value);
  return accepted(listener);
}

interface Waiting {
  readonly event: SessionEvent;
  readonly units: number;
}

class Listener implements Listening {
  readonly #connect: Connect;
  /** Behind the last durable event that was given out. */
  #after: EventPlace | undefined;
  #socket: WebSocket | undefined;
  #waiting: Waiting[] = [];
  #units = 0;
  /** Text was dropped: the rest of that step's text would have a hole. */
  #hasHole = false;
  #isOver = false;
  #tries = 0;
  #wake: () => void = () => undefined;

  constructor(connect: Connect, after: EventPlace | undefined) {
    this.#connect = connect;
    this.#after = after;
  }

  attach(socket: WebSocket): void {
    this.#socket = socket;
    const openedAt = Date.now();
    const ended = (isOver: boolean) => {
      if (this.#socket !== socket) return;
      // One that stood for a while in silence was no failed try.
      if (Date.now() - openedAt > RECONNECT_CALM_MS) this.#tries = 0;
      this.#socket = undefined;
      this.#isOver ||= isOver;
      this.#wake();
    };
    socket.addEventListener("message", ({ data }) => {
      if (this.#socket === socket && typeof data === "string") this.#take(data);
    });
    socket.addEventListener("close", ({ code }) => ended(code === CLOSED.over));
    socket.addEventListener("error", () => ended(false));
    socket.accept();
  }

  async next(): Promise<SessionEvent | undefined> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        this.#units -= next.units;
        if (next.event.id !== undefined) this.#after = parseEventId(next.event.id);
        return next.event;
      }
      if (this.#isOver) return undefined;
      if (this.#socket === undefined) await this.#reconnect();
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  close(): void {
    this.#isOver = true;
    this.#waiting = [];
    this.#letGo();
    this.#wake();
  }

  #take(data: string): void {
    this.#tries = 0;
    // Read again from the journal, once the reader has caught up.
    if (this.#units > READER_BUFFER_UNITS) {
      this.#letGo();
      return;
    }
    // Our own object wrote it.
    const events = JSON.parse(data) as readonly SessionEvent[];
    for (const event of events) {
      if (event.id === undefined && !this.#takesLive(event)) continue;
      const units = data.length / events.length;
      this.#waiting.push({ event, units });
      this.#units += units;
    }
    this.#wake();
  }

  /** What is told live can be left out: the finished text follows. But then until the step's end, or its next beginning. */
  #takesLive({ type }: SessionEvent): boolean {
    const isFull = this.#units > READER_DELTAS_UNITS;
    if (isFull) this.#hasHole = true;
    else if (type === "step.started") this.#hasHole = false;
    return !this.#hasHole;
  }

  async #reconnect(): Promise<void> {
    if (this.#tries > 0) await elapsed(RECONNECT_MS * 2 ** (this.#tries - 1));
    if (this.#isOver) return;
    this.#tries += 1;
    const connected = await this.#connect(this.#after).catch((error: unknown) => {
      if (this.#tries >= RECONNECT_TRIES) throw error;
      return undefined;
    });
    if (connected === undefined) return;
    if (!connected.ok) this.#isOver = true;
    else if (this.#isOver) connected.value.close();
    else this.attach(connected.value);
  }

  #letGo(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }
}

function elapsed(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
