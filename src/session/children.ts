/**
 * Owns: agents that run inside another agent's tool. A child has a session of its own, whose key follows from its
 * parent's call, so that a parent which is tried again finds the child that it started.
 */

import type { ChildRequest, ChildResult, ChildStarted } from "../agent/tool-context.ts";
import { deriveSessionKey, formatTaskId } from "../core/ids.ts";
import { CHILD_WAIT_MS } from "../core/limits.ts";
import { readTask, readTaskByIdentity } from "../journal/tasks.ts";
import type { CallPlace } from "./draft.ts";
import type { SessionFace } from "./face.ts";
import type { TurnView } from "../core/turn-view.ts";
import type { StartRequest } from "./starting.ts";
import type { SessionStore } from "./store.ts";

/** Opens another session of the same workspace. */
export type OpenSibling = (key: string) => SessionFace;

/** A fresh session begins with its first turn, which takes the counter's first number. */
const FIRST_TURN = 1;

/** Runs a child to its end. It has no human tools and no word of them, so it can't park on a person. */
export async function runChild(
  openSibling: OpenSibling,
  parentCall: string,
  request: ChildRequest,
  signal: AbortSignal,
): Promise<ChildResult> {
  const key = await deriveSessionKey({ from: "parent", call: parentCall });
  const face = openSibling(key);
  const started = await face.start({ ...startOf(request), deferred: false, waitMs: CHILD_WAIT_MS });
  if (!started.ok) throw new Error(`the child can't start: ${started.refusal.detail}`);
  let { turn } = started.value;
  while (turn.status === "queued" || turn.status === "running") {
    if (signal.aborted) await face.cancelTurn(FIRST_TURN, "the parent's tool was stopped");
    const read = await face.readTurn(FIRST_TURN, CHILD_WAIT_MS);
    if (!read.ok) throw new Error(`the child is gone: ${read.refusal.detail}`);
    turn = read.value;
  }
  return childResult(turn);
}

/** Starts a child that may park, or finds it, where its call is tried again. Its end settles the task that is returned here. */
export function startChild(
  store: SessionStore,
  place: CallPlace,
  toolName: string,
  parentCall: string,
  request: ChildRequest,
): ChildStarted {
  const { agent, prompt } = request;
  const identity = `child:${parentCall}`;
  const record =
    readTaskByIdentity(store.database, identity) ??
    store.transact((draft) =>
      draft.startChild(place, identity, {
        kind: "background",
        toolName,
        input: { agent, prompt },
        child: { agent, prompt },
      }),
    );
  return { status: "started", taskId: formatTaskId(record.task ?? 0) };
}

/** Starts the child of a task; where it can't start, the task ends with the reason. */
export async function startChildTurn(
  store: SessionStore,
  openSibling: OpenSibling,
  item: number,
): Promise<void> {
  const record = readTask(store.database, item);
  if (record?.content.kind !== "background" || record.content.child === undefined) return;
  const face = openSibling(await childKey(store.key, item));
  const parent = { session: store.key, item };
  const started = await face.start({ ...startOf(record.content.child), parent, waitMs: 0 });
  if (!started.ok) settleHere(store, item, `the child can't start: ${started.refusal.detail}`);
}

export async function cancelChildTurn(
  store: SessionStore,
  openSibling: OpenSibling,
  item: number,
): Promise<void> {
  const face = openSibling(await childKey(store.key, item));
  await face.cancelTurn(FIRST_TURN, "the parent cancelled the task");
}

function settleHere(store: SessionStore, item: number, message: string): void {
  const record = readTask(store.database, item);
  if (record === undefined || record.settlement !== undefined) return;
  store.transact((draft) =>
    draft.finishBeside(record, { type: "error-text", value: `FAILED: ${message}` }),
  );
}

function childKey(parent: string, item: number): Promise<string> {
  return deriveSessionKey({ from: "parent", call: `${parent}:${item}` });
}

function startOf({
  agent,
  prompt,
}: {
  readonly agent: string;
  readonly prompt: string;
}): Omit<StartRequest, "waitMs"> {
  return { agent, input: prompt, mustExist: false, fresh: true, whenBusy: "queue" };
}

function childResult(turn: TurnView): ChildResult {
  const ids = { sessionId: turn.sessionId, turnId: turn.id };
  if (turn.status === "completed") return { status: "completed", text: turn.text ?? "", ...ids };
  if (turn.status === "failed" && turn.error !== undefined)
    return { status: "failed", error: turn.error, ...ids };
  return { status: "cancelled", ...ids };
}
