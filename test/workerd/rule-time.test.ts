import { afterEach, expect, it, vi } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, fireAlarm, play, readTurn, settled } from "./client.ts";
import {
  answering,
  begin,
  lastResult,
  onlyRequest,
  questionsOf,
  readQuestion,
  refusal,
} from "./journey.ts";
import { ledger } from "./ledger.ts";
import { stage } from "./stage.ts";

afterEach(() => {
  vi.useRealTimers();
  stage.clear();
  ledger.clear();
});

const RULE_HUNG = {
  code: "rule_timeout",
  message: "the approval rule of guarded_hasty did not end within 20 ms",
  retryable: true,
};
const CHECK_HUNG = "the input check of checked did not end within 20 ms";

const hanging = () => stage.stopAt("rule").then(() => false);

function calling(toolName: string): readonly object[] {
  return [{ calls: [{ toolName, input: { what: "it" } }] }, { text: "end" }];
}

/** Once an attempt has failed, the turn; `work` brings that about. */
async function afterFailure(work: () => Promise<TurnView>): Promise<TurnView> {
  const failed = stage.next("attempt.failed");
  const { id } = await work();
  await failed;
  return readTurn(id);
}

async function retry(turn: TurnView): Promise<TurnView> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(turn.nextRetryAt ?? "") });
  expect(await fireAlarm(turn.sessionId)).toBe(true);
  return settled(turn.id);
}

it("fails the attempt of a call whose approval rule hangs, in words that name it, and tries again", async () => {
  stage.policy = hanging;
  const turn = await afterFailure(() => begin(calling("guarded_hasty"), { agent: "staged" }));
  expect(turn).toMatchObject({ status: "running", attempts: 1, error: RULE_HUNG });
  expect(await questionsOf(turn.sessionId)).toEqual([]);
  stage.policy = false;
  expect(await retry(turn)).toMatchObject({ status: "completed", text: "end" });
  expect(ledger.effects).toEqual(["it"]);
});

it("runs no approved call while its rule hangs at the moment of running", async () => {
  const turn = await play(calling("guarded_hasty"), { agent: "staged" });
  stage.policy = hanging;
  const failed = await afterFailure(async () => {
    await answer(onlyRequest(turn), { approved: true });
    return turn;
  });
  expect(failed).toMatchObject({ status: "running", attempts: 1, error: RULE_HUNG });
  expect(ledger.tries).toBe(0);
  stage.policy = true;
  expect(await retry(failed)).toMatchObject({ status: "completed", text: "end" });
  expect(ledger.tries).toBe(1);
});

it("fails the attempt of a call whose input check hangs", async () => {
  stage.check = () => stage.stopAt("check");
  const turn = await afterFailure(() => begin(calling("checked"), { agent: "staged" }));
  expect(turn).toMatchObject({
    status: "running",
    attempts: 1,
    error: { code: "rule_timeout", message: CHECK_HUNG, retryable: true },
  });
});

it("refuses edited arguments that can't be checked in time, and records nothing", async () => {
  const requestId = onlyRequest(await play(calling("checked"), { agent: "staged" }));
  const before = await readQuestion(requestId);
  stage.check = () => stage.stopAt("check");
  expect(
    await refusal(answering(requestId, { approved: true, input: { what: "other" } })),
  ).toMatchObject({
    status: 422,
    code: "invalid_answer",
    issues: [{ path: "input", message: CHECK_HUNG }],
  });
  expect(await readQuestion(requestId)).toEqual(before);
});

it("tells the model of a call that was not run because its check hung at the moment of running", async () => {
  const turn = await play(calling("checked"), { agent: "staged" });
  stage.check = () => stage.stopAt("check");
  await answer(onlyRequest(turn), { approved: true });
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  expect(await lastResult(turn.sessionId)).toMatchObject({
    type: "error-text",
    value: `FAILED: ${CHECK_HUNG}; it was not run`,
  });
  expect(ledger.tries).toBe(0);
});
