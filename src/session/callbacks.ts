/**
 * Owns: telling a caller, at the address that came with the request, what became of the turn or the question. Does not
 * own: when something is told, nor its next try.
 */

import type { TurnCallback } from "../core/chore.ts";
import { formatId } from "../core/ids.ts";
import type { Callback } from "../core/life.ts";
import type { Question } from "../core/question.ts";
import { addressedOf, type TaskRecord } from "../core/task.ts";
import { type LinkOf, type TurnView, withLinks } from "../core/turn-view.ts";
import { DeliveryFailure } from "../outbound/delivery-failure.ts";
import { sendWebhook, type WebhookDelivery } from "../outbound/webhook.ts";
import type { SessionStore } from "./store.ts";

export interface CallbackPorts {
  readonly turnView: (n: number) => TurnView;
  /** A question as it leaves the session: while it waits, with the link of this recipient. */
  readonly questionToSend: (n: number, recipient?: string, origin?: string) => Promise<Question>;
  readonly linkOf: (
    question: Parameters<LinkOf>[0],
    origin: string | undefined,
  ) => ReturnType<LinkOf>;
  /** The secret that signs, and whether this is a developer's machine. */
  readonly webhooks: () => { readonly webhookSecret?: string; readonly development: boolean };
  readonly now: () => number;
}

/** The payload is the question as it stands: a later try tells of what became of it meanwhile, too. */
export async function callBackQuestion(
  ports: CallbackPorts,
  { url, origin }: Callback,
  record: TaskRecord,
  id: string,
  event: WebhookDelivery["event"],
): Promise<void> {
  const question = await ports.questionToSend(record.n, addressedOf(record).to, origin);
  const { answerUrl: _, ...withoutLink } = question;
  const past = question.history.findLast((entry) => entry.event === event);
  await send(ports, {
    url,
    id,
    event,
    payload: origin === undefined ? withoutLink : question,
    ...(past !== undefined && { at: Date.parse(past.at) }),
  });
}

export async function callBackTurn(
  ports: CallbackPorts,
  store: SessionStore,
  n: number,
  { turn, event, at }: TurnCallback,
): Promise<void> {
  const { callback } = store.turn(turn)?.started ?? {};
  if (callback === undefined) return;
  const { origin } = callback;
  const payload = await withLinks(ports.turnView(turn), (question) =>
    origin === undefined ? Promise.resolve(undefined) : ports.linkOf(question, origin),
  );
  const id = `${formatId("turn", store.key, turn)}_${n}`;
  await send(ports, { url: callback.url, id, event, payload, at });
}

function send(
  ports: CallbackPorts,
  delivery: Omit<WebhookDelivery, "secret" | "now" | "development">,
): Promise<void> {
  const { webhookSecret, development } = ports.webhooks();
  if (webhookSecret === undefined)
    throw new DeliveryFailure("WEBHOOK_SECRET is not set: it signs what is sent", {
      retryable: true,
    });
  return sendWebhook({ ...delivery, secret: webhookSecret, development, now: ports.now() });
}
