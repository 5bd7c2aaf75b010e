/**
 * Owns: one transaction in the making. It takes numbers from the session's counter, adds facts, writes the rows of
 * questions and tasks, and lets what follows at once follow, so that all of it lands together or not at all (I1).
 * Does not own: the decision what to add, nor the alarm.
 */

import type { Chore, ChoreContent, TurnEvent } from "../core/chore.ts";
import type { Fact, FactOf, ToolOutput, TurnStarted } from "../core/event.ts";
import type { SessionKey } from "../core/ids.ts";
import type { Json } from "../core/json.ts";
import { consequence, nextToBegin } from "../core/plan.ts";
import { fitsInto } from "../core/json-bounds.ts";
import { ROW_BYTES } from "../core/limits.ts";
import { endOutput, failed } from "../core/settlement.ts";
import {
  awaitResult,
  type QuestionContent,
  type QuestionSettlement,
  type TaskContent,
  type TaskRecord,
} from "../core/task.ts";
import { applyFact, isOpen, type OpenTurn, startTurn, type Turn } from "../core/turn.ts";
import { eraseAll } from "../journal/erasing.ts";
import { insertChore, reviveChore } from "../journal/chores.ts";
import type { Database } from "../journal/database.ts";
import { append, type Commit, type Head } from "../journal/journal.ts";
import { insertTask, markLate, readTaskById, readTaskState, settleTask } from "../journal/tasks.ts";
import { type AskNotes, QuestionsDraft } from "./draft-questions.ts";
import type { AgentNotes } from "./agent-notes.ts";
import { Sweeper } from "./sweeping.ts";

export interface SessionState {
  readonly head: Head;
  /** The turns that are not settled, in the order in which they were started. */
  readonly open: ReadonlyMap<number, OpenTurn>;
  /** When something is due next of each waiting question to which something happens by itself. */
  readonly timers: ReadonlyMap<number, number>;
}

/** What a transaction wrote, and what memory holds after it. */
export interface Written {
  readonly commits: readonly Commit[];
  readonly state: SessionState;
  /** The turns that it settled. */
  readonly settled: readonly Turn[];
  /** The questions that it wrote, as they are now; undefined where any may be otherwise now. */
  readonly questions: Iterable<TaskRecord> | undefined;
}

/** Which call asks, or starts something; turn 0 asks from outside any turn. */
export interface CallPlace {
  readonly turn: number;
  readonly step: number;
  readonly index: number;
}

export class Draft {
  readonly at: number;
  /** The chores that the transaction wrote, new ones and those that are due again. */
  readonly chores: Chore[] = [];
  readonly #questions: QuestionsDraft;
  readonly #database: Database;
  readonly #key: SessionKey;
  readonly #agents: AgentNotes;
  readonly #turns: Map<number, Turn>;
  readonly #commits = new Map<number, { seq: number; facts: Fact[] }>();
  #next: number;
  #tasks: number;
  readonly #told: number;
  #beside: readonly number[];
  readonly #sweeper: Sweeper;
  #idempotency: string | null = null;

  constructor(
    database: Database,
    key: SessionKey,
    state: SessionState,
    agents: AgentNotes,
    at: number,
  ) {
    this.at = at;
    this.#database = database;
    this.#key = key;
    this.#agents = agents;
    this.#turns = new Map(state.open);
    this.#next = state.head.next;
    this.#tasks = state.head.tasks;
    this.#told = state.head.told;
    this.#beside = state.head.beside;
    this.#sweeper = new Sweeper(database, agents.keptFor, state.head.sweepAt, at);
    const desk = {
      database,
      at,
      take: () => this.#take(),
      insert: (chore: Chore) => this.#insertChore(chore),
      revive: (chore: Chore) => this.revive(chore),
      add: (fact: Exclude<Fact, TurnStarted>) => this.add(fact),
      turn: (n: number) => this.turn(n),
      reach: agents.reach,
    };
    this.#questions = new QuestionsDraft(desk, state.head.waiting, state.timers);
  }

  /** The turn as it is with all that was added so far; undefined for one that was settled before. */
  turn(n: number): Turn | undefined {
    return this.#turns.get(n);
  }

