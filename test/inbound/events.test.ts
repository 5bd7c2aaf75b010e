import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { HEARTBEAT_MS } from "../../src/core/limits.ts";
import type { SessionEvent } from "../../src/core/session-event.ts";
import { eventStream } from "../../src/inbound/events.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const EVENT: SessionEvent = {
  type: "turn.begun",
  id: "7.0",
  sessionId: "sess_0",
  turnId: "turn_0",
  at: "2026-11-30T00:00:00.000Z",
};
const FRAME =
  'id: 7.0\nevent: turn.begun\ndata: {"type":"turn.begun","sessionId":"sess_0","turnId":"turn_0","at":"2026-11-30T00:00:00.000Z"}\n\n';

/** Events that come when the test says so. */
function source() {
  let settle = Promise.withResolvers<SessionEvent | undefined>();
  const state = { asked: 0, closed: false };
  return {
    state,
    next: () => {
      state.asked += 1;
      return settle.promise;
    },
    close: () => {
      state.closed = true;
      settle.resolve(undefined);
    },
    tell(event: SessionEvent | undefined) {
      const { resolve } = settle;
      settle = Promise.withResolvers();
      resolve(event);
    },
    fail(error: Error) {
      settle.reject(error);
    },
  };
}

function reading(listening: ReturnType<typeof source>, show = (event: SessionEvent) => event) {
  const reader = eventStream(listening, (event) => Promise.resolve(show(event))).getReader();
  const decoder = new TextDecoder();
  return { reader, read: async () => decoder.decode((await reader.read()).value) };
}

it("says first when to come again, then each event with its id", async () => {
  const listening = source();
  const { read } = reading(listening);
  expect(await read()).toBe("retry: 1000\n\n");
  const next = read();
  listening.tell(EVENT);
  expect(await next).toBe(FRAME);
  const { id: _, ...live } = EVENT;
  const after = read();
  listening.tell(live);
  expect(await after).toBe(FRAME.slice(FRAME.indexOf("event:")));
});

it("sends a comment now and then while nothing happens, and loses no event by it", async () => {
  const listening = source();
  const { read } = reading(listening);
  await read();
  for (const _ of [1, 2]) {
    const next = read();
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
    expect(await next).toBe(":\n\n");
  }
  const next = read();
  listening.tell(EVENT);
  expect(await next).toBe(FRAME);
  expect(HEARTBEAT_MS).toBeGreaterThanOrEqual(15_000);
  expect(HEARTBEAT_MS).toBeLessThanOrEqual(25_000);
});

it("asks for no more than its reader takes, and sends it no comments either", async () => {
  const listening = source();
  const { read } = reading(listening);
  await vi.advanceTimersByTimeAsync(10 * HEARTBEAT_MS);
  expect(listening.state.asked).toBe(0);
  expect(await read()).toBe("retry: 1000\n\n");
  await vi.advanceTimersByTimeAsync(10 * HEARTBEAT_MS);
  expect(listening.state.asked).toBe(1);
  expect(await read()).toBe(":\n\n");
});

it("tells a browser's client not to come again soon where all is told, and ends", async () => {
  const listening = source();
  const { reader, read } = reading(listening);
  await read();
  const last = read();
  listening.tell(undefined);
  expect(await last).toBe("retry: 3600000\n\n");
  expect((await reader.read()).done).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

it("breaks off where the session can't be reached, or an event can't be shown, and listens no more", async () => {
  const unreached = source();
  const first = reading(unreached);
  await first.read();
  unreached.fail(new Error("gone"));
  await expect(first.read()).rejects.toThrow("gone");
  expect(unreached.state.closed).toBe(true);

  const unshown = source();
  const second = reading(unshown, () => {
    throw new Error("no secret");
  });
  await second.read();
  const next = second.read();
  unshown.tell(EVENT);
  await expect(next).rejects.toThrow("no secret");
  expect(unshown.state.closed).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

it("listens no more when its reader goes", async () => {
  const listening = source();
  const { reader, read } = reading(listening);
  await read();
  await vi.advanceTimersByTimeAsync(0);
  await reader.cancel();
  expect(listening.state.closed).toBe(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(vi.getTimerCount()).toBe(0);
});
