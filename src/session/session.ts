/**
 * Owns: the Durable Object of one session: what may be called on it, its alarm, and who waits for what in it.
 * It holds no rules: it translates between calls, the store and the driver.
 */

import { DurableObject } from "cloudflare:workers";
import type { Agent } from "../agent/agent.ts";
import type { Batch } from "../core/batch.ts";
import type { ToolOutput } from "../core/event.ts";
import { formatId, parseId } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import { ATTEMPTS_DEFAULT } from "../core/limits.ts";
import type { Question } from "../core/question.ts";
import { accepted, type Outcome, type Refusal, refused } from "../core/refusal.ts";
import type { TaskRecord } from "../core/task.ts";
import { isOpen, type Turn } from "../core/turn.ts";
import { openDatabase } from "../journal/database.ts";
import { type Commit, readTurnNumbers } from "../journal/journal.ts";
import { type QuestionFilter, readQuestions, readTask, readTaskById } from "../journal/tasks.ts";
import {
  questionNotFound,
  readQuestion,
  settleQuestion,
  type Settler,
  type Settling,
} from "./answers.ts";
import { performChore } from "./children.ts";
import { ChoreRunner } from "./chores.ts";
import { openSession } from "./face.ts";
import { Driver } from "./driver.ts";
import { cancelTurn } from "./ending.ts";
import { type BatchIdempotency, settleBatch } from "./results.ts";
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
import { SessionStore } from "./store.ts";
import { questionView, type TurnView, turnView, type ViewSource } from "./views.ts";
import { Waiters } from "./waiters.ts";

/** What the object is made of; the clock and chance are arguments, so that a test can say what they are. */
export interface SessionDefinition {
  readonly agents: (env: unknown) => ReadonlyMap<string, Agent>;
  readonly now: () => number;
  readonly random: () => number;
  /** A defect of ours, with the request that met it, where one did. */
  readonly report: (defect: unknown, requestId?: string) => void;
  /** Told of each transaction once it stands. */
  readonly committed?: (commits: readonly Commit[], session: DurableObjectState) => void;
}

/** The binding by which a session reaches its siblings. */
interface SessionBindings {
  readonly SESSION: DurableObjectNamespace<SessionObject>;
}

export interface StartedTurn {
  readonly turn: TurnView;
  /** True where an earlier request under the same Idempotency-Key started it. */
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
  readonly #store: SessionStore;
  readonly #driver: Driver;
  readonly #chores: ChoreRunner;
  readonly #agents: ReadonlyMap<string, Agent>;
  readonly #waiters = new Waiters();

