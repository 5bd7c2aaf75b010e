/**
 * Owns: what a caller may do and for which workspace: by an API key, of which several may be configured under one id
 * while one replaces another, or as a person for whom an issuer speaks; what a workspace is called.
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

/** What a caller may do, and where: by its key, by an issuer's word for a person, or by the binding of another Worker. */
export interface Authority {
  /** Of the key; what is idempotent is so for it. */
  readonly id: string;
  readonly workspace: string;
  readonly can: readonly Right[];
  /** The email of the person who calls: whatever they settle, they settle as themselves. */
  readonly person?: string;
  /** True where the host of the request's address is the caller's invention, and no link can be made of it. */
  readonly isBound?: boolean;
}

/**
 * Whose tokens are taken for people: of one issuer, made for one audience. Whoever the issuer lets through to that audience
 * has these rights in this workspace.
 */
export const issuerSchema = z
  .strictObject({
    issuer: z.url({ protocol: /^https$/ }),
    audience: z.string().min(1).max(512),
    /** Where its public keys are; known of Cloudflare Access, else it must be given. */
    jwks: z.url({ protocol: /^https$/ }).optional(),
    workspace: workspaceSchema,
    can: z.array(rightSchema).min(1),
  })
  .transform(({ jwks, ...rest }, context) => {
    const found = jwks ?? accessCerts(rest.issuer);
    if (found !== undefined) return { ...rest, jwks: found };
    context.addIssue({ code: "custom", path: ["jwks"], message: "must be the issuer's JWKS" });
    return z.NEVER;
  });
export type Issuer = z.output<typeof issuerSchema>;

function accessCerts(issuer: string): string | undefined {
  const { hostname, origin } = new URL(issuer);
  return hostname.endsWith(".cloudflareaccess.com") ? `${origin}/cdn-cgi/access/certs` : undefined;
}

/** The secret that was found last among some keys, with its key: most callers come again. */
const lastFound = new WeakMap<
  readonly ApiKey[],
  { readonly secret: string; readonly key: ApiKey }
>();

/**
 * The key whose secret this is. Each comparison takes the same time, and so does a secret that is not the one that was found
 * last: its digest is compared with that of every configured key.
 */
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
