import { abortAllDurableObjects } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import type { Question } from "../../src/core/question.ts";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, call, fireAlarm, messages, play, settled } from "./client.ts";
import { faults } from "./faults.ts";
import { accepted, ask, awaitTasks, begin, onlyRequest, refusal } from "./journey.ts";
import { ledger } from "./ledger.ts";
import { stage } from "./stage.ts";

const ASKING = [{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }, { text: "Went on." }];

afterEach(() => {
  stage.clear();
  ledger.clear();
});

function erase(session: string): Promise<Response> {
  return call("DELETE", `/v1/sessions/${session}`);
}

async function erased(session: string): Promise<void> {
  const response = await erase(session);
  expect(response.status).toBe(204);
  expect(await response.text()).toBe("");
}

it("erases a session: its turns, questions, links and messages are not found, and nothing wakes", async () => {
  const turn = await play(ASKING, { session: "erase-parked" });
  const [wait] = turn.waitingFor ?? [];
  const page = () => call("GET", new URL(wait?.answerUrl ?? "").pathname);
  expect((await page()).status).toBe(200);
  await erased("erase-parked");
  const paths = [
    "/v1/sessions/erase-parked",
    `/v1/sessions/${turn.sessionId}`,
    "/v1/sessions/erase-parked/messages",
    `/v1/turns/${turn.id}`,
    `/v1/questions/${wait?.requestId}`,
  ];
  for (const path of paths) expect((await refusal(call("GET", path))).status, path).toBe(404);
  expect((await page()).status).toBe(404);
  const answered = call("POST", `/v1/questions/${wait?.requestId}/answer`, {
    answer: { text: "Too late." },
    answeredBy: "dana",
  });
  expect(await refusal(answered)).toMatchObject({ status: 404, code: "not_found" });
  expect(await fireAlarm(turn.sessionId)).toBe(false);
});

it("answers 204 again for a session that was erased, and 404 for one that never was", async () => {
  await play([{ text: "Hello." }], { session: "erase-twice" });
  await erased("erase-twice");
  await erased("erase-twice");
  expect(await refusal(erase("erase-never"))).toMatchObject({ status: 404, code: "not_found" });
});

it("begins anew under the same name, with no number that was given before", async () => {
  const before = await play(ASKING, { session: "erase-again" });
  await erased("erase-again");
  await abortAllDurableObjects();
  const after = await play(ASKING, { session: "erase-again" });
  expect(after.sessionId).toBe(before.sessionId);
  expect(after.id > before.id).toBe(true);
  expect(onlyRequest(after) > onlyRequest(before)).toBe(true);
  expect(after.waitingFor?.[0]?.taskId).toBe("task_2");
  expect(await messages(after.sessionId)).toHaveLength(4);
  await answer(onlyRequest(after), { text: "Yes." });
  expect(await settled(after.id)).toMatchObject({ status: "completed", text: "Went on." });
});

it("lets nothing come back of what was under way: the tool's result is dropped, its question refused", async () => {
  const script = [
    { calls: [{ toolName: "gated", input: { gate: "erase", ask: "May I?" } }] },
    { text: "end" },
  ];
  const { id, sessionId } = await begin(script, { agent: "staged", session: "erase-running" });
  await stage.reached("erase");
  const waiting = refusal(call("GET", `/v1/turns/${id}?wait=30`));
  await erased("erase-running");
  expect(await waiting).toMatchObject({ status: 404, code: "not_found" });
  stage.open("erase");
  await stage.reached("erase, asked");
  expect((await refusal(call("GET", `/v1/sessions/${sessionId}`))).status).toBe(404);
  expect(await fireAlarm(sessionId)).toBe(false);
});

it("erases whole or not at all where its object dies, and either answer of a race stands", async () => {
  const turn = await play(ASKING, { session: "erase-crash" });
  faults.crashAfter(1);
  await erase("erase-crash").catch(() => undefined);
  expect(faults.crashed).toBe(true);
  faults.crashAfter(0);
  expect((await refusal(call("GET", `/v1/turns/${turn.id}`))).status).toBe(404);
  const racing = await play(ASKING, { session: "erase-race" });
  const answers = Array.from({ length: 10 }, (_, n) =>
    call("POST", `/v1/questions/${onlyRequest(racing)}/answer`, {
      answer: { text: `Answer ${n}` },
      answeredBy: "dana",
    }),
  );
  const [, ...statuses] = await Promise.all([
    erased("erase-race"),
    ...answers.map(async (each) => (await each).status),
  ]);
  for (const status of statuses) expect([200, 404, 409]).toContain(status);
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
  expect((await refusal(call("GET", "/v1/sessions/erase-race"))).status).toBe(404);
});

it("needs the right to administer", async () => {
  await play([{ text: "Hello." }], { session: "erase-right" });
  const problem = await refusal(
    call("DELETE", "/v1/sessions/erase-right", undefined, { authorization: "Bearer reader" }),
  );
  expect(problem).toMatchObject({ status: 403, code: "forbidden" });
});

it("erases settled turns and their questions once they are as old as the agent keeps them, and nothing that is open", async () => {
  const where = { agent: "forgetful", session: "erase-old" };
  const first = await play(ASKING, where);
  await answer(onlyRequest(first), { text: "Yes." });
  await settled(first.id);
  const parked = await play(ASKING, where);
  const start = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: start + 7_199_000 });
  await fireAlarm(first.sessionId);
  expect((await call("GET", `/v1/turns/${first.id}`)).status).toBe(200);
  vi.setSystemTime(start + 2 * 7_200_000);
  expect(await fireAlarm(first.sessionId)).toBe(true);
  expect((await refusal(call("GET", `/v1/turns/${first.id}`))).status).toBe(404);
  expect((await refusal(call("GET", `/v1/questions/${onlyRequest(first)}`))).status).toBe(404);
  const { turns, questions } = await accepted<{ turns: TurnView[]; questions: Question[] }>(
    call("GET", "/v1/sessions/erase-old"),
  );
  expect(turns.map(({ id }) => id)).toEqual([parked.id]);
  expect(questions.map(({ requestId }) => requestId)).toEqual([onlyRequest(parked)]);
  expect(await fireAlarm(first.sessionId)).toBe(false);
  await abortAllDurableObjects();
  expect(await messages(first.sessionId)).toHaveLength(4);
  await answer(onlyRequest(parked), { text: "Yes." });
  expect(await settled(parked.id)).toMatchObject({ status: "completed", text: "Went on." });
  vi.useRealTimers();
});
