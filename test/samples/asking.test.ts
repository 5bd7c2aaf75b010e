import { env } from "cloudflare:workers";
import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import {
  answerInputRequest,
  cancelInputRequest,
  generateHarness,
  HoldpointRefusal,
  listInputRequests,
  resumeParked,
  type TurnResult,
} from "../../src/holdpoint.ts";
import { parseId } from "../../src/core/ids.ts";
import type { Json } from "../../src/core/json.ts";
import { notices, posts } from "../fixtures/samples/around.ts";
import { harness } from "../fixtures/samples/loan-desk.ts";
import { receiveReply } from "../fixtures/samples/reply.ts";

afterEach(() => {
  vi.useRealTimers();
  posts.length = 0;
  notices.length = 0;
});

const QUESTION = {
  question: "APP-1008 has a 47% debt-to-income ratio. Approve?",
  options: [
    { id: "approve", label: "Approve" },
    { id: "deny", label: "Deny" },
  ],
};
const ASK = { toolName: "ask_person", input: QUESTION };
const wait = (taskId: string, more: object = {}) => ({
  toolName: "await_tasks",
  input: { taskIds: [taskId], ...more },
});
const ASKING = [
  { calls: [ASK] },
  { calls: [wait("task_1")] },
  { text: "APP-1008 is pre-approved." },
];
const REPLY = {
  answer: { option: "approve", text: "Fine with the co-signer." },
  answeredBy: "dana@lender.example",
};

/** Plays a script until the turn is parked, and shows for which question. */
async function park(sessionId: string, script: Json) {
  const result = await generateHarness({
    harness,
    sessionId,
    prompt: "Pre-approve APP-1008: income 5000, debt 2350",
    extraBody: { script },
  });
  if (result.status !== "parked") throw new Error(`the turn is ${result.status}`);
  return { ...result, requestId: result.waitingFor[0]?.requestId ?? "" };
}

/** What the model was told, as the results of its calls. */
async function resultsOf({ turnId }: TurnResult): Promise<readonly unknown[]> {
  const session = harness.reach.openSession("default", parseId("turn", turnId)?.key ?? "");
  const read = await session.readMessages();
  if (!read.ok) throw new Error(read.refusal.detail);
  return read.value.flatMap(({ role, content }) =>
    role === "tool"
      ? (content as { output: { value: unknown } }[]).map((part) => part.output.value)
      : [],
  );
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const refusal: unknown = await work.catch((error: unknown) => error);
  if (refusal instanceof HoldpointRefusal) return refusal.code;
  throw new Error(`nothing was refused: ${JSON.stringify(refusal)}`);
}

it("delivers the question, parks, and goes on with the answer to its result", async () => {
  const turn = await park("applicant-1", ASKING);
  await vi.waitFor(() =>
    expect(posts).toEqual([
      {
        channel: "#underwriting",
        text: QUESTION.question,
        metadata: { sessionId: turn.sessionId, requestId: turn.requestId },
      },
    ]),
  );
  const { sessionId, requestId } = posts[0]?.metadata ?? { sessionId: "", requestId: "" };
  await receiveReply(sessionId, requestId);
  expect(notices).toEqual([[turn.sessionId, "APP-1008 is pre-approved."]]);
});

