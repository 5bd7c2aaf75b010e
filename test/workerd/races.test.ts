import { abortAllDurableObjects } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import type { Question } from "../../src/core/question.ts";
import type { TurnView } from "../../src/core/turn-view.ts";
import { call, fireAlarm, play, readTurn, settled } from "./client.ts";
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
  onlyRequest,
  post,
  questionsOf,
  readQuestion,
  start,
} from "./journey.ts";
import { ledger } from "./ledger.ts";

afterEach(() => {
  vi.useRealTimers();
  ledger.clear();
});

const PARKING = [{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }, { text: "end" }];

interface Told {
  readonly status: number;
  readonly code?: string;
  readonly detail?: string;
}

async function told(request: Promise<Response>): Promise<Told> {
  const response = await request;
  return { ...(await response.json<object>()), status: response.status };
}

it("takes one of a hundred different answers at once, and tells the others whose it was", async () => {
  const turn = await play(PARKING);
  const requestId = onlyRequest(turn);
  const requests = Array.from({ length: 100 }, (_, n) =>
    answering(requestId, { text: `answer ${n}` }, `person ${n}`),
  );
  const all = await Promise.all(requests.map(told));
  const winners = all.filter(({ status }) => status === 200) as unknown as Question[];
  const losers = all.filter(({ status }) => status !== 200);
  expect(winners).toHaveLength(1);
  expect(losers).toHaveLength(99);
  const won = await readQuestion(requestId);
  for (const loser of losers) {
    expect(loser).toMatchObject({ status: 409, code: "already_answered" });
    expect(loser.detail).toContain(`${won.answeredBy} at ${won.answeredAt}`);
  }
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  expect((await lastResult(turn.sessionId)).value).toMatchObject({
    tasks: [{ answer: won.answer, answeredBy: won.answeredBy }],
  });
  expect((await readTurn(turn.id)).runs).toHaveLength(2);
});

it("accepts the same answer twenty times at once, with one receipt", async () => {
  const turn = await play(PARKING);
  const requestId = onlyRequest(turn);
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      accepted<Question>(answering(requestId, { text: "Yes." }, `person ${n}`)),
    ),
  );
  expect(new Set(all.map((question) => JSON.stringify(question))).size).toBe(1);
  expect(await settled(turn.id)).toMatchObject({ status: "completed" });
  expect((await readTurn(turn.id)).runs).toHaveLength(2);
});

