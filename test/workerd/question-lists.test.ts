import { expect, it } from "vitest";
import type { Question } from "../../src/core/question.ts";
import { answer, call, play } from "./client.ts";
import { accepted, ask, awaitTasks, FORM_CALL, questionsOf, refusal } from "./journey.ts";

interface Page {
  readonly items: readonly Question[];
  readonly nextCursor: string | null;
}

function list(query: string): Promise<Page> {
  return accepted(call("GET", `/v1/questions?${query}`));
}

it("lists a session's questions oldest first, filtered by status and kind", async () => {
  const turn = await play([
    { calls: [ask({ question: "One?" }), ask({ question: "Two?" }), ask({ question: "Three?" })] },
    { calls: [{ toolName: "cancel_task", input: { taskId: "task_2" } }] },
    { calls: [FORM_CALL] },
  ]);
  const texts = async (query: string) =>
    (await questionsOf(turn.sessionId, query)).map(({ question }) => question);
  expect(await texts("")).toEqual(["One?", "Three?", "Which scope?"]);
  expect(await texts("status=waiting")).toEqual(["One?", "Three?", "Which scope?"]);
  expect(await texts("status=cancelled")).toEqual(["Two?"]);
  expect(await texts("status=all")).toEqual(["One?", "Two?", "Three?", "Which scope?"]);
  expect(await texts("status=all&kind=form")).toEqual(["Which scope?"]);
  expect(await texts("kind=person&status=answered")).toEqual([]);
});

it("pages through a list by its cursor, which a settled question does not disturb", async () => {
  const names = ["1?", "2?", "3?", "4?", "5?"];
  const turn = await play([
    { calls: names.map((question) => ask({ question })) },
    { calls: [awaitTasks(["task_5"])] },
  ]);
  const query = `sessionId=${turn.sessionId}&limit=2`;
  const first = await list(query);
  expect(first.items.map(({ question }) => question)).toEqual(["1?", "2?"]);
  await answer(first.items[1]?.requestId ?? "", { text: "x" });
  const second = await list(`${query}&cursor=${first.nextCursor}`);
  expect(second.items.map(({ question }) => question)).toEqual(["3?", "4?"]);
  const third = await list(`${query}&cursor=${second.nextCursor}`);
  expect(third).toMatchObject({ items: [{ question: "5?" }], nextCursor: null });
  expect(await list(`sessionId=${turn.sessionId}&status=all&limit=5`)).toMatchObject({
    nextCursor: null,
  });
});

it("refuses a cursor that is not of this list", async () => {
  const one = await play([{ calls: [ask({ question: "1?" }), ask({ question: "2?" })] }]);
  const other = await play([{ calls: [ask()] }]);
  const { nextCursor } = await list(`sessionId=${one.sessionId}&limit=1`);
  expect(nextCursor).not.toBeNull();
  for (const cursor of [
    "",
    "x",
    "null",
    "%00",
    "bnVsbA",
    btoa('{"after":7}'),
    btoa('{"after":"turn_1"}'),
  ])
    expect(
      await refusal(call("GET", `/v1/questions?sessionId=${one.sessionId}&cursor=${cursor}`)),
      cursor,
    ).toMatchObject({
      status: 400,
      code: "invalid_cursor",
    });
  expect(
    await refusal(call("GET", `/v1/questions?sessionId=${other.sessionId}&cursor=${nextCursor}`)),
  ).toMatchObject({
    code: "invalid_cursor",
  });
});

it("lists nothing for a name that no session has, and keeps no trace of the asking", async () => {
  expect(await list("sessionId=never-asked")).toEqual({ items: [], nextCursor: null });
  expect(await refusal(call("GET", "/v1/sessions/never-asked"))).toMatchObject({ status: 404 });
});
