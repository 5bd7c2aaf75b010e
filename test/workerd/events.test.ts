import { expect, it } from "vitest";
import type { SessionEvent } from "../../src/core/session-event.ts";
import { answer, call, play, readTurn, settled, stubOf } from "./client.ts";
import {
  accepted,
  ask,
  awaitTasks,
  begin,
  FORM_ANSWER,
  FORM_CALL,
  onlyRequest,
  post,
  readQuestion,
  refusal,
  start,
} from "./journey.ts";
import { durable, openEvents, readerOf, requestEvents, typesOf } from "./reading.ts";

const JOURNEY = [
  { text: "Asking.", calls: [ask()] },
  { calls: [awaitTasks(["$task:1"])] },
  { text: "It is done." },
];
const UNTIL_PARKED = [
  "turn.started",
  "text.finished",
  "tool.called",
  "question.asked",
  "tool.finished",
  "tool.called",
  "turn.parked",
];
const FROM_ANSWER = [
  "question.settled",
  "tool.finished",
  "turn.resumed",
  "text.finished",
  "turn.completed",
];

it("tells a turn from its start over its park to its end, and then ends", async () => {
  const turn = await play(JOURNEY);
  const reader = await openEvents(`/v1/turns/${turn.id}/events`);
  expect(typesOf(await reader.untilType("turn.parked"))).toEqual(UNTIL_PARKED);
  await answer(onlyRequest(turn), { text: "Yes." });
  const rest = await reader.rest();
  expect(typesOf(durable(rest))).toEqual(FROM_ANSWER);
  expect(reader.retries).toEqual([1_000, 3_600_000]);
});

it("tells in the wire's own shapes what happened", async () => {
  const asked = await play(JOURNEY, { session: "shapes" });
  const requestId = onlyRequest(asked);
  const question = await readQuestion(requestId);
  await answer(requestId, { text: "Yes." });
  const turn = await settled(asked.id);
  const { sessionId } = turn;
  const [first, second] = turn.runs.map(({ id }) => id);
  const of = (step: number, toolName: string) => ({
    step,
    toolCallId: `call_${step}_0`,
    toolName,
  });
  const events = await (await openEvents(`/v1/turns/${turn.id}/events`)).rest();
  const every = { id: expect.any(String), at: expect.any(String), sessionId, turnId: turn.id };
  expect(events).toEqual(
    [
      {
        type: "turn.started",
        runId: first,
        status: "running",
        agent: "playground",
        input: "go",
        sessionName: "shapes",
      },
      { type: "text.finished", step: 0, text: "Asking." },
      { type: "tool.called", ...of(0, "ask_person"), arguments: { question: "Go on?" } },
      { type: "question.asked", question },
      {
        type: "tool.finished",
        ...of(0, "ask_person"),
        isError: false,
        result: { status: "asked", taskId: "task_1" },
      },
      { type: "tool.called", ...of(1, "await_tasks"), arguments: { taskIds: ["task_1"] } },
      { type: "turn.parked", runId: first, waitingFor: asked.waitingFor },
      { type: "question.settled", question: await readQuestion(requestId) },
      {
        type: "tool.finished",
        ...of(1, "await_tasks"),
        isError: false,
        result: expect.objectContaining({ status: "satisfied" }),
      },
      { type: "turn.resumed", runId: second },
      { type: "text.finished", step: 2, text: "It is done." },
      { type: "turn.completed", text: "It is done.", usage: turn.usage },
    ].map((event) => ({ ...every, ...event })),
  );
});

it("continues behind any event of a journey with exactly the rest, and is the same at each reading", async () => {
  const turn = await play([
    { text: "Asking.", calls: [ask(), FORM_CALL, { toolName: "boom", input: { message: "x" } }] },
    { calls: [awaitTasks(["$task:1"])] },
    { text: "It is done." },
  ]);
  const [form] = turn.waitingFor ?? [];
  await answer(form?.requestId ?? "", FORM_ANSWER);
  const again = await settled(turn.id);
  expect(again.status).toBe("parked");
  await answer(onlyRequest(again), { text: "Yes." });
  await settled(turn.id);
  const paths = [`/v1/turns/${turn.id}/events`, `/v1/sessions/${turn.sessionId}/events`] as const;
  const all = await (await openEvents(paths[0])).rest();
  expect(typesOf(all).filter((type) => type === "turn.parked")).toHaveLength(2);
  expect(durable(all)).toEqual(all);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  for (const [index, { id = "" }] of all.entries()) {
    const rest = all.slice(index + 1);
    expect(await (await openEvents(paths[0], { lastEventId: id })).rest()).toEqual(rest);
    // The session's stream has no end.
    const reader = await openEvents(paths[1], { lastEventId: id });
    if (rest.length > 0) expect(await reader.untilType("turn.completed")).toEqual(rest);
    await reader.close();
  }
});

it("tells a session all its turns, one after the other, and goes on with those to come", async () => {
  const path = "/v1/sessions/whole-session";
  const before = await openEvents(`${path}/events`);
  await play([{ text: "one" }], { session: "whole-session" });
  const first = await before.untilType("turn.completed");
  expect(typesOf(first)).toEqual([
    "turn.started",
    "step.started",
    "text.delta",
    "text.delta",
    "text.finished",
    "turn.completed",
  ]);
  await play([{ text: "two" }], { session: "whole-session" });
  const second = await before.untilType("turn.completed");
  const after = await openEvents(`${path}/events`);
  expect(await after.until(({ id }) => id === second.at(-1)?.id)).toEqual(
    durable([...first, ...second]),
  );
  await accepted(call("POST", "/v1/questions", { sessionId: "whole-session", question: "Who?" }));
  for (const reader of [before, after]) {
    const [asked] = await reader.untilType("question.asked");
    expect(asked).not.toHaveProperty("turnId");
    expect(asked).toMatchObject({ question: { kind: "person", question: "Who?" } });
    await reader.close();
  }
});

