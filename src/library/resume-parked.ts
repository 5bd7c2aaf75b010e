/**
 * Owns: `resumeParked`: parked turns whose wait is over go on, for agents with `resume: "manual"`.
 */

import type { JsonObject } from "../core/json.ts";
import { RESUMED_TURNS_DEFAULT } from "../core/limits.ts";
import type { SessionKey } from "../core/ids.ts";
import { DEFAULT_WORKSPACE } from "../core/key.ts";
import { turnResult, type TurnResult, type TurnView } from "../core/turn-view.ts";
import { type Resumption, resumeSessions } from "../session/face.ts";
import { HoldpointRefusal } from "./refusal.ts";
import { type HasReach, targetOf } from "./target.ts";

export interface ResumeParkedOptions {
  readonly harness: HasReach;
  /** One session's turns only; without it the turns of all sessions, which needs an inbox. */
  readonly sessionId?: string;
  readonly limit?: number;
  /** In place of the turns' own. */
  readonly extraBody?: JsonObject;
  /** Called for each turn that went on, with what it came to. */
  readonly onResult?: (result: TurnResult, turn: TurnView) => Promise<void> | void;
  readonly workspace?: string;
}

export async function resumeParked(options: ResumeParkedOptions): Promise<Resumption> {
  const {
    harness,
    limit = RESUMED_TURNS_DEFAULT,
    onResult,
    workspace = DEFAULT_WORKSPACE,
  } = options;
  if (onResult !== undefined && !harness.reach.resumesManually())
    throw new HoldpointRefusal(
      "resume_is_automatic",
      'Parked turns go on by themselves here: give onResult to createHarness, or set humanInput.resume to "manual".',
    );
  const sessions = await sessionsOf(options, workspace);
  return resumeSessions(
    sessions,
    (key) => harness.reach.openSession(workspace, key),
    limit,
    options.extraBody,
    async (turn) => {
      if (turn.status !== "running") await onResult?.(turnResult(turn), turn);
    },
  );
}

async function sessionsOf(
  { harness, sessionId }: ResumeParkedOptions,
  workspace: string,
): Promise<readonly SessionKey[]> {
  if (sessionId !== undefined) return [(await targetOf(sessionId)).key];
  const inbox = harness.reach.openInbox(workspace);
  if (inbox === undefined)
    throw new HoldpointRefusal(
      "invalid_request",
      "No inbox is bound: bind INBOX, or give sessionId.",
    );
  return inbox.readySessions();
}
