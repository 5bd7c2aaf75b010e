import { expect, it } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, call, play, settled } from "./client.ts";
import { accepted, ask, awaitTasks, begin, onlyRequest, refusal, send, start } from "./journey.ts";

const KEY = { "idempotency-key": "one" };
const PARKING = [{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }, { text: "end" }];

async function turnsOf(session: string): Promise<readonly TurnView[]> {
  return (await accepted<{ turns: TurnView[] }>(call("GET", `/v1/sessions/${session}`))).turns;
}

for (const session of [undefined, "named"]) {
  const where = session === undefined ? "no session is named" : "a session is named";
  const named = (name: string) => (session === undefined ? {} : { session: `${session}-${name}` });

  it(`starts one turn for a request that comes again, and shows its present state, where ${where}`, async () => {
    const options = { ...named("again"), headers: { "idempotency-key": "again" } };
    const first = await start(PARKING, options);
    expect(first.status).toBe(202);
    const { id, sessionId } = await first.json<TurnView>();
    await settled(id);
    const again = await start(PARKING, options);
    expect(again.status).toBe(200);
    expect(again.headers.get("location")).toBe(`/v1/turns/${id}`);
    const parked = await again.json<TurnView>();
    expect(parked).toMatchObject({ id, status: "parked" });
    await answer(onlyRequest(parked), { text: "Yes." });
    await settled(id);
    expect(await accepted(start(PARKING, options))).toMatchObject({
      id,
      status: "completed",
      text: "end",
    });
    expect(await turnsOf(sessionId)).toHaveLength(1);
  });

  it(`refuses another request under a used key, where ${where}`, async () => {
    const options = { ...named("other"), headers: { "idempotency-key": "other" } };
    const first = await begin([{ text: "one" }], options);
    for (const change of [
      { input: "other" },
      { metadata: { a: "b" } },
      { agent: "retrying" },
      { deferred: false },
    ])
      expect(await refusal(start([{ text: "one" }], { ...options, ...change }))).toMatchObject({
        status: 409,
        code: "idempotency_key_reused",
      });
    expect(await refusal(start([{ text: "two" }], options))).toMatchObject({
      code: "idempotency_key_reused",
    });
    expect(await turnsOf(first.sessionId)).toHaveLength(1);
  });

  it(`starts one turn for requests that come at once, where ${where}`, async () => {
    const options = { ...named("at-once"), headers: { "idempotency-key": "at-once" } };
    const responses = await Promise.all(Array.from({ length: 20 }, () => start(PARKING, options)));
    expect(responses.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 19 }, () => 200),
      202,
    ]);
    const turns = await Promise.all(responses.map((response) => response.json<TurnView>()));
    expect(new Set(turns.map(({ id }) => id)).size).toBe(1);
    expect(await turnsOf(turns[0]?.sessionId ?? "")).toHaveLength(1);
  });

  it(`does not use a key up by a request that is refused, where ${where}`, async () => {
    const options = { ...named("refused"), headers: { "idempotency-key": "refused" } };
    expect(await refusal(start([], { ...options, agent: "nobody" }))).toMatchObject({
      status: 400,
    });
    expect(await refusal(start([], { ...options, input: "" }))).toMatchObject({ status: 400 });
    expect(await refusal(start([], { ...options, more: 1 }))).toMatchObject({ status: 400 });
    const response = await start([{ text: "fine" }], options);
    expect(response.status).toBe(202);
    expect(await settled((await response.json<TurnView>()).id)).toMatchObject({ text: "fine" });
  });
}

it("takes the same members in another order for the same request", async () => {
  const one = '{"agent":"playground","input":"go","metadata":{"a":"1","b":"2"}}';
  const other = '{ "metadata": {"b":"2","a":"1"}, "input": "\\u0067o", "agent": "playground" }';
  const headers = { ...KEY, "content-type": "application/json" };
  const first = await accepted<TurnView>(send("POST", "/v1/sessions/order/turns", one, headers));
  expect(await accepted(send("POST", "/v1/sessions/order/turns", other, headers))).toMatchObject({
    id: first.id,
  });
});

it("keeps a key to its session and its route", async () => {
  const one = await begin([], { session: "key-1", headers: KEY });
  const two = await begin([], { session: "key-2", headers: KEY });
  const none = await begin([], { headers: KEY });
  expect(new Set([one.sessionId, two.sessionId, none.sessionId]).size).toBe(3);
});

it("finds the same turn by the name and by the id of its session", async () => {
  const first = await begin([], { session: "two-ways", headers: KEY });
  expect(await begin([], { session: first.sessionId, headers: KEY })).toMatchObject({
    id: first.id,
  });
});

it("keeps a key to the caller's own key and workspace", async () => {
  const mine = await begin([], { headers: { "idempotency-key": "shared" } });
  const others = { authorization: "Bearer other", "idempotency-key": "shared" };
  const theirs = await begin([], { headers: others });
  expect(theirs.id).not.toBe(mine.id);
});

it("finds the turn of a key in a busy session too", async () => {
  const first = await play(PARKING, { session: "busy" });
  const options = { session: "busy", headers: KEY, whenBusy: "reject" };
  expect(await refusal(start([], options))).toMatchObject({ code: "session_busy" });
  const queued = await begin([], { session: "busy", headers: KEY });
  expect(queued.status).toBe("queued");
  expect(await begin([], { session: "busy", headers: KEY })).toMatchObject({
    id: queued.id,
    status: "queued",
  });
  await answer(onlyRequest(first), { text: "x" });
  await settled(queued.id);
});

it("refuses a key that is none", async () => {
  for (const key of ["with space", "naïve", "x".repeat(513)]) {
    const problem = await refusal(start([], { headers: { "idempotency-key": key } }));
    expect(problem, key).toMatchObject({
      status: 400,
      code: "invalid_request",
      issues: [{ path: "Idempotency-Key" }],
    });
  }
  await begin([], { headers: { "idempotency-key": "~!".repeat(256) } });
});

it("accepts the header on what is idempotent by nature, and writes nothing for it", async () => {
  const parked = await play(PARKING);
  const path = `/v1/questions/${onlyRequest(parked)}/answer`;
  const body = { answer: { text: "x" }, answeredBy: "dana" };
  const first = await accepted(call("POST", path, body, KEY));
  expect(await accepted(call("POST", path, body, KEY))).toEqual(first);
  const other = { answer: { text: "y" }, answeredBy: "dana" };
  expect(await refusal(call("POST", path, other, KEY))).toMatchObject({ code: "already_answered" });
});
