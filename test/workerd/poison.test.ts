import { afterEach, expect, it } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { fireAlarm, play, readTurn } from "./client.ts";
import { begin, conversation, results } from "./journey.ts";
import { ledger } from "./ledger.ts";

afterEach(() => ledger.clear());

const LIVES = 8;

/** Wakes the object by its alarm until it dies no more. A call may still meet the dying object. */
async function outlive({ id }: TurnView, sessionId: string): Promise<TurnView> {
  for (let life = 1; life <= LIVES; life += 1) {
    await fireAlarm(sessionId).catch(() => false);
    const turn = await readTurn(id, 1).catch(() => undefined);
    if (turn?.id === id && turn.status !== "running") return turn;
  }
  throw new Error(`the turn outlived ${LIVES} lives of its object`);
}

async function provesUsable(sessionId: string): Promise<void> {
  const next = await play([{ text: "well" }], { session: sessionId });
  expect(next).toMatchObject({ status: "completed", text: "well" });
  await conversation(sessionId);
}

const FAILED = {
  status: "failed",
  attempts: 5,
  error: {
    code: "interrupted",
    message: "the turn's object stopped 5 times in a row at this place",
    retryable: true,
  },
};

it("fails a turn whose model kills its object each time, says why, and leaves the session usable", async () => {
  const turn = await begin([], { agent: "deadly_model", input: "die" });
  expect(await outlive(turn, turn.sessionId)).toMatchObject(FAILED);
  expect(await fireAlarm(turn.sessionId)).toBe(false);
  await provesUsable(turn.sessionId);
});

it.each(["deadly_reader", "deadly_retried"])(
  "fails a turn whose tool kills its object each time, says why, and leaves the session usable (%s)",
  async (toolName) => {
    const turn = await begin([{ calls: [{ toolName }] }, { text: "end" }], { agent: "deadly" });
    expect(await outlive(turn, turn.sessionId)).toMatchObject(FAILED);
    // One effect, however often it was tried: all tries had one key.
    expect([ledger.tries, ledger.effects]).toEqual([5, ["died"]]);
    expect(await results(turn.sessionId)).toMatchObject([{ type: "error-text" }]);
    await provesUsable(turn.sessionId);
  },
);

it("runs a tool that kills its object once, where its interruption is reported, and goes on", async () => {
  const script = [{ calls: [{ toolName: "deadly" }] }, { text: "end" }];
  const turn = await begin(script, { agent: "deadly" });
  expect(await outlive(turn, turn.sessionId)).toMatchObject({ status: "completed", text: "end" });
  expect(ledger.tries).toBe(1);
  expect((await results(turn.sessionId))[0]?.value).toContain("its outcome is unknown");
});

it("gives up a background tool that kills its object each time, and the turn that died with it", async () => {
  const script = [
    { calls: [{ toolName: "deadly_beside" }] },
    { calls: [{ toolName: "await_tasks", input: { taskIds: ["task_1"] } }] },
    { text: "end" },
  ];
  const turn = await begin(script, { agent: "deadly" });
  expect(await outlive(turn, turn.sessionId)).toMatchObject(FAILED);
  expect([ledger.tries, ledger.effects]).toEqual([5, ["died"]]);
  const look = { calls: [{ toolName: "get_task", input: { taskId: "task_1" } }] };
  await play([look], { session: turn.sessionId });
  expect((await results(turn.sessionId)).at(-1)?.value).toMatchObject({
    status: "failed",
    error: expect.stringContaining("its outcome is unknown"),
  });
  expect(await fireAlarm(turn.sessionId)).toBe(false);
});
