import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { messages, play, readTurn, settled, stubOf } from "./client.ts";
import {
  accepted,
  answering,
  ask,
  awaitTasks,
  begin,
  conversation,
  lastResult,
  onlyRequest,
  post,
  readQuestion,
  refusal,
  results,
  start,
} from "./journey.ts";

const MEBIBYTE = 1_024 * 1_024;
/** The platform refuses a row above 2 MB, which local workerd does not. */
const ROW_BYTES = 2_000_000;

async function largestRow(sessionId: string): Promise<number> {
  return runInDurableObject(stubOf(sessionId), (_instance, state) => {
    const tables = state.storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
      )
      .toArray();
    return Math.max(
      ...tables.map(({ name }) => {
        const columns = state.storage.sql
          .exec<{ name: string }>(`SELECT name FROM pragma_table_info('${name}')`)
          .toArray();
        const bytes = columns
          .map((column) => `COALESCE(LENGTH(CAST("${column.name}" AS BLOB)), 0)`)
          .join(" + ");
        return Number(
          state.storage.sql.exec(`SELECT COALESCE(MAX(${bytes}), 0) AS bytes FROM "${name}"`).one()[
            "bytes"
          ],
        );
      }),
    );
  });
}

/** Survives a new life of its object: the same turn, the same conversation. */
async function provesToLast(sessionId: string, turnId: string): Promise<void> {
  const before = { turn: await readTurn(turnId), messages: await messages(sessionId) };
  expect(await largestRow(sessionId)).toBeLessThan(ROW_BYTES);
  await evictDurableObject(stubOf(sessionId));
  expect({ turn: await readTurn(turnId), messages: await messages(sessionId) }).toEqual(before);
}

it("keeps a text near the limit of a model's message over several rows", async () => {
  for (const character of ["x", "é", "漢", "😀", "\u0001"]) {
    const units = Math.floor(
      (MEBIBYTE - 2_000) /
        (JSON.stringify(character).length > 3 ? 6 : new TextEncoder().encode(character).length),
    );
    const text = character.repeat(units);
    const turn = await play([{ text }]);
    expect(turn.status, JSON.stringify(character)).toBe("completed");
    expect(turn.text === text).toBe(true);
    await provesToLast(turn.sessionId, turn.id);
    const next = await play([{ text: "next" }], { session: turn.sessionId });
    expect(next).toMatchObject({ status: "completed", text: "next" });
  }
});

it("fails a turn whose model says more than can be kept, and leaves the session usable", async () => {
  const repeated = { toolName: "big", input: { bytes: 1 }, toolCallId: "x".repeat(1_000) };
  const calls = Array.from({ length: 700 }, () => repeated);
  const started = await start([{ calls }], { headers: { prefer: "wait=5" } });
  expect([200, 202]).toContain(started.status);
  const turn = await started.json<Awaited<ReturnType<typeof readTurn>>>();
  expect(["running", "completed"]).toContain(turn.status);
  if (turn.status === "running") await accepted(post(`/v1/turns/${turn.id}/cancel`));
  expect(await play([{ text: "next" }], { session: turn.sessionId })).toMatchObject({
    status: "completed",
  });
});

it("keeps results near their limit, several in one step", async () => {
  const big = { toolName: "big", input: { bytes: MEBIBYTE - 2 } };
  const turn = await play([{ calls: [big, big, big] }, { text: "end" }]);
  expect(turn).toMatchObject({ status: "completed", text: "end" });
  expect((await results(turn.sessionId)).map(({ value }) => String(value).length)).toEqual([
    MEBIBYTE - 2,
    MEBIBYTE - 2,
    MEBIBYTE - 2,
  ]);
  await provesToLast(turn.sessionId, turn.id);
});

it("keeps an answer near its limit, and refuses a larger one", async () => {
  const turn = await play([
    { calls: [{ toolName: "ask_tool", input: { question: "All of it?", answerSchema: true } }] },
    { calls: [awaitTasks(["$task:1"])] },
    { text: "end" },
  ]);
  const requestId = onlyRequest(turn);
  const value = "漢".repeat(Math.floor((MEBIBYTE - 100) / 3));
  expect(
    await refusal(answering(requestId, { value: `${value}${"x".repeat(200)}` })),
  ).toMatchObject({ status: 422, code: "invalid_answer" });
  await accepted(answering(requestId, { value }));
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  expect((await readQuestion(requestId)).answer).toEqual({ value });
  await provesToLast(turn.sessionId, turn.id);
});

it("keeps an extra body and an input near their limits", async () => {
  const input = "😀".repeat(262_144);
  const filler = { text: "never", calls: [] };
  const script = [{ text: "end" }, ...Array.from({ length: 30_000 }, () => filler)];
  expect(JSON.stringify({ script }).length).toBeGreaterThan(800_000);
  const turn = await begin(script, { input });
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end", input });
  await provesToLast(turn.sessionId, turn.id);
  expect(await refusal(start([], { input: `${input}x` }))).toMatchObject({ status: 400 });
  const tooLarge = await refusal(start([{ text: "x".repeat(MEBIBYTE) }]));
  expect(tooLarge).toMatchObject({ status: 400, issues: [{ path: "extraBody" }] });
  const brief = await refusal(start([{ text: "x".repeat(10_000) }], { agent: "brief" }));
  expect(brief).toMatchObject({ status: 400, issues: [{ path: "extraBody" }] });
});

