import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { parseWebhookSecret } from "../../src/core/webhook-secret.ts";

function secretOf(bytes: number, padded: boolean): string {
  const encoded = Buffer.alloc(bytes, "k\xff").toString("base64");
  return `whsec_${padded ? encoded : encoded.replaceAll("=", "")}`;
}

it("reads a secret of 16 to 64 bytes, padded or not, as the scheme's own library does", () => {
  for (let bytes = 16; bytes <= 64; bytes += 1)
    for (const padded of [true, false]) {
      const secret = secretOf(bytes, padded);
      const key = parseWebhookSecret(secret);
      expect(key, secret).toEqual(new Uint8Array(Buffer.alloc(bytes, "k\xff")));
      const raw = new Webhook(key ?? expect.fail(), { format: "raw" });
      expect(new Webhook(secret).sign("id", new Date(0), "body")).toBe(
        raw.sign("id", new Date(0), "body"),
      );
    }
});

it("takes nothing else for a secret", () => {
  const { length } = secretOf(24, true);
  for (const text of [
    "",
    "whsec_",
    secretOf(15, true),
    secretOf(65, true),
    secretOf(24, true).slice("whsec_".length),
    `WHSEC_${secretOf(24, true).slice("whsec_".length)}`,
    ` ${secretOf(24, true)}`,
    `${secretOf(24, true)}\n`,
    `${secretOf(24, true)}=`,
    `${secretOf(24, true)}A`,
    "whsec_".padEnd(length, "-"),
    "whpk_".padEnd(length, "A"),
  ])
    expect(parseWebhookSecret(text), JSON.stringify(text)).toBeUndefined();
});
