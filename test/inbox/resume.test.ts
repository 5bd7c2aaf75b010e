import { expect, it, vi } from "vitest";
import type { TurnResult, TurnView } from "../../src/core/turn-view.ts";
import {
  answerInputRequest,
  generateHarness,
  listInputRequests,
  resumeParked,
} from "../../src/holdpoint.ts";
import { answer, call, play, readTurn } from "../workerd/client.ts";
import { harness } from "../workerd/worker.ts";

const ASKING = [
  { calls: [{ toolName: "ask_person", input: { question: "May we?" } }] },
  { calls: [{ toolName: "await_tasks", input: { taskIds: ["$task:1"] } }] },
  { text: "Done." },
];

function parkedTurn(prompt: string, script: object[]) {
  return generateHarness({
    harness,
    agent: "manual",
    prompt,
    extraBody: { script: script as never },
  });
}

/** Answers every question of a parked turn. */
async function answered(turn: TurnResult): Promise<void> {
  if (turn.status !== "parked") throw new Error(`the turn is ${turn.status}`);
  for (const { requestId = "" } of turn.waitingFor)
    await answerInputRequest({ harness, requestId, answer: { text: "Yes." }, answeredBy: "dana" });
}

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

it("reports a turn that failed to go on, and that it will be tried again", async () => {
  const script = [...ASKING.slice(0, 2), { fail: { status: 500, times: 9 } }, { text: "Never." }];
  const turn = await parkedTurn("failing", script);
  await answered(turn);
  const { resumed, failed } = await resumeParked({ harness, sessionId: turn.sessionId });
  expect(resumed).toEqual([]);
  expect(failed).toMatchObject([
    { turnId: turn.turnId, attempts: 1, willRetry: true, error: { code: "model_failed" } },
  ]);
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
