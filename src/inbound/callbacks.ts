/**
 * Owns: the address at which a caller wants to be told what becomes of a request: whether a webhook may go there.
 */

import type { Callback } from "../core/life.ts";
import type { CallbackRequest } from "../core/requests.ts";
import { checkWebhookUrl } from "../outbound/webhook-url.ts";
import { type CallerContext, type Door, linkOrigin } from "./door.ts";
import { Problem } from "./problem.ts";

/** The callback as it is kept: with the origin of links, for a caller who may see them. */
export function callbackOf(context: CallerContext, door: Door, { url }: CallbackRequest): Callback {
  const config = door.config(context.env);
  if (config.webhookSecret === undefined)
    throw new Problem("not_configured", "A callback is signed: set the secret WEBHOOK_SECRET.");
  const message = checkWebhookUrl(url, config.development);
  if (message !== undefined)
    throw new Problem("invalid_request", "The body is not valid.", {
      issues: [{ path: "callback.url", message }],
    });
  const maySeeLinks = context.get("key").can.includes("answer");
  const origin = maySeeLinks ? linkOrigin(context, config) : undefined;
  return { url, ...(origin !== undefined && { origin }) };
}
