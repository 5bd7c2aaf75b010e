import { beforeEach, expect, it } from "vitest";
import { answer, call, play, settled } from "./client.ts";
import { faults } from "./faults.ts";
import { ask, awaitTasks, onlyRequest, readQuestion } from "./journey.ts";

const SECRET = "what nobody may read in a log 5e1a";

beforeEach(() => {
  faults.lines = [];
});

function linesOf(event: string): readonly object[] {
  return faults.lines.filter((line) => "event" in line && line.event === event);
}

it("tells of each request by its route, its ids and its end", async () => {
  const turn = await play([{ text: "end" }]);
  const response = await call("GET", `/v1/turns/${turn.id}`);
  const { sessionId } = turn;
  expect(linesOf("holdpoint.request")).toMatchObject([
    { method: "POST", route: "/v1/turns", status: 200, sessionId, turnId: turn.id },
    {
      requestId: response.headers.get("x-request-id"),
      method: "GET",
      route: "/v1/turns/:id",
      status: 200,
      ms: expect.any(Number),
      workspace: "dev",
      keyId: "all",
      sessionId,
      turnId: turn.id,
    },
  ]);
});

it("tells of each commit by its facts, its session, turn, run and questions", async () => {
  const turn = await play([
    { calls: [ask()] },
    { calls: [awaitTasks(["$task:1"])] },
    { text: "end" },
  ]);
  const requestId = onlyRequest(turn);
  await answer(requestId, { text: "Yes." });
  const { runs, id: turnId, sessionId } = await settled(turn.id);
  const commits = linesOf("holdpoint.commit");
  expect(commits.at(0)).toMatchObject({ workspace: "dev", facts: ["turn.started"] });
  expect(commits.at(-1)).toMatchObject({
    sessionId,
    turnId,
    runId: runs.at(-1)?.id,
    facts: expect.arrayContaining(["turn.completed"]),
  });
  const ofQuestion = commits.filter((line) => "questionIds" in line);
  expect(ofQuestion.length).toBeGreaterThanOrEqual(2);
  for (const line of ofQuestion) expect(line).toMatchObject({ questionIds: [requestId] });
});

it("says nothing of what was asked, answered or named, nor a link's token, nor a key", async () => {
  const script = [
    { calls: [ask({ question: SECRET, context: SECRET })] },
    { calls: [awaitTasks(["$task:1"])] },
    { text: SECRET },
  ];
  const session = "name-that-is-not-for-logs";
  const turn = await play(script, { session });
  const { answerUrl = "" } = await readQuestion(onlyRequest(turn));
  const link = new URL(answerUrl).pathname;
  await call("GET", link);
  await call("GET", `/v1/sessions/${session}`);
  await call("GET", `/v1/questions?to=${encodeURIComponent(SECRET)}&sessionId=${session}`);
  await call("GET", "/v1/turns/x", undefined, { authorization: `Bearer ${SECRET}` });
  await answer(onlyRequest(turn), { text: SECRET });
  await settled(turn.id);
  const told = JSON.stringify(faults.lines);
  expect(told).toContain("/a/:token");
  for (const kept of [SECRET, session, link.slice("/a/".length), "dev-key"])
    expect(told).not.toContain(kept);
});