  constructor(state: DurableObjectState, env: unknown, definition: SessionDefinition) {
    super(state, env as Cloudflare.Env);
    const [workspace, key] = state.id.name?.split("/") ?? [];
    if (workspace === undefined || key === undefined)
      throw new Error("a session's object is named {workspace}/{key}");
    this.#agents = definition.agents(env);
    this.#store = new SessionStore(openDatabase(state.storage), key, {
      now: definition.now,
      committed: (commits) => {
        this.#waiters.tell(commits.map(({ turn }) => turn));
        definition.committed?.(commits, state);
        this.#chores.ring();
      },
    });
    const openSibling = (sibling: string) =>
      openSession((env as SessionBindings).SESSION, workspace, sibling);
    this.#chores = new ChoreRunner(this.#store, {
      perform: (chore) => performChore(this.#store, openSibling, chore),
      random: definition.random,
      waitUntil: (work) => state.waitUntil(work),
      report: definition.report,
    });
    this.#driver = new Driver(this.#store, {
      openSibling,
      agents: this.#agents,
      env: env as Readonly<Record<string, unknown>>,
      random: definition.random,
      waitUntil: (work) => state.waitUntil(work),
      report: definition.report,
    });
  }

  /** Rows written since the object woke, alarms included. */
  rowsWritten(): number {
    return this.#store.database.rowsWritten;
  }

  async start(request: StartRequest): Promise<Outcome<StartedTurn>> {
    const started = startTurn(this.#store, this.#agents, request);
    this.#ring();
    if (!started.ok) return started;
    const { n, replayed } = started.value;
    await this.#waiters.until(n, request.waitMs, () => !isUnderWay(this.#store.turn(n)));
    return accepted({ turn: this.#view(n), replayed });
  }

  /** Starts a turn as a message to the thread, and shows it as the first seed's Service does. */
  startMessage(request: StartRequest): Outcome<StartedMessage> {
    const started = startTurn(this.#store, this.#agents, request);
    this.#ring();
    if (!started.ok) return started;
    const { n, replayed } = started.value;
    const entry = readEntry(this.#store, n);
    const thread = readThread(this.#store);
    if (!entry.ok) return entry;
    if (!thread.ok) return thread;
    const run = entry.value.runId === undefined ? undefined : parseId("run", entry.value.runId);
    const shown = run === undefined ? undefined : readRun(this.#store, this.#source, run.n);
    return accepted({
      replayed,
      entry: entry.value,
      thread: thread.value,
      ...(shown?.ok === true && { run: shown.value }),
    });
  }

  readThread(): Outcome<ThreadView> {
    this.#ring();
    return readThread(this.#store);
  }

  readEntry(n: number): Outcome<EntryView> {
    this.#ring();
    return readEntry(this.#store, n);
  }

  readRun(n: number): Outcome<RunView> {
    this.#ring();
    return readRun(this.#store, this.#source, n);
  }

  readRuns(limit: number, before: number | undefined): Outcome<RunPage> {
    this.#ring();
    return readRuns(this.#store, this.#source, limit, before);
  }

  resumeRun(
    n: number,
    batch: Batch,
    settler: Settler,
    idempotency: BatchIdempotency,
  ): Outcome<ResumedRun> {
    const resumed = resumeRun(this.#store, this.#source, n, batch, settler, idempotency);
    this.#ring();
    return resumed;
  }

  interruptRun(n: number): Outcome<RunView> {
    const interrupted = interruptRun(this.#store, n);
    if (!interrupted.ok) return interrupted;
    this.#driver.stop(interrupted.value.turn);
    this.#ring();
    return readRun(this.#store, this.#source, n);
  }

  async readTurn(n: number, waitMs: number): Promise<Outcome<TurnView>> {
    this.#ring();
    const turn = this.#store.turn(n);
    if (turn === undefined) return refused(turnNotFound());
    if (isOpen(turn))
      await this.#waiters.until(n, waitMs, () => this.#store.turn(n)?.status !== turn.status);
    return accepted(this.#view(n));
  }

  cancelTurn(n: number, reason: string | undefined): Outcome<TurnView> {
    const turn = this.#store.turn(n);
    if (turn === undefined) return refused(turnNotFound());
    if (turn.status === "completed" || turn.status === "failed")
      return refused({
        code: "turn_settled",
        detail: `The turn is ${turn.status}; there is nothing left to cancel.`,
      });
    if (turn.status !== "cancelled") {
      this.#store.transact((draft) => cancelTurn(draft, this.#store, n, reason));
      this.#driver.stop(n);
    }
    this.#ring();
    return accepted(this.#view(n));
  }

  /** Drives a failed turn on. Asked again while it is under way or parked, it changes nothing. */
  retryTurn(n: number): Outcome<TurnView> {
    const turn = this.#store.turn(n);
    if (turn === undefined) return refused(turnNotFound());
    if (turn.status === "completed" || turn.status === "cancelled")
      return refused({
        code: "turn_settled",
        detail: `The turn is ${turn.status}; only a failed one can be retried.`,
      });
    if (turn.status === "failed") this.#store.transact((draft) => draft.retry(turn));
    this.#ring();
    return accepted(this.#view(n));
  }

  settleResults(n: number, batch: Batch, settler: Settler): Outcome<TurnView> {
    const settled = settleBatch(this.#store, n, batch, settler);
    this.#ring();
    return settled.ok ? accepted(this.#view(n)) : settled;
  }

  readSession(limit: number): Outcome<SessionView> {
    if (!this.#store.exists) return refused(sessionNotFound());
    this.#ring();
    const turns = readTurnNumbers(this.#store.database, limit).map((n) => this.#view(n));
    return accepted({ turns, questions: this.#questions({ status: "waiting", after: 0, limit }) });
  }

  /** The conversation so far, as the model sees it; a call that is still open has no result yet. */
  readMessages(): Outcome<readonly JsonObject[]> {
    if (!this.#store.exists) return refused(sessionNotFound());
    this.#ring();
    return accepted(this.#store.transcript.all() as unknown as readonly JsonObject[]);
  }

  readQuestions(filter: QuestionFilter): Outcome<readonly Question[]> {
    if (!this.#store.exists) return refused(sessionNotFound());
    this.#ring();
    return accepted(this.#questions(filter));
  }

  readQuestion(n: number): Outcome<Question> {
    this.#ring();
    const question = readQuestion(this.#store, n);
    return question === undefined
      ? refused(questionNotFound())
      : accepted(this.#question(question.record));
  }

  async settleQuestion(n: number, settling: Settling): Promise<Outcome<Question>> {
    const settled = await settleQuestion(this.#store, this.#agents, n, settling);
    this.#ring();
    return settled.ok ? accepted(this.#question(settled.value)) : settled;
  }

  /** A child turn of one of this session's tasks has ended. Told twice, it changes nothing the second time. */
  settleChild(item: number, output: ToolOutput): Outcome<null> {
    const record = this.#store.exists ? readTask(this.#store.database, item) : undefined;
    if (record === undefined) return refused(questionNotFound());
    if (record.settlement === undefined)
      this.#store.transact((draft) => draft.finishBeside(record, output));
    this.#ring();
    return accepted(null);
  }

  /** Fires what is due, arms the next wake, rings, and returns: it never waits for a step. */
  override alarm(): void {
    this.#store.alarmFired();
    // Waits that ran out are consequences of the time: an empty transition lets them follow.
    this.#store.transact(() => undefined);
    this.#ring();
  }

  #view(n: number): TurnView {
    const turn = this.#store.turn(n);
    if (turn === undefined) throw new Error(`there is no turn ${n}`);
    return turnView(turn, this.#source);
  }

  #questions(filter: QuestionFilter): readonly Question[] {
    return readQuestions(this.#store.database, filter).map((record) => this.#question(record));
  }

  #question(record: TaskRecord): Question {
    const view = questionView(record, this.#store.key);
    if (view === undefined)
      throw new Error(`${formatId("q", this.#store.key, record.n)} is no question`);
    return view;
  }

  #ring(): void {
    this.#driver.ring();
    this.#chores.ring();
  }

  get #source(): ViewSource {
    const store = this.#store;
    return {
      key: store.key,
      task: (task) => readTaskById(store.database, task),
      question: (n) => readTask(store.database, n),
      maxAttempts: (agent) => this.#agents.get(agent)?.maxAttempts ?? ATTEMPTS_DEFAULT,
      ahead: (turn) => store.openTurns.find((open) => open.n !== turn.n),
    };
  }
}

function turnNotFound(): Refusal {
  return { code: "not_found", detail: "There is no such turn." };
}

function isUnderWay(turn: Turn | undefined): boolean {
  return turn?.status === "queued" || turn?.status === "running";
}
