import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Question } from "../../src/core/question.ts";
import type { TurnView } from "../../src/core/turn-view.ts";
import { call, fireAlarm, play } from "../workerd/client.ts";
import { mailbox } from "../workerd/desk-agents.ts";
import { accepted, onlyRequest, post } from "../workerd/journey.ts";

const HOUR = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
  mailbox.clear();
});

async function listed<T>(path: string): Promise<readonly T[]> {
  const { items } = await accepted<{ readonly items: readonly T[] }>(call("GET", path));
  return items;
}

/** Waits, with a deadline, until the inbox was told: it may lag behind the sessions. */
function eventually(check: () => Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 5_000, interval: 20 });
}

/** A turn that waits for the approval of a payment, whose question goes to somebody. */
async function paying(to: string): Promise<{ turn: TurnView; requestId: string }> {
  const payment = { toolName: "pay", input: { amount: 5 } };
  const turn = await play([{ calls: [payment] }, { text: "end" }], { agent: "desk" });
  const requestId = onlyRequest(turn);
  await accepted(post(`/v1/questions/${requestId}/assign`, { to }));
  return { turn, requestId };
}

it("finds a question under each who may answer it now, and under nobody else", async () => {
  const { requestId } = await paying("team");
  const under = async (to: string) =>
    (await listed<Question>(`/v1/questions?to=${to}`)).map((question) => question.requestId);
  await eventually(async () => expect(await under("team")).toContain(requestId));
  expect(await under("kim")).toContain(requestId);
  expect(await under("lead")).not.toContain(requestId);
  expect(await under("te")).not.toContain(requestId);
  await accepted(post(`/v1/questions/${requestId}/assign`, { to: "lead" }));
  await eventually(async () => expect(await under("lead")).toContain(requestId));
  expect(await under("kim")).not.toContain(requestId);
});

it("shows the waiting turn with a link that works, after its question was moved", async () => {
  const { turn, requestId } = await paying("lead");
  await eventually(async () => {
    const parked = await listed<TurnView>("/v1/turns?status=parked");
    const shown = parked.find(({ id }) => id === turn.id);
    const { answerUrl } = await accepted<Question>(call("GET", `/v1/questions/${requestId}`));
    expect(shown?.waitingFor?.[0]?.answerUrl).toBe(answerUrl);
  });
});

it("shows what became of a delivery, though nothing else happened to its question since", async () => {
  mailbox.down.set("email", new Error("the mail is down"));
  const { turn, requestId } = await paying("lead");
  const shown = async () =>
    (await listed<Question>("/v1/questions?to=lead"))
      .find((question) => question.requestId === requestId)
      ?.deliveries.find(({ recipient }) => recipient === "lead");
  await eventually(async () => expect(await shown()).toMatchObject({ tries: 1 }));
  for (let tries = 2; tries <= 5; tries += 1) {
    vi.setSystemTime(Date.now() + HOUR);
    await fireAlarm(turn.sessionId);
    await eventually(async () => expect(await shown()).toMatchObject({ tries }));
  }
  expect(await shown()).toMatchObject({ status: "failed", error: "the mail is down" });
});
