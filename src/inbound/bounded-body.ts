/**
 * Owns: reading what arrives no further than its limit.
 */

import { REQUEST_BODY_BYTES } from "../core/limits.ts";

/** Undefined for a body that is too large: the rest of it is not read. */
export async function readBounded(request: Request): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (request.body === null) return new Uint8Array(0);
  const announced = request.headers.get("content-length");
  if (announced !== null) {
    // A body of a length that was said beforehand is not longer: it is read in one piece.
    if (!(Number(announced) <= REQUEST_BODY_BYTES)) return undefined;
    const bytes = new Uint8Array(await request.arrayBuffer());
    return bytes.length > REQUEST_BODY_BYTES ? undefined : bytes;
  }
  return readStream(request.body, REQUEST_BODY_BYTES);
}

/** Undefined for more than `limit` bytes: the rest is not read. */
export async function readStream(
  stream: ReadableStream,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > limit) return undefined;
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