it("keeps a returned value of a client tool near its limit", async () => {
  const turn = await play([
    { calls: [{ toolName: "client_tool", toolCallId: "c1" }] },
    { text: "end" },
  ]);
  const value = "x".repeat(200_000);
  await accepted(
    post(`/v1/turns/${turn.id}/results`, {
      approvals: {},
      calls: { c1: { status: "returned", value } },
    }),
  );
  expect(await settled(turn.id)).toMatchObject({ status: "completed" });
  expect((await lastResult(turn.sessionId)).value).toBe(value);
  await provesToLast(turn.sessionId, turn.id);
});

it("refuses arguments that were changed to others as long, which one row can't hold, and keeps the question", async () => {
  // No loopback address: the tool refuses it, and nothing is sent.
  const url = "http://example.com/";
  const body = "x".repeat(MEBIBYTE - 2_000);
  const turn = await play([{ calls: [{ toolName: "guarded_http", input: { url, body } }] }]);
  const requestId = onlyRequest(turn);
  const input = { url, body: "y".repeat(MEBIBYTE - 2_000) };
  expect(await refusal(answering(requestId, { approved: true, input }))).toMatchObject({
    code: "invalid_answer",
  });
  await accepted(answering(requestId, { approved: true, input: { url, body: "short" } }));
  expect(await settled(turn.id)).toMatchObject({ status: "completed" });
  await provesToLast(turn.sessionId, turn.id);
});

it("refuses a batch of results above its limit", async () => {
  const turn = await play([
    { calls: [{ toolName: "client_tool", toolCallId: "c1" }] },
    { text: "end" },
  ]);
  const value = "x".repeat(262_144);
  const problem = await refusal(
    post(`/v1/turns/${turn.id}/results`, {
      approvals: {},
      calls: { c1: { status: "returned", value } },
    }),
  );
  expect(problem).toMatchObject({ status: 413, code: "payload_too_large" });
  expect((await readTurn(turn.id)).status).toBe("parked");
});

it("gives the model no more in one result than it may hold: long answers are looked at one by one", async () => {
  const value = "x".repeat(600_000);
  const question = (key: string) => ({
    toolName: "ask_tool",
    input: { question: `${key}?`, key, answerSchema: true },
  });
  const turn = await play([
    { calls: [question("one"), question("two"), question("three")] },
    { calls: [awaitTasks(["$task:1", "$task:2", "$task:3"])] },
    { calls: [{ toolName: "list_tasks" }] },
    { calls: [{ toolName: "get_task", input: { taskId: "$task:2" } }] },
    { text: "end" },
  ]);
  for (const { requestId } of turn.waitingFor ?? [])
    await accepted(answering(requestId ?? "", { value }));
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  const all = await results(turn.sessionId);
  const [awaited, listed, one] = all.slice(3).map(({ value: given }) => given);
  const short = { kind: "input", status: "answered", note: expect.stringContaining("get_task") };
  expect(awaited).toMatchObject({
    status: "satisfied",
    tasks: [
      { taskId: "task_1", answer: { value } },
      { taskId: "task_2", ...short },
      { taskId: "task_3", ...short },
    ],
  });
  expect(listed).toMatchObject({
    tasks: [
      { taskId: "task_1", ...short },
      { taskId: "task_2", ...short },
      { taskId: "task_3", answer: { value } },
    ],
  });
  expect(one).toMatchObject({ taskId: "task_2", answer: { value } });
  for (const { value: given } of all) expect(JSON.stringify(given).length).toBeLessThan(MEBIBYTE);
  await provesToLast(turn.sessionId, turn.id);
});

it("holds a conversation of many steps", async () => {
  const step = { calls: [{ toolName: "big", input: { bytes: 10 } }], repeat: 300 };
  const turn = await begin([step, { text: "end" }]);
  expect(await settled(turn.id)).toMatchObject({
    status: "completed",
    text: "end",
    usage: { steps: 301 },
  });
  expect(await conversation(turn.sessionId)).toHaveLength(602);
  await provesToLast(turn.sessionId, turn.id);
});

it("holds many open questions, and refuses one more in words", async () => {
  const calls = Array.from({ length: 500 }, (_, n) => ask({ question: `${n}?` }));
  const turn = await play([
    { calls },
    { calls },
    {
      calls: [
        ask({ question: "One more?" }),
        { toolName: "ask_tool", input: { question: "Two more?" } },
      ],
    },
    { text: "end" },
  ]);
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  // Of more tasks than it lists it says so, and shows the newest.
  await play(
    [
      { calls: [{ toolName: "cancel_task", input: { taskId: "task_1" } }] },
      { calls: [ask({ question: "Last?" })] },
      { calls: [{ toolName: "list_tasks" }] },
    ],
    { session: turn.sessionId },
  );
  const { tasks, note } = (await lastResult(turn.sessionId)).value as {
    readonly tasks: readonly { readonly taskId: string }[];
    readonly note: string;
  };
  expect(tasks.map(({ taskId }) => taskId)).toEqual(
    Array.from({ length: 1_000 }, (_, n) => `task_${n + 2}`),
  );
  expect(note).toMatch(/older tasks are not listed/);
  const last = (await results(turn.sessionId)).slice(1_000, 1_002);
  for (const { type, value } of last) {
    expect(type).toBe("error-text");
    expect(value).toMatch(/1000 open questions/);
  }
  await provesToLast(turn.sessionId, turn.id);
});
