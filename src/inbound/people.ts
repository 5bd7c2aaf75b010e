/**
 * Owns: for whom an issuer's token speaks: it is checked against the issuer's own keys, which are fetched, kept for a
 * while, and fetched anew where a token names one that is not among them. Does not own: which issuers there are.
 */

import type { JWTPayload } from "jose";
import { JOSEError, JWTClaimValidationFailed } from "jose/errors";
import { decodeJwt } from "jose/jwt/decode";
import { createRemoteJWKSet } from "jose/jwks/remote";
import { jwtVerify } from "jose/jwt/verify";
import { answeredBySchema } from "../core/answer.ts";
import type { Authority, Issuer } from "../core/key.ts";
import { TOKEN_CLOCK_SKEW_SECONDS } from "../core/limits.ts";
import { Problem } from "./problem.ts";

/** Only what is signed with a private key: a secret that both sides know, or none, proves nothing. */
const ALGORITHMS = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");

/** The person of a token. Throws a Problem that says what is wrong with it. */
export type FindPerson = (
  token: string,
  issuers: readonly Issuer[],
  now: number,
) => Promise<Authority>;

/** Keeps the issuers' keys as long as this isolate lives. */
export function createFindPerson(): FindPerson {
  const keysByUrl = new Map<string, ReturnType<typeof createRemoteJWKSet>>();

  function keysOf(url: string): ReturnType<typeof createRemoteJWKSet> {
    const keys = keysByUrl.get(url) ?? createRemoteJWKSet(new URL(url));
    keysByUrl.set(url, keys);
    return keys;
  }

  return async (token, issuers, now) => {
    const { issuer, audience, jwks, workspace, can } = issuerOf(token, issuers);
    const { payload } = await jwtVerify(token, keysOf(jwks), {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      requiredClaims: ["exp"],
      clockTolerance: TOKEN_CLOCK_SKEW_SECONDS,
      currentDate: new Date(now),
    }).catch((error: unknown) => {
      throw problemOf(error);
    });
    const person = emailOf(payload);
    return { id: `person:${person}`, workspace, can, person };
  };
}

/** Which of the issuers a token says that it is from, and for: nothing is believed yet. */
function issuerOf(token: string, issuers: readonly Issuer[]): Issuer {
  const { iss, aud = [] } = claimsOf(token);
  const ofIssuer = issuers.filter(({ issuer }) => issuer === iss);
  if (ofIssuer.length === 0)
    throw invalidToken("The token is from an issuer that is not taken here.");
  const found = ofIssuer.find(({ audience }) => [aud].flat().includes(audience));
  if (found === undefined) throw invalidToken("The token was made for another audience.");
  return found;
}

function claimsOf(token: string): JWTPayload {
  try {
    return decodeJwt(token);
  } catch {
    throw invalidToken("The token can't be read.");
  }
}

/** Nothing that reads as more than an address where it is shown, and no name that a key may have. */
const emailSchema = answeredBySchema.regex(/^[^\s\p{C}@]+@[^\s\p{C}@]+$/u);

function emailOf({ email, email_verified: isVerified }: JWTPayload): string {
  const parsed = emailSchema.safeParse(email);
  if (!parsed.success)
    throw invalidToken("The token names no person: it has no claim email. A service uses a key.");
  // Some issuers write it as a text.
  if (![undefined, true, "true"].includes(isVerified as string))
    throw invalidToken("The issuer has not verified the token's email.");
  return parsed.data;
}

function problemOf(error: unknown): unknown {
  // What the issuer's server said or failed to say comes as the plain class, or as the platform's own error.
  if (!(error instanceof JOSEError) || UNREACHABLE.has(error.code))
    return new Problem(
      "unavailable",
      "The keys of the token's issuer can't be had now. Send the request again.",
      { headers: { "retry-after": "1" } },
    );
  if (error instanceof JWTClaimValidationFailed)
    return invalidToken(
      WRONG_CLAIM[error.claim] ?? `The token's claim ${error.claim} is not valid.`,
    );
  return invalidToken(WRONG_TOKEN[error.code] ?? "The token is not valid.");
}

const UNREACHABLE: ReadonlySet<string> = new Set([
  "ERR_JOSE_GENERIC",
  "ERR_JWKS_TIMEOUT",
  "ERR_JWKS_INVALID",
]);

const WRONG_CLAIM: Readonly<Record<string, string>> = {
  nbf: "The token is not valid yet.",
  exp: "The token does not say until when it is valid.",
};

const WRONG_TOKEN: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: "The token has expired.",
  ERR_JOSE_ALG_NOT_ALLOWED: "The token is signed by an algorithm that is not taken here.",
  ERR_JOSE_NOT_SUPPORTED: "The token is signed by an algorithm that is not taken here.",
  ERR_JWKS_NO_MATCHING_KEY: "The token is signed with a key that its issuer does not have.",
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: "The token does not say with which key it is signed.",
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: "The token's signature is not its issuer's.",
};

export function invalidToken(detail: string): Problem {
  return new Problem("unauthenticated", detail, {
    headers: { "www-authenticate": 'Bearer realm="holdpoint", error="invalid_token"' },
  });
}
