/**
 * Owns: API keys: what one may do and for which workspace, and which of the configured ones a caller holds; what a
 * workspace is called.
 */

import * as z from "zod";
import { sha256Hex } from "./ids.ts";

export const rightSchema = z.enum(["run", "answer", "read", "admin"]);
export type Right = z.output<typeof rightSchema>;

export const workspaceSchema = z
  .string()
  .regex(/^[a-z0-9-]{1,32}$/, "must be 1 to 32 of a-z, 0-9 and -");

/** The workspace of what comes without an API key and names none. */
export const DEFAULT_WORKSPACE = "default";

export const apiKeySchema = z.strictObject({
  id: z.string().min(1).max(64),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be the key's SHA-256 in 64 lower-case hex digits"),
  workspace: workspaceSchema,
  can: z.array(rightSchema).min(1),
});
export type ApiKey = z.output<typeof apiKeySchema>;

/** The secret that was found last among some keys, with its key: most callers come again. */
const lastFound = new WeakMap<
  readonly ApiKey[],
  { readonly secret: string; readonly key: ApiKey }
>();

/** The key whose secret this is. Every configured key is compared, and each comparison takes the same time. */
export async function findKey(
  keys: readonly ApiKey[],
  secret: string,
): Promise<ApiKey | undefined> {
  const last = lastFound.get(keys);
  if (last !== undefined && equalInConstantTime(last.secret, secret)) return last.key;
  const digest = await sha256Hex(secret);
  let found: ApiKey | undefined;
  for (const key of keys) if (equalInConstantTime(key.sha256, digest)) found ??= key;
  if (found !== undefined) lastFound.set(keys, { secret, key: found });
  return found;
}

/** Takes the same time wherever `one` and `other` differ. */
export function equalInConstantTime(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < other.length; at += 1)
    difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}
