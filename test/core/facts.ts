/** Facts of a turn, as tests write them. */

import type { Call, Fact, FactOf, TurnStarted } from "../../src/core/event.ts";
import { applyFact, startTurn, type Turn } from "../../src/core/turn.ts";

export const STARTED: TurnStarted = {
  type: "turn.started",
  turn: 1,
  run: 2,
  queued: false,
  agent: "loans",
  input: "Go.",
};

export function call(index: number, kind: Call["kind"], more: Partial<Call> = {}): Call {
  return { index, callId: `call_${index}`, toolName: "a_tool", input: {}, kind, ...more };
}

export function step(n: number, calls: readonly Call[] = [], text = ""): FactOf<"step.finished"> {
  return {
    type: "step.finished",
    turn: 1,
    step: n,
    content: [],
    text,
    finishReason: "stop",
    calls: [...calls],
    usage: { inputTokens: 1, outputTokens: 2 },
  };
}

export function settled(index: number): Fact {
  return {
    type: "call.settled",
    turn: 1,
    step: 0,
    index,
    output: { type: "json", value: true },
  };
}

/** The turn after these facts, one commit each, a second apart. */
export function turnAfter(facts: readonly Fact[], started: TurnStarted = STARTED): Turn {
  return facts.reduce<Turn>(
    (turn, fact, place) => applyFact(turn, fact, { seq: 10 + place, at: 1_000 * (place + 2) }),
    startTurn(started, { seq: 1, at: 1_000 }),
  );
}
