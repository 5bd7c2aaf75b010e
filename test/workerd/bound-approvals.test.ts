import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { afterEach, expect, it } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, call, fireAlarm, messages, play, readTurn, settled, stubOf } from "./client.ts";
import { faults } from "./faults.ts";
import {
  accepted,
  answering,
  conversation,
  lastResult,
  onlyRequest,
  post,
  readQuestion,
  refusal,
} from "./journey.ts";
import { ledger } from "./ledger.ts";
import { stage } from "./stage.ts";

afterEach(() => {
  faults.crashAfter(0);
  ledger.clear();
  stage.clear();
});

const NOT_THIS_CALL =
  "NOT EXECUTED. what was allowed is not this call: its tool or its arguments differ";

function paying(toolName = "guarded", what = "pay"): object {
  return { toolName, input: { what }, toolCallId: "pay-1" };
}

function parkOnApproval(toolName?: string, session?: string): Promise<TurnView> {
  const options = { agent: "staged", ...(session !== undefined && { session }) };
  return play([{ calls: [paying(toolName)] }, { text: "end" }], options);
}

/** Changes what is stored of a session, behind the engine's back, and takes its object out of memory. */
async function tamper(
  { sessionId }: TurnView,
  column: "journal.facts" | "tasks.content" | "tasks.settlement",
  from: string,
  to: string,
): Promise<void> {
  const [table, name] = column.split(".");
  const rows = await runInDurableObject(stubOf(sessionId), (_instance, state) => {
    const change = `UPDATE ${table} SET ${name} = replace(${name}, ?, ?) WHERE instr(${name}, ?)`;
    return state.storage.sql.exec(change, from, to, from).rowsWritten;
  });
  expect(rows).toBeGreaterThan(0);
  await abortAllDurableObjects();
}

/** Allows the call; the object dies with so many more commits on disk, before the call has run to its end. */
async function allowAndCrash(turn: TurnView, commits: number, given: object): Promise<void> {
  faults.crashAfter(commits);
  await answering(onlyRequest(turn), { approved: true, ...given }).catch(() => undefined);
  await expect.poll(() => faults.crashed).toBe(true);
  faults.crashAfter(0);
  expect(ledger.tries).toBe(0);
}

async function revived(turn: TurnView): Promise<TurnView> {
  await fireAlarm(turn.sessionId).catch(() => fireAlarm(turn.sessionId));
  return settled(turn.id);
}

async function provesNotRun(turn: TurnView, value: string): Promise<void> {
  expect(await revived(turn)).toMatchObject({ status: "completed", text: "end" });
  expect(await lastResult(turn.sessionId)).toMatchObject({ type: "error-text", value });
  expect(ledger.tries).toBe(0);
}

it("does not run a call whose stored arguments are no more those that the person was asked about", async () => {
  const turn = await parkOnApproval();
  await tamper(turn, "journal.facts", '"input":{"what":"pay"}', '"input":{"what":"pay all"}');
  await answer(onlyRequest(turn), { approved: true });
  await provesNotRun(turn, NOT_THIS_CALL);
});

it("does not run a call where the question that the person saw was changed", async () => {
  const turn = await parkOnApproval();
  await tamper(turn, "tasks.content", '{"what":"pay"}', '{"what":"pay little"}');
  expect(await readQuestion(onlyRequest(turn))).toMatchObject({
    arguments: { what: "pay little" },
  });
  await answer(onlyRequest(turn), { approved: true });
  await provesNotRun(turn, NOT_THIS_CALL);
});

it("does not run another tool than the one that was allowed", async () => {
  const turn = await parkOnApproval();
  await tamper(turn, "journal.facts", '"toolName":"guarded"', '"toolName":"guarded_again"');
  await answer(onlyRequest(turn), { approved: true });
  await provesNotRun(turn, NOT_THIS_CALL);
});

it("does not run an approved call whose arguments are changed before it runs", async () => {
  const turn = await parkOnApproval();
  await allowAndCrash(turn, 1, {});
  await tamper(turn, "journal.facts", '"input":{"what":"pay"}', '"input":{"what":"pay all"}');
  await provesNotRun(turn, NOT_THIS_CALL);
});

it("does not run with other arguments than the edited ones that were allowed", async () => {
  const turn = await parkOnApproval();
  await allowAndCrash(turn, 1, { input: { what: "pay less" } });
  await tamper(turn, "journal.facts", '"what":"pay less"', '"what":"pay more"');
  await provesNotRun(turn, NOT_THIS_CALL);
});

it("does not run a call whose denial is turned into a yes in the journal alone", async () => {
  const turn = await parkOnApproval();
  await allowAndCrash(turn, 1, {});
  await tamper(turn, "tasks.settlement", '"approved":true', '"approved":false');
  await provesNotRun(turn, NOT_THIS_CALL);
});

it("runs an approved call whose object died before it ran, once", async () => {
  const turn = await parkOnApproval();
  await allowAndCrash(turn, 1, { input: { what: "pay less" } });
  expect(await revived(turn)).toMatchObject({ status: "completed", text: "end" });
  expect(ledger.effects).toEqual(["pay less"]);
  expect(ledger.tries).toBe(1);
});

