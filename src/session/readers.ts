/**
 * Owns: who listens to the session's events: one hibernating WebSocket for each reader, with what it was told up to kept
 * beside the socket. So a reader costs nothing while there is nothing to tell (I11), and a later life of the object finds
 * it and goes on. Telling comes behind the commit, and no trouble with a reader reaches the engine.
 * Does not own: which events there are (`event-log.ts`), nor the reader's own side (`listening.ts`).
 */

import * as z from "zod";
import { EVENT_PAGE_UNITS } from "../core/limits.ts";
import { accepted, type Outcome, type Refusal, refused } from "../core/refusal.ts";
import {
  type EventPlace,
  formatEventId,
  isAfter,
  type LiveEvent,
  parseEventId,
} from "../core/session-event.ts";
import type { Commit } from "../journal/journal.ts";
import type { SessionState } from "./draft.ts";
import { EventLog, type LoggedEvent } from "./event-log.ts";
import { CLOSED, type ListenRequest } from "./listening.ts";
import { LiveStep } from "./live-step.ts";
import { sessionNotFound } from "./starting.ts";
import type { SessionStore } from "./store.ts";

/** One reader, as it is kept beside its socket. */
const readerSchema = z.object({
  /** The turn that it listens to; without one to the session. */
  turn: z.int().optional(),
  after: z
    .string()
    .transform((id) => parseEventId(id))
    .optional(),
});
type Reader = z.output<typeof readerSchema>;

/** A part of the journal as events. */
export interface EventPage {
  /** As JSON. */
  readonly events: string;
  /** Whether nothing more stood behind them. */
  readonly isLast: boolean;
}

export class Readers {
  readonly live: LiveStep;
  readonly #state: DurableObjectState;
  readonly #store: SessionStore;
  readonly #log: EventLog;
  readonly #readers: Map<WebSocket, Reader>;
  /** Turns whose starter said that it will read along, with the sockets that have not come yet. */
  readonly #expected = new Map<number, number>();
  /** Whether every reader was told all there was, as far as this life of the object knows. */
  #isCurrent: boolean;

