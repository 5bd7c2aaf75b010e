import { afterEach, describe, expect, it, vi } from "vitest";
import type { TurnResult, TurnView } from "../../src/core/turn-view.ts";
import { listInputRequests, resumeParked } from "../../src/holdpoint.ts";
import { runDurableObjectAlarm } from "cloudflare:test";
import { parseId } from "../../src/core/ids.ts";
import { answer, call, play, readTurn, stubOf } from "../workerd/client.ts";
import { faults } from "../workerd/faults.ts";
import { harness } from "../workerd/worker.ts";
import { answered, ASKING, parkedTurn } from "./manual.ts";

afterEach(() => {
  vi.useRealTimers();
  faults.crashAfter(0);
});

it("leaves a turn parked after its answer until it is told to go on", async () => {
  const turn = await parkedTurn("one", ASKING);
  await answered(turn);
  const seen: [string, string][] = [];
  const { resumed, failed } = await resumeParked({
    harness,
    sessionId: turn.sessionId,
    onResult: (result, view: TurnView) => {
      seen.push([result.status, view.id]);
    },
  });
  expect(failed).toEqual([]);
  expect(resumed).toMatchObject([
    { turnId: turn.turnId, result: { status: "completed", text: "Done." } },
  ]);
  expect(seen).toEqual([["completed", turn.turnId]]);
  expect(await resumeParked({ harness, sessionId: turn.sessionId })).toEqual({
    resumed: [],
    failed: [],
  });
});

it("resumes the turns of all sessions, up to the limit", async () => {
  const turns = [
    await parkedTurn("a", ASKING),
    await parkedTurn("b", ASKING),
    await parkedTurn("c", ASKING),
  ];
  for (const turn of turns) await answered(turn);
  const all: string[] = [];
  await vi.waitFor(
    async () => {
      const { resumed } = await resumeParked({ harness, limit: 2 });
      expect(resumed.length).toBeLessThanOrEqual(2);
      all.push(...resumed.map(({ turnId }) => turnId));
      expect(all.toSorted()).toEqual(turns.map(({ turnId }) => turnId).toSorted());
    },
    { timeout: 5_000, interval: 50 },
  );
});

/** The session of a turn that the Worker's own code started: in a workspace that no key of these tests has. */
function sessionOf({ turnId }: TurnResult) {
  return harness.reach.openSession("default", parseId("turn", turnId)?.key ?? "");
}

function numberOf({ turnId }: TurnResult): number {
  return parseId("turn", turnId)?.n ?? 0;
}

async function viewOf(turn: TurnResult, waitMs = 0): Promise<TurnView> {
  const read = await sessionOf(turn).readTurn(numberOf(turn), waitMs);
  if (!read.ok) throw new Error(read.refusal.detail);
  return read.value;
}

async function settledView(turn: TurnResult): Promise<TurnView> {
  let view = await viewOf(turn);
  while (view.status === "running") view = await viewOf(turn, 10_000);
  return view;
}

function fireAlarm({ sessionId }: TurnResult): Promise<boolean> {
  return runDurableObjectAlarm(stubOf(sessionId, "default"));
}

