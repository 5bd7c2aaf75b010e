import { evictDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, call, play, readTurn, settled, stubOf } from "./client.ts";
import {
  accepted,
  ask,
  awaitTasks,
  begin,
  conversation,
  onlyRequest,
  post,
  refusal,
  start,
} from "./journey.ts";

const PARKING = [{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }, { text: "first" }];

function userTexts(all: Awaited<ReturnType<typeof conversation>>): unknown[] {
  return all.filter(({ role }) => role === "user").map(({ content }) => content);
}

it("queues turns behind one that is parked, and runs them in order", async () => {
  const first = await play(PARKING, { session: "queue" });
  const second = await begin([{ text: "second" }], { session: "queue", input: "two" });
  const third = await begin([{ text: "third" }], {
    session: "queue",
    input: "three",
    whenBusy: "queue",
  });
  expect(second).toMatchObject({
    status: "queued",
    runs: [{ status: "queued" }],
    queuedBehind: { turnId: first.id, waitingFor: [{ question: "Go on?" }] },
  });
  expect(third.queuedBehind).toMatchObject({ turnId: first.id });
  await answer(onlyRequest(first), { text: "Yes." });
  expect(await settled(third.id)).toMatchObject({ status: "completed", text: "third" });
  expect(await readTurn(second.id)).toMatchObject({ status: "completed", text: "second" });
  expect(userTexts(await conversation("queue"))).toEqual(["go", "two", "three"]);
});

it("shows the waits of the turn ahead as its own are shown", async () => {
  const script = [
    { calls: [ask({ question: "Now?", to: "underwriter" })] },
    { calls: [awaitTasks(["$task:1"])] },
  ];
  const first = await play(script, { session: "ahead", agent: "reporting" });
  const second = await begin([], { session: "ahead" });
  const { updatedAt: _, ...wait } = { ...first.waitingFor?.[0], updatedAt: "" };
  expect(second.queuedBehind?.waitingFor).toEqual([wait]);
  expect(wait).not.toHaveProperty("to");
  expect(wait).toHaveProperty("answerUrl");
});

it("queues behind a running turn, and says which", async () => {
  const first = await begin([{ text: "slow", delayMs: 60_000 }], { session: "running" });
  const second = await begin([{ text: "second" }], { session: "running" });
  expect(second).toMatchObject({ status: "queued", queuedBehind: { turnId: first.id } });
  expect(second.queuedBehind).not.toHaveProperty("waitingFor");
  await accepted(post(`/v1/turns/${first.id}/cancel`));
  expect(await settled(second.id)).toMatchObject({ status: "completed", text: "second" });
});

it("waits for a queued turn until it is settled or parked where the caller prefers to wait", async () => {
  const first = await play(PARKING, { session: "wait" });
  const [second] = await Promise.all([
    accepted<TurnView>(
      start([{ text: "second" }], { session: "wait", headers: { prefer: "wait=30" } }),
    ),
    answer(onlyRequest(first), { text: "Yes." }),
  ]);
  expect(second).toMatchObject({ status: "completed", text: "second" });
});

it("refuses a turn where the session is busy and the caller will not queue, and accepts it later", async () => {
  const first = await play(PARKING, { session: "reject" });
  const headers = { "idempotency-key": "later" };
  const rejecting = () =>
    start([{ text: "second" }], { session: "reject", whenBusy: "reject", headers });
  expect(await refusal(rejecting())).toMatchObject({ status: 409, code: "session_busy" });
  await answer(onlyRequest(first), { text: "Yes." });
  await settled(first.id);
  const response = await rejecting();
  expect(response.status).toBe(202);
  expect(await settled((await response.json<TurnView>()).id)).toMatchObject({ text: "second" });
});

it("begins the next queued turn where the one ahead fails, or is cancelled", async () => {
  const failing = await begin([{ fail: { status: 400 }, delayMs: 100 }], { session: "fails" });
  const behind = await begin([{ text: "still" }], { session: "fails" });
  expect(await settled(behind.id)).toMatchObject({ status: "completed", text: "still" });
  expect(await readTurn(failing.id)).toMatchObject({ status: "failed" });
  await conversation("fails");
});

it("cancels a queued turn, which then never runs and leaves nothing in the conversation", async () => {
  const first = await play(PARKING, { session: "withdrawn" });
  const second = await begin([{ text: "second" }], { session: "withdrawn", input: "Forget this." });
  const third = await begin([{ text: "third" }], { session: "withdrawn", input: "three" });
  const cancelled = await accepted<TurnView>(
    post(`/v1/turns/${second.id}/cancel`, { reason: "Typo." }),
  );
  expect(cancelled).toMatchObject({
    status: "cancelled",
    runs: [{ status: "cancelled" }],
    usage: { steps: 0 },
  });
  expect(cancelled).not.toHaveProperty("queuedBehind");
  await answer(onlyRequest(first), { text: "Yes." });
  expect(await settled(third.id)).toMatchObject({ status: "completed", text: "third" });
  expect(await readTurn(second.id)).toEqual(cancelled);
  expect(userTexts(await conversation("withdrawn"))).toEqual(["go", "three"]);
  await evictDurableObject(stubOf(first.sessionId));
  expect(userTexts(await conversation("withdrawn"))).toEqual(["go", "three"]);
});

it("shows one state of a queue to all who look", async () => {
  const first = await play(PARKING, { session: "view" });
  const queued = await Promise.all(
    [1, 2, 3].map((n) => begin([{ text: `${n}` }], { session: "view" })),
  );
  const session = await accepted<{ turns: TurnView[] }>(call("GET", "/v1/sessions/view"));
  expect(session.turns.map(({ status }) => status).sort()).toEqual([
    "parked",
    "queued",
    "queued",
    "queued",
  ]);
  for (const { id } of [...queued, first]) await accepted(post(`/v1/turns/${id}/cancel`));
  const after = await accepted<{ turns: TurnView[]; questions: unknown[] }>(
    call("GET", "/v1/sessions/view"),
  );
  expect(after.turns.map(({ status }) => status)).toEqual([
    "cancelled",
    "cancelled",
    "cancelled",
    "cancelled",
  ]);
  expect(after.questions).toEqual([]);
});

it("holds a hundred queued turns, and refuses one more", async () => {
  await play(PARKING, { session: "full" });
  const queued = await Promise.all(
    Array.from({ length: 101 }, () => start([], { session: "full" })),
  );
  const statuses = queued.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array.from({ length: 100 }, () => 202), 409]);
  expect(await refusal(start([], { session: "full" }))).toMatchObject({
    status: 409,
    code: "session_full",
  });
});
