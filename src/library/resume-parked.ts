/**
 * Owns: `resumeParked`: parked turns whose wait is over go on, for agents with `resume: "manual"`.
 */

import { issuesOf } from "../core/issue.ts";
import type { JsonObject } from "../core/json.ts";
import type { SessionKey } from "../core/ids.ts";
import { DEFAULT_WORKSPACE } from "../core/key.ts";
import { resumeOptionsSchema } from "../core/requests.ts";
import { turnResult, type TurnResult, type TurnView } from "../core/turn-view.ts";
import { type ResumeRequest, type Resumption, resumeSessions } from "../session/face.ts";
import { HoldpointRefusal, valueOf } from "./refusal.ts";
import { type HasReach, targetOf } from "./target.ts";
import { restingTurn } from "./turns.ts";

export interface ResumeParkedOptions {
  readonly harness: HasReach;
  /** One session's turns only; without it the turns of all sessions, which needs an inbox. */
  readonly sessionId?: string;
  /** Turns to let go on, 1 to 100; 10 where it is left out. */
  readonly limit?: number;
  /** In place of the turns' own. */
  readonly extraBody?: JsonObject;
  /** From how long after a failed try a later call tries again, doubling with each; the agent's where it is left out. */
  readonly retryDelayMs?: number;
  /** Tries in a row before the turn is failed; the agent's where it is left out. */
  readonly maxAttempts?: number;
  /**
   * Called for each turn that went on, with what it came to, once; not for one that will be tried again. What it throws is
   * among the `errors` of an AggregateError, with which the call rejects when all turns are through.
   */
  readonly onResult?: (result: TurnResult, turn: TurnView) => Promise<void> | void;
  readonly workspace?: string;
}

export async function resumeParked(options: ResumeParkedOptions): Promise<Resumption> {
  const { harness, onResult, workspace = DEFAULT_WORKSPACE } = options;
  const request = checkedRequest(options);
  if (onResult !== undefined && !harness.reach.resumesManually())
    throw new HoldpointRefusal(
      "resume_is_automatic",
      'Parked turns go on by themselves here: give onResult to createHarness, or set humanInput.resume to "manual".',
    );
  const sessions = await sessionsOf(options, workspace);
  const linkOf = harness.reach.linkOf(workspace);
  const thrown: unknown[] = [];
  const resumption = await resumeSessions(
    sessions,
    (key) => harness.reach.openSession(workspace, key),
    request,
    {
      rest: (face, turn) => restingTurn(face, turn, linkOf),
      // The others are told of all the same: no later call tells of a turn that went on in this one.
      settled: async (turn) => {
        try {
          await onResult?.(turnResult(turn), turn);
        } catch (error) {
          thrown.push(error);
        }
      },
    },
  );
  if (thrown.length === 0) return resumption;
  const message = `onResult threw for ${thrown.length} of the turns; \`cause\` is what came of all`;
  throw new AggregateError(thrown, message, { cause: resumption });
}

function checkedRequest(options: ResumeParkedOptions): ResumeRequest {
  const parsed = resumeOptionsSchema.safeParse(options);
  if (parsed.success) return parsed.data;
  throw new HoldpointRefusal(
    "invalid_request",
    "The options are not valid.",
    issuesOf(parsed.error),
  );
}

async function sessionsOf(
  { harness, sessionId }: ResumeParkedOptions,
  workspace: string,
): Promise<readonly SessionKey[]> {
  if (sessionId !== undefined) {
    const { key, mustExist } = await targetOf(sessionId);
    if (mustExist) valueOf(await harness.reach.openSession(workspace, key).readSession(1));
    return [key];
  }
  const inbox = harness.reach.openInbox(workspace);
  if (inbox === undefined)
    throw new HoldpointRefusal(
      "invalid_request",
      "No inbox is bound: bind INBOX, or give sessionId.",
    );
  return inbox.readySessions(Date.now());
}
