import { describe, expect, it } from "vitest";
import {
  MAIL_TOKEN_CHARACTERS,
  signMailToken,
  verifyMailToken,
} from "../../src/outbound/mail-token.ts";

const SECRET = "a secret of the workspace";
const LINK = { workspace: "acme", requestId: "q_0123456789abcdef0123456700000004" };
const DANA = { ...LINK, recipient: "Dana" };

describe("a mail token", () => {
  it("says what was signed, to one who knows for whom it can be", async () => {
    for (const link of [
      LINK,
      DANA,
      { ...LINK, recipient: "a\0b 🦉" },
      { workspace: "a", requestId: `q_${"f".repeat(32)}` },
      { workspace: "a", requestId: `q_${"0".repeat(32)}` },
    ]) {
      const { requestId: _, ...audience } = link;
      const audiences = [{ workspace: "other" }, audience, { workspace: "acme", recipient: "Eve" }];
      expect(await verifyMailToken(SECRET, await signMailToken(SECRET, link), audiences)).toEqual(
        link,
      );
    }
  });

  it("is 42 characters that stand in an address, whatever a server makes of their case", async () => {
    const token = await signMailToken(SECRET, DANA);
    expect(token).toMatch(/^[a-z2-7]{42}$/);
    expect(token).toHaveLength(MAIL_TOKEN_CHARACTERS);
    expect(await verifyMailToken(SECRET, token.toUpperCase(), [DANA])).toEqual(DANA);
  });

  it("is another one where anything differs", async () => {
    const links = [
      LINK,
      DANA,
      { ...DANA, workspace: "acm" },
      { ...DANA, recipient: "dana" },
      { ...DANA, requestId: "q_0123456789abcdef0123456700000005" },
      { ...DANA, requestId: "q_0123456789abcdef0123456800000004" },
    ];
    const tokens = await Promise.all(links.map((link) => signMailToken(SECRET, link)));
    expect(new Set([...tokens, await signMailToken("another", DANA)]).size).toBe(7);
  });

  it("is none for another audience or secret, nor with any character changed", async () => {
    const token = await signMailToken(SECRET, DANA);
    expect(
      await verifyMailToken(SECRET, token, [LINK, { workspace: "other", recipient: "Dana" }]),
    ).toBeUndefined();
    expect(await verifyMailToken(SECRET, token, [])).toBeUndefined();
    expect(await verifyMailToken("another", token, [DANA])).toBeUndefined();
    for (let at = 0; at < token.length; at += 1)
      for (const other of ["a", "7"]) {
        if (token.charAt(at) === other) continue;
        const forged = token.slice(0, at) + other + token.slice(at + 1);
        expect(await verifyMailToken(SECRET, forged, [DANA]), forged).toBeUndefined();
      }
  });

  it("is none in a second spelling of the same bytes, or cut, or longer", async () => {
    const token = await signMailToken(SECRET, DANA);
    const last = "abcdefghijklmnopqrstuvwxyz234567".indexOf(token.slice(-1));
    for (let spelling = 1; spelling < 4; spelling += 1) {
      const other = "abcdefghijklmnopqrstuvwxyz234567".charAt(last | spelling);
      expect(await verifyMailToken(SECRET, token.slice(0, -1) + other, [DANA])).toBeUndefined();
    }
    for (const text of [token.slice(1), `${token}a`, "", "é".repeat(42), "1".repeat(42)])
      expect(await verifyMailToken(SECRET, text, [DANA]), text).toBeUndefined();
  });

  it("leads to a question and to nothing else", async () => {
    const requestId = "turn_0123456789abcdef0123456700000004";
    await expect(signMailToken(SECRET, { ...LINK, requestId })).rejects.toThrow(RangeError);
  });
});