it("decides each of many questions between an answer, a denial and a cancel, once", async () => {
  const parallel = Array.from({ length: 12 }, () => FORM_CALL);
  const turn = await play([{ calls: parallel }, { text: "end" }]);
  const ids = (turn.waitingFor ?? []).map(({ requestId = "" }) => requestId);
  const rounds = await Promise.all(
    ids.map((id) =>
      Promise.all([
        told(answering(id, FORM_ANSWER)),
        told(post(`/v1/questions/${id}/decline`, { answeredBy: "eve" })),
        told(post(`/v1/questions/${id}/cancel`)),
      ]),
    ),
  );
  for (const round of rounds) {
    expect(round.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(round.filter(({ status }) => status === 409)).toHaveLength(2);
  }
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  expect((await readTurn(turn.id)).runs).toHaveLength(2);
  await conversation(turn.sessionId);
});

it("decides between an answer and a cancel of its turn, and leaves nothing half done", async () => {
  for (const answerFirst of [true, false]) {
    const turn = await play(PARKING);
    const requestId = onlyRequest(turn);
    const one = () => told(answering(requestId, { text: "Yes." }));
    const other = () => told(post(`/v1/turns/${turn.id}/cancel`));
    const [first, second] = answerFirst ? [one(), other()] : [other(), one()];
    await Promise.all([first, second]);
    const question = await readQuestion(requestId);
    const now = await settled(turn.id);
    if (question.status === "answered") expect(["cancelled", "completed"]).toContain(now.status);
    else expect([question.status, now.status]).toEqual(["cancelled", "cancelled"]);
    await conversation(turn.sessionId);
    expect(await play([{ text: "next" }], { session: turn.sessionId })).toMatchObject({
      text: "next",
    });
  }
});

it("settles a batch once where results and single answers come at once", async () => {
  const calls = [FORM_CALL, { toolName: "client_tool", toolCallId: "c1" }];
  const turn = await play([
    { calls: [{ ...FORM_CALL, toolCallId: "f1" }, ...calls.slice(1)] },
    { text: "end" },
  ]);
  const requestId = turn.waitingFor?.[0]?.requestId ?? "";
  const returned = (value: unknown) => ({ status: "returned", value });
  const batch = {
    approvals: {},
    calls: { f1: returned({ response: "By batch." }), c1: returned(1) },
  };
  const [byBatch, alone] = await Promise.all([
    told(post(`/v1/turns/${turn.id}/results`, batch)),
    told(answering(requestId, FORM_ANSWER)),
  ]);
  expect([byBatch.status, alone.status].filter((status) => status === 200)).toHaveLength(1);
  if (alone.status === 200)
    await accepted(
      post(`/v1/turns/${turn.id}/results`, { approvals: {}, calls: { c1: returned(1) } }),
    );
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  await conversation(turn.sessionId);
});

it("starts turns that come at once one after another, in one order for all", async () => {
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      begin([{ text: `${n}` }], { session: "rush", input: `${n}` }),
    ),
  );
  for (const { id } of all) expect(await settled(id)).toMatchObject({ status: "completed" });
  const texts = (await conversation("rush")).map(({ role, content }) =>
    role === "user" ? content : typeof content === "string" ? content : content[0]?.text,
  );
  const pairs = Array.from({ length: 20 }, (_, n) => [texts[2 * n], texts[2 * n + 1]]);
  for (const [asked, said] of pairs) expect(said).toBe(asked);
  expect(new Set(texts).size).toBe(20);
});

it("refuses all but one turn where all will not queue", async () => {
  const requests = Array.from({ length: 20 }, () =>
    start([{ delayMs: 60_000 }], { session: "only-one", whenBusy: "reject" }),
  );
  const statuses = (await Promise.all(requests)).map(({ status }) => status).sort();
  expect(statuses).toEqual([202, ...Array.from({ length: 19 }, () => 409)]);
  const { turns } = await accepted<{ turns: TurnView[] }>(call("GET", "/v1/sessions/only-one"));
  for (const { id } of turns) await accepted(post(`/v1/turns/${id}/cancel`));
});

it("answers questions of one session at once, each with its own answer", async () => {
  const calls = Array.from({ length: 30 }, (_, n) => ask({ question: `Question ${n}?` }));
  const taskIds = Array.from({ length: 30 }, (_, n) => `$task:${n + 1}`);
  const turn = await play([{ calls }, { calls: [awaitTasks(taskIds)] }, { text: "end" }]);
  const questions = await questionsOf(turn.sessionId);
  await Promise.all(
    questions.map(({ requestId, question }) =>
      accepted(answering(requestId, { text: `To: ${question}` })),
    ),
  );
  expect(await settled(turn.id)).toMatchObject({ status: "completed" });
  const { tasks } = (await lastResult(turn.sessionId)).value as {
    tasks: { question: string; answer: object }[];
  };
  expect(tasks).toHaveLength(30);
  for (const { question, answer } of tasks) expect(answer).toEqual({ text: `To: ${question}` });
});

