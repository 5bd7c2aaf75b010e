import { env } from "cloudflare:workers";
import {
  createExecutionContext,
  createScheduledController,
  runInDurableObject,
  waitOnExecutionContext,
} from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, call, play, settled, stubOf } from "../workerd/client.ts";
import { author } from "../workerd/deliver-agents.ts";
import { accepted, awaitTasks, onlyRequest, readQuestion } from "../workerd/journey.ts";
import worker from "../workerd/worker.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const TIMED = [
  { calls: [{ toolName: "ask_person", input: { question: "May we?" } }] },
  { calls: [awaitTasks(["$task:1"], { maxWaitMs: 60_000 })] },
  { text: "Nobody came." },
];

interface Overdue {
  readonly overdue: number;
  readonly sessions: readonly string[];
}

afterEach(() => {
  vi.useRealTimers();
});

function overdue(): Promise<Overdue> {
  return accepted<Overdue>(call("GET", "/v1/health/overdue"));
}

/** A turn whose wait ran out a day ago, in a session whose alarm the platform lost. */
async function stranded(session: string): Promise<TurnView> {
  const turn = await play(TIMED, { session });
  await loseAlarm(turn);
  return turn;
}

/** The inbox knows of the turn; then the platform loses its session's alarm, and a day goes by. */
async function loseAlarm(turn: TurnView): Promise<void> {
  await vi.waitFor(async () => {
    const { items } = await accepted<{ items: TurnView[] }>(
      call("GET", "/v1/turns?status=parked&limit=100"),
    );
    expect(items.map(({ id }) => id)).toContain(turn.id);
  });
  await runInDurableObject(stubOf(turn.sessionId), (_instance, state) =>
    state.storage.deleteAlarm(),
  );
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + DAY_MS });
}

it("finds a session whose alarm was lost, counts it, and sets it going again", async () => {
  const turn = await stranded("watchdog-count");
  const found = await overdue();
  expect(found.sessions).toContain(turn.sessionId);
  expect(found.overdue).toBe(found.sessions.length);
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "Nobody came." });
  expect((await overdue()).sessions).not.toContain(turn.sessionId);
});

it("finds it by the cron trigger alone", async () => {
  const turn = await stranded("watchdog-cron");
  const context = createExecutionContext();
  await worker.scheduled(createScheduledController(), env, context);
  await waitOnExecutionContext(context);
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "Nobody came." });
});

it("finds a delivery whose next try was lost with its alarm, and sends it", async () => {
  author.delivered.length = 0;
  author.failures = 1;
  const script = [TIMED[0], { calls: [awaitTasks(["$task:1"])] }, { text: "Done." }];
  const turn = await play(script, { agent: "delivering", session: "watchdog-chore" });
  const requestId = onlyRequest(turn);
  await vi.waitFor(async () =>
    expect((await readQuestion(requestId)).deliveries).toMatchObject([{ tries: 1 }]),
  );
  await loseAlarm(turn);
  expect(author.delivered).toEqual([]);
  expect((await overdue()).sessions).toContain(turn.sessionId);
  await vi.waitFor(() => expect(author.delivered).toMatchObject([{ requestId }]));
  await vi.waitFor(async () => expect((await overdue()).sessions).not.toContain(turn.sessionId));
});

it("counts nothing that is merely parked, however long", async () => {
  const turn = await play([TIMED[0], { calls: [awaitTasks(["$task:1"])] }, { text: "Done." }]);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 300 * DAY_MS });
  expect((await overdue()).sessions).not.toContain(turn.sessionId);
  await answer(onlyRequest(turn), { text: "Yes." });
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "Done." });
});

it("counts parked turns by what a deploy may change under them: agents, tools and their schemas, stored shapes", async () => {
  const guarded = { toolName: "guarded", input: { what: "it" } };
  const client = { toolName: "client_tool", input: {} };
  const parked = await play([{ calls: [guarded, guarded, client] }, { text: "end" }], {
    agent: "counted",
  });
  const countBy = async (by: string) => {
    const response = await accepted<{ items: readonly Record<string, unknown>[] }>(
      call("GET", `/v1/parked?by=${by}`),
    );
    return response.items;
  };
  await vi.waitFor(async () =>
    expect(await countBy("agent")).toContainEqual({ agent: "counted", parked: 1 }),
  );
  const schema = parked.pending?.approvals[0]?.schema;
  expect(schema).toMatch(/^[0-9a-f]{12}$/);
  const tools = await countBy("tool");
  expect(tools).toContainEqual({
    agent: "counted",
    tool: "guarded",
    schema,
    isChanged: false,
    parked: 1,
  });
  expect(tools).toContainEqual(
    expect.objectContaining({ agent: "counted", tool: "client_tool", parked: 1 }),
  );
  expect(await countBy("version")).toEqual([{ version: 1, parked: expect.any(Number) }]);
  expect((await call("GET", "/v1/parked?by=colour")).status).toBe(400);
});
