/**
 * Owns: deliveries as foreign systems send them, signed by their schemes. All files of tests share one worker, so an
 * event's id is used in one test alone.
 */

import { exports } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { hmacHex } from "../hmac.ts";
import { ORIGIN } from "./client.ts";

export const STANDARD_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
export const GITHUB_SECRET = "It's a Secret to Everybody";
export const SLACK_SECRET = "8f742231b10e8888abcd99yyyzzz85a5";

export interface Triggered {
  readonly turnId: string;
  readonly sessionId: string;
}

/** A delivery as a foreign system sends it: no key, its own headers. */
export function deliver(
  name: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  return exports.default.fetch(
    new Request(`${ORIGIN}/v1/hooks/${name}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    }),
  );
}

export function standard(id: string, event: unknown, at = Date.now()): Promise<Response> {
  const body = JSON.stringify(event);
  return deliver("standard", body, {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at / 1_000)),
    "webhook-signature": new Webhook(STANDARD_SECRET).sign(id, new Date(at), body),
  });
}

export async function github(
  id: string | undefined,
  event: unknown,
  { name = "github", type = "issues", body = JSON.stringify(event) as string | Uint8Array } = {},
): Promise<Response> {
  return deliver(name, body, {
    "x-github-event": type,
    "x-hub-signature-256": `sha256=${await hmacHex(GITHUB_SECRET, body)}`,
    ...(id !== undefined && { "x-github-delivery": id }),
  });
}

export async function slack(event: unknown, at = Date.now()): Promise<Response> {
  const body = JSON.stringify(event);
  const time = String(Math.floor(at / 1_000));
  return deliver("slack", body, {
    "content-type": "application/json; charset=utf-8",
    "x-slack-request-timestamp": time,
    "x-slack-signature": `v0=${await hmacHex(SLACK_SECRET, `v0:${time}:${body}`)}`,
  });
}
