/**
 * Owns: what an author's `prepareMessages` may make of the conversation, and the proof that it did no harm: a provider
 * refuses a conversation in which a call lacks its result, for ever (I7).
 */

import type { ModelMessage } from "ai";
import { withinTime } from "../core/deadline.ts";
import { RULE_TIMEOUT_MS } from "../core/limits.ts";
import type { Agent, ApprovalContext } from "./agent.ts";

/** What the hook returned can't go to a model: the author's mistake, said in words for the author. */
export class MessagesNotUsable extends Error {
  override readonly name = "MessagesNotUsable";
}

/** The messages for the next model call. What is stored stays as it is: the hook sees copies. */
export async function preparedMessages(
  agent: Agent,
  messages: ModelMessage[],
  context: ApprovalContext,
): Promise<ModelMessage[]> {
  const { prepareMessages } = agent;
  if (prepareMessages === undefined) return messages;
  const prepared: unknown = await withinTime(
    RULE_TIMEOUT_MS,
    () => new Error(`prepareMessages did not end within ${RULE_TIMEOUT_MS} ms`),
    () => prepareMessages(copiesOf(messages), context),
  );
  if (!Array.isArray(prepared) || prepared.length === 0)
    throw new MessagesNotUsable("prepareMessages must return the messages, at least one");
  const kept: ModelMessage[] = [...prepared];
  proveWhole(kept);
  proveLastStep(messages, kept);
  return kept;
}

/**
 * A message is copied when it is first looked at: a hook that keeps the last few of a long conversation, which is what it
 * is for, does not pay for all of it at each step.
 */
function copiesOf(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const copies = new WeakSet<object>();
  return new Proxy([...messages], {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== "object" || value === null || copies.has(value)) return value;
      const copy = structuredClone(value) as ModelMessage;
      copies.add(copy);
      Reflect.set(target, name, copy);
      return copy;
    },
    set(target, name, value: unknown) {
      if (typeof value === "object" && value !== null) copies.add(value);
      return Reflect.set(target, name, value);
    },
  });
}

function proveWhole(messages: readonly ModelMessage[]): void {
  const open = new Set<string>();
  for (const message of messages) {
    const { calls, results } = partsOf(message);
    if (message.role !== "tool" && open.size > 0) refuseDropped([...open][0]);
    for (const id of results)
      if (!open.delete(id))
        throw new MessagesNotUsable(
          `prepareMessages kept the result of call ${id} and dropped the call: keep both or neither`,
        );
    for (const id of calls) open.add(id);
  }
  if (open.size > 0) refuseDropped([...open][0]);
}

/** The calls of the turn's last step, which the model is about to go on from. */
function proveLastStep(before: readonly ModelMessage[], after: readonly ModelMessage[]): void {
  const last = before.findLast((message) => message.role === "assistant");
  if (last === undefined) return;
  const wanted = partsOf(last).calls;
  const behind = before.slice(before.lastIndexOf(last));
  // Text that follows calls which are settled long since may go; what was called last may not.
  if (!behind.some(({ role }) => role === "tool")) return;
  const kept = new Set(after.flatMap((message) => partsOf(message).calls));
  for (const id of wanted) if (!kept.has(id)) refuseDropped(id);
}

function refuseDropped(id: string | undefined): never {
  throw new MessagesNotUsable(
    `prepareMessages dropped call ${id} or its result, which the model must see now`,
  );
}

function partsOf({ content }: ModelMessage): {
  readonly calls: readonly string[];
  readonly results: readonly string[];
} {
  if (typeof content === "string") return { calls: [], results: [] };
  const idsOf = (type: string) =>
    content.flatMap((part) =>
      part.type === type && "toolCallId" in part ? [part.toolCallId] : [],
    );
  return { calls: idsOf("tool-call"), results: idsOf("tool-result") };
}
