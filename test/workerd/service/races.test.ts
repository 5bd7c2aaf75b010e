import { expect, it } from "vitest";
import { answering, FORM_ANSWER, questionsOf, results } from "../journey.ts";
import {
  questionOf,
  readRun,
  readRuns,
  resume,
  returned,
  runThatIs,
  send,
  startThread,
  waitingRun,
  type Answer,
  type Run,
  type ServiceError,
} from "./client.ts";
import { ANSWERED, ASK, FORM_CALL, clientCall } from "./scripts.ts";

const ROUNDS = Array.from({ length: 20 }, (_, round) => round);
const OTHER_ANSWER = { response: "Another one." };

function reasonOf({ body }: Answer<unknown>): unknown {
  return (body as { error: ServiceError }).error.details;
}

/** One successor and no more, whoever won; it completes. */
async function expectOneSuccessor(run: Run): Promise<Run> {
  const { resumed_by_id: id } = await readRun(run.id);
  const successor = await runThatIs("completed", id ?? "");
  const { items } = await readRuns(run.thread_id);
  expect(items.map((each) => each.id)).toEqual([successor.id, run.id]);
  return successor;
}

it.each(ROUNDS)("resumes once for two requests at once under one key (%i)", async () => {
  const run = await waitingRun(ASK);
  const both = await Promise.all([
    resume(run.id, ANSWERED, "same"),
    resume(run.id, ANSWERED, "same"),
  ]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 201]);
  expect(both[0].body.id).toBe(both[1].body.id);
  expect((await expectOneSuccessor(run)).id).toBe(both[0].body.id);
  expect(await results(run.session_id)).toHaveLength(1);
});

it.each(ROUNDS)("resumes once for two requests at once under two keys (%i)", async (round) => {
  const run = await waitingRun(ASK);
  const other = round % 2 === 0 ? ANSWERED : { calls: { "question-1": returned(OTHER_ANSWER) } };
  const both = await Promise.all([resume(run.id, ANSWERED, "one"), resume(run.id, other, "two")]);
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  const winner = both.find(({ status }) => status === 201);
  const loser = both.find(({ status }) => status === 409);
  expect(loser === undefined ? undefined : reasonOf(loser)).toEqual({
    kind: "run",
    id: run.id,
    reason: "not_idle_waiting_head",
  });
  expect((await expectOneSuccessor(run)).id).toBe(winner?.body.id);
});

it.each(ROUNDS)(
  "takes one of a resume and an answer at the question's own door (%i)",
  async (round) => {
    const run = await waitingRun(ASK);
    const requestId = await questionOf(run, "question-1");
    const given = round < 10 ? FORM_ANSWER : OTHER_ANSWER;
    const races = [
      () => resume(run.id, ANSWERED).then(({ status }) => ["resume", status] as const),
      () => answering(requestId, given).then(({ status }) => ["answer", status] as const),
    ];
    const started = (round % 2 === 0 ? races : races.toReversed()).map((race) => race());
    const ended = Object.fromEntries(await Promise.all(started));
    // The same answer once more is the first one's receipt; another one is refused.
    const resumeWon = { resume: 201, answer: round < 10 ? 200 : 409 };
    const answerWon = { resume: 409, answer: 200 };
    const [question] = await questionsOf(run.session_id);
    const won = question?.answeredVia === "service";
    expect(ended).toEqual(won ? resumeWon : answerWon);
    const successor = await expectOneSuccessor(run);
    expect(successor.trigger).toBe("resume");
    expect(successor.resume === null).toBe(!won);
    const expected = won
      ? FORM_ANSWER
      : round < 10
        ? FORM_ANSWER
        : { answers: {}, ...OTHER_ANSWER };
    expect((await results(run.session_id)).map(({ value }) => value)).toEqual([expected]);
  },
);

it.each(ROUNDS)(
  "ends in one way where a resume meets the cancelling of its turn (%i)",
  async (round) => {
    const run = await waitingRun([{ calls: [FORM_CALL] }, { text: "late", delayMs: 60_000 }]);
    const turn = run.source_entry_id.replace("entry_", "turn_");
    const races = [() => resume(run.id, ANSWERED), () => send("POST", `/v1/turns/${turn}/cancel`)];
    const first = round % 2 === 0;
    const ended = await Promise.all((first ? races : races.toReversed()).map((race) => race()));
    const [resumed, cancelled] = first ? ended : ended.toReversed();
    expect(cancelled?.status).toBe(200);
    const { items } = await readRuns(run.thread_id);
    expect(items.map(({ status }) => status)).toEqual(
      resumed?.status === 201 ? ["cancelled", "waiting"] : ["waiting"],
    );
  },
);

it("starts one thread for twenty starts at once under one key", async () => {
  const key = { "idempotency-key": "twenty" };
  const all = await Promise.all(ROUNDS.map(() => startThread([{ text: "end" }], {}, key)));
  expect(all.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(all.filter(({ status }) => status === 200)).toHaveLength(19);
  expect(new Set(all.map(({ body }) => `${body.thread.id} ${body.entry.id}`)).size).toBe(1);
});

it("settles each call of a batch once for twenty resumes at once", async () => {
  const run = await waitingRun([{ calls: [FORM_CALL, clientCall("client-1")] }, { text: "end" }]);
  const all = await Promise.all(
    ROUNDS.map((round) =>
      resume(
        run.id,
        { calls: { ...ANSWERED.calls, "client-1": returned(round) } },
        `key-${round % 4}`,
      ),
    ),
  );
  const won = all.filter(({ status }) => status === 201);
  expect(won).toHaveLength(1);
  // The winner's key came with other bodies too: each of those is told so.
  expect(all.filter(({ status }) => status === 409)).toHaveLength(19);
  expect((await expectOneSuccessor(run)).id).toBe(won[0]?.body.id);
  expect(await results(run.session_id)).toHaveLength(2);
});
