import { abortAllDurableObjects, evictDurableObject } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, call, fireAlarm, messages, play, readTurn, settled, stubOf } from "./client.ts";
import {
  accepted,
  answering,
  ask,
  awaitTasks,
  begin,
  conversation,
  FORM_ANSWER,
  FORM_CALL,
  lastResult,
  post,
  questionsOf,
  refusal,
} from "./journey.ts";
import { ledger } from "./ledger.ts";
import { stage } from "./stage.ts";

afterEach(() => {
  vi.useRealTimers();
  stage.clear();
  ledger.clear();
});

const GUARDED = { toolName: "guarded", input: { what: "pay" } };
const WAYS: readonly [string, (turn: TurnView) => Promise<void>][] = [
  ["evicted", (turn) => evictDurableObject(stubOf(turn.sessionId))],
  ["killed", () => abortAllDurableObjects()],
];

for (const [ended, end] of WAYS) {
  it(`shows the same turn, questions and conversation after its object was ${ended}`, async () => {
    const turn = await play(
      [
        { text: "Asking.", calls: [ask(), ask({ question: "Two?" })] },
        { calls: [FORM_CALL, GUARDED, awaitTasks(["$task:1"], { maxWaitMs: 60_000 })] },
      ],
      { agent: "staged", session: `same-${ended}` },
    );
    const [one] = await questionsOf(turn.sessionId);
    await answer(one?.requestId ?? "", { text: "Early." });
    const look = async () => ({
      turn: await readTurn(turn.id),
      questions: await questionsOf(turn.sessionId),
      messages: await messages(turn.sessionId),
      session: await accepted(call("GET", `/v1/sessions/${turn.sessionId}`)),
    });
    const before = await look();
    await end(turn);
    expect(await look()).toEqual(before);
  });

  it(`goes on with the answer that comes after its object was ${ended}`, async () => {
    const turn = await play(
      [
        { calls: [FORM_CALL, GUARDED] },
        { calls: [ask()] },
        { calls: [awaitTasks(["$task:1"])] },
        { text: "end" },
      ],
      { agent: "staged" },
    );
    const [form, approval] = (turn.waitingFor ?? []).map(({ requestId = "" }) => requestId);
    await end(turn);
    await answer(form ?? "", FORM_ANSWER);
    await end(turn);
    await answer(approval ?? "", { approved: true, input: { what: "less" } });
    const again = await settled(turn.id);
    expect(again).toMatchObject({ status: "parked", waitingFor: [{ taskId: "task_1" }] });
    await end(turn);
    await answer(again.waitingFor?.[0]?.requestId ?? "", { text: "Yes." });
    expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
    expect(ledger.effects).toEqual(["less"]);
    expect(ledger.tries).toBe(1);
    await conversation(turn.sessionId);
  });

  it(`keeps a receipt and a refusal after its object was ${ended}`, async () => {
    const turn = await play([{ calls: [FORM_CALL] }, { text: "end" }]);
    const requestId = turn.waitingFor?.[0]?.requestId ?? "";
    const first = await answer(requestId, FORM_ANSWER);
    await settled(turn.id);
    await end(turn);
    expect(await answer(requestId, FORM_ANSWER)).toEqual(first);
    const problem = await refusal(answering(requestId, { response: "Other." }));
    expect(problem).toMatchObject({ code: "already_answered" });
    expect(problem.detail).toContain(first.answeredAt);
  });

  it(`finds a request by its Idempotency-Key after its object was ${ended}`, async () => {
    const options = { session: `keyed-${ended}`, headers: { "idempotency-key": "one" } };
    const turn = await begin([{ text: "end" }], options);
    await settled(turn.id);
    await end(turn);
    expect(await begin([{ text: "end" }], options)).toMatchObject({
      id: turn.id,
      status: "completed",
      text: "end",
    });
  });

  it(`times out a wait after its object was ${ended}`, async () => {
    const turn = await play([
      { calls: [ask()] },
      { calls: [awaitTasks(["$task:1"], { maxWaitMs: 5_000 })] },
      { text: "end" },
    ]);
    await end(turn);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5_000 });
    expect(await fireAlarm(turn.sessionId)).toBe(true);
    expect(await settled(turn.id)).toMatchObject({ status: "completed" });
    expect((await lastResult(turn.sessionId)).value).toMatchObject({
      status: "timed_out",
      pending: ["task_1"],
    });
  });

  it(`keeps the queue in order after its object was ${ended}`, async () => {
    const session = `queue-${ended}`;
    const first = await play([{ calls: [FORM_CALL] }, { text: "first" }], { session });
    const second = await begin([{ text: "second" }], { session, input: "two" });
    const third = await begin([{ text: "third" }], { session, input: "three" });
    await end(first);
    expect((await readTurn(third.id)).status).toBe("queued");
    await accepted(post(`/v1/turns/${first.id}/cancel`));
    expect(await settled(third.id)).toMatchObject({ status: "completed", text: "third" });
    expect(await settled(second.id)).toMatchObject({ status: "completed", text: "second" });
    const users = (await conversation(session)).filter(({ role }) => role === "user");
    expect(users.map(({ content }) => content)).toEqual(["go", "two", "three"]);
  });

  it(`backs off until its time after its object was ${ended}`, async () => {
    const failed = stage.next("attempt.failed");
    const { id, sessionId } = await begin([{ fail: { status: 500 } }, { text: "end" }]);
    await failed;
    const turn = await readTurn(id);
    await end(turn);
    expect(await readTurn(id)).toEqual(turn);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(turn.nextRetryAt ?? "") });
    expect(await fireAlarm(sessionId)).toBe(true);
    expect(await settled(id)).toMatchObject({ status: "completed", text: "end" });
  });
}

it("takes up a model call that died with its object, by whatever reaches the session next", async () => {
  const turn = await begin([{ text: "end", delayMs: 200 }]);
  await abortAllDurableObjects();
  const waiting = await readTurn(turn.id);
  expect(waiting.status).toBe("running");
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
});

it("runs a reading tool again that died with its object, and reports one with an effect", async () => {
  const calls = [
    { toolName: "read_gated", input: { gate: "read" } },
    { toolName: "gated", input: { gate: "effect" } },
  ];
  const turn = await begin([{ calls }, { text: "end" }], { agent: "staged" });
  await stage.reached("read");
  await stage.reached("effect");
  await abortAllDurableObjects();
  stage.open("read");
  stage.open("effect");
  expect(await fireAlarm(turn.sessionId)).toBe(true);
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  expect(ledger.effects).toEqual(["read"]);
  const { value } = await lastResult(turn.sessionId);
  expect(value).toContain("outcome is unknown");
});