it("returns at once from asking, and from waiting the task with its answer", async () => {
  const turn = await park("applicant-2", [
    { calls: [ASK, ASK] },
    { calls: [ASK] },
    { calls: [wait("task_3")] },
    { text: "Done." },
  ]);
  await receiveReply(turn.sessionId, turn.requestId);
  const results = await resultsOf(turn);
  expect(results.slice(0, 3)).toEqual([
    { status: "asked", taskId: "task_1" },
    { status: "asked", taskId: "task_2" },
    { status: "asked", taskId: "task_3" },
  ]);
  expect(results[3]).toMatchObject({
    status: "satisfied",
    tasks: [
      {
        taskId: "task_3",
        kind: "input",
        question: QUESTION.question,
        status: "answered",
        ...REPLY,
        answeredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    ],
  });
});

it("returns the question with its new status, takes the same answer again, and refuses any other", async () => {
  const { sessionId, requestId } = await park("applicant-3", ASKING);
  const about = { harness, sessionId, requestId };
  const misfit = { ...about, ...REPLY, answer: { option: "maybe" } };
  expect(await codeOf(answerInputRequest(misfit))).toBe("invalid_answer");
  const answered = await answerInputRequest({ ...about, ...REPLY });
  expect(answered).toMatchObject({ requestId, status: "answered", ...REPLY });
  expect(await answerInputRequest({ ...about, ...REPLY })).toEqual(answered);
  const other = { ...about, ...REPLY, answer: { option: "deny" } };
  expect(await codeOf(answerInputRequest(other))).toBe("already_answered");

  const { requestId: cancelled } = await park("applicant-4", ASKING);
  await cancelInputRequest({ harness, requestId: cancelled });
  expect(await codeOf(answerInputRequest({ harness, requestId: cancelled, ...REPLY }))).toBe(
    "cancelled",
  );
});

it("lists the questions that wait, oldest first, and with status all those that ended too", async () => {
  const sessionId = "applicant-5";
  const turn = await park(sessionId, [
    { calls: [ASK, ASK] },
    { calls: [ASK] },
    { calls: [wait("task_3")] },
    { text: "Done." },
  ]);
  const [one, two, three] = await listInputRequests({ harness, sessionId });
  expect([one, two, three].map((question) => question?.taskId)).toEqual([
    "task_1",
    "task_2",
    "task_3",
  ]);
  await answerInputRequest({ harness, requestId: one?.requestId ?? "", ...REPLY });
  await cancelInputRequest({ harness, requestId: two?.requestId ?? "" });
  expect(await listInputRequests({ harness, sessionId })).toMatchObject([
    { requestId: turn.requestId },
  ]);
  const all = await listInputRequests({ harness, sessionId, status: "all" });
  expect(all.map(({ status }) => status)).toEqual(["answered", "cancelled", "waiting"]);
});

it("goes on without an answer once the wait has run out, and records a later one", async () => {
  const script = [
    { calls: [ASK] },
    { calls: [wait("task_1", { maxWaitMs: 60_000 })] },
    { text: "Nobody came." },
  ];
  const turn = await park("applicant-6", script);
  const { sessionId } = turn;
  expect(await resumeParked({ harness, sessionId })).toEqual({ resumed: [], failed: [] });
  // The inbox hears of a turn that parks a moment later.
  await vi.waitFor(async () =>
    expect(await listInputRequests({ harness })).toContainEqual(
      expect.objectContaining({ requestId: turn.requestId }),
    ),
  );
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  const { resumed } = await resumeParked({ harness });
  expect(resumed.find(({ turnId }) => turnId === turn.turnId)).toMatchObject({
    result: { status: "completed", text: "Nobody came." },
  });
  expect((await resultsOf(turn))[1]).toEqual({
    status: "timed_out",
    tasks: [],
    pending: ["task_1"],
  });
  const about = { harness, requestId: turn.requestId };
  expect(await answerInputRequest({ ...about, ...REPLY })).toMatchObject({
    status: "answered",
    late: true,
  });
});

it("records by its alarm that a wait has run out, and goes on only when it is told to", async () => {
  const script = [
    { calls: [ASK] },
    { calls: [wait("task_1", { maxWaitMs: 60_000 })] },
    { text: "Nobody came." },
  ];
  const turn = await park("applicant-7", script);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  const { SESSION } = env as unknown as { SESSION: DurableObjectNamespace };
  const key = parseId("turn", turn.turnId)?.key ?? "";
  expect(await runDurableObjectAlarm(SESSION.getByName(`default/${key}`))).toBe(true);
  expect((await resultsOf(turn))[1]).toMatchObject({ status: "timed_out" });
  const { resumed } = await resumeParked({ harness, sessionId: turn.sessionId });
  expect(resumed).toMatchObject([{ result: { text: "Nobody came." } }]);
});
