/**
 * Owns: how the Worker's own code names a session: by its id, by a name of its own, or not at all.
 */

import {
  deriveSessionKey,
  parseSessionReference,
  SESSION_NAME_FORM,
  type SessionKey,
  sessionKeyOfBytes,
} from "../core/ids.ts";
import type { InboxFace } from "../inbox/face.ts";
import type { LinkOf } from "../core/turn-view.ts";
import type { SessionFace } from "../session/face.ts";
import { HoldpointRefusal } from "./refusal.ts";

/** What these functions need of a harness. */
export interface Reach {
  readonly openSession: (workspace: string, key: SessionKey) => SessionFace;
  readonly openInbox: (workspace: string) => InboxFace | undefined;
  /** Whether some agent's parked turns go on only when they are told to. */
  readonly resumesManually: () => boolean;
  /** The agent of a turn that names none. */
  readonly defaultAgent: () => string;
  /** The link of a question, where `PUBLIC_URL` and `LINK_SECRET` are set. */
  readonly linkOf: (workspace: string) => LinkOf;
}

/** A harness, as `createHarness` returns it. */
export interface HasReach {
  readonly reach: Reach;
}

export interface Target {
  readonly key: SessionKey;
  readonly name?: string;
  readonly mustExist: boolean;
  readonly fresh: boolean;
}

export async function targetOf(sessionId: string | undefined): Promise<Target> {
  if (sessionId === undefined) {
    const key = sessionKeyOfBytes(crypto.getRandomValues(new Uint8Array(12)));
    return { key, mustExist: false, fresh: true };
  }
  const reference = parseSessionReference(sessionId);
  if (reference === undefined)
    throw new HoldpointRefusal(
      "invalid_request",
      `A session is named by its id, or by ${SESSION_NAME_FORM}`,
      [{ path: "sessionId", message: "is not valid" }],
    );
  if (reference.by === "id") return { key: reference.key, mustExist: true, fresh: false };
  const key = await deriveSessionKey({ from: "name", name: reference.name });
  return { key, name: reference.name, mustExist: false, fresh: false };
}
