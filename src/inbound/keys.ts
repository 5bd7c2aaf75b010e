/**
 * Owns: who calls: the key that a request bears, and whether it has the right that a route needs.
 */

import type { MiddlewareHandler } from "hono";
import { findKey, type Right } from "../core/key.ts";
import type { Caller, CallerContext, Door } from "./door.ts";
import { Problem } from "./problem.ts";

const HOW_TO_CONFIGURE =
  'No API keys are configured. Set the secret API_KEYS to a JSON list such as [{"id":"app","sha256":"<hex SHA-256 of the key>","workspace":"acme","can":["run","answer","read"]}].';

/** Puts the caller's key into the context, or refuses. Closed where no keys are configured. */
export function authenticate(door: Door): MiddlewareHandler<Caller> {
  return async (context, next) => {
    const { keys } = door.config(context.env);
    if (keys.length === 0) throw new Problem("not_configured", HOW_TO_CONFIGURE);
    const secret = /^Bearer +([!-~]{1,512}) *$/i.exec(
      context.req.header("authorization") ?? "",
    )?.[1];
    const key = secret === undefined ? undefined : await findKey(keys, secret);
    if (key === undefined)
      throw new Problem("unauthenticated", "Send a valid key as Authorization: Bearer <key>.", {
        headers: { "www-authenticate": 'Bearer realm="holdpoint"' },
      });
    context.set("key", key);
    await next();
  };
}

export function needs(right: Right): MiddlewareHandler<Caller> {
  return async (context, next) => {
    refuseWithout(context, right);
    await next();
  };
}

export function refuseWithout(context: CallerContext, right: Right): void {
  if (!context.get("key").can.includes(right))
    throw new Problem("forbidden", `This needs a key with the right ${right}.`);
}
