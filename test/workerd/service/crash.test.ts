import { evictDurableObject } from "cloudflare:test";
import { afterEach, expect, it } from "vitest";
import { fireAlarm, stubOf } from "../client.ts";
import { faults } from "../faults.ts";
import { FORM_ANSWER, results } from "../journey.ts";
import { ledger } from "../ledger.ts";
import {
  accepted,
  APPROVE,
  poll,
  readRun,
  refusal,
  resume,
  returned,
  runThatIs,
  startThread,
  waitingRun,
  type Run,
} from "./client.ts";
import { ANSWERED, ASK, FORM_CALL } from "./scripts.ts";

afterEach(() => {
  faults.crashAfter(0);
  ledger.clear();
});

const REFUND = { toolName: "refund", input: { what: "refund" }, toolCallId: "pay-1" };
const WHOLE = {
  approvals: { "pay-1": APPROVE },
  calls: { "question-1": returned(FORM_ANSWER) },
};

/** Sends a resume as a client does that got no answer: again, under the same key. */
async function insist(run: Run): Promise<{ status: number; body: Run }> {
  const first = await resume(run.id, WHOLE, "insist");
  return first.status < 500 ? first : resume(run.id, WHOLE, "insist");
}

/** The run as it ends, whatever object it is that ends it. */
async function completed(run: Run): Promise<Run> {
  await fireAlarm(run.session_id).catch(() => false);
  const read = () => readRun(run.id).catch(() => run);
  return poll(read, ({ status }) => status === "completed");
}

it("resumes a run that waited while its object was evicted", async () => {
  const run = await waitingRun(ASK);
  await evictDurableObject(stubOf(run.session_id));
  expect(await readRun(run.id)).toEqual(run);
  expect(await refusal(resume(run.id, {}))).toMatchObject({ details: { missing: ["question-1"] } });
  const { body: successor } = await resume(run.id, ANSWERED, "evicted");
  const done = await runThatIs("completed", successor.id);
  await evictDurableObject(stubOf(run.session_id));
  expect(await resume(run.id, ANSWERED, "evicted")).toEqual({ status: 200, body: done });
});

it("ends in the same way where the object dies after any commit of a resume, with one successor and each effect once", async () => {
  const script = [{ calls: [FORM_CALL, REFUND] }, { text: "end" }];
  for (let at = 1; at <= 5; at += 1) {
    ledger.clear();
    const run = await waitingRun(script, { agent_id: "retrying" });
    faults.crashAfter(at);
    const resumed = await insist(run);
    expect([200, 201], `crashed at commit ${at}`).toContain(resumed.status);
    const done = await completed(resumed.body);
    expect(done, `crashed at commit ${at}`).toMatchObject({ output: "end", parent_run_id: run.id });
    expect((await readRun(run.id)).resumed_by_id).toBe(done.id);
    expect(ledger.effects, `crashed at commit ${at}`).toEqual(["refund"]);
    expect(await results(run.session_id)).toHaveLength(2);
    faults.crashAfter(0);
  }
});

it("finds the same thread again where the object died as it took the message", async () => {
  const key = { "idempotency-key": "lost" };
  faults.crashAfter(1);
  const first = await startThread(ASK, {}, key);
  expect(first.status).toBeGreaterThanOrEqual(500);
  const again = await accepted(startThread(ASK, {}, key), 200);
  await fireAlarm(again.thread.session_id);
  expect(await runThatIs("waiting", again.run?.id ?? "")).toMatchObject({ status: "waiting" });
});
