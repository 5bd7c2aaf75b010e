/**
 * Owns: reading a turn as chunks of a chat's message: what is in the journal first, then what happens, until the turn is
 * over, or rests because the caller is to answer. And a turn that is read once, as the messages that it made.
 * Does not own: which chunks an event makes (`chat-chunks.ts`).
 */

import { createUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";
import { type Input, inputText } from "../core/input.ts";
import type { Json } from "../core/json.ts";
import { CHAT_HISTORY_UNITS } from "../core/limits.ts";
import {
  type EventPlace,
  isAfter,
  parseEventId,
  type SessionEvent,
} from "../core/session-event.ts";
import type { TurnView } from "../core/turn-view.ts";
import { parseId } from "../core/ids.ts";
import type { Listening, SessionFace } from "../session/face.ts";
import { TurnChunks } from "./chat-chunks.ts";
import type { Told } from "./events.ts";
import { problemOf } from "./problem.ts";

/** The parts of a turn that are in the journal, page by page. */
class Journalled {
  readonly #face: SessionFace;
  readonly #turn: number;
  #events: SessionEvent[] = [];
  #isWhole = false;
  /** Behind the last event that was given out. */
  after: EventPlace | undefined;
  /** How much was read. */
  units = 0;

  constructor(face: SessionFace, turn: number) {
    this.#face = face;
    this.#turn = turn;
  }

  /** Undefined where nothing more is in the journal by now. Throws a Problem where there is no such turn. */
  async next(): Promise<SessionEvent | undefined> {
    while (this.#events.length === 0 && !this.#isWhole) await this.read();
    const event = this.#events.shift();
    if (event?.id !== undefined) this.after = parseEventId(event.id);
    return event;
  }

  async read(): Promise<void> {
    const page = await this.#face.readEvents(this.#turn, this.after);
    if (!page.ok) throw problemOf(page.refusal);
    const { events, isLast } = page.value;
    // Our own object wrote it.
    this.#events = JSON.parse(events) as SessionEvent[];
    this.#isWhole = isLast;
    this.units += events.length;
  }
}

export interface ChatReadingOptions {
  /** The turn was started by this very request: it waits for its reader, and is read as it happens. */
  readonly fresh?: boolean;
  /** What the client has of the message: it is not told again. */
  readonly after?: EventPlace;
  /** Whether to stay while the turn is parked. */
  readonly follow?: boolean;
}

export class ChatReading implements Told<readonly UIMessageChunk[]> {
  readonly #face: SessionFace;
  readonly #turn: number;
  readonly #options: ChatReadingOptions;
  readonly #journalled: Journalled;
  readonly #chunks = new TurnChunks();
  #begin: readonly UIMessageChunk[] = [];
  #listening: Listening | undefined;
  #isOver = false;

  private constructor(face: SessionFace, turn: number, options: ChatReadingOptions) {
    this.#face = face;
    this.#turn = turn;
    this.#options = options;
    this.#journalled = new Journalled(face, turn);
  }

  /** Throws a Problem where the turn can't be read. */
  static async open(
    face: SessionFace,
    { id, sessionId }: TurnView,
    options: ChatReadingOptions,
  ): Promise<ChatReading> {
    const reading = new ChatReading(face, parseId("turn", id)?.n ?? 0, options);
    if (options.after !== undefined)
      reading.#begin = reading.#chunks.start({ turnId: id, sessionId });
    if (options.fresh === true) await reading.#listen(undefined);
    else await reading.#journalled.read();
    return reading;
  }

  async next(): Promise<readonly UIMessageChunk[] | undefined> {
    while (!this.#isOver) {
      const begin = this.#begin;
      this.#begin = [];
      if (begin.length > 0) return begin;
      const event = await this.#next();
      if (event === undefined) {
        this.close();
        return this.#chunks.end();
      }
      const chunks = this.#chunks.after(event);
      if (chunks.length > 0 && this.#isNew(event)) return chunks;
    }
    return undefined;
  }

  close(): void {
    this.#isOver = true;
    this.#listening?.close();
  }

  async #next(): Promise<SessionEvent | undefined> {
    if (this.#listening === undefined) {
      const event = await this.#journalled.next();
      if (event !== undefined) return event;
      if (this.#chunks.isOver) return undefined;
    }
    if (this.#chunks.awaitsCaller && this.#options.follow !== true) return undefined;
    const listening = this.#listening ?? (await this.#listen(this.#journalled.after));
    return listening.next();
  }

  async #listen(after: EventPlace | undefined): Promise<Listening> {
    const listening = await this.#face.listen({
      turn: this.#turn,
      mustExist: true,
      ...(after !== undefined && { after }),
    });
    if (!listening.ok) throw problemOf(listening.refusal);
    this.#listening = listening.value;
    if (this.#isOver) listening.value.close();
    return listening.value;
  }

  #isNew({ id }: SessionEvent): boolean {
    const { after } = this.#options;
    const place = id === undefined ? undefined : parseEventId(id);
    return after === undefined || place === undefined || isAfter(place, after);
  }
}

/** The newest turns as the messages of a chat, the oldest first; `turns` are the newest first. */
export async function chatMessages(
  face: SessionFace,
  turns: readonly TurnView[],
): Promise<readonly UIMessage[]> {
  const messages: UIMessage[] = [];
  let units = 0;
  for (const turn of turns) {
    const told = await toldOf(face, turn, CHAT_HISTORY_UNITS - units);
    // A turn that is too long by itself is told as far as that, and its message says that more may come of it.
    if (told.isCut && messages.length > 0) break;
    messages.unshift(inputMessage(turn), await messageOf(told.chunks));
    units += told.units;
  }
  return messages;
}

interface ToldTurn {
  readonly chunks: readonly UIMessageChunk[];
  readonly units: number;
  readonly isCut: boolean;
}

/** What is in the journal of a turn, but for what goes beyond so much of it. */
async function toldOf(face: SessionFace, { id }: TurnView, unitsMax: number): Promise<ToldTurn> {
  const journalled = new Journalled(face, parseId("turn", id)?.n ?? 0);
  const turn = new TurnChunks();
  const chunks: UIMessageChunk[] = [];
  for (let event = await journalled.next(); event !== undefined; event = await journalled.next()) {
    if (journalled.units > unitsMax) return { chunks, units: journalled.units, isCut: true };
    chunks.push(...turn.after(event));
  }
  if (turn.isOver || turn.awaitsCaller) chunks.push(...turn.end());
  return { chunks, units: journalled.units, isCut: false };
}

/** What the SDK makes of chunks. An error is said by the message's metadata. */
function messageOf(chunks: readonly UIMessageChunk[]): Promise<UIMessage> {
  const { promise, resolve } = Promise.withResolvers<UIMessage>();
  const stream = createUIMessageStream({
    execute: ({ writer }) => {
      for (const chunk of chunks) if (chunk.type !== "error") writer.write(chunk);
    },
    onEnd: ({ responseMessage }) => resolve(responseMessage),
  });
  return stream.pipeTo(new WritableStream()).then(() => promise);
}

function inputMessage({ id, input, inputType }: TurnView): UIMessage {
  return {
    id: `${id}:input`,
    role: "user",
    parts: textsOf(input, inputType).map((text) => ({ type: "text", text })),
  };
}

function textsOf(input: Json, inputType: string | undefined): readonly string[] {
  if (inputType !== undefined) return [JSON.stringify(input)];
  const given = input as Input;
  return typeof given === "string" ? [given] : given.map((part) => inputText([part]));
}
