import { afterEach, expect, it, vi } from "vitest";
import type { SessionEvent } from "../../src/core/session-event.ts";
import { call, fireAlarm, readTurn, settled } from "./client.ts";
import { accepted, begin, post } from "./journey.ts";
import { durable, openEvents, typesOf } from "./reading.ts";
import { stage } from "./stage.ts";

afterEach(() => {
  vi.useRealTimers();
  stage.clear();
});

interface Speech {
  readonly gate: string;
  readonly pieces: readonly string[];
  readonly broken?: { readonly before: number; readonly how: "cut" | "error" };
}

/** Starts a turn that speaks, with a reader from its first event on. */
async function speak(speech: Speech, agent = "talking") {
  const path = `/v1/sessions/${speech.gate}`;
  const reader = await openEvents(`${path}/events`);
  const body = { agent, input: "go", extraBody: { speech } };
  const turn = await accepted<{ id: string; sessionId: string }>(
    call("POST", `${path}/turns`, body),
  );
  return { reader, turn, path };
}

function deltas(events: readonly SessionEvent[]): string[] {
  return events.flatMap((event) => (event.type === "text.delta" ? [event.text] : []));
}

it("passes text on as it comes, and the finished text once, as what lasts", async () => {
  const { reader, turn } = await speak({ gate: "as-it-comes", pieces: ["Hel", "lo, ", "you."] });
  const first = await reader.untilType("text.delta");
  expect(typesOf(first)).toEqual(["turn.started", "step.started", "text.delta"]);
  expect(deltas(first)).toEqual(["Hel"]);
  stage.open("as-it-comes 0 1");
  expect(deltas(await reader.untilType("text.delta"))).toEqual(["lo, "]);
  stage.open("as-it-comes 0 2");
  const last = await reader.untilType("turn.completed");
  expect(typesOf(last)).toEqual(["text.delta", "text.finished", "turn.completed"]);
  expect(last[1]).toMatchObject({ step: 0, text: "Hello, you.", turnId: turn.id });
  await reader.close();
});

it("gives a reader who comes in the middle of a step its text so far, then what follows", async () => {
  const { reader, turn } = await speak({ gate: "middle", pieces: ["Hel", "lo, ", "you."] });
  await reader.untilType("text.delta");
  stage.open("middle 0 1");
  await reader.untilType("text.delta");
  const late = await openEvents(`/v1/turns/${turn.id}/events`);
  const soFar = await late.untilType("text.delta");
  expect(typesOf(soFar)).toEqual(["turn.started", "step.started", "text.delta"]);
  expect(deltas(soFar)).toEqual(["Hello, "]);
  stage.open("middle 0 2");
  const rest = await late.rest();
  expect(deltas(rest)).toEqual(["you."]);
  expect(typesOf(rest)).toEqual(["text.delta", "text.finished", "turn.completed"]);
  await reader.close();
});

for (const how of ["cut", "error"] as const)
  it(`tells readers to drop a text whose call is tried again, after a stream that ended by ${how}`, async () => {
    const gate = `dropped-${how}`;
    const pieces = ["Hel", "lo."];
    const { reader, turn } = await speak({ gate, pieces, broken: { before: 1, how } });
    await reader.untilType("text.delta");
    const failed = stage.next("attempt.failed");
    stage.open(`${gate} 0 1`);
    await failed;
    const [dropped] = await reader.untilType("attempt.failed");
    expect(dropped).toMatchObject({
      id: expect.any(String),
      error: { code: "model_failed", retryable: true },
      attempts: 1,
      nextRetryAt: (await readTurn(turn.id)).nextRetryAt,
    });
    stage.open(`${gate} 1 1`);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    await fireAlarm(turn.sessionId);
    const again = await reader.untilType("turn.completed");
    expect(typesOf(again)[0]).toBe("step.started");
    expect(deltas(again).join("")).toBe("Hello.");
    expect(typesOf(durable(again))).toEqual(["text.finished", "turn.completed"]);
    expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "Hello." });
    await reader.close();
  });

it("asks a model that can't stream for the whole", async () => {
  const { reader } = await speak({ gate: "silent", pieces: [] }, "silent");
  const events = await reader.untilType("turn.completed");
  expect(typesOf(events)).toEqual([
    "turn.started",
    "step.started",
    "text.finished",
    "turn.completed",
  ]);
  await reader.close();
});

it("makes a call of which nobody reads the text in one piece", async () => {
  const extraBody = { speech: { gate: "unheard", pieces: ["a", "b"] } };
  const turn = await begin([], { agent: "talking", extraBody });
  // A stream would stand at its gate.
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "ab" });
});

it("ends a text whose turn is cancelled in the middle", async () => {
  const { reader, turn } = await speak({ gate: "cancelled-text", pieces: ["Hel", "lo."] });
  await reader.untilType("text.delta");
  await accepted(post(`/v1/turns/${turn.id}/cancel`));
  expect(typesOf(await reader.untilType("turn.cancelled"))).toEqual(["turn.cancelled"]);
  const late = await openEvents(`/v1/turns/${turn.id}/events`);
  expect(typesOf(await late.rest())).toEqual(["turn.started", "turn.cancelled"]);
  await reader.close();
});
