import { runInDurableObject } from "cloudflare:test";
import { expect, it, vi } from "vitest";
import { deriveSessionKey, formatSessionId } from "../../src/core/ids.ts";
import type { SessionEvent } from "../../src/core/session-event.ts";
import { answer, play, settled, stubOf } from "./client.ts";
import { ask, begin, FORM_ANSWER, FORM_CALL, onlyRequest } from "./journey.ts";
import { durable, openEvents, requestEvents, typesOf } from "./reading.ts";

const READERS = 1_000;
const AT_ONCE = 100;

function socketsOf(sessionId: string): Promise<number> {
  return runInDurableObject(stubOf(sessionId), (_, state) => state.getWebSockets().length);
}

/** The frames that last, as they stand in the stream, up to the end of a turn. */
async function framesOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  while (!/^event: turn\.completed\n.*\n\n$/m.test(text)) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`the stream ended after ${text}`);
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  const frames = text.split("\n\n").filter((frame) => frame.startsWith("id: "));
  return frames.join("\n\n");
}

it("tells a thousand readers of one session the same", async () => {
  const readers: ReadableStreamDefaultReader<Uint8Array>[] = [];
  while (readers.length < READERS) {
    const some = Array.from({ length: AT_ONCE }, () => requestEvents("/v1/sessions/crowd/events"));
    for (const { body } of await Promise.all(some))
      if (body !== null) readers.push(body.getReader());
  }
  const turn = await play([{ calls: [ask()] }, { text: "It is done." }], { session: "crowd" });
  const [first = "", ...others] = await Promise.all(readers.map(framesOf));
  expect(Array.from(first.matchAll(/^event: (.*)$/gm), ([, type]) => type)).toEqual([
    "turn.started",
    "tool.called",
    "question.asked",
    "tool.finished",
    "text.finished",
    "turn.completed",
  ]);
  expect(others).toHaveLength(READERS - 1);
  expect(new Set(others)).toEqual(new Set([first]));
  await vi.waitFor(async () => expect(await socketsOf(turn.sessionId)).toBe(0), 30_000);
}, 120_000);

it("lets go of a reader that takes nothing, and brings it all once it does", async () => {
  const path = "/v1/sessions/hung";
  const sessionId = formatSessionId(await deriveSessionKey({ from: "name", name: "hung" }));
  const reader = await openEvents(`${path}/events`);
  const big = { calls: [{ toolName: "big", input: { bytes: 900_000 } }] };
  const turn = await play([big, big, big, big, big, { text: "end" }], { session: "hung" });
  expect(turn.status).toBe("completed");
  await vi.waitFor(async () => expect(await socketsOf(sessionId)).toBe(0));
  const told = durable(await reader.untilType("turn.completed"));
  const whole = await openEvents(`/v1/turns/${turn.id}/events`);
  expect(told).toEqual(await whole.rest());
  expect(typesOf(told).filter((type) => type === "tool.finished")).toHaveLength(5);
  await reader.close();
});

it("continues behind any event where a commit takes several rows, and another turn's stands among them", async () => {
  const path = "/v1/sessions/split-rows";
  const large = `${"x".repeat(700_000)} end`;
  const script = [{ calls: [FORM_CALL] }, { text: large }];
  const first = await play(script, { session: "split-rows" });
  const second = await begin([{ text: "two" }], { session: "split-rows" });
  const live = await openEvents(`${path}/events`);
  await answer(onlyRequest(first), FORM_ANSWER);
  await settled(second.id);
  const isLast = (event: SessionEvent) =>
    event.type === "turn.completed" && event.turnId === second.id;
  const all = durable(await live.until(isLast));
  await live.close();
  // The large text's turn ended, and the next one began, in one transaction.
  const begun = all.findIndex(({ type }) => type === "turn.begun");
  expect(typesOf(all.slice(begun - 2))).toEqual([
    "text.finished",
    "turn.completed",
    "turn.begun",
    "text.finished",
    "turn.completed",
  ]);
  for (const [index, { id = "" }] of all.entries()) {
    const rest = all.slice(index + 1);
    const reader = await openEvents(`${path}/events`, { lastEventId: id });
    if (rest.length > 0) expect(await reader.until(isLast)).toEqual(rest);
    await reader.close();
  }
});
