/**
 * Owns: how a system that sends webhooks proves who it is, in the three schemes that are in wide use, and by which id it
 * names an event. Pure: the secret and the time are handed in. Does not own: the door, nor where the secret is kept.
 */

import { base64, hex, utf8 } from "../core/bytes.ts";
import { equalInConstantTime } from "../core/key.ts";
import { WEBHOOK_AGE_MS } from "../core/limits.ts";
import { parseWebhookSecret, WEBHOOK_SECRET_FORM } from "../core/webhook-secret.ts";

/** What arrived, before anything in it is believed. */
export interface SignedDelivery {
  readonly headers: Headers;
  /** The body as it came: what is signed is bytes. */
  readonly body: Uint8Array;
  readonly secret: string;
  readonly now: number;
}

export interface WebhookVerifier {
  /** The name of the variable in the environment that holds the secret. */
  readonly secretName: string;
  /** What is wrong with the secret, to stand after its name. */
  readonly checkSecret?: (secret: string) => string | undefined;
  /** Why the delivery is not believed, as a sentence for its sender; undefined where it is genuine. */
  readonly check: (delivery: SignedDelivery) => Promise<string | undefined>;
  /** The sender's own id of the event, the same at each redelivery. */
  readonly eventId: (headers: Headers, body: unknown) => string | undefined;
  /** What the sender wants to have back, where it only tries whether the address is ours. */
  readonly challenge?: (body: unknown) => string | undefined;
}

const FORGED = "The signature does not fit the body.";
const STALE = `The timestamp is more than ${WEBHOOK_AGE_MS / 60_000} minutes from now.`;

/** Standard Webhooks: `webhook-id`, `webhook-timestamp` and `webhook-signature`, one of which must fit. */
export function standardWebhooks(secretName: string): WebhookVerifier {
  return {
    secretName: checkedName("standardWebhooks", secretName),
    checkSecret: (secret) =>
      parseWebhookSecret(secret) === undefined ? WEBHOOK_SECRET_FORM : undefined,
    check: async ({ headers, body, secret, now }) => {
      const id = headers.get("webhook-id");
      const time = headers.get("webhook-timestamp");
      const signatures = headers.get("webhook-signature");
      if (!id || !time || !signatures)
        return "The headers webhook-id, webhook-timestamp and webhook-signature are needed.";
      if (isStale(time, now)) return STALE;
      const key = parseWebhookSecret(secret);
      if (key === undefined) return FORGED;
      const genuine = `v1,${base64(await hmac(key, utf8(`${id}.${time}.`), body))}`;
      // Several while the sender changes its secret.
      const fits = signatures.split(" ").map((given) => equalInConstantTime(genuine, given));
      return fits.includes(true) ? undefined : FORGED;
    },
    eventId: (headers) => headers.get("webhook-id") ?? undefined,
  };
}

/** GitHub: `X-Hub-Signature-256` over the body alone, so a delivery has no age. */
export function githubSignature(secretName: string): WebhookVerifier {
  return {
    secretName: checkedName("githubSignature", secretName),
    check: async ({ headers, body, secret }) => {
      const given = headers.get("x-hub-signature-256");
      if (!given) return "The header X-Hub-Signature-256 is needed.";
      const genuine = `sha256=${hex(await hmac(utf8(secret), body))}`;
      return equalInConstantTime(genuine, given) ? undefined : FORGED;
    },
    eventId: (headers) => headers.get("x-github-delivery") ?? undefined,
  };
}

/** Slack's Events API: `X-Slack-Signature` and `X-Slack-Request-Timestamp`. */
export function slackSignature(secretName: string): WebhookVerifier {
  return {
    secretName: checkedName("slackSignature", secretName),
    check: async ({ headers, body, secret, now }) => {
      const time = headers.get("x-slack-request-timestamp");
      const given = headers.get("x-slack-signature");
      if (!time || !given)
        return "The headers X-Slack-Request-Timestamp and X-Slack-Signature are needed.";
      if (isStale(time, now)) return STALE;
      const genuine = `v0=${hex(await hmac(utf8(secret), utf8(`v0:${time}:`), body))}`;
      return equalInConstantTime(genuine, given) ? undefined : FORGED;
    },
    eventId: (_headers, body) => textMember(body, "event_id"),
    challenge: (body) =>
      textMember(body, "type") === "url_verification" ? textMember(body, "challenge") : undefined,
  };
}

/** A secret that was written where its name belongs would be shown in errors, so the name is checked at once. */
function checkedName(verifier: string, name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name) && !name.startsWith("whsec_")) return name;
  throw new TypeError(
    `${verifier} takes the name of the variable that holds the secret, such as HOOK_SECRET, and never the secret itself`,
  );
}

function isStale(seconds: string, now: number): boolean {
  if (!/^[0-9]{1,12}$/.test(seconds)) return true;
  return Math.abs(now - Number(seconds) * 1_000) > WEBHOOK_AGE_MS;
}

function textMember(body: unknown, name: string): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const value = (body as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value : undefined;
}

async function hmac(key: Uint8Array, ...parts: readonly Uint8Array[]): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  const signed = await new Blob([...parts]).arrayBuffer();
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, signed));
}