it("resumes once where a turn's results come ten times at once", async () => {
  const client = { toolName: "client_tool", toolCallId: "c1" };
  const turn = await play([{ calls: [client] }, { calls: [client] }, { text: "end" }]);
  const batch = (value: number) => ({
    approvals: {},
    calls: { c1: { status: "returned", value } },
  });
  const all = await Promise.all(
    Array.from({ length: 10 }, (_, n) => told(post(`/v1/turns/${turn.id}/results`, batch(n)))),
  );
  expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
  const losers = all.filter(({ status }) => status !== 200);
  expect(losers).toHaveLength(9);
  for (const { code } of losers) expect(code).toMatch(/^(turn_not_parked|results_incomplete)$/);
  // The next step's call has an id of its own, so none of the nine can settle it either.
  expect(await settled(turn.id)).toMatchObject({
    status: "parked",
    pending: { calls: [{ toolCallId: "c1_2" }] },
  });
});

it("lets a turn go on once where it is told to ten times at once, and an answer comes at the same time", async () => {
  const turn = await play(PARKING, { agent: "manual" });
  const requestId = onlyRequest(turn);
  const { sessionId } = turn;
  const resume = () =>
    accepted<{ resumed: unknown[]; failed: unknown[] }>(post("/v1/resume", { sessionId }));
  const resumes = () => Array.from({ length: 5 }, resume);
  const [answered, ...early] = await Promise.all([
    told(answering(requestId, { text: "Yes." })),
    ...resumes(),
  ]);
  expect(answered.status).toBe(200);
  const late = await Promise.all(resumes());
  expect([...early, ...late].flatMap(({ resumed }) => resumed)).toMatchObject([
    { turnId: turn.id, result: { status: "completed", text: "end" } },
  ]);
  expect((await readTurn(turn.id)).runs).toHaveLength(2);
  await conversation(sessionId);
});

it("takes an answer that comes with its wait's deadline, in time or late, and tells the model the same", async () => {
  const wait = awaitTasks(["$task:1"], { maxWaitMs: 1_000 });
  for (const answerFirst of [true, false]) {
    const turn = await play([{ calls: [ask()] }, { calls: [wait] }, { text: "end" }]);
    const requestId = onlyRequest(turn);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1_000 });
    const one = () => accepted<Question>(answering(requestId, { text: "Yes." }));
    const other = () => fireAlarm(turn.sessionId);
    await Promise.all(answerFirst ? [one(), other()] : [other(), one()]);
    expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
    const question = await readQuestion(requestId);
    expect(question).toMatchObject({ status: "answered", answer: { text: "Yes." } });
    expect((await lastResult(turn.sessionId)).value).toMatchObject(
      question.late === true
        ? { status: "timed_out", pending: ["task_1"] }
        : { status: "satisfied", tasks: [{ answer: { text: "Yes." } }] },
    );
  }
});

it("drives a turn on once where its alarm and its callers come to a dead object at once", async () => {
  const calls = [1, 2, 3].map((n) => ({ toolName: "charge", input: { what: `charge ${n}` } }));
  const script = [
    { calls, delayMs: 50 },
    ...calls.map((one) => ({ calls: [one] })),
    { text: "end" },
  ];
  const turn = await begin(script, { agent: "retrying" });
  await abortAllDurableObjects();
  await Promise.all([
    ...Array.from({ length: 5 }, () => fireAlarm(turn.sessionId)),
    ...Array.from({ length: 10 }, () => readTurn(turn.id)),
  ]);
  expect(await settled(turn.id)).toMatchObject({ status: "completed", usage: { steps: 5 } });
  // Each call ran once: two drivers would have run one twice, or recorded two results of it.
  expect(ledger.tries).toBe(6);
  await conversation(turn.sessionId);
});

it("starts one new run where a failed turn is retried ten times at once", async () => {
  const turn = await play([{ fail: { status: 400 } }, { calls: [FORM_CALL] }]);
  expect(turn.status).toBe("failed");
  const all = await Promise.all(
    Array.from({ length: 10 }, () => told(post(`/v1/turns/${turn.id}/retry`))),
  );
  expect(all.every(({ status }) => status === 200)).toBe(true);
  const again = await settled(turn.id);
  expect([again.status, again.runs]).toMatchObject(["parked", { length: 2 }]);
});
