/**
 * Owns: the Durable Object of one session: what may be called on it, its alarm, and who waits for what in it.
 * It holds no rules: it translates between calls, the store and the driver.
 */

import { DurableObject } from "cloudflare:workers";
import type { Batch } from "../core/batch.ts";
import type { ToolOutput } from "../core/event.ts";
import { parseId } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import type { Question } from "../core/question.ts";
import { accepted, type Outcome, type Refusal, refused } from "../core/refusal.ts";
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
import { Engine, type SessionDefinition, type WakeCheck } from "./engine.ts";
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
import { type BatchIdempotency, settleBatch } from "./results.ts";
import { isUnderWay, resumeReady, type ResumeRequest } from "./resuming.ts";
import {
  type EntryView,
  interruptRun,
  readEntry,
  readRun,
  readRuns,
  readThread,
  type ResumedRun,
  resumeRun,
  type RunPage,
  type RunView,
  type ThreadView,
} from "./runs.ts";
import { sessionNotFound, type StartRequest, startTurn } from "./starting.ts";
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

export interface StartedMessage {
  readonly thread: ThreadView;
  readonly entry: EntryView;
  /** Absent while the message waits for its turn. */
  readonly run?: RunView;
  readonly replayed: boolean;
}

export interface SessionView {
  readonly turns: readonly TurnView[];
  readonly questions: readonly Question[];
}

export class SessionObject extends DurableObject {
  readonly #engine: Engine;

  constructor(state: DurableObjectState, env: unknown, definition: SessionDefinition) {
    super(state, env as Cloudflare.Env);
    this.#engine = new Engine(state, env, definition);
  }

  /** Rows written since the object woke, alarms included. */
  rowsWritten(): number {
    return this.#engine.store.database.rowsWritten;
  }

  async start(request: StartRequest): Promise<Outcome<StartedTurn>> {
    const { store, agents, waiters } = this.#engine;
    const started = startTurn(store, agents, request);
    this.#engine.ring();
    if (!started.ok) return started;
    const { n, replayed } = started.value;
    await waiters.until(n, request.waitMs, () => !isUnderWay(store.turn(n)));
    const turn = this.#viewOf(n);
    return turn.ok ? accepted({ turn: turn.value, replayed }) : turn;
  }

