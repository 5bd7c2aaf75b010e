import { expect, it, vi } from "vitest";
import { READER_BUFFER_UNITS, READER_DELTAS_UNITS } from "../../src/core/limits.ts";
import { accepted } from "../../src/core/refusal.ts";
import type { EventPlace, SessionEvent } from "../../src/core/session-event.ts";
import { CLOSED, listen, type Listening } from "../../src/session/listening.ts";

/** The session's object, as far as a reader's side of the events sees it. */
class Sender {
  /** Behind which places sockets were asked for. */
  readonly places: (EventPlace | undefined)[] = [];
  readonly closed: boolean[] = [];
  #socket: WebSocket | undefined;
  #failures = 0;

  readonly connect = async (after: EventPlace | undefined) => {
    if (this.#failures > 0) {
      this.#failures -= 1;
      throw new Error("the object did not answer");
    }
    const { 0: theirs, 1: ours } = new WebSocketPair();
    const place = this.places.push(after) - 1;
    this.closed[place] = false;
    ours.accept();
    ours.addEventListener("close", () => {
      this.closed[place] = true;
    });
    this.#socket = ours;
    return accepted(theirs);
  };

  failNext(times: number): void {
    this.#failures = times;
  }

  send(...events: SessionEvent[]): void {
    this.#socket?.send(JSON.stringify(events));
  }

  end(code: number): void {
    this.#socket?.close(code);
  }
}

const EVERY = { sessionId: "sess_0", turnId: "turn_0", at: "2026-11-30T00:00:00.000Z", step: 0 };

function finished(seq: number, text = ""): SessionEvent {
  return { type: "text.finished", id: `${seq}.0`, ...EVERY, text };
}

function delta(text: string): SessionEvent {
  return { type: "text.delta", ...EVERY, text };
}

const STARTED: SessionEvent = { type: "step.started", ...EVERY };

async function listening(sender: Sender): Promise<Listening> {
  const opened = await listen(sender.connect, undefined);
  if (!opened.ok) throw new Error(opened.refusal.detail);
  return opened.value;
}

/** What comes up to a durable event of this number, by type or text. */
async function upTo(reader: Listening, seq: number): Promise<string[]> {
  const read: string[] = [];
  for (;;) {
    const event = await reader.next();
    if (event === undefined) throw new Error("the events ended");
    read.push(event.type === "text.delta" ? event.text.slice(0, 1) : event.type);
    if (event.id === `${seq}.0`) return read;
  }
}

it("drops live text that a slow reader does not take, and no text behind a hole until the next step", async () => {
  const sender = new Sender();
  const reader = await listening(sender);
  // In one message, each event counts as its part of it.
  sender.send(STARTED, delta("a".repeat(3 * READER_DELTAS_UNITS)), delta("b"), finished(1));
  expect(await upTo(reader, 1)).toEqual(["step.started", "a", "text.finished"]);
  sender.send(delta("c"), finished(2), STARTED, delta("d"), finished(3));
  expect(await upTo(reader, 3)).toEqual(["text.finished", "step.started", "d", "text.finished"]);
});

it("passes on all live text to a reader that takes it", async () => {
  const sender = new Sender();
  const reader = await listening(sender);
  sender.send(STARTED, delta("a"), delta("b"), finished(1));
  expect(await upTo(reader, 1)).toEqual(["step.started", "a", "b", "text.finished"]);
});

it("takes no more where too much waits, and reads on behind what its reader took", async () => {
  const sender = new Sender();
  const reader = await listening(sender);
  sender.send(finished(1, "x".repeat(READER_BUFFER_UNITS)));
  sender.send(finished(2));
  await vi.waitFor(() => expect(sender.closed).toEqual([true]));
  expect(await upTo(reader, 1)).toEqual(["text.finished"]);
  const next = upTo(reader, 3);
  await vi.waitFor(() => expect(sender.places).toEqual([undefined, { seq: 1, index: 0 }]));
  sender.send(finished(2), finished(3));
  expect(await next).toEqual(["text.finished", "text.finished"]);
});

it("keeps its socket while no more waits than may", async () => {
  const sender = new Sender();
  const reader = await listening(sender);
  sender.send(finished(1, "x".repeat(READER_BUFFER_UNITS - 1_000)));
  sender.send(finished(2));
  expect(await upTo(reader, 2)).toEqual(["text.finished", "text.finished"]);
  expect(sender.closed).toEqual([false]);
});

for (const code of [CLOSED.more, 1011])
  it(`opens a new socket behind the last event where the old one ended with ${code}`, async () => {
    const sender = new Sender();
    const reader = await listening(sender);
    sender.send(finished(1));
    expect(await upTo(reader, 1)).toEqual(["text.finished"]);
    sender.failNext(1);
    sender.end(code);
    const next = upTo(reader, 2);
    await vi.waitFor(() => expect(sender.places).toEqual([undefined, { seq: 1, index: 0 }]));
    sender.send(finished(2));
    expect(await next).toEqual(["text.finished"]);
  });

it("ends where the turn is over, after what was told before", async () => {
  const sender = new Sender();
  const reader = await listening(sender);
  sender.send(finished(1));
  sender.end(CLOSED.over);
  expect(await upTo(reader, 1)).toEqual(["text.finished"]);
  expect(await reader.next()).toBeUndefined();
  expect(sender.places).toHaveLength(1);
});

it("ends, and lets go of its socket, when it is closed", async () => {
  const sender = new Sender();
  const reader = await listening(sender);
  const next = reader.next();
  reader.close();
  expect(await next).toBeUndefined();
  await vi.waitFor(() => expect(sender.closed).toEqual([true]));
});
