import { afterEach, expect, it, vi } from "vitest";
import {
  answerInputRequest,
  HoldpointRefusal,
  type SessionEvent,
  streamHarness,
} from "../../src/holdpoint.ts";
import type { Json } from "../../src/core/json.ts";
import { call, fireAlarm, play, settled } from "./client.ts";
import { ask, awaitTasks } from "./journey.ts";
import { durable, typesOf } from "./reading.ts";
import { stage } from "./stage.ts";
import { harness } from "./worker.ts";

afterEach(() => {
  vi.useRealTimers();
  stage.clear();
});

/** The workspace of the key with which `call` calls. */
const HERE = { harness, workspace: "dev" };

function streaming(script: unknown, sessionId?: string) {
  const extraBody = { script: script as Json };
  const named = sessionId === undefined ? {} : { sessionId };
  return streamHarness({ ...HERE, prompt: "go", agent: "playground", extraBody, ...named });
}

it("gives the text as it comes, the events, and the result", async () => {
  const { turnId, sessionId, textStream, events, result } = await streaming([
    { text: "First, ", calls: [{ toolName: "big", input: { bytes: 3 } }] },
    { text: "and then the end." },
  ]);
  const pieces = await all(textStream);
  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces.join("")).toBe("First, and then the end.");
  const told = await all(events);
  expect(typesOf(durable(told))).toEqual([
    "turn.started",
    "text.finished",
    "tool.called",
    "tool.finished",
    "text.finished",
    "turn.completed",
  ]);
  expect(deltasOf(told)).toBe("First, and then the end.");
  expect(await result).toMatchObject({
    status: "completed",
    text: "and then the end.",
    turnId,
    sessionId,
  });
});

it("ends the text where the turn parks, and tells its events to those who go on reading", async () => {
  const { turnId, textStream, events, result } = await streaming([
    { text: "Asking.", calls: [ask()] },
    { calls: [awaitTasks(["$task:1"])] },
    { text: "It is done." },
  ]);
  expect((await all(textStream)).join("")).toBe("Asking.");
  const parked = await result;
  if (parked.status !== "parked") throw new Error(`the turn is ${parked.status}`);
  const requestId = parked.waitingFor[0]?.requestId ?? "";
  await answerInputRequest({ ...HERE, requestId, answer: { text: "Yes." }, answeredBy: "dana" });
  const told = await all(events);
  expect(typesOf(told).at(-1)).toBe("turn.completed");
  expect(deltasOf(told)).toBe("Asking.It is done.");
  expect(told[0]).toMatchObject({ type: "turn.started", turnId });
});

it("repeats no text of a call that is tried again, and gives another text whole", async () => {
  for (const [gate, pieces, given] of [
    ["same-again", ["Hel", "lo."], "Hello."],
    ["other-then", ["Hel", "p!"], "HelHowdy"],
  ] as const) {
    const instead = gate === "other-then" ? { instead: ["Howdy"] } : {};
    const broken = { before: 1, how: "cut", ...instead };
    const { turnId, sessionId, textStream, result } = await streamHarness({
      ...HERE,
      prompt: "go",
      agent: "talking",
      extraBody: { speech: { gate, pieces, broken } },
    });
    const reader = textStream.getReader();
    expect(await reader.read()).toMatchObject({ value: "Hel" });
    const failed = stage.next("attempt.failed");
    stage.open(`${gate} 0 1`);
    stage.open(`${gate} 1 1`);
    await failed;
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    await fireAlarm(sessionId);
    let text = "Hel";
    for (let read = await reader.read(); !read.done; read = await reader.read()) text += read.value;
    expect(text).toBe(given);
    expect(await result).toMatchObject({ status: "completed" });
    expect((await settled(turnId)).status).toBe("completed");
    vi.useRealTimers();
  }
});

it("resolves with the failure of a turn that fails, and ends its streams", async () => {
  const { textStream, events, result } = await streaming([{ fail: { status: 400 } }]);
  expect(await all(textStream)).toEqual([]);
  expect(typesOf(await all(events)).at(-1)).toBe("turn.failed");
  expect(await result).toMatchObject({ status: "failed", error: { code: "model_failed" } });
});

it("rejects where the turn may not start", async () => {
  for (const options of [{ prompt: " " }, { prompt: "go", agent: "nobody" }]) {
    const refusal = await streamHarness({ harness, ...options }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(HoldpointRefusal);
    expect(refusal).toMatchObject({ code: "invalid_request" });
  }
});

it("begins by the alarm a turn whose starter never comes to listen", async () => {
  const { sessionId } = await play([{ text: "first" }], { session: "never-read" });
  const response = await call(
    "POST",
    `/v1/sessions/${sessionId}/turns`,
    { agent: "playground", input: "go", extraBody: { script: [{ text: "second" }] } },
    { accept: "text/event-stream" },
  );
  await response.body?.cancel();
  const id = response.headers.get("location")?.split("/").at(-1) ?? "";
  await fireAlarm(sessionId);
  expect(await settled(id)).toMatchObject({ status: "completed", text: "second" });
});

async function all<T>(stream: ReadableStream<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const each of stream) read.push(each);
  return read;
}

function deltasOf(events: readonly SessionEvent[]): string {
  return events.map((event) => (event.type === "text.delta" ? event.text : "")).join("");
}

it("is used as the documents show", async () => {
  const written: string[] = [];
  const write = (text: string) => written.push(text);
  const sessionId = "as-documented";
  const prompt = "Go.";

  const { textStream, result } = await streamHarness({ harness, sessionId, prompt });
  for await (const text of textStream) write(text);
  const outcome = await result;

  expect(outcome).toMatchObject({ status: "completed", text: written.join("") });
  expect(written.length).toBeGreaterThan(1);
});
