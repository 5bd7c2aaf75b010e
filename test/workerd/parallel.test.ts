import { expect, it } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, call, fireAlarm, messages, play, readTurn, settled } from "./client.ts";

const ASKING = [
  { calls: [{ toolName: "ask_person", input: { question: "May we?" } }] },
  { calls: [{ toolName: "await_tasks", input: { taskIds: ["$task:1"] } }] },
  { text: "The first is done." },
];

async function beside(
  sessionId: string,
  script: unknown,
  whenBusy = "parallel",
): Promise<TurnView> {
  const body = { agent: "playground", input: "something else", extraBody: { script }, whenBusy };
  const response = await call("POST", `/v1/sessions/${sessionId}/turns`, body, {
    prefer: "wait=10",
  });
  return response.json();
}

it("lets a turn go beside a parked one, and shows the parked one a whole conversation when it resumes", async () => {
  const parked = await play(ASKING, { session: "beside" });
  const chat = await beside(parked.sessionId, [{ text: "Chatting on." }]);
  expect(chat).toMatchObject({ status: "completed", text: "Chatting on." });
  expect(await readTurn(parked.id)).toMatchObject({ status: "parked" });
  await answer(parked.waitingFor?.[0]?.requestId ?? "", { text: "Yes." });
  expect(await settled(parked.id)).toMatchObject({
    status: "completed",
    text: "The first is done.",
  });
  const roles = (await messages(parked.sessionId)).map(
    (message) => (message as { role: string }).role,
  );
  expect(roles).toEqual([
    "user",
    "assistant",
    "user",
    "assistant",
    "tool",
    "assistant",
    "tool",
    "assistant",
  ]);
});

it("keeps a queued turn behind a parked one while another goes beside it", async () => {
  const parked = await play(ASKING, { session: "mixed" });
  const queued = await call("POST", `/v1/sessions/${parked.sessionId}/turns`, {
    agent: "playground",
    input: "next",
  });
  const { id } = await queued.json<TurnView>();
  const chat = await beside(parked.sessionId, [{ text: "Beside." }]);
  expect(chat.status).toBe("completed");
  expect(await readTurn(id)).toMatchObject({
    status: "queued",
    queuedBehind: { turnId: parked.id },
  });
  await answer(parked.waitingFor?.[0]?.requestId ?? "", { text: "Yes." });
  expect(await settled(id)).toMatchObject({ status: "completed" });
});

it("never takes a message for the answer", async () => {
  const parked = await play(ASKING, { session: "no-answer" });
  await beside(parked.sessionId, [{ text: "Noted." }]);
  expect(await readTurn(parked.id)).toMatchObject({
    status: "parked",
    waitingFor: [{ question: "May we?" }],
  });
});

it("drives a failed turn on from where it stands, in a new run", async () => {
  const script = [
    { calls: [{ toolName: "boom", input: { message: "first" } }] },
    { fail: { status: 400, times: 1 } },
    { text: "Recovered." },
  ];
  const failed = await play(script, { session: "retried" });
  expect(failed).toMatchObject({ status: "failed", error: { code: "model_failed" } });
  const retried = await call("POST", `/v1/turns/${failed.id}/retry`);
  expect(retried.status).toBe(200);
  expect(await settled(failed.id)).toMatchObject({
    status: "completed",
    text: "Recovered.",
    runs: [{ status: "failed" }, { status: "completed" }],
    usage: { steps: 2 },
  });
  expect(await fireAlarm(failed.sessionId)).toBe(false);
  // Who lost the answer asks again, and finds what came of it.
  const again = await call("POST", `/v1/turns/${failed.id}/retry`);
  expect(again.status).toBe(200);
  expect(await again.json()).toEqual(await readTurn(failed.id));
});

it("refuses to retry a turn that did not fail", async () => {
  const done = await play([{ text: "Done." }], { session: "done" });
  const refused = await call("POST", `/v1/turns/${done.id}/retry`);
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ code: "turn_settled" });
});
