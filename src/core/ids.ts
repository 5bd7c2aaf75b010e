/**
 * Owns: the ids of things and what they say. An id carries the key of its session, so it routes itself and no lookup
 * table exists. Does not own: who may use an id; the workspace always comes from the caller's authority.
 */

import { hex, utf8 } from "./bytes.ts";
import { SESSION_NAME_CHARACTERS } from "./limits.ts";

/** 24 lower-case hex digits. With the workspace it names one Durable Object. */
export type SessionKey = string;

export type IdKind = "turn" | "run" | "q" | "entry" | "delivery";

export interface ParsedId {
  readonly key: SessionKey;
  /** The thing's number in its session: one counter numbers the commits of a session and all that they create. */
  readonly n: number;
}

const NUMBER_MAX = 0xffff_ffff;
const ID_PATTERN = /^(turn|run|q|entry|delivery)_([0-9a-f]{24})([0-9a-f]{8})$/;
const SESSION_PATTERN = /^sess_([0-9a-f]{24})$/;
/** What a name is, in words. No address can hold `.` and `..` as parts of its path. */
export const SESSION_NAME_FORM = `1 to ${SESSION_NAME_CHARACTERS} of A-Z a-z 0-9 . _ ~ : @ -, but not . or ..`;
const NAME_PATTERN = new RegExp(`^(?!\\.{1,2}$)[A-Za-z0-9._~:@-]{1,${SESSION_NAME_CHARACTERS}}$`);

export function formatId(kind: IdKind, key: SessionKey, n: number): string {
  if (!Number.isInteger(n) || n < 0 || n > NUMBER_MAX)
    throw new RangeError(`no id has the number ${n}`);
  return `${kind}_${key}${n.toString(16).padStart(8, "0")}`;
}

export function parseId(kind: IdKind, id: string): ParsedId | undefined {
  const match = ID_PATTERN.exec(id);
  const [, found, key, digits] = match ?? [];
  if (found !== kind || key === undefined || digits === undefined) return undefined;
  return { key, n: Number.parseInt(digits, 16) };
}

export function formatSessionId(key: SessionKey): string {
  return `sess_${key}`;
}

/** The session's id on the Service's wire. */
export function parseThreadId(id: string): SessionKey | undefined {
  return /^thread_([0-9a-f]{24})$/.exec(id)?.[1];
}

/** How a caller names a session: by the id that we gave, or by a name of the caller's own. Undefined: by neither. */
export type SessionReference =
  | { readonly by: "id"; readonly key: SessionKey }
  | { readonly by: "name"; readonly name: string };

export function parseSessionReference(text: string): SessionReference | undefined {
  const key = SESSION_PATTERN.exec(text)?.[1];
  if (key !== undefined) return { by: "id", key };
  return NAME_PATTERN.test(text) ? { by: "name", name: text } : undefined;
}

/** Where a session's key comes from when the caller gives no id. */
export type KeyOrigin =
  | { readonly from: "name"; readonly name: string }
  /** A child's session: `call` is the parent's call, or the parent's session and task. */
  | { readonly from: "parent"; readonly call: string }
  | {
      readonly from: "idempotency";
      readonly keyId: string;
      readonly route: string;
      readonly idempotencyKey: string;
    };

/** Two tries of one request derive the same key, and so meet in one object. */
export async function deriveSessionKey(origin: KeyOrigin): Promise<SessionKey> {
  return (await sha256Hex(originText(origin))).slice(0, 24);
}

function originText(origin: KeyOrigin): string {
  switch (origin.from) {
    case "name":
      return `name:${origin.name}`;
    case "parent":
      return `child:${origin.call}`;
    case "idempotency":
      return `idem:${origin.keyId}:${origin.route}:${origin.idempotencyKey}`;
  }
}

/** The key of a session that nobody named, from 12 random bytes. */
export function sessionKeyOfBytes(bytes: Uint8Array): SessionKey {
  if (bytes.length !== 12) throw new RangeError("a session key is made of 12 bytes");
  return hex(bytes);
}

export async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", utf8(text));
  return hex(new Uint8Array(digest));
}

export function formatTaskId(n: number): string {
  return `task_${n}`;
}

export function parseTaskId(id: string): number | undefined {
  const match = /^task_([1-9][0-9]{0,8})$/.exec(id);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}
