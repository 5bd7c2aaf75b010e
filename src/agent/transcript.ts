/**
 * Owns: the conversation as the model sees it, folded from the facts of the journal: a block of messages for each turn,
 * settled turns first. Proves before each model call that every tool call has exactly one result (I7).
 */

import type { AssistantContent, ModelMessage, ToolResultPart } from "ai";
import type { Call, Fact, ToolOutput } from "../core/event.ts";
import { inputText } from "../core/input.ts";

interface OpenStep {
  readonly calls: readonly Call[];
  readonly outputs: Map<number, ToolOutput>;
  /** What the caller said beside the results. It stands behind them, and a call that was only allowed has none yet. */
  readonly behind: ModelMessage[];
}

/** The messages of one turn. */
interface Block {
  readonly messages: ModelMessage[];
  readonly callIds: Set<string>;
  /** False while it is queued: a message that was withdrawn before its turn is none of the conversation's. */
  begun: boolean;
  step: OpenStep | undefined;
}

export class Transcript {
  /** Settled turns in the order in which they were settled: what a later turn builds on. */
  readonly #settled = new Map<number, Block>();
  readonly #blocks = new Map<number, Block>();
  /** The messages of the settled turns in one list, which is made anew where one of them is taken out. */
  #history: ModelMessage[] | undefined;

  add(turn: number, facts: readonly Fact[]): void {
    for (const fact of facts) this.#addFact(turn, fact);
  }

  /** The whole conversation for the turn's next model call. Throws where a call lacks its result: a defect of ours. */
  messages(turn: number): ModelMessage[] {
    const { messages, step } = this.#block(turn);
    proveSettled(turn, step);
    return this.#settledMessages().concat(messages, stepMessages(step));
  }

  /** This turn's own messages, its input first. */
  turnMessages(turn: number): readonly ModelMessage[] {
    const block = this.#block(turn);
    proveSettled(turn, block.step);
    return [...block.messages, ...stepMessages(block.step)];
  }

  /** The conversation as it stands, open turns behind the settled ones; an open call has no result in it. */
  all(): readonly ModelMessage[] {
    const open = [...this.#blocks.values()].flatMap((block) => [
      ...block.messages,
      ...stepMessages(block.step),
    ]);
    return this.#settledMessages().concat(open);
  }

  #settledMessages(): ModelMessage[] {
    this.#history ??= [...this.#settled.values()].flatMap((block) => block.messages);
    return this.#history;
  }

  /** The ids of calls that the turn has made: a provider may repeat one, the conversation may not. */
  callIds(turn: number): ReadonlySet<string> {
    return this.#block(turn).callIds;
  }

  #addFact(turn: number, fact: Fact): void {
    switch (fact.type) {
      case "turn.started":
        this.#blocks.set(turn, {
          messages: [{ role: "user", content: inputText(fact.input) }],
          callIds: new Set(),
          begun: !fact.queued,
          step: undefined,
        });
        return;
      case "turn.begun":
        this.#block(turn).begun = true;
        return;
      case "step.finished": {
        const block = this.#block(turn);
        this.#closeStep(block);
        // The content was a provider's own when it was stored; it goes back as it came.
        if (fact.content.length > 0)
          block.messages.push({
            role: "assistant",
            content: fact.content as Exclude<AssistantContent, string>,
          });
        block.step = { calls: fact.calls, outputs: new Map(), behind: [] };
        for (const call of fact.calls) block.callIds.add(call.callId);
        return;
      }
      case "call.settled": {
        const { step } = this.#block(turn);
        if (step === undefined || step.outputs.has(fact.index))
          throw new Error(
            `turn ${turn}: call ${fact.index} was settled twice, or before it was made`,
          );
        step.outputs.set(fact.index, fact.output);
        return;
      }
      case "turn.resumed": {
        if (fact.context === undefined) return;
        const { step, messages } = this.#block(turn);
        (step?.behind ?? messages).push({ role: "user", content: inputText(fact.context) });
        return;
      }
      case "output.refused": {
        const block = this.#block(turn);
        this.#closeStep(block);
        block.messages.push({ role: "user", content: fact.request });
        return;
      }
      case "turn.completed":
      case "turn.failed":
      case "turn.cancelled": {
        const block = this.#block(turn);
        this.#closeStep(block);
        if (block.begun) {
          this.#settled.set(turn, block);
          for (const message of block.messages) this.#history?.push(message);
        }
        this.#blocks.delete(turn);
        return;
      }
      case "turn.retried": {
        const block = this.#settled.get(turn);
        if (block === undefined) throw new Error(`turn ${turn} is retried, but was not settled`);
        this.#settled.delete(turn);
        this.#history = undefined;
        this.#blocks.set(turn, block);
        return;
      }
      case "session.erased":
        this.#settled.clear();
        this.#history = undefined;
        this.#blocks.clear();
        return;
      case "settled.erased":
        for (const erased of fact.turns) this.#settled.delete(erased);
        this.#history = undefined;
        return;
      case "turn.parked":
      case "tool.started":
      case "call.approved":
      case "question.asked":
      case "question.reminded":
      case "question.escalated":
      case "question.assigned":
      case "question.settled":
      case "task.started":
      case "task.settled":
      case "attempt.failed":
      case "turn.recovered":
        return;
    }
  }

  #closeStep(block: Block): void {
    proveSettled(0, block.step);
    block.messages.push(...stepMessages(block.step));
    block.step = undefined;
  }

  #block(turn: number): Block {
    const block = this.#blocks.get(turn);
    if (block === undefined) throw new Error(`turn ${turn} is not open in the transcript`);
    return block;
  }
}

function proveSettled(turn: number, step: OpenStep | undefined): void {
  const missing = step?.calls.find((call) => !step.outputs.has(call.index));
  if (missing !== undefined)
    throw new Error(
      `turn ${turn}: the call ${missing.callId} of ${missing.toolName} has no result`,
    );
}

function stepMessages(step: OpenStep | undefined): ModelMessage[] {
  return step === undefined ? [] : [...resultMessages(step), ...step.behind];
}

function resultMessages(step: OpenStep): ModelMessage[] {
  const content = step.calls.flatMap((call): ToolResultPart[] => {
    const output = step.outputs.get(call.index);
    if (output === undefined) return [];
    const { callId: toolCallId, toolName } = call;
    return [
      { type: "tool-result", toolCallId, toolName, output: output as ToolResultPart["output"] },
    ];
  });
  return content.length === 0 ? [] : [{ role: "tool", content }];
}
