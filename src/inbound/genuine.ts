/**
 * Owns: believing what arrives without an API key: its bytes, once their signature was found to fit. Nothing in them is
 * parsed before.
 */

import { readBytes } from "./body.ts";
import type { CallerContext } from "./door.ts";
import { Problem } from "./problem.ts";
import type { WebhookVerifier } from "./webhook-signatures.ts";

export async function genuineBytes(
  context: CallerContext,
  now: number,
  verify: WebhookVerifier,
): Promise<Uint8Array<ArrayBuffer>> {
  const secret = secretOf(context.env, verify);
  const bytes = await readBytes(context);
  const { headers } = context.req.raw;
  const issue = await verify.check({ headers, body: bytes, secret, now });
  if (issue !== undefined)
    throw new Problem("invalid_signature", issue, { headers: { "www-authenticate": "Signature" } });
  return bytes;
}

function secretOf(env: object, { secretName, checkSecret }: WebhookVerifier): string {
  const secret = (env as Readonly<Record<string, unknown>>)[secretName];
  if (typeof secret !== "string" || secret === "")
    throw new Problem(
      "not_configured",
      `Set the secret ${secretName}: what arrives here is known by it.`,
    );
  const issue = checkSecret?.(secret);
  if (issue !== undefined)
    throw new Problem("not_configured", `The secret ${secretName} ${issue}.`);
  return secret;
}