  get openTurns(): readonly OpenTurn[] {
    return [...this.#turns.values()].filter(isOpen);
  }

  get openQuestions(): number {
    return this.#questions.waiting;
  }

  start(fact: Omit<TurnStarted, "type" | "turn" | "run">, idempotency: string | null): number {
    const turn = this.#take();
    this.#idempotency = idempotency;
    const started: TurnStarted = { type: "turn.started", turn, run: this.#take(), ...fact };
    this.#commits.set(turn, { seq: turn, facts: [started] });
    this.#turns.set(turn, startTurn(started, { seq: turn, at: this.at }));
    return turn;
  }

  add(fact: Exclude<Fact, TurnStarted>): void {
    const commit = this.#commits.get(fact.turn) ?? { seq: this.#take(), facts: [] };
    this.#commits.set(fact.turn, commit);
    commit.facts.push(fact);
    const turn = this.#turns.get(fact.turn);
    if (turn !== undefined)
      this.#turns.set(fact.turn, applyFact(turn, fact, { seq: commit.seq, at: this.at }));
    if (fact.type === "call.settled" && fact.timedOut !== undefined) {
      this.#questions.loseTrack();
      markLate(this.#database, fact.timedOut);
    }
    if (turn !== undefined) this.#tellRest(turn, fact);
  }

  /** Asks a question for a call. Kinds `person` and `tool` are tasks, and get a task id. */
  ask(place: CallPlace, content: QuestionContent, notes: AskNotes = {}): TaskRecord {
    const hasTaskId = content.kind === "person" || content.kind === "tool";
    const { identity, agent } = notes;
    const record = this.#newRecord(place, content, hasTaskId, identity, agent);
    return this.#questions.ask(record, content, notes);
  }

  /** Settles a question, and with it the call that waits for it: by `output`, where the model is to read something else. */
  settle(record: TaskRecord, settlement: QuestionSettlement, output?: ToolOutput): TaskRecord {
    if (record.content.kind !== "background") {
      if (record.turn === 0) this.#sweeper.keep(record.agent);
      return this.#questions.settle(record, settlement, output);
    }
    settleTask(this.#database, record.n, settlement, this.at);
    this.#endBeside(record);
    if (record.content.child !== undefined) this.#owe({ kind: "cancelChild", item: record.n });
    return { ...record, settlement: { ...settlement, at: this.at } };
  }

  /** Moves a question to somebody else. */
  assign(record: TaskRecord, to: string, by: string): TaskRecord {
    return this.#questions.assign(record, to, by);
  }

  /** Drives a failed turn on, in a new run; behind the turns that are open now. */
  retry(turn: Turn): void {
    const queued = this.openTurns.length > 0;
    this.#turns.set(turn.n, turn);
    this.add({ type: "turn.retried", turn: turn.n, run: this.#take(), queued });
  }

  /** Ends a wait whose calls are all settled, with what whoever ends it says. Returns the new run. */
  resume(turn: number, said: Omit<FactOf<"turn.resumed">, "type" | "turn" | "run">): number {
    const run = this.#take();
    this.add({ type: "turn.resumed", turn, run, ...said });
    return run;
  }

  /** Makes the transaction findable by the hash of its request's Idempotency-Key. */
  recordRequest(idempotency: string): void {
    this.#idempotency = idempotency;
  }

  startBeside(place: CallPlace, content: Extract<TaskContent, { kind: "background" }>): TaskRecord {
    const record = this.#newRecord(place, content, true);
    insertTask(this.#database, record);
    this.#beside = [...this.#beside, record.n];
    this.add({ type: "task.started", ...place, item: record.n, task: record.task ?? 0 });
    return record;
  }

  /** Starts another agent beside the turn; the chore that starts it lands in the same transaction. */
  startChild(
    place: CallPlace,
    identity: string,
    content: Extract<TaskContent, { kind: "background" }>,
  ): TaskRecord {
    const record = this.#newRecord(place, content, true, identity);
    insertTask(this.#database, record);
    this.add({ type: "task.started", ...place, item: record.n, task: record.task ?? 0 });
    this.#owe({ kind: "startChild", item: record.n });
    return record;
  }

  finishBeside(record: TaskRecord, result: ToolOutput): void {
    // One row holds what was asked of the tool and what came of it.
    const output = fitsInto([record.content, result] as unknown as Json, ROW_BYTES)
      ? result
      : failed("the tool ran, but its result is too large to be kept beside its input");
    settleTask(this.#database, record.n, { status: "finished", output }, this.at);
    this.#endBeside(record);
  }

  /** Deletes the session. What stays is its counter, so that no id or link ever fits again. */
  eraseAll(): void {
    eraseAll(this.#database);
    this.#turns.clear();
    this.#questions.forget();
    this.#beside = [];
    this.#sweeper.forget();
    this.add({ type: "session.erased", turn: 0 });
  }

  /** Makes a chore due again that is there. */
  revive(chore: Chore): void {
    reviveChore(this.#database, chore);
    this.chores.push(chore);
  }

  /** Lets follow what follows at once: what is due, waits that are over, parking, resuming, completing, the next turn. */
  followThrough(): void {
    this.#questions.fireDue();
    for (const n of this.#turns.keys()) this.#followTurn(n);
    const next = nextToBegin(this.openTurns);
    if (next !== undefined) this.add({ type: "turn.begun", turn: next.n });
    const swept = this.#sweeper.sweep([...this.#turns.keys()]);
    if (swept !== undefined) {
      this.#questions.loseTrack();
      this.add(swept);
    }
  }

  /** The transaction's commits, with the head that the session has after them; none where nothing was added. */
  write(version: Head["version"]): Written {
    const { at } = this;
    const commits = [...this.#commits].map(([turn, { seq, facts }]) => ({ seq, turn, at, facts }));
    const open = new Map(this.openTurns.map((turn) => [turn.n, turn]));
    const head = (): Head => ({
      version,
      next: this.#next,
      tasks: this.#tasks,
      open: [...open.keys()],
      told: this.#told,
      waiting: this.#questions.waiting,
      timed: this.#questions.timers.size,
      beside: [...this.#beside],
      ...this.#sweeper.head,
    });
    if (commits.length > 0)
      append(this.#database, commits, this.#idempotency, () => this.#take(), head);
    const settled = [...this.#turns.values()].filter((turn) => !isOpen(turn));
    return {
      commits,
      state: { head: head(), open, timers: this.#questions.timers },
      settled,
      questions: this.#questions.written,
    };
  }

  #followTurn(n: number): void {
    for (;;) {
      const turn = this.#turns.get(n);
      if (turn === undefined) return;
      const fact = consequence(turn, {
        resumesItself: !this.#agents.resumesManually(turn.started.agent),
        now: this.at,
        task: (task) => readTaskState(this.#database, task),
        nextRun: () => this.#take(),
        settleAwait: (outcome) =>
          awaitResult(outcome, this.#key, (task) => readTaskById(this.#database, task)),
      });
      if (fact === undefined || fact.type === "turn.started") return;
      const system =
        turn.system === undefined ? this.#agents.system(turn.started.agent) : undefined;
      this.add(fact.type === "turn.parked" && system !== undefined ? { ...fact, system } : fact);
    }
  }

  #newRecord(
    place: CallPlace,
    content: TaskContent,
    hasTaskId: boolean,
    identity?: string,
    agentOfSettled?: string,
  ): TaskRecord {
    const turn = this.#turns.get(place.turn);
    const agent = turn?.started.agent ?? agentOfSettled;
    const callId = turn?.calls[place.index]?.callId;
    return {
      n: this.#take(),
      ...(hasTaskId && { task: (this.#tasks += 1) }),
      ...place,
      ...(agent !== undefined && { agent }),
      ...(callId !== undefined && { callId }),
      ...(identity !== undefined && { identity }),
      content,
      createdAt: this.at,
      late: false,
      tries: 0,
    };
  }

  #endBeside(record: TaskRecord): void {
    this.#beside = this.#beside.filter((n) => n !== record.n);
    this.add({ type: "task.settled", turn: record.turn, item: record.n, task: record.task ?? 0 });
  }

  /** A turn's rest is told to the caller who wants to know it; its end to its agent's author and the parent, too. */
  #tellRest(turn: Turn, fact: Fact): void {
    if (turn.started.callback !== undefined && isTurnEvent(fact.type))
      this.#owe({ kind: "callback", turn: turn.n, event: fact.type, at: this.at });
    const output = endOutput(turn, fact);
    if (output === undefined) return;
    this.#sweeper.keep(turn.started.agent);
    if (this.#agents.wantsResult(turn.started.agent)) this.#owe({ kind: "result", turn: turn.n });
    const { parent } = turn.started;
    if (parent !== undefined) this.#owe({ kind: "tellParent", parent, output });
  }

  #owe(content: ChoreContent): void {
    this.#insertChore({ n: this.#take(), dueAt: this.at, tries: 0, content });
  }

  #insertChore(chore: Chore): void {
    insertChore(this.#database, chore);
    this.chores.push(chore);
  }

  #take(): number {
    const taken = this.#next;
    this.#next += 1;
    return taken;
  }
}

function isTurnEvent(type: Fact["type"]): type is TurnEvent {
  switch (type) {
    case "turn.parked":
    case "turn.completed":
    case "turn.failed":
    case "turn.cancelled":
      return true;
    default:
      return false;
  }
}
