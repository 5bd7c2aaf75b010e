/**
 * Owns: reading a request's body no further than its limit.
 */

import { REQUEST_BODY_BYTES } from "../core/limits.ts";

/** Undefined for a body that is too large: the rest of it is not read. */
export async function readBounded(request: Request): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (request.body === null) return new Uint8Array(0);
  if (Number(request.headers.get("content-length") ?? 0) > REQUEST_BODY_BYTES) return undefined;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > REQUEST_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
