/**
 * Owns: turns of an agent whose turns go on only when they are told to, started from the Worker's own code.
 */

import type { TurnResult } from "../../src/core/turn-view.ts";
import { answerInputRequest, generateHarness } from "../../src/holdpoint.ts";
import { harness } from "../workerd/worker.ts";

export const ASKING = [
  { calls: [{ toolName: "ask_person", input: { question: "May we?" } }] },
  { calls: [{ toolName: "await_tasks", input: { taskIds: ["$task:1"] } }] },
  { text: "Done." },
];

export function parkedTurn(prompt: string, script: object[]) {
  return generateHarness({
    harness,
    agent: "manual",
    prompt,
    extraBody: { script: script as never },
  });
}

/** Answers every question of a parked turn. */
export async function answered(turn: TurnResult): Promise<void> {
  if (turn.status !== "parked") throw new Error(`the turn is ${turn.status}`);
  for (const { requestId = "" } of turn.waitingFor)
    await answerInputRequest({ harness, requestId, answer: { text: "Yes." }, answeredBy: "dana" });
}
