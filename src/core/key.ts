/**
 * Owns: API keys: what one may do and for which workspace, and which of the configured ones a caller holds.
 */

import { z } from "zod";
import { sha256Hex } from "./ids.ts";

export const rightSchema = z.enum(["run", "answer", "read", "admin"]);
export type Right = z.output<typeof rightSchema>;

export const workspaceSchema = z
  .string()
  .regex(/^[a-z0-9-]{1,32}$/, "must be 1 to 32 of a-z, 0-9 and -");

export const apiKeySchema = z.strictObject({
  id: z.string().min(1).max(64),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be the key's SHA-256 in 64 lower-case hex digits"),
  workspace: workspaceSchema,
  can: z.array(rightSchema).min(1),
});
export type ApiKey = z.output<typeof apiKeySchema>;

/** The key whose secret this is. Every configured key is compared, and each comparison takes the same time. */
export async function findKey(
  keys: readonly ApiKey[],
  secret: string,
): Promise<ApiKey | undefined> {
  const digest = await sha256Hex(secret);
  let found: ApiKey | undefined;
  for (const key of keys) if (equalInConstantTime(key.sha256, digest)) found ??= key;
  return found;
}

function equalInConstantTime(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < other.length; at += 1)
    difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}
