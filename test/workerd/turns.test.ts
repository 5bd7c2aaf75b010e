import { expect, it } from "vitest";
import { deriveSessionKey, formatSessionId } from "../../src/core/ids.ts";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, call, play, readTurn, settled } from "./client.ts";
import {
  accepted,
  ask,
  awaitTasks,
  begin,
  conversation,
  onlyRequest,
  refusal,
  results,
  send,
  start,
} from "./journey.ts";

const ASK = [{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }, { text: "Went on." }];

it("starts a turn with 202, its place, and the turn as it is", async () => {
  const response = await start([{ text: "Hello." }], { metadata: { order: "7" } });
  expect(response.status).toBe(202);
  const turn = await response.json<TurnView>();
  expect(response.headers.get("location")).toBe(`/v1/turns/${turn.id}`);
  expect(response.headers.get("preference-applied")).toBeNull();
  expect(turn).toEqual({
    id: expect.stringMatching(/^turn_[0-9a-f]{32}$/),
    sessionId: `sess_${turn.id.slice(5, 29)}`,
    agent: "playground",
    status: "running",
    input: "go",
    runs: [{ id: expect.stringMatching(/^run_[0-9a-f]{32}$/), status: "running" }],
    attempts: 0,
    usage: { inputTokens: 0, outputTokens: 0, steps: 0 },
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updatedAt: turn.createdAt,
    metadata: { order: "7" },
  });
  const done = await settled(turn.id);
  expect(done).toEqual({
    ...turn,
    status: "completed",
    text: "Hello.",
    runs: [{ id: turn.runs[0]?.id, status: "completed" }],
    usage: { inputTokens: 1, outputTokens: 2, steps: 1 },
    updatedAt: expect.any(String),
  });
});

it("answers 200 once the turn is settled or parked where the caller prefers to wait", async () => {
  const completed = await start([{ text: "Hello.", delayMs: 20 }], {
    headers: { prefer: "respond-async, wait=10" },
  });
  expect(completed.status).toBe(200);
  expect(completed.headers.get("preference-applied")).toBe("wait=10");
  expect(await completed.json()).toMatchObject({ status: "completed", text: "Hello." });
  const parked = await start(ASK, { headers: { prefer: "wait=9999" } });
  expect(parked.status).toBe(200);
  expect(parked.headers.get("preference-applied")).toBe("wait=60");
  expect(await parked.json()).toMatchObject({ status: "parked" });
});

it("answers 202 where the turn is still running when the preferred wait is over, and the turn goes on", async () => {
  const response = await start([{ text: "Late.", delayMs: 1_300 }], {
    headers: { prefer: "wait=1" },
  });
  expect(response.status).toBe(202);
  expect(response.headers.get("preference-applied")).toBe("wait=1");
  const turn = await response.json<TurnView>();
  expect(turn.status).toBe("running");
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "Late." });
});

it("shows a parked turn with what it waits for, and goes on in a successor run", async () => {
  const parked = await play([
    { text: "Asking.", calls: [ask()] },
    { calls: [awaitTasks(["$task:1"], { maxWaitMs: 60_000 })] },
    { text: "Went on." },
  ]);
  const [waiting] = parked.runs;
  expect(parked).toMatchObject({
    status: "parked",
    runs: [{ status: "waiting" }],
    pending: {
      approvals: [],
      calls: [
        {
          toolCallId: "call_1_0",
          toolName: "await_tasks",
          arguments: { taskIds: ["task_1"], maxWaitMs: 60_000 },
        },
      ],
    },
    waitingFor: [
      {
        kind: "question",
        taskId: "task_1",
        requestId: expect.stringMatching(/^q_/),
        question: "Go on?",
        answerUrl: expect.stringMatching(/^https:\/\/holdpoint\.test\/a\/[A-Za-z0-9_-]+$/),
        until: new Date(Date.parse(parked.updatedAt) + 60_000).toISOString(),
      },
    ],
    attempts: 0,
  });
  expect(parked).not.toHaveProperty("text");
  await answer(onlyRequest(parked), { text: "Yes." });
  const done = await settled(parked.id);
  expect(done).toMatchObject({ status: "completed", text: "Went on." });
  expect(done).not.toHaveProperty("pending");
  expect(done).not.toHaveProperty("waitingFor");
  expect(done.runs).toEqual([
    { id: waiting?.id, status: "waiting" },
    { id: expect.not.stringMatching(waiting?.id ?? ""), status: "completed" },
  ]);
});

it("answers a read with wait at once where the turn is settled, and else when its status changes", async () => {
  const parked = await play(ASK);
  const [changed, still] = await Promise.all([
    readTurn(parked.id, 30),
    readTurn(parked.id).then(async (turn) => {
      await answer(onlyRequest(parked), { text: "Yes." });
      return turn;
    }),
  ]);
  expect(still.status).toBe("parked");
  expect(changed.status).toBe("running");
  expect(await settled(parked.id)).toMatchObject({ status: "completed" });
  expect(await readTurn(parked.id, 30)).toMatchObject({ status: "completed" });
});

it("answers a read with wait with the same status where nothing changes in time", async () => {
  const parked = await play(ASK);
  expect(await readTurn(parked.id, 1)).toEqual(parked);
});

