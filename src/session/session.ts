/**
 * Owns: the Durable Object of one session: what may be called on it, its alarm, and who waits for what in it.
 * It holds no rules: it translates between calls, the store and the driver.
 */

import type { Batch } from "../core/batch.ts";
import type { ToolOutput } from "../core/event.ts";
import type { JsonObject } from "../core/json.ts";
import type { Question } from "../core/question.ts";
import { accepted, type Outcome, refused } from "../core/refusal.ts";
import type { EventPlace } from "../core/session-event.ts";
import type { TaskRecord } from "../core/task.ts";
import { isOpen } from "../core/turn.ts";
import { readTurnNumbers } from "../journal/journal.ts";
import { type QuestionFilter, readTask } from "../journal/tasks.ts";
import {
  questionNotFound,
  readQuestion,
  settleQuestion,
  type Settler,
  type Settling,
} from "./answers.ts";
import { askDirectly, type AskRequest } from "./asking.ts";
import type { WakeCheck } from "./engine.ts";
import { cancelTurn } from "./ending.ts";
import {
  assignQuestion,
  type Bounce,
  deliverAgain,
  type DeliveryFilter,
  type DeliveryView,
  listDeliveries,
  noteBounce,
  retryDelivery,
} from "./reaching.ts";
import { listenRequestOf } from "./listening.ts";
import type { EventPage } from "./readers.ts";
import { type BatchRequest, settleBatch } from "./results.ts";
import { isUnderWay, resumeReady, type ResumeRequest } from "./resuming.ts";
import { retryTurn } from "./retrying.ts";
import { sessionNotFound, type StartRequest, startTurn, turnNotFound } from "./starting.ts";
import { ThreadObject } from "./thread-object.ts";
import type { TurnView } from "../core/turn-view.ts";

export interface StartedTurn {
  readonly turn: TurnView;
  /** True where an earlier request under the same Idempotency-Key started it. */
  readonly replayed: boolean;
}

export interface AskedQuestion {
  readonly question: Question;
  /** True where an earlier request asked it. */
  readonly replayed: boolean;
}

export interface SessionView {
  readonly turns: readonly TurnView[];
  readonly questions: readonly Question[];
}

/** What a reader of a turn waits for: that its status changes, or that it is settled or parked. */
export type WaitedFor = "change" | "rest";

export class SessionObject extends ThreadObject {
  /** Rows written since the object woke, alarms included. */
  rowsWritten(): number {
    return this.engine.store.database.rowsWritten;
  }

  async start(request: StartRequest): Promise<Outcome<StartedTurn>> {
    const { store, agents, waiters, readers } = this.engine;
    const started = startTurn(store, agents, request);
    if (started.ok && request.listeners !== undefined)
      readers.expect(started.value.n, request.listeners);
    else this.engine.ring();
    if (!started.ok) return started;
    const { n, replayed } = started.value;
    await waiters.until(n, request.waitMs, () => !isUnderWay(store.turn(n)));
    const turn = this.#viewOf(n);
    return turn.ok ? accepted({ turn: turn.value, replayed }) : turn;
  }

  async readTurn(n: number, waitMs: number, until: WaitedFor): Promise<Outcome<TurnView>> {
    this.engine.ring();
    const turn = this.engine.store.turn(n);
    if (turn === undefined) return refused(turnNotFound());
    if (isOpen(turn))
      await this.engine.waiters.until(n, waitMs, () => {
        const now = this.engine.store.turn(n);
        return until === "rest" ? !isUnderWay(now) : now?.status !== turn.status;
      });
    return this.#viewOf(n);
  }

  cancelTurn(n: number, reason: string | undefined): Outcome<TurnView> {
    const turn = this.engine.store.turn(n);
    if (turn === undefined) return refused(turnNotFound());
    if (turn.status === "completed" || turn.status === "failed")
      return refused({
        code: "turn_settled",
        detail: `The turn is ${turn.status}; there is nothing left to cancel.`,
      });
    if (turn.status !== "cancelled") {
      this.engine.store.transact((draft) => cancelTurn(draft, this.engine.store, n, reason));
      this.engine.driver.stop(n);
    }
    this.engine.ring();
    return accepted(this.engine.turnView(n));
  }

  retryTurn(n: number): Outcome<TurnView> {
    const retried = retryTurn(this.engine.store, n);
    if (!retried.ok) return retried;
    this.engine.ring();
    return this.#viewOf(n);
  }

  /** Lets parked turns go on whose wait is over, and waits until each is at rest again. */
  resumeReady(request: ResumeRequest): Promise<readonly TurnView[]> {
    return resumeReady(this.engine, request);
  }

  settleResults(
    n: number,
    batch: Batch,
    settler: Settler,
    request?: BatchRequest,
  ): Outcome<TurnView> {
    const settled = settleBatch(this.engine.store, n, batch, settler, request);
    this.engine.ring();
    return settled.ok ? accepted(this.engine.turnView(n)) : settled;
  }

  readSession(limit: number): Outcome<SessionView> {
    if (!this.engine.store.exists) return refused(sessionNotFound());
    this.engine.ring();
    const turns = readTurnNumbers(this.engine.store.database, limit).map((n) =>
      this.engine.turnView(n),
    );
    return accepted({
      turns,
      questions: this.engine.questionViews({ status: "waiting", after: 0, limit }),
    });
  }

