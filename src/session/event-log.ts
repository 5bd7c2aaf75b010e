/**
 * Owns: the journal as events: those of commits that were just made, and those that stand behind a place in it. A reader
 * who was away is told from here what the others were told when it happened.
 */

import type { DeliveryChore } from "../core/chore.ts";
import { eventsOfCommit, type CommitEvents, type EventViews } from "../core/commit-events.ts";
import { type EventPlace, formatEventId, isAfter } from "../core/session-event.ts";
import type { TaskRecord } from "../core/task.ts";
import type { Turn } from "../core/turn.ts";
import {
  type Commit,
  readAll,
  readSince,
  readTransactionStart,
  readTurn,
} from "../journal/journal.ts";
import { readTask, readTaskById } from "../journal/tasks.ts";
import type { SessionState } from "./draft.ts";
import { deliveriesOf } from "./notices.ts";
import { foldTurn } from "./folding.ts";
import type { SessionStore } from "./store.ts";
import { questionView, waitingFor } from "./views.ts";

/** An event on its way to readers: written once for all of them. */
export interface LoggedEvent {
  readonly turn: number;
  readonly place: EventPlace;
  /** As JSON. */
  readonly text: string;
}

export class EventLog {
  readonly #store: SessionStore;

  constructor(store: SessionStore) {
    this.#store = store;
  }

  /** The events of a transaction; `before` are the turns that were open before it. */
  ofTransaction(commits: readonly Commit[], before: SessionState["open"]): readonly LoggedEvent[] {
    return commits.flatMap((commit) => {
      const turn = before.get(commit.turn) ?? this.#turnBefore(commit);
      return logged(commit, this.#eventsOf(commit, turn));
    });
  }

  /** What stands behind a place, or all there is: of one turn, or of the session. Read only as far as it is asked for. */
  *since(after: EventPlace | undefined, turn: number | undefined): Generator<LoggedEvent> {
    const turns = new Map<number, Turn | undefined>();
    for (const commit of this.#commitsFrom(after, turn)) {
      const before = turns.has(commit.turn) ? turns.get(commit.turn) : this.#turnBefore(commit);
      const made = this.#eventsOf(commit, before);
      turns.set(commit.turn, made.turn);
      for (const event of logged(commit, made))
        if (after === undefined || isAfter(event.place, after)) yield event;
    }
  }

  /** Whether an event stands at this place. */
  has(place: EventPlace): boolean {
    for (const commit of this.#commitsFrom(place, undefined)) {
      if (commit.seq < place.seq) continue;
      const { events } = this.#eventsOf(commit, this.#turnBefore(commit));
      return commit.seq === place.seq && place.index < events.length;
    }
    return false;
  }

  #commitsFrom(after: EventPlace | undefined, turn: number | undefined): Iterable<Commit> {
    const { database } = this.#store;
    if (after === undefined)
      return turn === undefined ? readAll(database) : readTurn(database, turn);
    const start = readTransactionStart(database, after.seq);
    if (start === undefined) return [];
    return turn === undefined ? readSince(database, start - 1) : readTurn(database, turn, start);
  }

  #turnBefore({ turn, seq }: Commit): Turn | undefined {
    return turn === 0 ? undefined : foldTurn(this.#store.database, turn, seq);
  }

  #eventsOf(commit: Commit, before: Turn | undefined): CommitEvents {
    return eventsOfCommit(commit, before, this.#store.key, this.#viewsAt(commit.at));
  }

  #viewsAt(at: number): EventViews {
    const { database, chores, key } = this.#store;
    return {
      question: (n, then) => {
        const record = readTask(database, n);
        if (record === undefined) throw new Error(`there is no question ${n}`);
        const deliveries = chores.exist ? deliveriesOf(database, record) : [];
        const view =
          then === "settled"
            ? questionView(record, deliveries, key)
            : questionView(asAsked(record), deliveries.map(asOwed), key);
        if (view === undefined) throw new Error(`${n} is no question`);
        return view;
      },
      waitingFor: (turn, settled) =>
        waitingFor(turn, {
          key,
          question: (n) => readTask(database, n),
          task: (task) => {
            const record = readTaskById(database, task);
            return record === undefined || wasSettled(record, at, settled)
              ? record
              : asAsked(record);
          },
        }),
    };
  }
}

function asAsked(record: TaskRecord): TaskRecord {
  const { settlement: _, ...asked } = record;
  return { ...asked, late: false };
}

function asOwed({ n, dueAt, content }: DeliveryChore): DeliveryChore {
  return { n, dueAt, content, state: "due", tries: 0 };
}

/** Whether it was settled at that time. Within one millisecond the commit itself knows best. */
function wasSettled({ n, settlement }: TaskRecord, at: number, settled: ReadonlySet<number>) {
  if (settlement === undefined) return false;
  return settlement.at < at || (settlement.at === at && settled.has(n));
}

function logged({ turn }: Commit, { events }: CommitEvents): readonly LoggedEvent[] {
  return events.map(({ place, event }) => ({
    turn,
    place,
    text: JSON.stringify({ id: formatEventId(place), ...event }),
  }));
}
