/**
 * Owns: one try to tell a recipient, by one channel, what happened to a question. What nobody needs any more is dropped:
 * a question that was settled meanwhile, or moved to somebody else, asks nobody. Does not own: the next try.
 */

import type { ChannelContext, Recipient } from "../core/channel.ts";
import {
  asksForAnswer,
  CALLBACK_CHANNEL,
  type Chore,
  type Deliver,
  type OwedNotice,
} from "../core/chore.ts";
import { formatId } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import { isAddressedTo, personNamed, type Reach } from "../core/recipients.ts";
import { addressedOf, type TaskRecord } from "../core/task.ts";
import { readDeliveries } from "../journal/chores.ts";
import { readTask } from "../journal/tasks.ts";
import { type CallbackPorts, callBackQuestion } from "./callbacks.ts";
import type { Told } from "./chores.ts";
import { placeOf, takes } from "./notices.ts";
import type { SessionStore } from "./store.ts";

export interface DeliverPorts extends CallbackPorts {
  readonly reach: (agent: string | undefined) => Reach;
  readonly channelContext: () => ChannelContext;
}

/** Undefined where there was nobody to tell, and nobody ever was told: nothing is left of the delivery. */
export async function deliver(
  store: SessionStore,
  ports: DeliverPorts,
  { n, content }: Chore<Deliver>,
): Promise<Told | undefined> {
  const record = readTask(store.database, content.question);
  if (record === undefined) return undefined;
  const dropped = content.notices.findIndex((notice) => isNeeded(record, content, notice));
  const notice = content.notices[dropped];
  if (notice === undefined) {
    const wasSent = readDeliveries(store.database, [n])[0]?.sentAt !== undefined;
    return wasSent ? { notices: content.notices.length, isSent: false, more: [] } : undefined;
  }
  const reference = await send(store, ports, n, content, notice, record);
  return {
    notices: dropped + 1,
    isSent: true,
    more: endingMeanwhile(store, ports, n, content, notice),
    ...(reference !== undefined && { reference }),
  };
}

function isNeeded(record: TaskRecord, { channel, recipient }: Deliver, { event }: OwedNotice) {
  if (!asksForAnswer(event)) return true;
  if (record.settlement !== undefined) return false;
  return channel === CALLBACK_CHANNEL || isAddressedTo(addressedOf(record), recipient);
}

async function send(
  store: SessionStore,
  ports: DeliverPorts,
  n: number,
  { channel: name, recipient }: Deliver,
  { event, place }: OwedNotice,
  record: TaskRecord,
): Promise<JsonObject | undefined> {
  const id = `${formatId("q", store.key, record.n)}_${n}_${place}`;
  if (name === CALLBACK_CHANNEL) {
    const { callback } = record.life ?? {};
    if (callback !== undefined) await callBackQuestion(ports, callback, record, id, event);
    return undefined;
  }
  const { channels, directory } = ports.reach(record.agent);
  const channel = channels.find((each) => each.name === name);
  if (channel === undefined) throw new Error(`there is no channel ${name} any more`);
  const person: Recipient | undefined =
    recipient === undefined ? undefined : personNamed(directory, recipient);
  const question = await ports.questionToSend(record.n, recipient);
  const reference = readDeliveries(store.database, [n])[0]?.reference;
  return channel.send(
    {
      id,
      event,
      question,
      ...(person !== undefined && { recipient: person }),
      ...(reference !== undefined && { reference }),
    },
    ports.channelContext(),
  );
}

/** A question that was settled while it was on its way for the first time: its end could not be owed to it then. */
function endingMeanwhile(
  store: SessionStore,
  ports: DeliverPorts,
  n: number,
  { question, channel }: Deliver,
  { event: sent }: OwedNotice,
): readonly OwedNotice[] {
  const record = readTask(store.database, question);
  const settlement = record?.settlement;
  if (record === undefined || settlement === undefined || settlement.status === "finished")
    return [];
  if (!asksForAnswer(sent) || readDeliveries(store.database, [n])[0]?.sentAt !== undefined)
    return [];
  const event = `question.${settlement.status}` as const;
  return takes(ports.reach(record.agent), channel, event)
    ? [{ event, place: placeOf(record) }]
    : [];
}