  /** The conversation so far, as the model sees it; a call that is still open has no result yet. */
  readMessages(): Outcome<readonly JsonObject[]> {
    if (!this.engine.store.exists) return refused(sessionNotFound());
    this.engine.ring();
    return accepted(this.engine.store.transcript.all() as unknown as readonly JsonObject[]);
  }

  /** A turn's events that last, behind a place. */
  readEvents(turn: number, after: EventPlace | undefined): Outcome<EventPage> {
    if (this.engine.store.turn(turn) === undefined) return refused(turnNotFound());
    return accepted(this.engine.readers.read({ turn, after }));
  }

  /** Asks without a turn, for another system. */
  async ask(request: AskRequest): Promise<Outcome<AskedQuestion>> {
    const asked = await askDirectly(this.engine.store, request);
    this.engine.ring();
    if (!asked.ok) return asked;
    const { record, replayed } = asked.value;
    return accepted({ question: this.engine.questionView(record), replayed });
  }

  readQuestions(filter: QuestionFilter): Outcome<readonly Question[]> {
    if (!this.engine.store.exists) return refused(sessionNotFound());
    this.engine.ring();
    return accepted(this.engine.questionViews(filter));
  }

  readQuestion(n: number): Outcome<Question> {
    this.engine.ring();
    const question = readQuestion(this.engine.store, n);
    return question === undefined
      ? refused(questionNotFound())
      : accepted(this.engine.questionView(question.record));
  }

  async settleQuestion(n: number, settling: Settling): Promise<Outcome<Question>> {
    const { store, agents } = this.engine;
    const outcome = this.#changed(await settleQuestion(store, agents, n, settling));
    if (outcome.ok) await this.engine.tellOfReady(outcome.value.agent);
    return outcome;
  }

  /** Moves a question to somebody else. */
  assignQuestion(n: number, to: string, by: string): Outcome<Question> {
    return this.#changed(assignQuestion(this.engine.store, n, to, by));
  }

  /** Brings a question to people once more. */
  deliverQuestion(n: number): Outcome<Question> {
    return this.#changed(deliverAgain(this.engine.store, n));
  }

  noteBounce(n: number, bounce: Bounce): Outcome<Question> {
    return this.#changed(noteBounce(this.engine.store, n, bounce));
  }

  /** What was to reach the outside of the session. */
  readDeliveries(filter: DeliveryFilter): Outcome<readonly DeliveryView[]> {
    if (!this.engine.store.exists) return refused(sessionNotFound());
    this.engine.ring();
    return accepted(listDeliveries(this.engine.store, filter));
  }

  retryDelivery(n: number): Outcome<DeliveryView> {
    const retried = retryDelivery(this.engine.store, n);
    this.engine.ring();
    return retried;
  }

  checkWake(): WakeCheck {
    return this.engine.checkWake();
  }

  /** Deletes everything. Asked again, it has nothing left to do. */
  eraseSession(): Outcome<null> {
    const { store } = this.engine;
    if (!store.exists && store.head.erased !== true) return refused(sessionNotFound());
    if (store.exists) this.engine.erase();
    this.engine.ring();
    return accepted(null);
  }

  /** The turn as it is now: a caller may have waited until after its session was erased. */
  #viewOf(n: number): Outcome<TurnView> {
    return this.engine.store.turn(n) === undefined
      ? refused(turnNotFound())
      : accepted(this.engine.turnView(n));
  }

  /** Tells the inbox all of the session, where the inbox is rebuilt. */
  async tellInbox(): Promise<void> {
    if (this.engine.store.exists) await this.engine.teller.tellAll();
  }

  /** A child turn of one of this session's tasks has ended. Told twice, it changes nothing the second time. */
  settleChild(item: number, output: ToolOutput): Outcome<null> {
    const record = this.engine.store.exists
      ? readTask(this.engine.store.database, item)
      : undefined;
    if (record === undefined) return refused(questionNotFound());
    if (record.settlement === undefined)
      this.engine.store.transact((draft) => draft.finishBeside(record, output));
    this.engine.ring();
    return accepted(null);
  }

  #changed(outcome: Outcome<TaskRecord>): Outcome<Question> {
    this.engine.ring();
    return outcome.ok ? accepted(this.engine.questionView(outcome.value)) : outcome;
  }

  /** Opens a reader's socket: what can't be handed over by a call. */
  override fetch(request: Request): Response {
    const { readers } = this.engine;
    const connected = readers.connect(listenRequestOf(request));
    if (!readers.isExpecting) this.engine.ring();
    if (!connected.ok) return Response.json(connected.refusal, { status: 409 });
    return new Response(null, { status: 101, webSocket: connected.value });
  }

  override webSocketClose(socket: WebSocket): void {
    this.engine.readers.closed(socket);
  }

  override webSocketError(socket: WebSocket): void {
    this.engine.readers.closed(socket);
  }

  /** Fires what is due, arms the next wake, rings, and returns: it never waits for a step. */
  override alarm(): void {
    const { store } = this.engine;
    store.alarmFired();
    try {
      store.letTimePass();
      store.arm();
    } catch (defect) {
      // The lease stands, so it is tried again, and not at once: thrown, it would be lost after six tries.
      this.engine.report(defect);
    }
    this.engine.ring();
  }
}
