import { describe, expect, it } from "vitest";
import {
  NONCE_LIFETIME_MS,
  signLink,
  signNonce,
  verifyLink,
  verifyNonce,
  type Link,
} from "../../src/outbound/sign.ts";

const SECRET = "a secret of the workspace";
const NOW = Date.parse("2026-11-30T09:00:00Z");
const LINK: Link = { workspace: "acme", requestId: "q_0123456789abcdef0123456700000004" };
const FULL: Link = { ...LINK, recipient: "Zoë <zoë@example.com>", expiresAt: NOW + 1 };

describe("a link", () => {
  it("says what was signed", async () => {
    for (const link of [
      LINK,
      FULL,
      { ...LINK, expiresAt: 2 ** 48 - 1 },
      { ...LINK, recipient: "\ufeffa\0b 🦉" },
    ]) {
      expect(await verifyLink(SECRET, await signLink(SECRET, link), NOW)).toEqual({
        ok: true,
        link,
      });
    }
  });

  it("gets the same token each time, and another one where anything differs", async () => {
    const links = [
      LINK,
      FULL,
      { ...LINK, workspace: "acm" },
      { ...LINK, requestId: "q_0123456789abcdef0123456700000005" },
      { ...LINK, recipient: "a" },
      { ...LINK, expiresAt: NOW },
    ];
    const tokens = await Promise.all(links.map((link) => signLink(SECRET, link)));
    expect(await Promise.all(links.map((link) => signLink(SECRET, link)))).toEqual(tokens);
    expect(new Set(tokens).size).toBe(links.length);
  });

  it("keeps workspace and recipient apart: none can be moved into the other", async () => {
    const one = await signLink(SECRET, { ...LINK, workspace: "ab", recipient: "c" });
    expect(one).not.toBe(await signLink(SECRET, { ...LINK, workspace: "a", recipient: "bc" }));
  });

  it("is short, and safe in a URL", async () => {
    const token = await signLink(SECRET, LINK);
    expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(token.length).toBeLessThan(90);
  });

  it("is forged as soon as any character of it is another one", async () => {
    const token = await signLink(SECRET, FULL);
    for (let at = 0; at < token.length; at += 1) {
      const other = token.charAt(at) === "A" ? "B" : "A";
      const check = await verifyLink(SECRET, token.slice(0, at) + other + token.slice(at + 1), NOW);
      expect(check).toEqual({ ok: false, why: "forged" });
    }
  });

  it("is forged by another secret", async () => {
    expect(await verifyLink("another", await signLink(SECRET, LINK), NOW)).toEqual({
      ok: false,
      why: "forged",
    });
  });

  it("is forged where it is malformed, cut, padded, spelt otherwise or far too long", async () => {
    const token = await signLink(SECRET, LINK);
    const malformed = [
      "",
      "A",
      ".",
      "\0",
      "é",
      token.slice(0, -1),
      token.slice(1),
      `${token}A`,
      `${token}=`,
      `${token}\n`,
      ` ${token}`,
      `${token}\0`,
      token + token,
      "A".repeat(10_000_000),
      "-".repeat(80),
    ];
    for (const text of malformed)
      expect(await verifyLink(SECRET, text, NOW)).toEqual({ ok: false, why: "forged" });
  });

  it("is forged where only the unused bits of its last character differ", async () => {
    const token = await signLink(SECRET, { ...LINK, workspace: "ab" });
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const last = alphabet.indexOf(token.slice(-1));
    expect(token.length % 4).not.toBe(0);
    const respelt = token.slice(0, -1) + alphabet.charAt(last ^ 1);
    expect(await verifyLink(SECRET, respelt, NOW)).toEqual({ ok: false, why: "forged" });
  });

  it("expires at its time, and not before", async () => {
    const token = await signLink(SECRET, { ...LINK, expiresAt: NOW });
    expect((await verifyLink(SECRET, token, NOW - 1)).ok).toBe(true);
    expect(await verifyLink(SECRET, token, NOW)).toEqual({ ok: false, why: "expired" });
  });

  it("is forged, and not expired, where both would be true", async () => {
    const token = await signLink("another", { ...LINK, expiresAt: NOW });
    expect(await verifyLink(SECRET, token, NOW)).toEqual({ ok: false, why: "forged" });
  });

  it("is forged in a version that is not read here, however well it is signed", async () => {
    const body = bytesOf(await signLink(SECRET, LINK)).slice(0, -32);
    expect((await verifyLink(SECRET, await signedByHand(body), NOW)).ok).toBe(true);
    body[0] = 2;
    expect(await verifyLink(SECRET, await signedByHand(body), NOW)).toEqual({
      ok: false,
      why: "forged",
    });
  });

  it("carries the longest name that may answer", async () => {
    const link = { ...LINK, workspace: "w".repeat(32), recipient: "🦉".repeat(320) };
    expect(await verifyLink(SECRET, await signLink(SECRET, link), NOW)).toEqual({ ok: true, link });
  });

  it("is refused to a question, workspace or recipient that can't be", async () => {
    const impossible: Link[] = [
      { ...LINK, requestId: "turn_0123456789abcdef0123456700000004" },
      { ...LINK, requestId: "q_1" },
      { ...LINK, workspace: "" },
      { ...LINK, workspace: "Acme" },
      { ...LINK, recipient: "" },
      { ...LINK, recipient: "x".repeat(2_000) },
      { ...LINK, expiresAt: 0.5 },
    ];
    for (const link of impossible) await expect(signLink(SECRET, link)).rejects.toThrow(RangeError);
  });
});

