/**
 * Owns: an issuer of tokens for tests: real keys, and the address at which their public halves are had. Its server is the
 * tests' own `fetch`, which nothing else uses.
 */

import {
  CompactSign,
  exportJWK,
  generateKeyPair,
  type GenerateKeyPairResult,
  type JWK,
  SignJWT,
} from "jose";
import { vi } from "vitest";

export const AUDIENCE = "4714c1358e65fe4b408ad6d432a5f878f08194bdb4752441fd56faefa9b2b6f2";

interface Signing {
  readonly kid: string;
  readonly alg: string;
  readonly pair: GenerateKeyPairResult;
}

export class FakeIssuer {
  readonly issuer: string;
  /** How often its keys were fetched. */
  fetched = 0;
  /** What its server answers with, where it is not well. */
  failure: (() => Response) | undefined;
  readonly #published = new Map<string, JWK>();

  constructor(team: string) {
    this.issuer = `https://${team}.cloudflareaccess.com`;
  }

  /** Makes a key and publishes its public half. */
  async newKey(kid: string, alg = "RS256"): Promise<Signing> {
    const pair = await generateKeyPair(alg, { extractable: true });
    this.#published.set(kid, { ...(await exportJWK(pair.publicKey)), kid, alg, use: "sig" });
    return { kid, alg, pair };
  }

  withdraw({ kid }: Signing): void {
    this.#published.delete(kid);
  }

  /** Answers for its keys from now on; anything else has no business here. */
  serve(): void {
    vi.spyOn(globalThis, "fetch").mockImplementation((input) => {
      const url = input instanceof Request ? input.url : String(input);
      if (url !== `${this.issuer}/cdn-cgi/access/certs`)
        return Promise.reject(new Error(`nobody is at ${url}`));
      this.fetched += 1;
      return Promise.resolve(
        this.failure?.() ?? Response.json({ keys: [...this.#published.values()] }),
      );
    });
  }

  /** A token as Access makes it, but for what a test says otherwise. */
  sign(
    { kid, alg, pair }: Signing,
    claims: Readonly<Record<string, unknown>> = {},
    header: object = {},
  ): Promise<string> {
    return new SignJWT(this.#claims(claims))
      .setProtectedHeader({ alg, kid, typ: "JWT", ...header })
      .sign(pair.privateKey);
  }

  /** The same with an HMAC over the public key, by whoever hopes that it is taken for a secret. */
  async signConfused({ kid, pair }: Signing): Promise<string> {
    const secret = new TextEncoder().encode(JSON.stringify(await exportJWK(pair.publicKey)));
    return new CompactSign(new TextEncoder().encode(JSON.stringify(this.#claims({}))))
      .setProtectedHeader({ alg: "HS256", kid })
      .sign(secret);
  }

  /** A token that nobody signed. */
  unsigned(): string {
    const part = (value: object) =>
      btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    return `${part({ alg: "none" })}.${part(this.#claims({}))}.`;
  }

  #claims(claims: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const seconds = Math.floor(Date.now() / 1_000);
    const all = {
      iss: this.issuer,
      aud: [AUDIENCE],
      sub: "7335d417-61da-459d-899c-0a01c76a2f94",
      email: "dana@example.com",
      iat: seconds,
      nbf: seconds,
      exp: seconds + 600,
      ...claims,
    };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  }
}
