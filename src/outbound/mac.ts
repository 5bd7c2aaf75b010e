/**
 * Owns: the MACs by which Holdpoint knows again what it gave out. Each MAC covers the name of its purpose first, so that
 * none can be taken for another that the same secret makes.
 */

import { concatenate, utf8 } from "../core/bytes.ts";

/** The key of the secret that was used last: a Worker has one. The key is kept, never its promise, which is one request's. */
let imported: { readonly secret: string; readonly key: CryptoKey } | undefined;

export async function importMacKey(secret: string): Promise<CryptoKey> {
  if (imported?.secret === secret) return imported.key;
  const usages = ["sign", "verify"];
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", utf8(secret), algorithm, false, usages);
  imported = { secret, key };
  return key;
}

/** HMAC-SHA-256, 32 bytes. */
export async function macOf(
  key: CryptoKey,
  purpose: string,
  body: Uint8Array,
): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, forPurpose(purpose, body)));
}

/** `verify` compares in constant time. */
export async function isMacOf(
  key: CryptoKey,
  purpose: string,
  body: Uint8Array,
  signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  return crypto.subtle.verify("HMAC", key, signature, forPurpose(purpose, body));
}

function forPurpose(purpose: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  return concatenate(utf8(`${purpose}\0`), body);
}
