/**
 * Owns: the questions of one transaction in the making: their asking, what happens to them by themselves, and their end,
 * each with its fact, its row and the notices that follow. Does not own: the decision who may settle one (`answers.ts`).
 */

import type { Fact, ToolOutput, TurnStarted } from "../core/event.ts";
import {
  type Callback,
  endingSettlement,
  type Life,
  type LifeEvent,
  nextDue,
  type Terms,
  termsOf,
} from "../core/life.ts";
import {
  addressedTo,
  alsoAddressedTo,
  peopleAddressed,
  peopleOf,
  type Reach,
} from "../core/recipients.ts";
import { allowedBy, denied, outputOfSettlement } from "../core/settlement.ts";
import {
  addressedOf,
  type QuestionContent,
  type QuestionSettlement,
  type TaskRecord,
} from "../core/task.ts";
import { isOpen, type Turn } from "../core/turn.ts";
import { insertTask, readTask, settleTask, writeLife } from "../journal/tasks.ts";
import { type NoticeDesk, oweEnding, oweNotices } from "./notices.ts";

/** What belongs to a question beside what it asks. */
export interface AskNotes {
  /** By what it is known again in the session. */
  readonly identity?: string;
  /** The request that asked it from outside. */
  readonly requestDigest?: string;
  /** Of a turn that was settled before: a background tool may still ask, and the draft knows open turns only. */
  readonly agent?: string;
  /** Whom a question is for that doesn't say it itself. */
  readonly to?: string;
  /** Its own terms, checked; they go before its agent's. */
  readonly terms?: Terms;
  readonly callback?: Callback;
}

/** What questions need of the transaction. */
export interface QuestionDesk extends NoticeDesk {
  readonly add: (fact: Exclude<Fact, TurnStarted>) => void;
  readonly turn: (n: number) => Turn | undefined;
  readonly reach: (agent: string | undefined) => Reach;
}

export class QuestionsDraft {
  readonly #desk: QuestionDesk;
  #waiting: number;
  /** When something is due next of each question that has a due time. */
  #timers: ReadonlyMap<number, number>;
  #written: Map<number, TaskRecord> | undefined = new Map();

  constructor(desk: QuestionDesk, waiting: number, timers: ReadonlyMap<number, number>) {
    this.#desk = desk;
    this.#waiting = waiting;
    this.#timers = timers;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get timers(): ReadonlyMap<number, number> {
    return this.#timers;
  }

  /** The questions that the transaction wrote, as their rows have them now; undefined where that is not known. */
  get written(): Iterable<TaskRecord> | undefined {
    return this.#written?.values();
  }

  /** Rows of questions were changed, or deleted, that are not told here. */
  loseTrack(): void {
    this.#written = undefined;
  }

  /** Asks a question whose record has its numbers already. */
  ask(bare: TaskRecord, content: QuestionContent, notes: AskNotes): TaskRecord {
    const desk = this.#desk;
    const reach = desk.reach(bare.agent);
    const life = lifeAtFirst(content, notes, reach);
    const addressed = addressedTo(reach.directory, notes.to ?? addressedOf(bare).to);
    const people = peopleAddressed(reach.directory, addressed);
    const deliveries = oweNotices(desk, reach, { ...bare, life }, "question.asked", people);
    const record = withLife(bare, {
      ...life,
      ...(deliveries.length > 0 && { deliveries }),
    });
    insertTask(desk.database, record);
    this.#waiting += 1;
    this.#setTimer(record);
    desk.add({
      type: "question.asked",
      turn: record.turn,
      step: record.step,
      index: record.index,
      question: record.n,
      kind: content.kind,
      ...(record.task !== undefined && { task: record.task }),
      ...(notes.requestDigest !== undefined && { requestDigest: notes.requestDigest }),
    });
    this.#written?.set(record.n, record);
    return record;
  }

  /** Ends a question, and with it the call that waits for it. */
  settle(record: TaskRecord, settlement: QuestionSettlement, output?: ToolOutput): TaskRecord {
    const desk = this.#desk;
    const event = `question.${settlement.status}` as const;
    const deliveries = oweEnding(desk, desk.reach(record.agent), record, event);
    const life = deliveries.length > 0 ? { ...record.life, deliveries } : record.life;
    settleTask(desk.database, record.n, settlement, desk.at, life);
    this.#waiting -= 1;
    this.#dropTimer(record.n);
    desk.add({
      type: "question.settled",
      turn: record.turn,
      question: record.n,
      status: settlement.status,
    });
    const read = output ?? outputOfSettlement(record.content, settlement);
    this.#settleCallOf(record, settlement, read);
    const settled: TaskRecord = {
      ...record,
      ...(life !== undefined && { life }),
      settlement: { ...settlement, at: desk.at },
    };
    this.#written?.set(record.n, settled);
    return settled;
  }

