/**
 * Owns: how a request finds its session: by an id that carries the key, by the caller's name for it, or by a key made for
 * the request. The workspace is always the caller's own.
 */

import {
  deriveSessionKey,
  type IdKind,
  type ParsedId,
  parseId,
  parseSessionReference,
  SESSION_NAME_FORM,
  parseThreadId,
  sessionKeyOfBytes,
  type SessionKey,
} from "../core/ids.ts";
import type { SessionFace } from "../session/face.ts";
import type { CallerContext, Door } from "./door.ts";
import { Problem } from "./problem.ts";

export interface SessionTarget {
  readonly key: SessionKey;
  readonly name?: string;
  readonly mustExist: boolean;
  readonly fresh: boolean;
}

/** The session that a path or a filter names. */
export async function targetOf(reference: string): Promise<SessionTarget> {
  const parsed = parseSessionReference(reference);
  if (parsed === undefined)
    throw new Problem(
      "invalid_request",
      `A session is named by its id, or by ${SESSION_NAME_FORM}`,
      {
        issues: [{ path: "session", message: "is not valid" }],
      },
    );
  if (parsed.by === "id") return { key: parsed.key, mustExist: true, fresh: false };
  const key = await deriveSessionKey({ from: "name", name: parsed.name });
  return { key, name: parsed.name, mustExist: false, fresh: false };
}

/** The session behind a thread's id: the Service's name for the same thing. */
export function threadTarget(id: string): SessionTarget {
  const key = parseThreadId(id);
  if (key === undefined) throw new Problem("not_found", "There is no such thread.");
  return { key, mustExist: true, fresh: false };
}

/** The session of a request that names none: two tries under one Idempotency-Key meet in one session. */
export async function freshTarget(
  keyId: string,
  route: string,
  idempotencyKey: string | undefined,
): Promise<SessionTarget> {
  const key =
    idempotencyKey === undefined
      ? sessionKeyOfBytes(crypto.getRandomValues(new Uint8Array(12)))
      : await deriveSessionKey({ from: "idempotency", keyId, route, idempotencyKey });
  return { key, mustExist: false, fresh: true };
}

export function faceOf(context: CallerContext, door: Door, key: SessionKey): SessionFace {
  return door.openSession(context.env, context.get("key").workspace, key);
}

/** The parsed id of a path. An id of another form is of nothing that exists. */
export function pathId(context: CallerContext, kind: IdKind): ParsedId {
  const id = parseId(kind, context.req.param("id") ?? "");
  if (id === undefined)
    throw new Problem("not_found", `There is no such ${kind === "q" ? "question" : kind}.`);
  return id;
}
