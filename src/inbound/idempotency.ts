/**
 * Owns: what a session keeps of a request that must have its effect once: by what it is known again, and what it said.
 * Sessions store the digests, so what they are made of stays as it is.
 */

import { sha256Hex } from "../core/ids.ts";
import type { StartRequest } from "../session/face.ts";

export type Idempotency = NonNullable<StartRequest["idempotency"]>;

/** A request is known again by who sent it, where to, and the key that came with it. */
export function requestKey(keyId: string, route: string, idempotencyKey: string): Promise<string> {
  return sha256Hex(`${keyId}\n${route}\n${idempotencyKey}`);
}

/** `said` is all that makes it another request under the same key, as canonical text. */
export async function idempotencyOf(
  keyId: string,
  route: string,
  idempotencyKey: string,
  said: string,
): Promise<Idempotency> {
  return {
    key: await requestKey(keyId, route, idempotencyKey),
    digest: await sha256Hex(said),
  };
}
