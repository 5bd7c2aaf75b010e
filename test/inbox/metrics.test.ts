import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { sha256Hex } from "../../src/core/ids.ts";
import type { Metrics } from "../../src/core/metrics.ts";
import type { InboxObject } from "../../src/inbox/inbox.ts";
import { requestUnder } from "../workerd/configured.ts";
import { answer, call, fireAlarm, play } from "../workerd/client.ts";
import { accepted, onlyRequest, post } from "../workerd/journey.ts";
import type { TurnView } from "../../src/core/turn-view.ts";

const { INBOX } = env as unknown as { readonly INBOX: DurableObjectNamespace<InboxObject> };
const HOUR = 3_600_000;
const ASKING = [
  { calls: [{ toolName: "ask_person", input: { question: "May we?" } }] },
  { calls: [{ toolName: "await_tasks", input: { taskIds: ["$task:1"], maxWaitMs: 5 * HOUR } }] },
  { text: "Done." },
];

afterEach(() => {
  vi.useRealTimers();
});

/** A workspace of the test's own, so that nothing else is counted. */
async function workspace(name: string) {
  const key = {
    id: name,
    sha256: await sha256Hex(name),
    workspace: name,
    can: ["run", "answer", "read"],
  };
  const variables = { API_KEYS: JSON.stringify([key]) };
  const headers = { authorization: `Bearer ${name}`, prefer: "wait=10" };
  return {
    play: () =>
      accepted<TurnView>(
        requestUnder(variables, "POST", "/v1/turns", {
          body: { agent: "playground", input: "go", extraBody: { script: ASKING } },
          headers,
        }),
      ),
    answer: (requestId: string) =>
      accepted(
        requestUnder(variables, "POST", `/v1/questions/${requestId}/answer`, {
          body: { answer: { text: "Yes." }, answeredBy: "dana" },
          headers,
        }),
      ),
    metrics: () => accepted<Metrics>(requestUnder(variables, "GET", "/v1/metrics", { headers })),
  };
}

function eventually(check: () => Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 5_000, interval: 20 });
}

it("counts what is open, how long it took, and what is parked since when", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const { play: begin, answer: reply, metrics } = await workspace("metered");
  const turns = [await begin(), await begin(), await begin()];
  await eventually(async () => expect(await metrics()).toMatchObject({ openQuestions: 3 }));
  vi.setSystemTime(Date.now() + HOUR);
  for (const turn of turns.slice(0, 2)) await reply(onlyRequest(turn));
  await eventually(async () => {
    const now = await metrics();
    expect(now).toMatchObject({
      sessions: 3,
      openQuestions: 1,
      parkedTurns: 1,
      overdueSessions: 0,
      timeToAnswer: { questions: 2 },
    });
    expect(now.parkedHours).toBeCloseTo(1, 1);
    expect(now.timeToAnswer.p50Seconds).toBeCloseTo(3_600, -1);
    expect(now.timeToAnswer.p95Seconds).toBeCloseTo(3_600, -1);
    expect(now.rowsWritten).toBeGreaterThan(20);
  });
});

it("counts sessions that should have woken, and wakes none of them", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const { play: begin, metrics } = await workspace("overslept");
  await begin();
  await eventually(async () => expect(await metrics()).toMatchObject({ parkedTurns: 1 }));
  vi.setSystemTime(Date.now() + 6 * HOUR);
  for (let time = 0; time < 2; time += 1)
    expect(await metrics()).toMatchObject({ parkedTurns: 1, overdueSessions: 1 });
});

it("counts the alarms that woke a session once it tells of what it did", async () => {
  const before = await accepted<Metrics>(call("GET", "/v1/metrics"));
  const turn = await play(ASKING);
  await fireAlarm(turn.sessionId);
  await answer(onlyRequest(turn), { text: "Yes." });
  await eventually(async () => {
    const { wakes } = await accepted<Metrics>(call("GET", "/v1/metrics"));
    expect(wakes).toBeGreaterThan(before.wakes);
  });
});

it("writes nothing for a reading, not even tables where nothing was ever told", async () => {
  const { metrics } = await workspace("unheard-of");
  expect(await metrics()).toEqual({
    sessions: 0,
    openQuestions: 0,
    parkedTurns: 0,
    parkedHours: 0,
    overdueSessions: 0,
    timeToAnswer: { questions: 0, p50Seconds: null, p95Seconds: null },
    wakes: 0,
    rowsWritten: 0,
  });
  for (const shard of [0, 1, 2])
    await runInDurableObject(INBOX.getByName(`unheard-of/3/${shard}`), (_object, { storage }) => {
      expect(
        storage.sql
          .exec("SELECT name FROM sqlite_master WHERE name IN ('items', 'sessions')")
          .toArray(),
      ).toEqual([]);
    });
});

it("takes an inbox that knew nothing of wakes and rows yet", async () => {
  const stub = INBOX.getByName("older/3/0");
  await runInDurableObject(stub, (_object, { storage }) => {
    storage.sql.exec(
      "CREATE TABLE sessions (key TEXT PRIMARY KEY, seq INTEGER NOT NULL, version INTEGER NOT NULL, wake_at INTEGER) STRICT, WITHOUT ROWID",
    );
    storage.sql.exec("INSERT INTO sessions VALUES ('0123', 1, 1, NULL)");
  });
  const { metrics } = await workspace("older");
  expect(await metrics()).toMatchObject({ sessions: 1, wakes: 0, rowsWritten: 0 });
});

it("speaks to a scraper in its own format, and in JSON to whoever asks for nothing else", async () => {
  for (const [accept, type] of [
    [
      "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
      "text/plain",
    ],
    ["text/plain", "text/plain"],
    ["application/json", "application/json"],
    ["*/*", "application/json"],
  ] as const) {
    const response = await call("GET", "/v1/metrics", undefined, { accept });
    expect(response.headers.get("content-type"), accept).toMatch(new RegExp(`^${type}`));
    expect(response.headers.get("vary")).toContain("accept");
    if (type === "text/plain") expect(await response.text()).toMatch(/^# HELP holdpoint_/);
  }
});

it("is for who may read, or administer", async () => {
  const status = async (can: readonly string[]) => {
    const key = { id: "x", sha256: await sha256Hex("x"), workspace: "dev", can };
    const headers = { authorization: "Bearer x" };
    const variables = { API_KEYS: JSON.stringify([key]) };
    return (await requestUnder(variables, "GET", "/v1/metrics", { headers })).status;
  };
  expect(await status(["admin"])).toBe(200);
  expect(await status(["read"])).toBe(200);
  expect(await status(["run", "answer"])).toBe(403);
  const { status: refused } = await post("/v1/metrics", {});
  expect(refused).toBe(405);
});
