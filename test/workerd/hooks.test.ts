import { expect, it } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, call, play, readTurn, settled, stubOf } from "./client.ts";
import { hmacHex } from "../hmac.ts";
import { deliver, github, GITHUB_SECRET, slack, standard, type Triggered } from "./hook-senders.ts";
import { accepted, ask, awaitTasks, conversation, onlyRequest, refusal } from "./journey.ts";

async function turnsOf(sessionId: string): Promise<readonly TurnView[]> {
  return (await accepted<{ turns: TurnView[] }>(call("GET", `/v1/sessions/${sessionId}`))).turns;
}

it("starts a turn for an event of each scheme, and tells its sender the ids alone", async () => {
  const events = [
    [() => standard("msg_each", { say: "go" }), "go"],
    [() => github("each", { say: "go" }), "each: go"],
    [() => slack({ event_id: "Ev-each" }), [{ type: "json", value: { event_id: "Ev-each" } }]],
  ] as const;
  for (const [event, input] of events) {
    const response = await event();
    expect(response.status).toBe(202);
    const body = await response.json<Triggered>();
    expect(body).toEqual({
      turnId: expect.stringMatching(/^turn_/),
      sessionId: expect.stringMatching(/^sess_/),
    });
    expect(await settled(body.turnId)).toMatchObject({
      status: "completed",
      agent: "playground",
      sessionId: body.sessionId,
      input,
    });
  }
});

for (const session of [undefined, "hooks"]) {
  const where = session === undefined ? "its session is its own" : "its session is named";
  const at = (name: string) => (session === undefined ? {} : { session: `${session}-${name}` });

  it(`starts nothing twice for an event that comes again, where ${where}`, async () => {
    const event = { say: "go", ...at("again") };
    const first = await standard("msg_again", event);
    expect(first.status).toBe(202);
    const { turnId, sessionId } = await first.json<Triggered>();
    await settled(turnId);
    for (const more of [{}, { attempt: 2 }, { say: "go on" }]) {
      const again = await standard("msg_again", { ...event, ...more });
      expect(again.status).toBe(200);
      expect(await again.json()).toEqual({ turnId, sessionId });
    }
    expect(await turnsOf(sessionId)).toHaveLength(1);
  });

  it(`starts one turn for deliveries that come at once, where ${where}`, async () => {
    const event = { say: "go", ...at("at-once") };
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => standard("msg_at_once", event)),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 19 }, () => 200),
      202,
    ]);
    const bodies = await Promise.all(responses.map((response) => response.json<Triggered>()));
    expect(new Set(bodies.map(({ turnId }) => turnId)).size).toBe(1);
    expect(await turnsOf(bodies[0]?.sessionId ?? "")).toHaveLength(1);
  });
}

it("continues a named session with the next event, which never answers a question", async () => {
  const parked = await play(
    [{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }, { text: "answered" }],
    { session: "hooks-thread" },
  );
  const event = { say: "Yes.", session: "hooks-thread" };
  const next = await accepted<Triggered>(standard("msg_next", event));
  expect(next.sessionId).toBe(parked.sessionId);
  expect(await readTurn(next.turnId)).toMatchObject({
    status: "queued",
    queuedBehind: { turnId: parked.id },
    sessionName: "hooks-thread",
  });
  await answer(onlyRequest(parked), { text: "Go." });
  expect(await settled(next.turnId)).toMatchObject({ status: "completed" });
  expect((await conversation(next.sessionId)).filter(({ role }) => role === "user")).toHaveLength(
    2,
  );
});

it("keeps events apart: of other triggers, and of callers under the same key", async () => {
  const ids = await Promise.all([
    accepted<Triggered>(standard("kept-apart", { say: "go" })),
    accepted<Triggered>(github("kept-apart", { say: "go" })),
    accepted<Triggered>(slack({ event_id: "kept-apart" })),
  ]);
  const body = { agent: "playground", input: "go" };
  const turn = await accepted<TurnView>(
    call("POST", "/v1/turns", body, { "idempotency-key": "kept-apart" }),
  );
  expect(new Set([...ids.map(({ turnId }) => turnId), turn.id]).size).toBe(4);
});

it("starts in the trigger's workspace, whatever key is sent along", async () => {
  const { turnId } = await accepted<Triggered>(github("w-1", { say: "go" }, { name: "elsewhere" }));
  const theirs = { authorization: "Bearer other" };
  expect(await refusal(call("GET", `/v1/turns/${turnId}`))).toMatchObject({ status: 404 });
  expect(await accepted(call("GET", `/v1/turns/${turnId}`, undefined, theirs))).toMatchObject({
    id: turnId,
  });
  const body = JSON.stringify({ say: "go" });
  const signature = `sha256=${await hmacHex(GITHUB_SECRET, body)}`;
  const headers = { "x-hub-signature-256": signature, "x-github-delivery": "w-2" };
  const mine = await accepted<Triggered>(
    deliver("elsewhere", body, { ...headers, authorization: "Bearer dev-key" }),
  );
  expect(await refusal(call("GET", `/v1/turns/${mine.turnId}`))).toMatchObject({ status: 404 });
});

it("starts in the default workspace and with the default agent, where none is named", async () => {
  const { turnId, sessionId } = await accepted<Triggered>(
    github("w-3", { say: "go" }, { name: "unplaced" }),
  );
  const stub = stubOf(sessionId, "default") as unknown as {
    readTurn(n: number, waitMs: number): Promise<{ value: TurnView }>;
  };
  const { value } = await stub.readTurn(Number.parseInt(turnId.slice(-8), 16), 0);
  expect(value).toMatchObject({ id: turnId, agent: "playground" });
});

it("ignores an event of which its trigger makes no input, and does not use up its id", async () => {
  const ignored = await github("later", { say: "go" }, { type: "ping" });
  expect(ignored.status).toBe(204);
  expect(await ignored.text()).toBe("");
  expect((await github("later", { say: "go" })).status).toBe(202);
});

it("gives Slack its challenge back once its signature is found genuine, and starts nothing", async () => {
  const event = {
    type: "url_verification",
    challenge: "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P",
  };
  const response = await slack(event);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ challenge: event.challenge });
  const forged = deliver("slack", JSON.stringify(event), {
    "x-slack-request-timestamp": String(Math.floor(Date.now() / 1_000)),
    "x-slack-signature": `v0=${"0".repeat(64)}`,
  });
  expect(await refusal(forged)).toMatchObject({ status: 401, code: "invalid_signature" });
});
