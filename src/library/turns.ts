/**
 * Owns: starting a turn from the Worker's own code and waiting until it is settled or parked.
 */

import { inputSchema } from "../core/input.ts";
import { parseId } from "../core/ids.ts";
import { issuesOf } from "../core/issue.ts";
import type { JsonObject } from "../core/json.ts";
import { LIBRARY_WAIT_MS } from "../core/limits.ts";
import type { SessionFace, StartRequest } from "../session/face.ts";
import type { TurnView } from "../core/turn-view.ts";
import { turnResult, type TurnResult } from "../core/turn-view.ts";

import { HoldpointRefusal, valueOf } from "./refusal.ts";
import { DEFAULT_WORKSPACE, type HasReach, targetOf } from "./target.ts";

export interface GenerateOptions {
  readonly harness: HasReach;
  /** The session's id, or your own name for it; a new session where it is left out. */
  readonly sessionId?: string;
  readonly prompt: string;
  readonly agent?: string;
  readonly extraBody?: JsonObject;
  /** `false`: nobody can come back with an answer, so the turn gets no tool that would wait for one. */
  readonly deferred?: boolean;
  readonly workspace?: string;
}

/** Runs a turn until it is settled or parked. Rejects with a HoldpointRefusal where it may not start. */
export async function generateHarness(options: GenerateOptions): Promise<TurnResult> {
  return turnResult((await startAndWait(options)).turn);
}

/** A turn, and the session in which it is. */
export interface TurnInSession {
  readonly face: SessionFace;
  readonly turn: TurnView;
}

/** Starts a turn and waits until it is under way no more. */
export async function startAndWait(options: GenerateOptions): Promise<TurnInSession> {
  const { face, turn } = await startTurn(options, { waitMs: LIBRARY_WAIT_MS });
  return { face, turn: await restingTurn(face, turn) };
}

export async function startTurn(
  options: GenerateOptions,
  then: Pick<StartRequest, "waitMs" | "listeners">,
): Promise<TurnInSession> {
  const { harness, prompt, extraBody } = options;
  const input = inputSchema.safeParse(prompt);
  if (!input.success)
    throw new HoldpointRefusal(
      "invalid_request",
      "The prompt is not valid.",
      issuesOf(input.error),
    );
  const target = await targetOf(options.sessionId);
  const face = harness.reach.openSession(options.workspace ?? DEFAULT_WORKSPACE, target.key);
  const started = valueOf(
    await face.start({
      agent: options.agent ?? harness.reach.defaultAgent(),
      input: input.data,
      mustExist: target.mustExist,
      fresh: target.fresh,
      whenBusy: "queue",
      ...then,
      ...(extraBody !== undefined && { extraBody }),
      ...(options.deferred === false && { deferred: false }),
      ...(target.name !== undefined && { sessionName: target.name }),
    }),
  );
  return { face, turn: started.turn };
}

/** The turn once it is settled or parked, however long that takes. */
export async function restingTurn(face: SessionFace, first: TurnView): Promise<TurnView> {
  const n = parseId("turn", first.id)?.n ?? 0;
  let turn = first;
  while (turn.status === "queued" || turn.status === "running")
    turn = valueOf(await face.readTurn(n, LIBRARY_WAIT_MS, "rest"));
  return turn;
}