  /** Moves a question to somebody else; whoever it was for before can't answer it any more. */
  assign(record: TaskRecord, to: string, by: string): TaskRecord {
    const { directory } = this.#desk.reach(record.agent);
    const addressed = addressedTo(directory, to);
    const { to: _to, recipients: _recipients, ...life } = record.life ?? {};
    this.#desk.add({
      type: "question.assigned",
      turn: record.turn,
      question: record.n,
      to,
      by,
    });
    const assigned = this.#happen(
      { ...record, life: { ...life, ...addressed } },
      { event: "question.assigned", at: this.#desk.at, to, by },
      peopleAddressed(directory, addressed),
    );
    writeLife(this.#desk.database, record.n, assigned.life ?? {});
    this.#written?.set(record.n, assigned);
    return assigned;
  }

  /** They were all deleted. */
  forget(): void {
    this.loseTrack();
    this.#waiting = 0;
    this.#timers = new Map();
  }

  /** Lets happen what is due by the clock, each once, however late it is. */
  fireDue(): void {
    const { at } = this.#desk;
    for (const [n, dueAt] of this.#timers) if (dueAt <= at) this.#fire(n);
  }

  #fire(n: number): void {
    const { database, at } = this.#desk;
    let record = readTask(database, n);
    if (record === undefined || record.settlement !== undefined)
      throw new Error(`a timer of question ${n} is left, and it waits no more`);
    for (;;) {
      const due = nextDue(record.createdAt, record.life ?? {});
      if (due === undefined || due.at > at) break;
      const base = { turn: record.turn, question: n };
      const { directory } = this.#desk.reach(record.agent);
      switch (due.event) {
        case "question.reminded":
          this.#desk.add({ type: due.event, ...base });
          record = this.#happen(
            record,
            { event: due.event, at },
            peopleAddressed(directory, addressedOf(record)),
          );
          break;
        case "question.escalated": {
          const { event, to } = due;
          this.#desk.add({ type: event, ...base, to });
          const addressed = alsoAddressedTo(directory, addressedOf(record), to);
          const escalated: TaskRecord = { ...record, life: { ...record.life, ...addressed } };
          record = this.#happen(escalated, { event, at, to }, peopleOf(directory, to));
          break;
        }
        case "question.expired": {
          const settlement = endingSettlement(due.ending);
          const output =
            due.ending === "deny" ? denied("default", "nobody decided in time") : undefined;
          this.settle(record, settlement, output);
          return;
        }
      }
    }
    writeLife(database, n, record.life ?? {});
    this.#written?.set(n, record);
    this.#dropTimer(n);
    this.#setTimer(record);
  }

  /** Notes an event, and owes the notices of it. */
  #happen(
    record: TaskRecord,
    event: LifeEvent,
    people: ReturnType<typeof peopleAddressed>,
  ): TaskRecord {
    const reach = this.#desk.reach(record.agent);
    const deliveries = oweNotices(this.#desk, reach, record, event.event, people);
    return withLife(record, {
      ...record.life,
      events: [...(record.life?.events ?? []), event],
      ...(deliveries.length > 0 && { deliveries }),
    });
  }

  #settleCallOf(record: TaskRecord, settlement: QuestionSettlement, output: ToolOutput): void {
    const { turn: n, step, index } = record;
    const turn = this.#desk.turn(n);
    if (turn === undefined || !isOpen(turn) || turn.steps - 1 !== step) return;
    const call = turn.calls[index];
    if (call?.now.state !== "waiting" || call.now.question !== record.n) return;
    const allowed = allowedBy(record.content, settlement);
    this.#desk.add(
      allowed === undefined
        ? { type: "call.settled", turn: n, step, index, output }
        : { type: "call.approved", turn: n, step, index, ...allowed },
    );
  }

  #setTimer(record: TaskRecord): void {
    const due = nextDue(record.createdAt, record.life ?? {});
    if (due !== undefined) this.#timers = new Map([...this.#timers, [record.n, due.at]]);
  }

  #dropTimer(n: number): void {
    if (this.#timers.has(n))
      this.#timers = new Map([...this.#timers].filter(([other]) => other !== n));
  }
}

/** What a question has from the first. A recipient who stands in the question itself is not noted again. */
function lifeAtFirst(
  content: QuestionContent,
  { to, terms = {}, callback }: AskNotes,
  reach: Reach,
): Life {
  const asked = content.kind === "person" || content.kind === "tool" ? content.question.to : to;
  const addressed = addressedTo(reach.directory, asked);
  const kept = termsOf(content, terms, reach.terms);
  return {
    ...((to !== undefined || addressed.recipients !== undefined) && addressed),
    ...(Object.keys(kept).length > 0 && { terms: kept }),
    ...(callback !== undefined && { callback }),
  };
}

function withLife(record: TaskRecord, life: Life): TaskRecord {
  return Object.keys(life).length === 0 ? record : { ...record, life };
}
