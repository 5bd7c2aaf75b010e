import { afterEach, expect, it } from "vitest";
import { mails } from "../fixtures/samples/around.ts";
import { answer, play, settled } from "./client.ts";
import { accepted, ask, awaitTasks, onlyRequest, post, readQuestion, results } from "./journey.ts";

afterEach(() => {
  mails.length = 0;
});

const MAIL = { to: "kofi@applicants.example", subject: "Your loan", body: "It is approved." };
const SEND = { toolName: "sendEmail", input: MAIL };
const SCRIPT = [
  { calls: [SEND] },
  { calls: [awaitTasks(["task_1"])] },
  { calls: [SEND] },
  { text: "end" },
];

it("waits on the first call of a tool that asks, and acts on the next, once somebody has answered", async () => {
  const turn = await play(SCRIPT, { agent: "mailing" });
  expect(turn).toMatchObject({ status: "parked", waitingFor: [{ taskId: "task_1" }] });
  expect(await readQuestion(onlyRequest(turn))).toMatchObject({
    kind: "tool",
    question: 'Send "Your loan" to kofi@applicants.example?\n\nIt is approved.',
  });
  expect(mails).toEqual([]);
  await answer(onlyRequest(turn), { option: "send" });
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  const all = await results(turn.sessionId);
  expect(all.map(({ toolName, value }) => [toolName, value])).toEqual([
    ["sendEmail", { status: "waiting_for_approval", taskId: "task_1" }],
    ["await_tasks", expect.objectContaining({ status: "satisfied" })],
    ["sendEmail", { status: "sent" }],
  ]);
  expect(mails).toEqual([MAIL]);
});

it("does nothing where the answer is another one, or the question ended without one", async () => {
  for (const settle of [
    (id: string) => answer(id, { option: "hold" }),
    (id: string) => answer(id, { text: "Not like this." }),
    (id: string) => accepted(post(`/v1/questions/${id}/decline`, { answeredBy: "dana" })),
  ]) {
    const turn = await play(SCRIPT, { agent: "mailing" });
    await settle(onlyRequest(turn));
    await settled(turn.id);
    expect((await results(turn.sessionId)).at(-1)?.value).toEqual({ status: "held" });
  }
  expect(mails).toEqual([]);
});

it("lets tools ask where the agent can't", async () => {
  const turn = await play([{ calls: [ask()] }, { text: "end" }], { agent: "mailing" });
  expect(await results(turn.sessionId)).toMatchObject([
    { type: "error-text", value: expect.stringMatching(/^FAILED: there is no tool ask_person/) },
  ]);
});
