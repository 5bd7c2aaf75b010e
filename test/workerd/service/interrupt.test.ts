import { expect, it } from "vitest";
import { questionsOf } from "../journey.ts";
import {
  accepted,
  interrupt,
  poll,
  readEntry,
  readRun,
  refusal,
  runThatIs,
  say,
  send,
  sendText,
  startThread,
  waitingRun,
} from "./client.ts";
import { ASK } from "./scripts.ts";

it("interrupts a run that is under way, and lets the next message run", async () => {
  const { run, thread } = await accepted(startThread([{ text: "late", delayMs: 60_000 }]), 201);
  const { entry } = await accepted(say(thread.id, [{ text: "next" }]), 201);
  expect(await accepted(interrupt(run?.id ?? ""), 200)).toMatchObject({
    id: run?.id,
    status: "cancelled",
  });
  const consumed = await poll(
    () => readEntry(entry),
    ({ status }) => status === "consumed",
  );
  expect(await runThatIs("completed", consumed.assigned_run_id ?? "")).toMatchObject({
    output: "next",
  });
  expect(await refusal(interrupt(run?.id ?? ""))).toEqual({
    status: 409,
    code: "conflict",
    details: { kind: "run", id: run?.id, reason: "run_cancelled" },
  });
});

it("refuses to interrupt a run that waits, is completed or has failed", async () => {
  const waiting = await waitingRun(ASK);
  const { run: ended } = await accepted(startThread([{ text: "end" }]), 201);
  const { run: broken } = await accepted(startThread([{ fail: { status: 400 } }]), 201);
  const completed = await runThatIs("completed", ended?.id ?? "");
  const failure = await runThatIs("failed", broken?.id ?? "");
  for (const run of [waiting, completed, failure]) {
    expect(await refusal(interrupt(run.id))).toEqual({
      status: 409,
      code: "conflict",
      details: { kind: "run", id: run.id, reason: `run_${run.status}` },
    });
    expect(await readRun(run.id)).toEqual(run);
  }
});

it("takes an interrupt with an empty body or an empty object, and no other", async () => {
  const start = () => accepted(startThread([{ text: "late", delayMs: 60_000 }]), 201);
  const path = async () => `/api/v1/runs/${(await start()).run?.id}/interrupt`;
  expect(await refusal(send("POST", await path(), { reason: "no" }))).toMatchObject({
    status: 400,
  });
  expect(await refusal(send("POST", await path(), []))).toMatchObject({ status: 400 });
  await accepted(send("POST", await path(), {}), 200);
  await accepted(sendText("POST", await path(), "", { "content-type": "application/json" }), 200);
});

it("cancels with a run what it asked", async () => {
  const ask = { toolName: "ask_person", input: { question: "Go on?" } };
  const { run } = await accepted(
    startThread([{ calls: [ask] }, { text: "late", delayMs: 60_000 }]),
    201,
  );
  const read = () => questionsOf(run?.session_id ?? "");
  await poll(read, (questions) => questions.length === 1);
  await accepted(interrupt(run?.id ?? ""), 200);
  expect(await read()).toMatchObject([{ status: "cancelled" }]);
});
