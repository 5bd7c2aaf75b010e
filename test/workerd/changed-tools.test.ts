import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { afterEach, expect, it } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, play, settled, stubOf } from "./client.ts";
import { conversation, onlyRequest, results } from "./journey.ts";
import { ledger } from "./ledger.ts";

/**
 * Deploys while a turn is parked: what the journal holds is what an earlier version of the agent wrote, so it is rewritten
 * as that version would have written it.
 */
afterEach(() => ledger.clear());

const REFUND = { toolName: "refund", input: { what: "refund" } };

async function parkedAsWrittenBefore(
  session: string,
  now: string,
  before: string,
): Promise<TurnView> {
  const turn = await play([{ calls: [REFUND] }, { text: "end" }], { agent: "retrying", session });
  await runInDurableObject(stubOf(turn.sessionId), (_instance, state) => {
    for (const table of ["journal", "tasks"]) {
      const column = table === "journal" ? "facts" : "content";
      state.storage.sql.exec(
        `UPDATE ${table} SET ${column} = replace(${column}, ?, ?)`,
        now,
        before,
      );
    }
  });
  await abortAllDurableObjects();
  return turn;
}

it("tells the model that a tool which a deploy took away was not run", async () => {
  const turn = await parkedAsWrittenBefore("changed-gone", '"refund","input"', '"repay","input"');
  await answer(onlyRequest(turn), { approved: true });
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  expect((await results(turn.sessionId))[0]?.value).toBe(
    "FAILED: the tool repay is no longer there; it was not run",
  );
  expect(ledger.tries).toBe(0);
  await conversation(turn.sessionId);
});

it("runs an approved call no more whose arguments the tool's schema of now does not take", async () => {
  const turn = await parkedAsWrittenBefore(
    "changed-schema",
    '"input":{"what":"refund"}',
    '"input":{"whom":"refund"}',
  );
  await answer(onlyRequest(turn), { approved: true });
  expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
  expect((await results(turn.sessionId))[0]?.value).toContain(
    "FAILED: the input does not fit the tool:",
  );
  expect(ledger.tries).toBe(0);
  await conversation(turn.sessionId);
});
