/**
 * Owns: the signing secret of Standard Webhooks as it is written down: `whsec_` and base64. Does not own: what is signed.
 */

import { WEBHOOK_SECRET_BYTES_MAX, WEBHOOK_SECRET_BYTES_MIN } from "./limits.ts";

export const WEBHOOK_SECRET_FORM = `must be whsec_ and the base64 of ${WEBHOOK_SECRET_BYTES_MIN} to ${WEBHOOK_SECRET_BYTES_MAX} random bytes`;

const PATTERN = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?)$/;

/** The key that a secret stands for; undefined where it stands for none. */
export function parseWebhookSecret(secret: string): Uint8Array<ArrayBuffer> | undefined {
  const encoded = PATTERN.exec(secret)?.[1];
  if (encoded === undefined) return undefined;
  const key = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
  return key.length >= WEBHOOK_SECRET_BYTES_MIN && key.length <= WEBHOOK_SECRET_BYTES_MAX
    ? key
    : undefined;
}
