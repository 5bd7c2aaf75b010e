import * as fc from "fast-check";
import { expect, it } from "vitest";
import { formatId } from "../../src/core/ids.ts";
import {
  type Link,
  signLink,
  signNonce,
  verifyLink,
  verifyNonce,
} from "../../src/outbound/sign.ts";
import { checkWebhookUrl } from "../../src/outbound/webhook-url.ts";
import { ODD_NAMES } from "../arbitrary-json.ts";
import { casesOf, holds } from "../replayable.ts";

const CASES = Math.ceil(casesOf(process.env, 2_000) / 8);

function always(property: Parameters<typeof holds>[2]): Promise<void> {
  return holds(process.env, CASES, property);
}

const LINKS: fc.Arbitrary<Link> = fc
  .record(
    {
      workspace: fc.stringMatching(/^[a-z0-9-]{1,32}$/),
      requestId: fc
        .tuple(fc.stringMatching(/^[0-9a-f]{24}$/), fc.nat(0xffff_ffff))
        .map(([key, n]) => formatId("q", key, n)),
      recipient: fc.string({ unit: "grapheme", minLength: 1, maxLength: 64 }),
      expiresAt: fc.integer({ min: 1, max: 2 ** 48 - 1 }),
    },
    { requiredKeys: ["workspace", "requestId"] },
  )
  .filter(({ recipient }) => recipient === undefined || recipient.isWellFormed());
const SECRET = "a secret for tests only";

it("takes each link that it signed, until it expires, and none that was changed", async () => {
  const changes = fc.record({ at: fc.nat(), by: fc.constantFrom(..."AZaz09-_=+/.%") });
  await always(
    fc.asyncProperty(LINKS, fc.nat(2 ** 48 - 2), changes, async (link, now, change) => {
      const token = await signLink(SECRET, link);
      const isOver = link.expiresAt !== undefined && link.expiresAt <= now;
      expect(await verifyLink(SECRET, token, now)).toEqual(
        isOver ? { ok: false, why: "expired" } : { ok: true, link },
      );
      const at = change.at % token.length;
      const forged = token.slice(0, at) + change.by + token.slice(at + 1);
      const cut = token.slice(0, at);
      for (const other of forged === token ? [cut] : [forged, cut, `${token}${change.by}`])
        expect(await verifyLink(SECRET, other, now)).toEqual({ ok: false, why: "forged" });
      expect(await verifyLink(`${SECRET}!`, token, now)).toEqual({ ok: false, why: "forged" });
      const nonce = await signNonce(SECRET, token, now + 1);
      expect(await verifyNonce(SECRET, token, nonce, now + 1)).toBe(true);
      expect(await verifyNonce(SECRET, `${token}A`, nonce, now + 1)).toBe(false);
      expect(await verifyNonce(SECRET, token, token, now + 1)).toBe(false);
    }),
  );
});

it("finds any text to be no link and no form's nonce", async () => {
  await always(
    fc.asyncProperty(fc.string({ unit: "binary", maxLength: 200 }), async (token) => {
      expect((await verifyLink(SECRET, token, 1)).ok).toBe(false);
      expect(await verifyNonce(SECRET, "token", token, 1)).toBe(false);
    }),
  );
});

/** The spellings of an IPv4 address that a URL parser takes. */
function spellings(address: number): readonly string[] {
  const [a, b, c, d] = [24, 16, 8, 0].map((shift) => (address >>> shift) & 255) as [
    number,
    number,
    number,
    number,
  ];
  return [
    `${a}.${b}.${c}.${d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    String(address),
    `0x${address.toString(16)}`,
    `0${a.toString(8)}.0${b.toString(8)}.0${c.toString(8)}.0${d.toString(8)}`,
    `0x${a.toString(16)}.${b}.0${c.toString(8)}.${d}`,
    `[::ffff:${a}.${b}.${c}.${d}]`,
    `[::${a}.${b}.${c}.${d}]`,
    `[64:ff9b::${a}.${b}.${c}.${d}]`,
    `[2002:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}::1]`,
    `${a}.${b}.${c}.${d}.`,
    `%3${String(a)}.${b}.${c}.${d}`,
  ];
}

it("never lets a webhook go to a private address, however it is spelled", async () => {
  const within = (base: number, bits: number) =>
    fc.nat(2 ** (32 - bits) - 1).map((offset) => base * 2 ** 24 + offset);
  const privateAddress = fc.oneof(
    within(10, 8),
    within(127, 8),
    within(0, 8),
    fc.nat(2 ** 20 - 1).map((offset) => (172 * 256 + 16) * 2 ** 16 + offset),
    fc.nat(2 ** 16 - 1).map((offset) => (192 * 256 + 168) * 2 ** 16 + offset),
    fc.nat(2 ** 16 - 1).map((offset) => (169 * 256 + 254) * 2 ** 16 + offset),
    fc.nat(2 ** 22 - 1).map((offset) => (100 * 256 + 64) * 2 ** 16 + offset),
    within(224, 4),
  );
  await always(
    fc.property(privateAddress, (address) => {
      for (const host of spellings(address))
        expect(checkWebhookUrl(`https://${host}/hook`, false), host).toBeTypeOf("string");
    }),
  );
});

it("judges any address for a webhook, and never repeats it", async () => {
  const url = fc.oneof(
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.string({ unit: "binary" }),
    fc.constantFrom(...ODD_NAMES, "https://", "https://[", "https://a b", "file:///etc/passwd"),
    fc.string({ unit: "binary" }).map((text) => `https://${text}`),
  );
  await always(
    fc.property(url, fc.boolean(), (text, development) => {
      const issue = checkWebhookUrl(text, development);
      if (issue !== undefined) expect(issue.length).toBeLessThan(200);
      else expect(URL.canParse(text)).toBe(true);
    }),
  );
});