it("hands text, json and url parts to the model, and shows them as they came", async () => {
  const parts = [
    { type: "text", text: "Look:" },
    { type: "json", value: { list: [1, null, true, "x"], nested: { deep: {} } } },
    { type: "url", url: "https://example.com/a?b=c" },
  ];
  const turn = await begin([{ text: "ok" }], { input: parts });
  expect(await settled(turn.id)).toMatchObject({ status: "completed", input: parts });
  const [user] = await conversation(turn.sessionId);
  expect(user).toEqual({
    role: "user",
    content:
      'Look:\n\n{"list":[1,null,true,"x"],"nested":{"deep":{}}}\n\nhttps://example.com/a?b=c',
  });
});

it("keeps every member of a json part, one called __proto__ too", async () => {
  const body =
    '{"agent":"playground","input":[{"type":"json","value":{"__proto__":{"a":1},"constructor":2}}]}';
  const turn = await accepted<TurnView>(send("POST", "/v1/turns", body));
  await settled(turn.id);
  const [user] = await conversation(turn.sessionId);
  expect(user?.content).toBe('{"__proto__":{"a":1},"constructor":2}');
});

it("refuses a file part in words that say so", async () => {
  const problem = await refusal(start([], { input: [{ type: "file", file: "f" }] }));
  expect(problem).toMatchObject({ status: 400, code: "invalid_request" });
  expect(problem.issues?.[0]?.path).toBe("input[0].type");
});

it("keeps one conversation in a session, by its name and by its id", async () => {
  const first = await play([{ text: "One." }], { session: "loan:42" });
  expect(first).toMatchObject({
    sessionName: "loan:42",
    sessionId: formatSessionId(await deriveSessionKey({ from: "name", name: "loan:42" })),
  });
  const second = await play([{ text: "Two." }], { session: first.sessionId });
  expect(second.sessionId).toBe(first.sessionId);
  expect(second.sessionName).toBe("loan:42");
  expect((await conversation("loan:42")).map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "user",
    "assistant",
  ]);
  const session = await accepted<{
    id: string;
    name: string;
    turns: TurnView[];
    questions: unknown[];
  }>(call("GET", "/v1/sessions/loan:42"));
  expect(session).toMatchObject({ id: first.sessionId, name: "loan:42", questions: [] });
  expect(session.turns.map(({ id }) => id).sort()).toEqual([first.id, second.id].sort());
});

it("shows a session's open questions and no settled ones", async () => {
  const parked = await play([
    { calls: [ask({ question: "One?" }), ask({ question: "Two?" })] },
    { calls: [awaitTasks(["$task:1"])] },
  ]);
  await answer(onlyRequest(parked), { text: "Yes." });
  await settled(parked.id);
  const session = await accepted<{ questions: unknown[] }>(
    call("GET", `/v1/sessions/${parked.sessionId}`),
  );
  expect(session.questions).toMatchObject([
    { question: "Two?", status: "waiting", answerUrl: expect.any(String) },
  ]);
});

it("knows no session that was never begun", async () => {
  const unknown = `sess_${"0".repeat(24)}`;
  for (const request of [
    start([], { session: unknown }),
    call("GET", `/v1/sessions/${unknown}`),
    call("GET", `/v1/sessions/${unknown}/messages`),
    call("GET", "/v1/sessions/never-used"),
    call("GET", "/v1/sessions/never-used/messages"),
    call("GET", `/v1/questions?sessionId=${unknown}`),
  ])
    expect(await refusal(request)).toMatchObject({ status: 404, code: "not_found" });
});

it("knows no turn by the number of something else", async () => {
  const turn = await play([{ text: "x" }]);
  const key = turn.id.slice(5, 29);
  for (const n of [0, 2, 3, 4, 99, 0xffff_ffff]) {
    const id = `turn_${key}${n.toString(16).padStart(8, "0")}`;
    expect(await refusal(call("GET", `/v1/turns/${id}`)), id).toMatchObject({ status: 404 });
    expect(await refusal(call("POST", `/v1/turns/${id}/cancel`)), id).toMatchObject({
      status: 404,
    });
    const nothing = { approvals: {}, calls: {} };
    expect(await refusal(call("POST", `/v1/turns/${id}/results`, nothing)), id).toMatchObject({
      status: 404,
    });
  }
});

it("takes the first agent where none is named, and refuses one that is not there", async () => {
  const turn = await accepted<TurnView>(call("POST", "/v1/turns", { input: "go" }));
  expect(turn.agent).toBe("playground");
  expect(await refusal(start([], { agent: "nobody" }))).toMatchObject({
    status: 400,
    code: "invalid_request",
    issues: [{ path: "agent" }],
  });
});

it("gives a turn that can't come back no tool that would wait", async () => {
  const calls = [
    ask(),
    awaitTasks(["task_1"]),
    { toolName: "client_tool" },
    { toolName: "ask_user_question", input: {} },
  ];
  const guarded = { toolName: "guarded_http", input: { url: "http://localhost:1/" } };
  const turn = await begin([{ calls: [...calls, guarded] }, { text: "end" }], { deferred: false });
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  const refused = await results(turn.sessionId);
  expect(refused).toHaveLength(5);
  for (const { type, value } of refused.slice(0, 4)) {
    expect(type).toBe("error-text");
    expect(value).toMatch(/^FAILED: there is no tool/);
    expect(value).not.toMatch(/ask_person.*ask_person|the tools are.*await_tasks/);
  }
  expect(refused[4]?.value).toMatch(/^NOT EXECUTED\. /);
});
