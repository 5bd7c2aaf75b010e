/**
 * Owns: which notices follow from what happens to a question: to whom, by which channels, and by which delivery. One
 * delivery is one recipient's by one channel, and all that they are told goes by it, in order.
 * Does not own: how a notice is sent (`delivering.ts`).
 */

import type { Channel, NoticeEvent, Recipient } from "../core/channel.ts";
import {
  CALLBACK_CHANNEL,
  type Chore,
  type DeliveryChore,
  type OwedNotice,
} from "../core/chore.ts";
import { type Reach, reaches } from "../core/recipients.ts";
import type { TaskRecord } from "../core/task.ts";
import { readDeliveries } from "../journal/chores.ts";
import type { Database } from "../journal/database.ts";

/** What owing a notice needs of the transaction. */
export interface NoticeDesk {
  readonly database: Database;
  readonly at: number;
  readonly take: () => number;
  /** Writes a chore that is new. */
  readonly insert: (chore: Chore) => void;
  /** Makes a chore due again that is there. */
  readonly revive: (chore: Chore) => void;
}

/** Owes people a notice that asks for an answer. Returns the question's deliveries, by number. */
export function oweNotices(
  desk: NoticeDesk,
  reach: Reach,
  record: TaskRecord,
  event: NoticeEvent,
  people: readonly (Recipient | undefined)[],
): readonly number[] {
  const known = deliveriesOf(desk.database, record);
  const numbers = [...(record.life?.deliveries ?? [])];
  const place = event === "question.asked" ? 0 : placeOf(record);
  for (const person of people)
    for (const channel of reach.channels) {
      if (!reaches(channel.name, person)) continue;
      const delivery = known.find(
        ({ content }) => content.channel === channel.name && content.recipient === person?.name,
      );
      const told = eventFor(channel, event, delivery === undefined);
      if (told === undefined) continue;
      const notice = { event: told, place };
      if (delivery === undefined) numbers.push(begin(desk, record, channel.name, notice, person));
      else goOn(desk, delivery, notice);
    }
  // Who asked knows that it was asked.
  return event === "question.asked" ? numbers : oweCallback(desk, record, event, known, numbers);
}

/** Owes word of a question's end to those who were told of the question. Returns the question's deliveries. */
export function oweEnding(
  desk: NoticeDesk,
  reach: Reach,
  record: TaskRecord,
  event: NoticeEvent,
): readonly number[] {
  const known = deliveriesOf(desk.database, record);
  for (const delivery of known) {
    // One that is on its way now is told once it arrived: see `delivering.ts`.
    if (delivery.sentAt !== undefined && takes(reach, delivery.content.channel, event))
      goOn(desk, delivery, { event, place: placeOf(record) });
  }
  return oweCallback(desk, record, event, known, record.life?.deliveries ?? []);
}

/** Sends again: what failed or waits for its next try; where there is nothing of it, the question itself to everybody. */
export function oweAgain(
  desk: Pick<NoticeDesk, "database" | "at" | "revive">,
  reach: Reach,
  record: TaskRecord,
  isCurrent: (recipient: string | undefined) => boolean,
): void {
  const known = deliveriesOf(desk.database, record);
  const unsent = known.filter(({ state }) => state !== "sent");
  for (const delivery of unsent) desk.revive({ ...delivery, dueAt: desk.at, tries: 0 });
  if (unsent.length > 0 || record.settlement !== undefined) return;
  for (const delivery of known)
    if (
      isCurrent(delivery.content.recipient) &&
      takes(reach, delivery.content.channel, "question.asked")
    )
      goOn(desk, delivery, { event: "question.asked", place: 0 });
}

/** Whether the agent has a channel of this name that sends such notices. */
export function takes(reach: Reach, channel: string, event: NoticeEvent): boolean {
  return reach.channels.some(({ name, events }) => name === channel && events.includes(event));
}

export function deliveriesOf(database: Database, { life }: TaskRecord): readonly DeliveryChore[] {
  return life?.deliveries === undefined ? [] : readDeliveries(database, life.deliveries);
}

/** The place in the question's history of what happens next. */
export function placeOf({ life }: TaskRecord): number {
  return 1 + (life?.events?.length ?? 0);
}

/** Somebody new is told of the question by each channel that asks at all, whatever brought them to it. */
function eventFor(
  { events }: Channel,
  event: NoticeEvent,
  isNew: boolean,
): NoticeEvent | undefined {
  if (events.includes(event)) return event;
  const bringsIn = event === "question.escalated" || event === "question.assigned";
  return isNew && bringsIn && events.includes("question.asked") ? "question.asked" : undefined;
}

function oweCallback(
  desk: NoticeDesk,
  record: TaskRecord,
  event: NoticeEvent,
  known: readonly DeliveryChore[],
  numbers: readonly number[],
): readonly number[] {
  if (record.life?.callback === undefined) return numbers;
  const notice = { event, place: placeOf(record) };
  const delivery = known.find(({ content }) => content.channel === CALLBACK_CHANNEL);
  if (delivery === undefined) return [...numbers, begin(desk, record, CALLBACK_CHANNEL, notice)];
  goOn(desk, delivery, notice);
  return numbers;
}

function begin(
  desk: NoticeDesk,
  record: TaskRecord,
  channel: string,
  notice: OwedNotice,
  person?: Recipient,
): number {
  const n = desk.take();
  desk.insert({
    n,
    dueAt: desk.at,
    tries: 0,
    content: {
      kind: "deliver",
      question: record.n,
      channel,
      ...(person !== undefined && { recipient: person.name }),
      notices: [notice],
    },
  });
  return n;
}

/** What failed before is tried once more, in front of what is new. */
function goOn(
  desk: Pick<NoticeDesk, "at" | "revive">,
  delivery: DeliveryChore,
  notice: OwedNotice,
): void {
  const { state, n, content } = delivery;
  const { dueAt, tries } = state === "due" ? delivery : { dueAt: desk.at, tries: 0 };
  const notices = [...content.notices, notice];
  desk.revive({ n, dueAt, tries, content: { ...content, notices } });
}
