/**
 * Owns: who calls: by a key, as a person for whom an issuer speaks, or by another Worker's binding; and whether the caller
 * has the right that a route needs, and may call so often.
 */

import type { MiddlewareHandler } from "hono";
import { type Authority, findKey, type Right } from "../core/key.ts";
import { RATE_LIMIT_RETRY_SECONDS, TOKEN_CHARACTERS } from "../core/limits.ts";
import { type Caller, type CallerContext, type Door, publicOrigin } from "./door.ts";
import { createFindPerson, type FindPerson, invalidToken } from "./people.ts";
import { Problem } from "./problem.ts";

const HOW_TO_CONFIGURE =
  'No API keys are configured. Set the secret API_KEYS to a JSON list such as [{"id":"app","sha256":"<hex SHA-256 of the key>","workspace":"acme","can":["run","answer","read"]}].';

/** Cloudflare Access sends its word for a person along with each request that it lets through. */
const ACCESS_HEADER = "cf-access-jwt-assertion";
const BEARER = new RegExp(`^Bearer +([!-~]{1,${TOKEN_CHARACTERS}}) *$`, "i");
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Requests that this Worker made itself, for whoever is bound to it: nothing from outside can get in here. */
const vouched = new WeakMap<Request, Authority>();

/** Lets a request through that another Worker's binding stands for. */
export function vouchFor(request: Request, authority: Authority): void {
  vouched.set(request, authority);
}

/** Puts the caller's authority into the context, or refuses. Closed where nothing is configured. */
export function authenticate(door: Door): MiddlewareHandler<Caller> {
  const findPerson = createFindPerson();
  return async (context, next) => {
    const authority =
      vouched.get(context.req.raw) ?? (await authorityOf(context, door, findPerson));
    context.set("key", authority);
    await next();
  };
}

async function authorityOf(
  context: CallerContext,
  door: Door,
  findPerson: FindPerson,
): Promise<Authority> {
  const { keys, issuers } = door.config(context.env);
  if (keys.length === 0 && issuers.length === 0)
    throw new Problem("not_configured", HOW_TO_CONFIGURE);
  const authorization = context.req.header("authorization");
  const secret = BEARER.exec(authorization ?? "")?.[1];
  const key = secret === undefined ? undefined : await findKey(keys, secret);
  if (key !== undefined) return key;
  if (issuers.length > 0 && secret !== undefined && TOKEN.test(secret))
    return findPerson(secret, issuers, door.now());
  // Who sends a key means it: the word for a person that comes along does not stand in for a wrong one.
  const assertion = authorization === undefined ? context.req.header(ACCESS_HEADER) : undefined;
  if (issuers.length === 0 || assertion === undefined)
    throw new Problem("unauthenticated", "Send a valid key as Authorization: Bearer <key>.", {
      headers: { "www-authenticate": 'Bearer realm="holdpoint"' },
    });
  if (assertion.length > TOKEN_CHARACTERS) throw invalidToken("The token is too long.");
  refuseForeignOrigin(context, door);
  return findPerson(assertion, issuers, door.now());
}

/** A browser's cookie makes Access speak for its owner on any page's request: only our own pages, and those configured. */
function refuseForeignOrigin(context: CallerContext, door: Door): void {
  const origin = context.req.header("origin");
  const config = door.config(context.env);
  const own = [
    new URL(context.req.url).origin,
    publicOrigin(context, config),
    ...config.corsOrigins,
  ];
  if (origin !== undefined && !own.includes(origin))
    throw new Problem("forbidden", "A page of another origin may not call for its visitor.");
}

/** What makes an answer or a decision last is never turned away for its rate. */
const SETTLES =
  /^\/v1\/(?:questions\/[^/]+\/(?:answer|decline)|turns\/[^/]+\/results)$|^\/api\/v1\/runs\/[^/]+\/resume$/;

/** Refuses a caller beyond its rate, where one is configured. */
export function limitRate(door: Door): MiddlewareHandler<Caller> {
  return async (context, next) => {
    const { workspace, id } = context.get("key");
    const isFree = context.req.method === "POST" && SETTLES.test(context.req.path);
    if (!isFree && !(await door.mayCall(context.env, `${workspace}/${id}`)))
      throw new Problem("rate_limited", "This key calls more often than it may. Slow down.", {
        headers: { "retry-after": String(RATE_LIMIT_RETRY_SECONDS) },
      });
    await next();
  };
}

export function needs(right: Right): MiddlewareHandler<Caller> {
  return async (context, next) => {
    refuseWithout(context, right);
    await next();
  };
}

export function needsOneOf(...rights: readonly Right[]): MiddlewareHandler<Caller> {
  return async (context, next) => {
    const { can } = context.get("key");
    if (!rights.some((right) => can.includes(right)))
      throw new Problem("forbidden", `This needs a key with the right ${rights.join(" or ")}.`);
    await next();
  };
}

export function refuseWithout(context: CallerContext, right: Right): void {
  if (!context.get("key").can.includes(right))
    throw new Problem("forbidden", `This needs a key with the right ${right}.`);
}

/** Who settles or moves something with a request: the person, or the key's own id. */
export function callerName(context: CallerContext): string {
  const { person, id } = context.get("key");
  return person ?? id;
}

/** Who answers: whom a system names that answers for people, and a person alone for themselves. */
export function answeredByOf(context: CallerContext, named: string | undefined): string {
  const { person } = context.get("key");
  if (named !== undefined && (person === undefined || person === named)) return named;
  if (person !== undefined && named === undefined) return person;
  const message =
    person === undefined ? "must be given" : "must be left out, or be the email of your token";
  throw new Problem("invalid_request", "The body is not valid.", {
    issues: [{ path: "answeredBy", message }],
  });
}