describe("a turn that fails to go on", () => {
  const failing = (times: number, status = 500) => [
    ...ASKING.slice(0, 2),
    { fail: { status, times } },
    { text: "Done at last." },
  ];
  const NOTHING = { resumed: [], failed: [] };
  const later = (ms: number) => vi.setSystemTime(Date.now() + ms);

  it("stays parked, and is tried again by the first call after its delay, which doubles", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const turn = await parkedTurn("failing twice", failing(2));
    await answered(turn);
    const heard: string[] = [];
    const resuming = () =>
      resumeParked({
        harness,
        sessionId: turn.sessionId,
        onResult: ({ status }) => {
          heard.push(status);
        },
      });
    for (const [attempts, delayMs] of [
      [1, 15_000],
      [2, 30_000],
    ] as const) {
      expect(await resuming()).toMatchObject({
        resumed: [],
        failed: [
          { turnId: turn.turnId, attempts, willRetry: true, error: { code: "model_failed" } },
        ],
      });
      expect(await viewOf(turn)).toMatchObject({
        status: "parked",
        waitingFor: [],
        attempts,
        error: { code: "model_failed" },
        nextRetryAt: new Date(Date.now() + delayMs).toISOString(),
      });
      later(delayMs - 1);
      expect(await resuming()).toEqual(NOTHING);
      expect(heard).toEqual([]);
      later(1);
    }
    expect(await resuming()).toMatchObject({
      resumed: [{ turnId: turn.turnId, result: { status: "completed", text: "Done at last." } }],
      failed: [],
    });
    expect(heard).toEqual(["completed"]);
    const { status, attempts, runs, ...view } = await viewOf(turn);
    expect([status, attempts]).toEqual(["completed", 0]);
    expect(runs.map((run) => run.status)).toEqual(["waiting", "waiting", "waiting", "completed"]);
    expect(view).not.toHaveProperty("error");
    expect(view).not.toHaveProperty("nextRetryAt");
  });

  it("sets no alarm, and does not go on by itself", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const turn = await parkedTurn("failing alone", failing(1));
    await answered(turn);
    await resumeParked({ harness, sessionId: turn.sessionId });
    later(3_600_000);
    // One may be there until the inbox is told.
    await vi.waitFor(async () => expect(await fireAlarm(turn)).toBe(false), { timeout: 5_000 });
    expect(await viewOf(turn)).toMatchObject({ status: "parked", attempts: 1 });
  });

  it("takes its delay and its tries from the call, and ends as failed after the last", async () => {
    const turn = await parkedTurn("failing for good", failing(9));
    await answered(turn);
    const heard: string[] = [];
    const resuming = () =>
      resumeParked({
        harness,
        sessionId: turn.sessionId,
        retryDelayMs: 0,
        maxAttempts: 2,
        onResult: ({ status }) => {
          heard.push(status);
        },
      });
    expect(await resuming()).toMatchObject({ failed: [{ attempts: 1, willRetry: true }] });
    expect(await resuming()).toMatchObject({ failed: [{ attempts: 2, willRetry: false }] });
    expect(heard).toEqual(["failed"]);
    expect(await resuming()).toEqual(NOTHING);
    expect(await viewOf(turn)).toMatchObject({
      status: "failed",
      attempts: 2,
      error: { code: "model_failed" },
    });
  });

  it("ends as failed at once where trying again can't help", async () => {
    const turn = await parkedTurn("failing at once", failing(1, 401));
    await answered(turn);
    const { failed } = await resumeParked({ harness, sessionId: turn.sessionId });
    expect(failed).toMatchObject([{ attempts: 1, willRetry: false }]);
  });

  it("is driven on by its own retry once it has failed", async () => {
    const turn = await parkedTurn("failing and retried", failing(1));
    await answered(turn);
    await resumeParked({ harness, sessionId: turn.sessionId, maxAttempts: 1 });
    await sessionOf(turn).retryTurn(numberOf(turn));
    expect(await settledView(turn)).toMatchObject({
      status: "completed",
      text: "Done at last.",
    });
  });

  it("is found among all sessions only once its delay is over", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const turn = await parkedTurn("failing among others", failing(1));
    await answered(turn);
    await vi.waitFor(
      async () => {
        const { failed } = await resumeParked({ harness, limit: 100 });
        expect(failed.map(({ turnId }) => turnId)).toContain(turn.turnId);
      },
      { timeout: 5_000, interval: 50 },
    );
    later(15_000);
    await vi.waitFor(
      async () => {
        const { resumed } = await resumeParked({ harness, limit: 100 });
        expect(resumed.map(({ turnId }) => turnId)).toContain(turn.turnId);
      },
      { timeout: 5_000, interval: 50 },
    );
  });
});

it("goes on by itself where the object dies in the middle of going on", async () => {
  const turn = await parkedTurn("dying", ASKING);
  await answered(turn);
  faults.crashAfter(1);
  await expect(resumeParked({ harness, sessionId: turn.sessionId })).rejects.toThrow();
  faults.crashAfter(0);
  const view = await settledView(turn).catch(() => settledView(turn));
  expect(view).toMatchObject({ status: "completed", text: "Done." });
});

it("refuses options that are not valid, by their names", async () => {
  for (const [name, value] of [
    ["limit", 0],
    ["limit", 101],
    ["retryDelayMs", -1],
    ["maxAttempts", 0],
  ] as const)
    await expect(resumeParked({ harness, [name]: value })).rejects.toMatchObject({
      code: "invalid_request",
      issues: [{ path: name }],
    });
});

it("gives the turn another extraBody where it is told to go on with one", async () => {
  const turn = await parkedTurn("other", ASKING);
  await answered(turn);
  const script = [...ASKING.slice(0, 2), { text: "Another ending." }];
  const { resumed } = await resumeParked({
    harness,
    sessionId: turn.sessionId,
    extraBody: { script },
  });
  expect(resumed).toMatchObject([{ result: { text: "Another ending." } }]);
});

it("lets turns go on over HTTP too", async () => {
  const turn = await play(ASKING, { agent: "manual" });
  await answer(turn.waitingFor?.[0]?.requestId ?? "", { text: "Yes." });
  expect(await readTurn(turn.id)).toMatchObject({ status: "parked", waitingFor: [] });
  const response = await call("POST", "/v1/resume", { sessionId: turn.sessionId });
  expect(await response.json()).toMatchObject({
    resumed: [{ turnId: turn.id, result: { status: "completed" } }],
    failed: [],
  });
});

it("lists the questions of all sessions to the Worker's own code", async () => {
  const turn = await parkedTurn("listed", ASKING);
  await vi.waitFor(
    async () => {
      const questions = await listInputRequests({ harness });
      expect(questions.map(({ sessionId }) => sessionId)).toContain(turn.sessionId);
    },
    { timeout: 5_000, interval: 50 },
  );
});

it("finds a turn that is ready behind more than a page of turns that still wait", async () => {
  await Promise.all(Array.from({ length: 101 }, (_, n) => parkedTurn(`waiting ${n}`, ASKING)));
  const turn = await parkedTurn("ready", ASKING);
  await answered(turn);
  await vi.waitFor(
    async () => {
      const { resumed } = await resumeParked({ harness });
      expect(resumed.map(({ turnId }) => turnId)).toContain(turn.turnId);
    },
    { timeout: 20_000, interval: 100 },
  );
});
