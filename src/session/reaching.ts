/**
 * Owns: reaching people anew: a question is moved to somebody else, or brought once more; and what was to reach the outside
 * of the session, with how far it has come.
 */

import { CALLBACK_CHANNEL } from "../core/chore.ts";
import { formatId } from "../core/ids.ts";
import { ASSIGNMENTS } from "../core/limits.ts";
import type { DeliveryStatus } from "../core/question.ts";
import { isAddressedTo, issueOfName } from "../core/recipients.ts";
import { accepted, type Outcome, type Refusal, refused } from "../core/refusal.ts";
import { addressedOf, type TaskRecord } from "../core/task.ts";
import { type ChoreState, readChore, readChores, readDeliveries } from "../journal/chores.ts";
import { questionNotFound, readQuestion, refusalByState } from "./answers.ts";
import { oweAgain } from "./notices.ts";
import type { SessionStore } from "./store.ts";

/** Moves a waiting question to somebody else, and to nobody besides. Moved where it is already, it stays as it is. */
export function assignQuestion(
  store: SessionStore,
  n: number,
  to: string,
  by: string,
): Outcome<TaskRecord> {
  store.catchUp();
  const record = readQuestion(store, n)?.record;
  if (record === undefined) return refused(questionNotFound());
  if (record.settlement !== undefined) return refused(refusalByState(record.settlement));
  const issue = issueOfName(store.reach(record.agent).directory, "to", to);
  if (issue !== undefined)
    return refused({
      code: "invalid_request",
      detail: "There is no such recipient.",
      issues: [issue],
    });
  if (isAlready(record, to)) return accepted(record);
  const moves = record.life?.events?.filter(({ event }) => event === "question.assigned") ?? [];
  if (moves.length >= ASSIGNMENTS)
    return refused({
      code: "invalid_request",
      detail: `A question is moved at most ${ASSIGNMENTS} times.`,
    });
  return accepted(store.transact((draft) => draft.assign(record, to, by)));
}

/** Whether a question is one name's alone: nobody has come to it by an escalation since. */
function isAlready(record: TaskRecord, to: string): boolean {
  const last = record.life?.events?.findLast(({ event }) => event !== "question.reminded");
  return addressedOf(record).to === to && last?.event !== "question.escalated";
}

/** Brings a question to people once more. One that is settled has only what failed of it. */
export function deliverAgain(store: SessionStore, n: number): Outcome<TaskRecord> {
  store.catchUp();
  const record = readQuestion(store, n)?.record;
  if (record === undefined) return refused(questionNotFound());
  const addressed = addressedOf(record);
  store.changeChores((chores) =>
    oweAgain(
      { database: store.database, at: store.now(), revive: (chore) => chores.revive(chore) },
      store.reach(record.agent),
      record,
      (recipient) => isAddressedTo(addressed, recipient),
    ),
  );
  return accepted(record);
}

/** What was sent came back: the delivery failed after all. Told twice, or of what is due again, it changes nothing. */
export function noteBounce(store: SessionStore, n: number, bounce: Bounce): Outcome<TaskRecord> {
  const record = readQuestion(store, n)?.record;
  if (record === undefined) return refused(questionNotFound());
  const bounced = readDeliveries(store.database, record.life?.deliveries ?? []).find(
    ({ state, content }) =>
      state === "sent" &&
      content.channel === bounce.channel &&
      content.recipient === bounce.recipient,
  );
  if (bounced !== undefined)
    store.changeChores((chores) => chores.failed(bounced, bounce.reason, true));
  return accepted(record);
}

/** A delivery that a channel had sent, and that did not arrive. */
export interface Bounce {
  readonly channel: string;
  readonly recipient: string | undefined;
  readonly reason: string;
}

/** What was to reach the outside, as it is listed: a question's delivery, a callback, or a result for `onResult`. */
export interface DeliveryView {
  readonly id: string;
  readonly requestId?: string;
  readonly turnId?: string;
  readonly channel: string;
  readonly recipient?: string;
  readonly event?: string;
  readonly status: DeliveryStatus;
  readonly tries: number;
  readonly error?: string;
}

export interface DeliveryFilter {
  readonly status: DeliveryView["status"] | "all";
  readonly after: number;
  readonly limit: number;
}

export function listDeliveries(store: SessionStore, filter: DeliveryFilter): DeliveryView[] {
  if (!store.chores.exist) return [];
  const state = filter.status === "pending" ? "due" : filter.status;
  return readChores(store.database, state, filter.after, filter.limit).flatMap(
    (chore) => deliveryView(store, chore) ?? [],
  );
}

/** Gives one that failed, or waits for its next try, new tries from now on. One that was sent stays so. */
export function retryDelivery(store: SessionStore, n: number): Outcome<DeliveryView> {
  const chore = store.chores.exist ? readChore(store.database, n) : undefined;
  const shown = chore === undefined ? undefined : deliveryView(store, chore);
  if (chore === undefined || shown === undefined) return refused(DELIVERY_NOT_FOUND);
  if (chore.state === "sent") return accepted(shown);
  const { content } = chore;
  store.changeChores((chores) => chores.revive({ n, dueAt: store.now(), tries: 0, content }));
  return accepted({ ...shown, status: "pending", tries: 0 });
}

const DELIVERY_NOT_FOUND: Refusal = {
  code: "not_found",
  detail: "There is no such delivery: what was sent to a callback is not kept.",
};

function deliveryView({ key }: SessionStore, chore: ChoreState): DeliveryView | undefined {
  const { n, state, tries, error, content } = chore;
  const base = {
    id: formatId("delivery", key, n),
    status: state === "due" ? ("pending" as const) : state,
    tries,
    ...(error !== undefined && { error }),
  };
  switch (content.kind) {
    case "deliver": {
      const { channel, recipient, notices, question } = content;
      const event = notices[0]?.event;
      return {
        ...base,
        requestId: formatId("q", key, question),
        channel,
        ...(recipient !== undefined && { recipient }),
        ...(event !== undefined && { event }),
      };
    }
    case "callback": {
      const { turn, event } = content;
      return { ...base, turnId: formatId("turn", key, turn), channel: CALLBACK_CHANNEL, event };
    }
    case "result":
      return { ...base, turnId: formatId("turn", key, content.turn), channel: "onResult" };
    case "startChild":
    case "cancelChild":
    case "tellParent":
      return undefined;
  }
}
