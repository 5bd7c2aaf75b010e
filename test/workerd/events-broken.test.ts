import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, call, fireAlarm, play, settled, stubOf } from "./client.ts";
import { faults } from "./faults.ts";
import { accepted, ask, awaitTasks, onlyRequest, start } from "./journey.ts";
import { durable, openEvents, typesOf } from "./reading.ts";
import { stage } from "./stage.ts";

afterEach(() => {
  faults.crashAfter(0);
  stage.clear();
});

const JOURNEY = [
  { text: "Asking.", calls: [ask()] },
  { calls: [awaitTasks(["$task:1"])] },
  { text: "It is done." },
];
const WAYS: readonly [string, (turn: TurnView) => Promise<void>][] = [
  ["evicted", (turn) => evictDurableObject(stubOf(turn.sessionId))],
  ["killed", () => abortAllDurableObjects()],
];

for (const [ended, end] of WAYS)
  it(`goes on for a reader whose session's object was ${ended} while the turn was parked`, async () => {
    const turn = await play(JOURNEY);
    const path = `/v1/turns/${turn.id}/events`;
    const reader = await openEvents(path);
    const first = await reader.untilType("turn.parked");
    await end(turn);
    await answer(onlyRequest(turn), { text: "Yes." });
    await end(turn);
    const rest = durable(await reader.rest());
    expect(typesOf(rest).at(-1)).toBe("turn.completed");
    expect(await (await openEvents(path)).rest()).toEqual([...first, ...rest]);
  });

it("has each of its readers again after an eviction, and no other work to do for them", async () => {
  const turn = await play(JOURNEY);
  const readers = await Promise.all(
    Array.from({ length: 3 }, () => openEvents(`/v1/turns/${turn.id}/events`)),
  );
  for (const reader of readers) await reader.untilType("turn.parked");
  await evictDurableObject(stubOf(turn.sessionId));
  const sockets = () =>
    runInDurableObject(stubOf(turn.sessionId), (_, state) => state.getWebSockets().length);
  expect(await sockets()).toBe(3);
  expect(await fireAlarm(turn.sessionId), "no alarm is set").toBe(false);
  await readers[0]?.close();
  await vi.waitFor(async () => expect(await sockets()).toBe(2));
  await answer(onlyRequest(turn), { text: "Yes." });
  for (const reader of readers.slice(1))
    expect(typesOf(await reader.rest()).at(-1)).toBe("turn.completed");
  await vi.waitFor(async () => expect(await sockets()).toBe(0));
});

it("drops the text of a step that died with its object, and tells that of the next life", async () => {
  const extraBody = { speech: { gate: "died", pieces: ["Hel", "lo."] } };
  const reader = await openEvents("/v1/sessions/died/events");
  const body = { agent: "talking", input: "go", extraBody };
  const turn = await accepted<TurnView>(call("POST", "/v1/sessions/died/turns", body));
  const first = await reader.untilType("text.delta");
  await abortAllDurableObjects();
  stage.clear();
  const [dropped, ...again] = await reader.untilType("text.delta");
  expect(dropped).toMatchObject({ type: "attempt.failed", error: { code: "interrupted" } });
  expect(typesOf(again)).toEqual(["step.started", "text.delta"]);
  stage.open("died 1 1");
  const rest = await reader.untilType("turn.completed");
  expect(rest.at(-2)).toMatchObject({ type: "text.finished", text: "Hello." });
  expect((await settled(turn.id)).status).toBe("completed");
  const whole = await openEvents(`/v1/turns/${turn.id}/events`);
  const told = durable([...first, ...(dropped === undefined ? [] : [dropped]), ...again, ...rest]);
  expect(await whole.rest()).toEqual(told);
  await reader.close();
});

it("tells what was committed and not told when the object died, wherever it dies", async () => {
  faults.crashAfter(0);
  await play(JOURNEY, { session: "told-whole" });
  // The start, two steps, and the answer with what follows from it.
  for (let at = 1; at <= 3; at += 1) {
    const session = `told-${at}`;
    const path = `/v1/sessions/${session}`;
    const reader = await openEvents(`${path}/events`);
    faults.crashAfter(at);
    const headers = { "idempotency-key": "one" };
    const first = await start(JOURNEY, { session, headers });
    const turn = first.ok
      ? await first.json<TurnView>()
      : await accepted<TurnView>(start(JOURNEY, { session, headers }));
    const told = await reader.untilType("turn.parked");
    expect(faults.crashed, `no crash at commit ${at}`).toBe(true);
    await answer(onlyRequest(await settled(turn.id)), { text: "Yes." });
    told.push(...(await reader.untilType("turn.completed")));
    const whole = await openEvents(`/v1/turns/${turn.id}/events`);
    expect(durable(told), `crashed at commit ${at}`).toEqual(await whole.rest());
    await reader.close();
  }
});