  /** Starts a turn as a message to the thread, and shows it as the Service does. */
  startMessage(request: StartRequest): Outcome<StartedMessage> {
    const started = startTurn(this.#engine.store, this.#engine.agents, request);
    this.#engine.ring();
    if (!started.ok) return started;
    const { n, replayed } = started.value;
    const entry = readEntry(this.#engine.store, n);
    const thread = readThread(this.#engine.store);
    if (!entry.ok) return entry;
    if (!thread.ok) return thread;
    const run = entry.value.runId === undefined ? undefined : parseId("run", entry.value.runId);
    const shown =
      run === undefined ? undefined : readRun(this.#engine.store, this.#engine.source, run.n);
    return accepted({
      replayed,
      entry: entry.value,
      thread: thread.value,
      ...(shown?.ok === true && { run: shown.value }),
    });
  }

  readThread(): Outcome<ThreadView> {
    this.#engine.ring();
    return readThread(this.#engine.store);
  }

  readEntry(n: number): Outcome<EntryView> {
    this.#engine.ring();
    return readEntry(this.#engine.store, n);
  }

  readRun(n: number): Outcome<RunView> {
    this.#engine.ring();
    return readRun(this.#engine.store, this.#engine.source, n);
  }

  readRuns(limit: number, before: number | undefined): Outcome<RunPage> {
    this.#engine.ring();
    return readRuns(this.#engine.store, this.#engine.source, limit, before);
  }

  resumeRun(
    n: number,
    batch: Batch,
    settler: Settler,
    idempotency: BatchIdempotency,
  ): Outcome<ResumedRun> {
    const resumed = resumeRun(
      this.#engine.store,
      this.#engine.source,
      n,
      batch,
      settler,
      idempotency,
    );
    this.#engine.ring();
    return resumed;
  }

  interruptRun(n: number): Outcome<RunView> {
    const interrupted = interruptRun(this.#engine.store, n);
    if (!interrupted.ok) return interrupted;
    this.#engine.driver.stop(interrupted.value.turn);
    this.#engine.ring();
    return readRun(this.#engine.store, this.#engine.source, n);
  }

  async readTurn(n: number, waitMs: number): Promise<Outcome<TurnView>> {
    this.#engine.ring();
    const turn = this.#engine.store.turn(n);
    if (turn === undefined) return refused(turnNotFound());
    if (isOpen(turn))
      await this.#engine.waiters.until(
        n,
        waitMs,
        () => this.#engine.store.turn(n)?.status !== turn.status,
      );
    return this.#viewOf(n);
  }

  cancelTurn(n: number, reason: string | undefined): Outcome<TurnView> {
    const turn = this.#engine.store.turn(n);
    if (turn === undefined) return refused(turnNotFound());
    if (turn.status === "completed" || turn.status === "failed")
      return refused({
        code: "turn_settled",
        detail: `The turn is ${turn.status}; there is nothing left to cancel.`,
      });
    if (turn.status !== "cancelled") {
      this.#engine.store.transact((draft) => cancelTurn(draft, this.#engine.store, n, reason));
      this.#engine.driver.stop(n);
    }
    this.#engine.ring();
    return accepted(this.#engine.turnView(n));
  }

  /** Drives a failed turn on. Asked again while it is under way or parked, it changes nothing. */
  retryTurn(n: number): Outcome<TurnView> {
    const turn = this.#engine.store.turn(n);
    if (turn === undefined) return refused(turnNotFound());
    if (turn.status === "completed" || turn.status === "cancelled")
      return refused({
        code: "turn_settled",
        detail: `The turn is ${turn.status}; only a failed one can be retried.`,
      });
    if (turn.status === "failed") this.#engine.store.transact((draft) => draft.retry(turn));
    this.#engine.ring();
    return accepted(this.#engine.turnView(n));
  }

  /** Lets parked turns go on whose wait is over, and waits until each is at rest again. */
  resumeReady(request: ResumeRequest): Promise<readonly TurnView[]> {
    return resumeReady(this.#engine, request);
  }

  settleResults(n: number, batch: Batch, settler: Settler): Outcome<TurnView> {
    const settled = settleBatch(this.#engine.store, n, batch, settler);
    this.#engine.ring();
    return settled.ok ? accepted(this.#engine.turnView(n)) : settled;
  }

  readSession(limit: number): Outcome<SessionView> {
    if (!this.#engine.store.exists) return refused(sessionNotFound());
    this.#engine.ring();
    const turns = readTurnNumbers(this.#engine.store.database, limit).map((n) =>
      this.#engine.turnView(n),
    );
    return accepted({
      turns,
      questions: this.#engine.questionViews({ status: "waiting", after: 0, limit }),
    });
  }

  /** The conversation so far, as the model sees it; a call that is still open has no result yet. */
  readMessages(): Outcome<readonly JsonObject[]> {
    if (!this.#engine.store.exists) return refused(sessionNotFound());
    this.#engine.ring();
    return accepted(this.#engine.store.transcript.all() as unknown as readonly JsonObject[]);
  }

  /** Asks without a turn, for another system. */
  async ask(request: AskRequest): Promise<Outcome<AskedQuestion>> {
    const asked = await askDirectly(this.#engine.store, request);
    this.#engine.ring();
    if (!asked.ok) return asked;
    const { record, replayed } = asked.value;
    return accepted({ question: this.#engine.questionView(record), replayed });
  }

  readQuestions(filter: QuestionFilter): Outcome<readonly Question[]> {
    if (!this.#engine.store.exists) return refused(sessionNotFound());
    this.#engine.ring();
    return accepted(this.#engine.questionViews(filter));
  }

  readQuestion(n: number): Outcome<Question> {
    this.#engine.ring();
    const question = readQuestion(this.#engine.store, n);
    return question === undefined
      ? refused(questionNotFound())
      : accepted(this.#engine.questionView(question.record));
  }

  async settleQuestion(n: number, settling: Settling): Promise<Outcome<Question>> {
    const { store, agents } = this.#engine;
    const outcome = this.#changed(await settleQuestion(store, agents, n, settling));
    if (outcome.ok) await this.#engine.tellOfReady(outcome.value.agent);
    return outcome;
  }

  /** Moves a question to somebody else. */
  assignQuestion(n: number, to: string, by: string): Outcome<Question> {
    return this.#changed(assignQuestion(this.#engine.store, n, to, by));
  }

  /** Brings a question to people once more. */
  deliverQuestion(n: number): Outcome<Question> {
    return this.#changed(deliverAgain(this.#engine.store, n));
  }

  noteBounce(n: number, bounce: Bounce): Outcome<Question> {
    return this.#changed(noteBounce(this.#engine.store, n, bounce));
  }

  /** What was to reach the outside of the session. */
  readDeliveries(filter: DeliveryFilter): Outcome<readonly DeliveryView[]> {
    if (!this.#engine.store.exists) return refused(sessionNotFound());
    this.#engine.ring();
    return accepted(listDeliveries(this.#engine.store, filter));
  }

  retryDelivery(n: number): Outcome<DeliveryView> {
    const retried = retryDelivery(this.#engine.store, n);
    this.#engine.ring();
    return retried;
  }

  checkWake(): WakeCheck {
    return this.#engine.checkWake();
  }

  /** Deletes everything. Asked again, it has nothing left to do. */
  eraseSession(): Outcome<null> {
    const { store } = this.#engine;
    if (!store.exists && store.head.erased !== true) return refused(sessionNotFound());
    if (store.exists) this.#engine.erase();
    this.#engine.ring();
    return accepted(null);
  }

  /** The turn as it is now: a caller may have waited until after its session was erased. */
  #viewOf(n: number): Outcome<TurnView> {
    return this.#engine.store.turn(n) === undefined
      ? refused(turnNotFound())
      : accepted(this.#engine.turnView(n));
  }

  /** Tells the inbox all of the session, where the inbox is rebuilt. */
  async tellInbox(): Promise<void> {
    if (this.#engine.store.exists) await this.#engine.teller.tellAll();
  }

  /** A child turn of one of this session's tasks has ended. Told twice, it changes nothing the second time. */
  settleChild(item: number, output: ToolOutput): Outcome<null> {
    const record = this.#engine.store.exists
      ? readTask(this.#engine.store.database, item)
      : undefined;
    if (record === undefined) return refused(questionNotFound());
    if (record.settlement === undefined)
      this.#engine.store.transact((draft) => draft.finishBeside(record, output));
    this.#engine.ring();
    return accepted(null);
  }

  #changed(outcome: Outcome<TaskRecord>): Outcome<Question> {
    this.#engine.ring();
    return outcome.ok ? accepted(this.#engine.questionView(outcome.value)) : outcome;
  }

  /** Fires what is due, arms the next wake, rings, and returns: it never waits for a step. */
  override alarm(): void {
    const { store } = this.#engine;
    store.alarmFired();
    try {
      store.letTimePass();
      store.arm();
    } catch (defect) {
      // The lease stands, so it is tried again, and not at once: thrown, it would be lost after six tries.
      this.#engine.report(defect);
    }
    this.#engine.ring();
  }
}

function turnNotFound(): Refusal {
  return { code: "not_found", detail: "There is no such turn." };
}