it("judges an approved call anew where it would run again after a crash, and says that its outcome is unknown", async () => {
  const forbidden = await parkOnApproval("guarded_again");
  await allowAndCrash(forbidden, 2, {});
  stage.policy = { forbidden: true, reason: "The account is frozen." };
  await provesNotRun(
    forbidden,
    "FAILED: the tool was interrupted while it ran, and its outcome is unknown. It may have taken effect. It was not run again: The account is frozen.",
  );
  stage.policy = true;
  const changed = await parkOnApproval("guarded_again");
  await allowAndCrash(changed, 2, {});
  await tamper(changed, "journal.facts", '"input":{"what":"pay"}', '"input":{"what":"pay all"}');
  await provesNotRun(
    changed,
    "FAILED: the tool was interrupted while it ran, and its outcome is unknown. It may have taken effect. It was not run again: what was allowed is not this call: its tool or its arguments differ",
  );
  const allowed = await parkOnApproval("guarded_again");
  await allowAndCrash(allowed, 2, {});
  expect(await revived(allowed)).toMatchObject({ status: "completed" });
  expect(ledger.effects).toEqual(["pay"]);
});

it("takes an approval for one call of one turn, though the model gives a later call the same id and arguments", async () => {
  const first = await parkOnApproval("guarded", "approved-once");
  await accepted(
    post(`/v1/turns/${first.id}/results`, {
      approvals: { "pay-1": { action: "approve" } },
      calls: {},
    }),
  );
  expect(await settled(first.id)).toMatchObject({ status: "completed" });
  const second = await parkOnApproval("guarded", "approved-once");
  expect(second.pending?.approvals).toMatchObject([{ toolCallId: "pay-1" }]);
  const batch = { approvals: { "pay-1": { action: "approve" } }, calls: {} };
  expect(await accepted(post(`/v1/turns/${first.id}/results`, batch))).toEqual(
    await readTurn(first.id),
  );
  expect(await readTurn(second.id)).toMatchObject({ status: "parked" });
  await answer(onlyRequest(first), { approved: true });
  expect(await readTurn(second.id)).toMatchObject({ status: "parked" });
  expect(ledger.tries).toBe(1);
  await answer(onlyRequest(second), { approved: false });
  expect(await settled(second.id)).toMatchObject({ status: "completed" });
  expect(ledger.tries).toBe(1);
});

it("takes an approval for one call of a step, and none for a call that it does not name", async () => {
  const other = { toolName: "guarded", input: { what: "pay" }, toolCallId: "pay-2" };
  const turn = await play([{ calls: [paying(), other] }, { text: "end" }], { agent: "staged" });
  const [first = "", second = ""] = (turn.waitingFor ?? []).map(({ requestId }) => requestId);
  for (const approvals of [
    { "pay-1": { action: "approve" } },
    { "pay-1": { action: "approve" }, "pay-3": { action: "approve" } },
    { "pay-1": { action: "approve" }, "pay-2": { action: "approve" }, "": { action: "approve" } },
  ]) {
    const problem = await refusal(post(`/v1/turns/${turn.id}/results`, { approvals, calls: {} }));
    expect(problem.status).toBe(400);
  }
  await answer(first, { approved: true });
  await answer(first, { approved: true });
  expect(await readTurn(turn.id)).toMatchObject({ status: "parked" });
  expect(ledger.tries).toBe(0);
  await answer(second, { approved: false });
  expect(await settled(turn.id)).toMatchObject({ status: "completed" });
  expect(ledger.tries).toBe(1);
});

it("takes no approval from another session or another workspace", async () => {
  const turn = await parkOnApproval();
  const twin = await parkOnApproval();
  const requestId = onlyRequest(turn);
  // The same numbers in another session are another question.
  expect(onlyRequest(twin).slice(-8)).toBe(requestId.slice(-8));
  await answer(onlyRequest(twin), { approved: true });
  await settled(twin.id);
  expect(ledger.tries).toBe(1);
  expect(await readTurn(turn.id)).toMatchObject({ status: "parked" });
  const foreign = call(
    "POST",
    `/v1/questions/${requestId}/answer`,
    { answer: { approved: true }, answeredBy: "mallory" },
    { authorization: "Bearer other" },
  );
  expect(await refusal(foreign)).toMatchObject({ status: 404, code: "not_found" });
  expect(await readTurn(turn.id)).toMatchObject({ status: "parked" });
  expect(ledger.tries).toBe(1);
});

it("takes no other arguments once the call is allowed", async () => {
  const turn = await parkOnApproval();
  const requestId = onlyRequest(turn);
  await answer(requestId, { approved: true, input: { what: "pay less" } });
  await settled(turn.id);
  for (const given of [
    { approved: true },
    { approved: true, input: { what: "pay more" } },
    { approved: false },
  ])
    expect(await refusal(answering(requestId, given))).toMatchObject({ code: "already_answered" });
  await answer(requestId, { approved: true, input: { what: "pay less" } });
  expect(ledger.effects).toEqual(["pay less"]);
  expect(ledger.tries).toBe(1);
});

it("shows the model a denial as a result of the call that was not run", async () => {
  const turn = await parkOnApproval();
  await answer(onlyRequest(turn), { approved: false, reason: "Not today." });
  await settled(turn.id);
  await conversation(turn.sessionId);
  expect((await messages(turn.sessionId)).at(-2)).toEqual({
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "pay-1",
        toolName: "guarded",
        output: { type: "error-text", value: "NOT EXECUTED. Denied by dana: Not today." },
      },
    ],
  });
  expect(ledger.tries).toBe(0);
});
