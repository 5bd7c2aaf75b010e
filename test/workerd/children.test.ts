import { afterEach, expect, it } from "vitest";
import { deriveSessionKey, formatId } from "../../src/core/ids.ts";
import { answer, call, fireAlarm, messages, play, settled } from "./client.ts";
import { faults } from "./faults.ts";

const run = (input: object) => [
  { calls: [{ toolName: "delegate", input }] },
  { text: "The parent is done." },
];

const awaited = (input: object) => [
  { calls: [{ toolName: "delegate", input }] },
  { calls: [{ toolName: "await_tasks", input: { taskIds: ["$task:1"] } }] },
  { text: "The parent is done." },
];

/** The question that the child of the parent's task asks: its session's key follows from the parent's. */
async function childQuestion(parentSessionId: string): Promise<string> {
  const parent = parentSessionId.slice("sess_".length);
  const task = await call("GET", `/v1/sessions/${parentSessionId}`).then((response) =>
    response.text(),
  );
  expect(task).toContain("task_1");
  for (let item = 1; item < 20; item += 1) {
    const key = await deriveSessionKey({ from: "parent", call: `${parent}:${item}` });
    const found = await call("GET", `/v1/questions?sessionId=sess_${key}`);
    if (!found.ok) continue;
    const { items } = await found.json<{ items: { requestId: string }[] }>();
    if (items[0] !== undefined) return items[0].requestId;
    await settled(formatId("turn", key, 1));
    item -= 1;
  }
  throw new Error("the child asks nothing");
}

afterEach(() => faults.crashAfter(0));

it("gives the tool the result of a child that can't park", async () => {
  const turn = await play(run({ agent: "quick" }), { agent: "delegating" });
  expect(turn).toMatchObject({ status: "completed", text: "The parent is done." });
  expect(JSON.stringify(await messages(turn.sessionId))).toContain("The child is done.");
});

it("offers a child that can't park no human tool", async () => {
  const turn = await play(run({ agent: "asking" }), { agent: "delegating" });
  const text = JSON.stringify(await messages(turn.sessionId));
  // The child's call of ask_person came back as an error, so its $task:1 names nothing and its script can't go on.
  expect(text).toContain('"status":"failed"');
  expect(text).not.toContain("The child went on.");
});

it("tells the tool how a child failed", async () => {
  const turn = await play(run({ agent: "failing" }), { agent: "delegating" });
  expect(JSON.stringify(await messages(turn.sessionId))).toContain("scripted failure 400");
});

it("refuses an agent that is not there in the tool's own result", async () => {
  const turn = await play(run({ agent: "nobody" }), { agent: "delegating" });
  expect(turn.status).toBe("completed");
  expect(JSON.stringify(await messages(turn.sessionId))).toContain("FAILED: the child can't start");
});

it("settles the parent's task when a child that may park is done", async () => {
  const parent = await play(awaited({ agent: "asking", deferred: true }), { agent: "delegating" });
  expect(parent).toMatchObject({
    status: "parked",
    waitingFor: [{ kind: "task", taskId: "task_1" }],
  });
  await answer(await childQuestion(parent.sessionId), { text: "It may." });
  const done = await waitedFor(parent.id);
  expect(done).toMatchObject({ status: "completed", text: "The parent is done." });
  expect(JSON.stringify(await messages(parent.sessionId))).toContain("The child went on.");
});

it("finds the same child again where the parent's object dies at any commit", async () => {
  for (let at = 2; at <= 6; at += 1) {
    faults.crashAfter(at);
    const session = `parent-${at}`;
    const body = {
      agent: "delegating",
      input: "go",
      extraBody: { script: run({ agent: "quick" }) },
    };
    const started = await call("POST", `/v1/sessions/${session}/turns`, body);
    const { id, sessionId } = await started.json<{ id: string; sessionId: string }>();
    await fireAlarm(sessionId).catch(() => false);
    const done = await settled(id).catch(() => settled(id));
    expect(done, `crash at commit ${at}`).toMatchObject({
      status: "completed",
      text: "The parent is done.",
    });
    const text = JSON.stringify(await messages(sessionId));
    expect(text.split("The child is done.").length - 1, `crash at commit ${at}`).toBe(1);
  }
});

it("starts a child that may park once, although the tool that started it was interrupted and run again", async () => {
  // The third commit is the tool's own: the child's task stands, and the tool has no result yet.
  faults.crashAfter(3);
  const script = [
    ...run({ agent: "quick", deferred: true }).slice(0, 1),
    { calls: [{ toolName: "list_tasks" }] },
    { text: "The parent is done." },
  ];
  const body = { agent: "delegating", input: "go", extraBody: { script } };
  const started = await call("POST", "/v1/sessions/interrupted-parent/turns", body);
  const { id, sessionId } = await started.json<{ id: string; sessionId: string }>();
  await settled(id).catch(() => settled(id));
  expect(faults.crashed).toBe(true);
  expect(await settled(id)).toMatchObject({ status: "completed", text: "The parent is done." });
  const text = JSON.stringify(await messages(sessionId));
  expect(text).toContain('{"status":"started","taskId":"task_1"}');
  expect(text).not.toContain("task_2");
});

it("cancels the child of a task that is cancelled with its turn", async () => {
  const parent = await play(awaited({ agent: "asking", deferred: true }), { agent: "delegating" });
  const requestId = await childQuestion(parent.sessionId);
  await call("POST", `/v1/turns/${parent.id}/cancel`);
  const child = requestId.slice("q_".length, "q_".length + 24);
  const turn = formatId("turn", child, 1);
  expect(await waitedFor(turn)).toMatchObject({ status: "cancelled" });
  const refused = await call("POST", `/v1/questions/${requestId}/answer`, {
    answer: { text: "Late." },
    answeredBy: "dana",
  });
  expect(refused.status).toBe(409);
});

/** A turn once it is over: what ends it comes from another object. */
async function waitedFor(id: string) {
  let turn = await settled(id);
  while (turn.status === "parked") {
    await call("GET", `/v1/turns/${id}?wait=1`);
    turn = await settled(id);
  }
  return turn;
}
