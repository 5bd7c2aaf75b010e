/**
 * Owns: starting a turn from the Worker's own code and waiting until it is settled or parked.
 */

import { inputSchema, typedInputSchema } from "../core/input.ts";
import { parseId } from "../core/ids.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { outputSchema } from "../core/output.ts";
import { LIBRARY_WAIT_MS } from "../core/limits.ts";
import type { SessionFace, StartRequest } from "../session/face.ts";
import {
  type LinkOf,
  turnResult,
  type TurnResult,
  type TurnView,
  withLinks,
} from "../core/turn-view.ts";
import { checked, valueOf } from "./refusal.ts";
import { DEFAULT_WORKSPACE } from "../core/key.ts";
import { type HasReach, targetOf } from "./target.ts";

export interface GenerateOptions {
  readonly harness: HasReach;
  /** The session's id, or your own name for it; a new session where it is left out. */
  readonly sessionId?: string;
  /** A text or parts; with `inputType` any JSON that its schema takes. */
  readonly prompt: Json;
  readonly inputType?: string;
  /** What the turn's last text must be: a schema in zod or JSON Schema 2020-12. The result has it as `output`. */
  readonly output?: { readonly schema: unknown };
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
  const { harness, workspace = DEFAULT_WORKSPACE } = options;
  return { face, turn: await restingTurn(face, turn, harness.reach.linkOf(workspace)) };
}

export async function startTurn(
  options: GenerateOptions,
  then: Pick<StartRequest, "waitMs" | "listeners">,
): Promise<TurnInSession> {
  const { harness, prompt, extraBody, inputType } = options;
  const input = checked(inputType === undefined ? inputSchema : typedInputSchema, prompt, "prompt");
  const output =
    options.output === undefined ? undefined : checked(outputSchema, options.output, "output");
  const target = await targetOf(options.sessionId);
  const face = harness.reach.openSession(options.workspace ?? DEFAULT_WORKSPACE, target.key);
  const started = valueOf(
    await face.start({
      agent: options.agent ?? harness.reach.defaultAgent(),
      input,
      ...(inputType !== undefined && { inputType }),
      ...(output !== undefined && { output }),
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

/** The turn once it is settled or parked, however long that takes, with the links of what it waits for. */
export async function restingTurn(
  face: SessionFace,
  first: TurnView,
  linkOf: LinkOf,
): Promise<TurnView> {
  const n = parseId("turn", first.id)?.n ?? 0;
  let turn = first;
  while (turn.status === "queued" || turn.status === "running")
    turn = valueOf(await face.readTurn(n, LIBRARY_WAIT_MS, "rest"));
  return withLinks(turn, linkOf);
}