describe("a nonce", () => {
  it("fits the token for which it was signed, and no other", async () => {
    const token = await signLink(SECRET, LINK);
    const other = await signLink(SECRET, FULL);
    const nonce = await signNonce(SECRET, token, NOW);
    expect(await verifyNonce(SECRET, token, nonce, NOW)).toBe(true);
    expect(await verifyNonce(SECRET, other, nonce, NOW)).toBe(false);
    expect(await verifyNonce("another", token, nonce, NOW)).toBe(false);
  });

  it("is good for 24 hours", async () => {
    const nonce = await signNonce(SECRET, "token", NOW);
    expect(NONCE_LIFETIME_MS).toBe(86_400_000);
    expect(await verifyNonce(SECRET, "token", nonce, NOW + NONCE_LIFETIME_MS)).toBe(true);
    expect(await verifyNonce(SECRET, "token", nonce, NOW + NONCE_LIFETIME_MS + 1)).toBe(false);
  });

  it("is refused where any character of it is another one, or it is anything else", async () => {
    const nonce = await signNonce(SECRET, "token", NOW);
    const wrong = Array.from(
      nonce,
      (character, at) => nonce.slice(0, at) + (character === "A" ? "B" : "A") + nonce.slice(at + 1),
    );
    for (const text of [
      ...wrong,
      "",
      nonce.slice(1),
      `${nonce}A`,
      "\0".repeat(nonce.length),
      "A".repeat(1_000_000),
    ])
      expect(await verifyNonce(SECRET, "token", text, NOW)).toBe(false);
  });

  it("is no link, and a link is no nonce", async () => {
    const token = await signLink(SECRET, LINK);
    const nonce = await signNonce(SECRET, token, NOW);
    expect((await verifyLink(SECRET, nonce, NOW)).ok).toBe(false);
    expect(await verifyNonce(SECRET, token, token, NOW)).toBe(false);
  });
});

function bytesOf(token: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(token.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
    character.charCodeAt(0),
  );
}

/** The format as its header says it, made here without the code under test. */
async function signedByHand(body: Uint8Array): Promise<string> {
  const text = new TextEncoder();
  const key = await crypto.subtle.importKey(
    "raw",
    text.encode(SECRET),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const covered = Uint8Array.from([...text.encode("holdpoint answer link\0"), ...body]);
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, covered));
  const binary = String.fromCharCode(...body, ...mac);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
