/**
 * Owns: one try to send a webhook, after Standard Webhooks, and the channel that tells of questions so. Does not own:
 * when a webhook is due, nor its next try.
 */

import { Webhook } from "standardwebhooks";
import { type Channel, NOTICE_EVENTS, type Notice, type NoticeEvent } from "../core/channel.ts";
import type { Json } from "../core/json.ts";
import { WEBHOOK_TIMEOUT_MS } from "../core/limits.ts";
import type { Question } from "../core/question.ts";
import type { TurnView } from "../core/turn-view.ts";
import { parseWebhookSecret, WEBHOOK_SECRET_FORM } from "../core/webhook-secret.ts";
import { DeliveryFailure, noAddress } from "./delivery-failure.ts";
import { retryAfterMs } from "./retry-after.ts";
import { checkWebhookUrl } from "./webhook-url.ts";

/** A receiver ignores the types that it does not know: more may come. */
export type WebhookEvent =
  | NoticeEvent
  | "turn.parked"
  | "turn.completed"
  | "turn.failed"
  | "turn.cancelled";

export interface WebhookDelivery {
  readonly url: string;
  /** `whsec_…` */
  readonly secret: string;
  /** The same at each try, by which a receiver knows what it had before. */
  readonly id: string;
  readonly event: WebhookEvent;
  /** The question or the turn that it tells of, as every other surface shows it. */
  readonly payload: Question | TurnView;
  /** When it happened, in milliseconds since 1970; `now` where it is left out. */
  readonly at?: number;
  readonly now: number;
  readonly development: boolean;
}

/** Resolves where the receiver took it (2xx); rejects with a DeliveryFailure in every other case. */
export async function sendWebhook(delivery: WebhookDelivery): Promise<void> {
  const { url, secret, id, event, payload, now, at = now, development } = delivery;
  const issue = checkWebhookUrl(url, development);
  if (issue !== undefined)
    throw new DeliveryFailure(`the webhook's address ${issue}`, { retryable: false });
  // Its deployer can mend it, and the tries that are left then arrive.
  if (parseWebhookSecret(secret) === undefined)
    throw new DeliveryFailure(`the webhook's secret ${WEBHOOK_SECRET_FORM}`, { retryable: true });
  const body = JSON.stringify({
    type: event,
    timestamp: new Date(at).toISOString(),
    data: payload as unknown as Json,
  });
  const headers = {
    "content-type": "application/json",
    "user-agent": "Holdpoint",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now / 1_000)),
    "webhook-signature": new Webhook(secret).sign(id, new Date(now), body),
  };
  const response = await answerOf(url, { method: "POST", headers, body, redirect: "manual" });
  if (!response.ok) throw refusedBy(response, now);
}

/** The answer without its body: nothing that a receiver writes is read. */
async function answerOf(url: string, request: RequestInit): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), WEBHOOK_TIMEOUT_MS);
  try {
    const response = await fetch(url, { ...request, signal: late.signal });
    response.body?.cancel().catch(() => undefined);
    return response;
  } catch {
    // What the runtime says of it may hold the address, and an address may hold a secret.
    const message = late.signal.aborted
      ? `the receiver did not answer within ${WEBHOOK_TIMEOUT_MS / 1_000} s`
      : "the receiver could not be reached";
    throw new DeliveryFailure(message, { retryable: true });
  } finally {
    clearTimeout(timer);
  }
}

function refusedBy({ status, headers }: Response, now: number): DeliveryFailure {
  if (status === 410)
    return new DeliveryFailure("the receiver wants no more webhooks (HTTP 410)", {
      retryable: false,
    });
  const isRedirect = status >= 300 && status < 400;
  const delayMs = retryAfterMs(headers, now);
  return new DeliveryFailure(
    isRedirect
      ? `the receiver redirects (HTTP ${status}), which is not followed: send to where it leads`
      : `the receiver answered with HTTP ${status}`,
    { retryable: true, ...(delayMs !== undefined && { retryAfterMs: delayMs }) },
  );
}

export interface WebhookOptions {
  /** Where notices go that are addressed to nobody, or to a recipient without a `webhook`. */
  readonly url?: string;
  /** `whsec_…`; `WEBHOOK_SECRET` of the environment where it is left out. */
  readonly secret?: string;
  /** Which notices are sent; all where it is left out. */
  readonly events?: readonly NoticeEvent[];
}

/** The channel that sends notices of questions to a system. Throws a TypeError that names the option that is wrong. */
export function webhook({ url, secret, events = NOTICE_EVENTS }: WebhookOptions = {}): Channel {
  // Where it will run is not known yet, so this is the check for any place; each sending checks for its own.
  const issue = url === undefined ? undefined : checkWebhookUrl(url, true);
  if (issue !== undefined) throw new TypeError(`webhook: url ${issue}`);
  if (secret !== undefined && parseWebhookSecret(secret) === undefined)
    throw new TypeError(`webhook: secret ${WEBHOOK_SECRET_FORM}`);
  for (const event of events)
    if (!NOTICE_EVENTS.includes(event))
      throw new TypeError(`webhook: events must be some of ${NOTICE_EVENTS.join(", ")}`);
  return {
    name: "webhook",
    events,
    send: async (notice, { env, development, now }) => {
      const to = notice.recipient?.webhook ?? url;
      if (to === undefined) throw noAddress(notice, "webhook", "webhook() has no url");
      await sendWebhook({
        url: to,
        secret: secret ?? configuredSecret(env),
        id: notice.id,
        event: notice.event,
        payload: notice.question,
        at: happenedAt(notice) ?? now,
        now,
        development,
      });
      return undefined;
    },
  };
}

function configuredSecret(env: Readonly<Record<string, unknown>>): string {
  const secret = env["WEBHOOK_SECRET"];
  if (typeof secret === "string" && secret !== "") return secret;
  throw new DeliveryFailure(
    `WEBHOOK_SECRET is not set: the secret of that name ${WEBHOOK_SECRET_FORM}`,
    { retryable: true },
  );
}

/** A later try still tells when the thing happened: the question's own history knows. */
function happenedAt({ event, question }: Notice): number | undefined {
  const entry = question.history.findLast((past) => past.event === event);
  return entry === undefined ? undefined : Date.parse(entry.at);
}
