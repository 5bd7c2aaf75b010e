/**
 * Owns: a conversation as comparable lines, from what a model was given or from what the session shows, and the proof
 * that it is well formed: each call has exactly one result, in the message behind it (I7).
 */

export interface Message {
  readonly role: string;
  readonly content: string | readonly Part[];
}

export interface Part {
  readonly type: string;
  readonly text?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly output?: { readonly type: string; readonly value?: unknown };
}

export function partsOf(message: Message | undefined): readonly Part[] {
  if (message === undefined) return [];
  return typeof message.content === "string"
    ? [{ type: "text", text: message.content }]
    : message.content;
}

/** What is wrong with it; undefined where nothing is. */
export function malformation(messages: readonly Message[]): string | undefined {
  const ids = new Set<string>();
  for (const [at, message] of messages.entries()) {
    if (message.role === "tool" && callsOf(messages[at - 1]).length === 0)
      return `message ${at} has results, and no call stands before it`;
    const calls = callsOf(message);
    // Ids come again in later turns, but two results behind one call are never both its own.
    ids.clear();
    for (const { toolCallId = "" } of calls) {
      if (ids.has(toolCallId)) return `message ${at} makes two calls ${toolCallId}`;
      ids.add(toolCallId);
    }
    if (calls.length === 0) continue;
    const results = messages[at + 1]?.role === "tool" ? partsOf(messages[at + 1]) : [];
    const wanted = calls.map(nameOf).sort().join();
    const found = results.map(nameOf).sort().join();
    if (wanted !== found) return `message ${at} calls ${wanted}, and has results of ${found}`;
    if (results.some(({ output }) => output === undefined || output.value === undefined))
      return `message ${at + 1} has an empty result`;
  }
  return undefined;
}

function callsOf(message: Message | undefined): readonly Part[] {
  return message?.role === "assistant"
    ? partsOf(message).filter(({ type }) => type === "tool-call")
    : [];
}

function nameOf({ toolCallId, toolName }: Part): string {
  return `${toolCallId} ${toolName}`;
}

/** From the message that is a turn's input up to the next turn's, one line for each message. */
export function linesOfTurn(messages: readonly Message[], label: string): readonly string[] {
  const from = messages.findIndex((message) => isInput(message) && textOf(message) === label);
  if (from < 0) return [];
  const next = messages.findIndex((message, at) => at > from && isInput(message));
  return messages.slice(from, next < 0 ? undefined : next).map(lineOf);
}

/** A turn's input; what a caller says beside results is a user's message too, and begins otherwise. */
function isInput(message: Message): boolean {
  return message.role === "user" && !textOf(message).startsWith(BESIDE);
}

/** How a message begins that comes beside the results of a batch. */
export const BESIDE = "By the way: ";

function textOf(message: Message): string {
  return partsOf(message)
    .map(({ text = "" }) => text)
    .join("");
}

function lineOf(message: Message): string {
  const parts = partsOf(message).map(({ type, text, toolCallId, toolName, input, output }) =>
    type === "text"
      ? text
      : [type, toolCallId, toolName, JSON.stringify(input ?? output)].join(" "),
  );
  return `${message.role}: ${parts.join(" | ")}`;
}