it("keeps other turns out of a turn's stream", async () => {
  const first = await play(JOURNEY, { session: "two-turns" });
  const second = await begin([{ text: "two" }], { session: "two-turns", input: "two" });
  const reader = await openEvents(`/v1/turns/${second.id}/events`);
  expect(await reader.next()).toMatchObject({ type: "turn.started", status: "queued" });
  await answer(onlyRequest(first), { text: "Yes." });
  const rest = durable(await reader.rest());
  expect(typesOf(rest)).toEqual(["turn.begun", "text.finished", "turn.completed"]);
  expect(new Set(rest.map(({ turnId }) => turnId))).toEqual(new Set([second.id]));
});

it("shows a question as it was asked, however it stands now", async () => {
  const turn = await play([{ calls: [FORM_CALL] }, { text: "end" }]);
  const path = `/v1/turns/${turn.id}/events`;
  const live = await openEvents(path);
  const before = await live.untilType("turn.parked");
  await answer(onlyRequest(turn), FORM_ANSWER);
  await settled(turn.id);
  const later = await (await openEvents(path)).untilType("turn.parked");
  expect(later).toEqual(before);
  expect(questionIn(later)).toMatchObject({ status: "waiting", answerUrl: expect.any(String) });
  const settledThen = await live.untilType("question.settled");
  expect(questionIn(settledThen)).toMatchObject({ status: "answered", answeredBy: "dana" });
});

it("gives links to those who may answer, and to nobody else", async () => {
  const turn = await play(JOURNEY);
  const path = `/v1/turns/${turn.id}/events`;
  const links = async (key?: string) => {
    const reader = await openEvents(path, key === undefined ? {} : { key });
    const events = await reader.untilType("turn.parked");
    await reader.close();
    const parked = events.find((event) => event.type === "turn.parked");
    return [questionIn(events)?.answerUrl, parked?.waitingFor[0]?.answerUrl];
  };
  const url = turn.waitingFor?.[0]?.answerUrl;
  expect(await links()).toEqual([url, url]);
  expect(await links("reader")).toEqual([undefined, undefined]);
});

it("tells of a turn that fails, is retried, and is cancelled", async () => {
  const failed = await play([{ fail: { status: 400 } }, { calls: [FORM_CALL] }]);
  expect(failed.status).toBe("failed");
  const path = `/v1/turns/${failed.id}/events`;
  const first = await (await openEvents(path)).rest();
  expect(typesOf(first)).toEqual(["turn.started", "turn.failed"]);
  await accepted(post(`/v1/turns/${failed.id}/retry`));
  const retried = await settled(failed.id);
  const reader = await openEvents(path, { lastEventId: first.at(-1)?.id ?? "" });
  expect(typesOf(await reader.untilType("turn.parked"))).toEqual([
    "turn.retried",
    "tool.called",
    "question.asked",
    "turn.parked",
  ]);
  await accepted(post(`/v1/turns/${retried.id}/cancel`, { reason: "enough" }));
  const rest = await reader.rest();
  expect(typesOf(rest)).toEqual(["question.settled", "tool.finished", "turn.cancelled"]);
  expect(rest.at(-1)).toMatchObject({ reason: "enough" });
  expect(typesOf(await (await openEvents(path)).rest())).toEqual([
    ...typesOf(first),
    "turn.retried",
    "tool.called",
    "question.asked",
    "turn.parked",
    ...typesOf(rest),
  ]);
});

it("answers a start that asks for events with the turn's events, from the first", async () => {
  const response = await start([{ text: "It is done." }], {
    headers: { accept: "application/json;q=0.1, text/event-stream" },
  });
  const reader = readerOf(response);
  const events = await reader.rest();
  expect(response.headers.get("location")).toBe(`/v1/turns/${events[0]?.turnId}`);
  expect(typesOf(durable(events))).toEqual(["turn.started", "text.finished", "turn.completed"]);
  expect(textOf(events)).toBe("It is done.");
});

it("writes no row for its readers", async () => {
  const { sessionId } = await play([{ text: "first" }], { session: "unwritten" });
  const cycle = async () => {
    const before = await stubOf(sessionId).rowsWritten();
    const turn = await play([{ calls: [FORM_CALL] }, { text: "end" }], { session: "unwritten" });
    await answer(onlyRequest(turn), FORM_ANSWER);
    await settled(turn.id);
    return (await stubOf(sessionId).rowsWritten()) - before;
  };
  const unread = await cycle();
  const reader = await openEvents("/v1/sessions/unwritten/events");
  await reader.untilType("turn.completed");
  expect(await cycle()).toBe(unread);
  await reader.close();
  const nobody = "sess_0123456789abcdef01234568";
  await refusal(requestEvents(`/v1/sessions/${nobody}/events`));
  expect(await stubOf(nobody).rowsWritten()).toBe(0);
});

it("leaves a turn as it is when its readers go", async () => {
  const turn = await begin([{ text: "slow", delayMs: 50 }]);
  const reader = await openEvents(`/v1/turns/${turn.id}/events`);
  await reader.next();
  await reader.close();
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "slow" });
  expect((await readTurn(turn.id)).attempts).toBe(0);
});

function questionIn(events: readonly SessionEvent[]) {
  const found = events.find(
    (event) => event.type === "question.asked" || event.type === "question.settled",
  );
  return found?.question;
}

function textOf(events: readonly SessionEvent[]): string {
  return events.map((event) => (event.type === "text.delta" ? event.text : "")).join("");
}
