import { expect, it } from "vitest";
import { answer, call, play, readTurn, settled, stubOf } from "./client.ts";
import {
  accepted,
  answering,
  ask,
  awaitTasks,
  begin,
  FORM_ANSWER,
  FORM_CALL,
  onlyRequest,
  post,
  refusal,
  start,
} from "./journey.ts";

const CYCLE = [{ calls: [FORM_CALL] }, { text: "end" }];

/** Rows that the session's object writes while `work` goes on. */
async function rowsOf(sessionId: string, work: () => Promise<unknown>): Promise<number> {
  const before = await stubOf(sessionId).rowsWritten();
  await work();
  return (await stubOf(sessionId).rowsWritten()) - before;
}

it("writes few rows for a turn that asks, parks, is answered and completes in a session that is there", async () => {
  const { sessionId } = await play([{ text: "first" }], { session: "cycle" });
  const rows = await rowsOf(sessionId, async () => {
    const turn = await play(CYCLE, { session: "cycle" });
    await answer(onlyRequest(turn), FORM_ANSWER);
    expect(await settled(turn.id)).toMatchObject({ status: "completed" });
  });
  expect(rows).toBeLessThanOrEqual(14);
  expect(rows).toBe(10);
});

it("writes one row more under an Idempotency-Key", async () => {
  const { sessionId } = await play([{ text: "first" }], { session: "keyed" });
  const rowsUnder = (key: string) =>
    rowsOf(sessionId, async () => {
      const { id } = await begin(CYCLE, { session: "keyed", headers: { "idempotency-key": key } });
      const turn = await settled(id);
      await answer(onlyRequest(turn), FORM_ANSWER);
      await settled(id);
    });
  // The first key makes the index, too.
  expect(await rowsUnder("one")).toBe(12);
  expect(await rowsUnder("two")).toBe(11);
});

it("writes few rows for a question that is asked and awaited", async () => {
  const { sessionId } = await play([{ text: "first" }], { session: "asked" });
  const rows = await rowsOf(sessionId, async () => {
    const turn = await play(
      [{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }, { text: "end" }],
      { session: "asked" },
    );
    await answer(onlyRequest(turn), { text: "Yes." });
    await settled(turn.id);
  });
  expect(rows).toBe(11);
});

it("writes nothing for a reading, a refusal, or an answer that comes again", async () => {
  const turn = await play(CYCLE, { session: "quiet" });
  const requestId = onlyRequest(turn);
  const { sessionId } = turn;
  const quiet = async () => {
    for (const path of [
      `/v1/turns/${turn.id}`,
      `/v1/sessions/${sessionId}`,
      `/v1/sessions/${sessionId}/messages`,
      `/v1/questions/${requestId}`,
      `/v1/questions?sessionId=${sessionId}&status=all`,
    ])
      await accepted(call("GET", path));
    for (const answered of [{}, { answers: { "Which?": "x" } }, { approved: true }, null])
      await refusal(answering(requestId, answered));
    await refusal(start([], { session: sessionId, whenBusy: "reject" }));
    await refusal(start([], { session: sessionId, agent: "nobody" }));
    await refusal(post(`/v1/turns/${turn.id}/results`, { approvals: {}, calls: {} }));
    await refusal(call("GET", `/v1/turns/${turn.id.slice(0, -2)}ff`));
  };
  expect(await rowsOf(sessionId, quiet)).toBe(0);
  await answer(requestId, FORM_ANSWER);
  await settled(turn.id);
  const again = async () => {
    await answer(requestId, FORM_ANSWER);
    await refusal(answering(requestId, { response: "Other." }));
    await refusal(post(`/v1/questions/${requestId}/cancel`));
    await refusal(post(`/v1/turns/${turn.id}/cancel`));
    await readTurn(turn.id, 1);
  };
  expect(await rowsOf(sessionId, again)).toBe(0);
});

it("writes nothing for a request that comes again under its Idempotency-Key", async () => {
  const options = { session: "replayed", headers: { "idempotency-key": "one" } };
  const { id, sessionId } = await begin(CYCLE, options);
  await settled(id);
  const rows = await rowsOf(sessionId, async () => {
    await begin(CYCLE, options);
    await refusal(start([{ text: "other" }], options));
  });
  expect(rows).toBe(0);
});

it("writes nothing into a session that is only looked for", async () => {
  const unknown = "sess_0123456789abcdef01234567";
  await refusal(call("GET", `/v1/sessions/${unknown}`));
  await refusal(start([], { session: unknown }));
  await refusal(call("GET", `/v1/questions?sessionId=${unknown}`));
  await refusal(start([], { session: "refused-first", agent: "nobody" }));
  expect(await stubOf(unknown).rowsWritten()).toBe(0);
  await refusal(call("GET", "/v1/sessions/refused-first"));
});