  constructor(state: DurableObjectState, store: SessionStore) {
    this.#state = state;
    this.#store = store;
    this.#log = new EventLog(store);
    this.#readers = new Map(
      state.getWebSockets().flatMap((socket) => {
        // One that was only being closed has nothing beside it.
        const reader = readerSchema.safeParse(socket.deserializeAttachment());
        return reader.success ? [[socket, reader.data] as const] : [];
      }),
    );
    this.#isCurrent = this.#readers.size === 0;
    this.live = new LiveStep({
      key: store.key,
      now: () => store.now(),
      tell: (turn, event) => this.#tellLive(turn, event),
    });
  }

  /** Whoever started the turn comes with so many sockets. */
  expect(turn: number, sockets: number): void {
    this.#expected.set(turn, sockets);
  }

  /** Whether a turn should not begin yet: its reader comes in a moment. Should it not, the lease's alarm begins it. */
  get isExpecting(): boolean {
    for (const sockets of this.#expected.values()) if (sockets > 0) return true;
    return false;
  }

  /** Whether somebody reads the turn's text as it comes. */
  isRead(turn: number): boolean {
    if (this.#expected.has(turn)) return true;
    for (const reader of this.#readers.values()) if (hears(reader, turn)) return true;
    return false;
  }

  /** A new reader's socket; what it has not been told yet is on its way. */
  connect(request: ListenRequest): Outcome<WebSocket> {
    const refusal = this.#refusalOf(request);
    if (refusal !== undefined) return refused(refusal);
    const { 0: theirs, 1: socket } = new WebSocketPair();
    this.#state.acceptWebSocket(socket);
    const { turn, after } = request;
    const expected = turn === undefined ? undefined : this.#expected.get(turn);
    if (turn !== undefined && expected !== undefined) this.#expected.set(turn, expected - 1);
    this.#bringUp(socket, { turn, after });
    return accepted(theirs);
  }

  /** What was committed is told to those who listen. Without any, this is one look. */
  publish(commits: readonly Commit[], before: SessionState["open"]): void {
    for (const turn of this.#expected.keys())
      if (this.#store.openTurn(turn) === undefined) this.#expected.delete(turn);
    if (this.#readers.size === 0) return;
    const events = this.#isCurrent
      ? this.#log.ofTransaction(commits, before)
      : [...this.#log.since(this.#oldest(), undefined)];
    // Whatever goes wrong from here on, nobody is left with a gap: the next commit reads the journal again.
    this.#isCurrent = false;
    const messages = new Map<string, string>();
    for (const [socket, reader] of this.#readers) {
      const fresh = events.filter(({ turn, place }) => hears(reader, turn) && isNew(reader, place));
      // Each hears an end of the same list, or of its turn's part of it.
      const kind = `${reader.turn ?? ""} ${fresh.length}`;
      const message = messages.get(kind) ?? messageOf(fresh);
      messages.set(kind, message);
      this.#tell(socket, reader, fresh, message);
      this.#endWhereOver(socket, reader);
    }
    this.#isCurrent = true;
  }

  /** The session was erased: there is nothing more to tell anybody. */
  endAll(): void {
    for (const socket of this.#readers.keys()) socket.close(CLOSED.over);
    this.#readers.clear();
  }

  /** The socket is no more. */
  closed(socket: WebSocket): void {
    this.#readers.delete(socket);
  }

  #refusalOf({ turn, after, mustExist }: ListenRequest): Refusal | undefined {
    if (turn !== undefined && this.#store.turn(turn) === undefined)
      return { code: "not_found", detail: "There is no such turn." };
    if (mustExist && !this.#store.exists) return sessionNotFound();
    if (after === undefined || (this.#store.exists && this.#log.has(after))) return undefined;
    return {
      code: "invalid_request",
      detail:
        "Last-Event-ID is of no event of this session. Leave it out to read from the beginning.",
      issues: [{ path: "Last-Event-ID", message: "is not one of ours" }],
    };
  }

  /** What stands behind a place, as JSON, for whoever does not stay: all of it, or a first part where it is much. */
  read(reader: Reader): EventPage {
    const { events, isLast } = this.#page(reader);
    return { events: messageOf(events), isLast };
  }

  #page({ turn, after }: Reader): { readonly events: LoggedEvent[]; readonly isLast: boolean } {
    const events: LoggedEvent[] = [];
    let units = 0;
    for (const event of this.#store.exists ? this.#log.since(after, turn) : []) {
      events.push(event);
      units += event.text.length;
      if (units > EVENT_PAGE_UNITS) return { events, isLast: false };
    }
    return { events, isLast: true };
  }

  /** Tells a new reader what it has missed. */
  #bringUp(socket: WebSocket, reader: Reader): void {
    const { events: missed, isLast } = this.#page(reader);
    if (!isLast) {
      socket.send(messageOf(missed));
      socket.close(CLOSED.more);
      return;
    }
    this.#readers.set(socket, reader);
    socket.serializeAttachment(attachmentOf(reader));
    this.#tell(socket, reader, missed, messageOf(missed));
    if (this.#endWhereOver(socket, reader)) return;
    const live = this.live.soFar(reader.turn);
    if (live.length > 0) this.#send(socket, JSON.stringify(live));
  }

  #tell(socket: WebSocket, reader: Reader, events: readonly LoggedEvent[], message: string): void {
    const last = events.at(-1);
    if (last === undefined) return;
    this.#send(socket, message);
    reader.after = last.place;
    socket.serializeAttachment(attachmentOf(reader));
  }

  #tellLive(turn: number, event: LiveEvent): void {
    if (this.#readers.size === 0) return;
    const message = JSON.stringify([event]);
    for (const [socket, reader] of this.#readers)
      if (hears(reader, turn)) this.#send(socket, message);
  }

  #endWhereOver(socket: WebSocket, { turn }: Reader): boolean {
    if (turn === undefined || this.#store.openTurn(turn) !== undefined) return false;
    this.#readers.delete(socket);
    socket.close(CLOSED.over);
    return true;
  }

  #send(socket: WebSocket, message: string): void {
    try {
      socket.send(message);
    } catch {
      // It broke, and its reader comes again.
      this.#readers.delete(socket);
    }
  }

  /** Behind which place every reader was told all there was before. */
  #oldest(): EventPlace | undefined {
    let oldest: EventPlace | undefined;
    for (const { after } of this.#readers.values()) {
      if (after === undefined) return undefined;
      if (oldest === undefined || isAfter(oldest, after)) oldest = after;
    }
    return oldest;
  }
}

function hears({ turn }: Reader, told: number): boolean {
  return turn === undefined || turn === told;
}

function isNew({ after }: Reader, place: EventPlace): boolean {
  return after === undefined || isAfter(place, after);
}

function messageOf(events: readonly LoggedEvent[]): string {
  return `[${events.map(({ text }) => text).join(",")}]`;
}

function attachmentOf({ turn, after }: Reader): z.input<typeof readerSchema> {
  return {
    ...(turn !== undefined && { turn }),
    ...(after !== undefined && { after: formatEventId(after) }),
  };
}
