/** What a session has just written is kept in memory: it must be what its rows say. */

import { abortAllDurableObjects } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import type { Question } from "../../src/core/question.ts";
import type { TurnView } from "../../src/core/turn-view.ts";
import { RECENT_KEPT } from "../../src/core/limits.ts";
import { answer, call, fireAlarm, play, readTurn, settled } from "../workerd/client.ts";
import {
  accepted,
  ask,
  awaitTasks,
  FORM_ANSWER,
  FORM_CALL,
  post,
  readQuestion,
} from "../workerd/journey.ts";

afterEach(() => {
  vi.useRealTimers();
});

const ASKING = [{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }, { text: "Done." }];

async function look(turns: readonly string[], questions: readonly string[]): Promise<unknown> {
  return {
    turns: await Promise.all(turns.map((id) => readTurn(id))),
    questions: await Promise.all(questions.map((id) => readQuestion(id))),
  };
}

/** The same read from memory, and by an object that has none. */
async function expectKept(turns: readonly string[], questions: readonly string[]): Promise<void> {
  const before = await look(turns, questions);
  await abortAllDurableObjects();
  expect(await look(turns, questions)).toEqual(before);
}

it("shows what was moved, answered and late as its rows have it", async () => {
  const session = "recent";
  const short = [
    { calls: [ask({ question: "Soon?" })] },
    { calls: [awaitTasks(["$task:1"], { maxWaitMs: 1_000 })] },
    { text: "Went on." },
  ];
  const first = await play(short, { session });
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1_000 });
  await fireAlarm(first.sessionId);
  expect(await settled(first.id)).toMatchObject({ status: "completed", text: "Went on." });
  const second = await play([{ calls: [FORM_CALL] }, { text: "Done." }], { session });
  const { questions } = await accepted<{ questions: Question[] }>(
    call("GET", `/v1/sessions/${session}`),
  );
  const [late = "", form = ""] = questions.map(({ requestId }) => requestId);
  await accepted(post(`/v1/questions/${form}/assign`, { to: "kim" }));
  await answer(form, FORM_ANSWER);
  await answer(late, { text: "Late." });
  await settled(second.id);
  expect(await readQuestion(late)).toMatchObject({ late: true });
  await expectKept([first.id, second.id], [late, form]);
});

it("shows a turn that failed and was tried again as its commits have it", async () => {
  const failing = await play([{ fail: { status: 400 } }], { session: "recent-retry" });
  expect(failing.status).toBe("failed");
  await accepted(post(`/v1/turns/${failing.id}/retry`));
  const cancelled = await play(ASKING, { session: "recent-retry" });
  await accepted(post(`/v1/turns/${cancelled.id}/cancel`));
  const request = cancelled.waitingFor?.[0]?.requestId ?? "";
  await expectKept([failing.id, cancelled.id], [request]);
});

it("shows more than it keeps as its rows have it", async () => {
  const turns: TurnView[] = [];
  for (let n = 0; n < RECENT_KEPT; n += 1) {
    const turn = await play(ASKING, { session: "recent-many" });
    await answer(turn.waitingFor?.[0]?.requestId ?? "", { text: `Answer ${n}.` });
    turns.push(turn);
  }
  const asked = turns.map((turn) => turn.waitingFor?.[0]?.requestId ?? "");
  await expectKept(
    turns.map(({ id }) => id),
    asked,
  );
});
