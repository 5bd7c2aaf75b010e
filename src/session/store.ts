/**
 * Owns: what a session's object remembers between events, and the one way to change it: a transaction, after which
 * memory, disk and alarm agree. Memory is a cache: all of it is read from the journal again after an eviction.
 */

import { Transcript } from "../agent/transcript.ts";
import type { TurnStarted } from "../core/event.ts";
import type { SessionKey } from "../core/ids.ts";
import { LEASE_MS } from "../core/limits.ts";
import { overdueSince, wakeAt } from "../core/plan.ts";
import type { Reach } from "../core/recipients.ts";
import type { TaskRecord } from "../core/task.ts";
import type { OpenTurn, RunningTurn, Turn } from "../core/turn.ts";
import type { Database } from "../journal/database.ts";
import { type Commit, EMPTY_HEAD, readAll, readStart } from "../journal/journal.ts";
import { createTables, hasTables, JOURNAL_VERSION } from "../journal/schema.ts";
import { readTask } from "../journal/tasks.ts";
import { Chores } from "./chores.ts";
import type { AgentNotes } from "./agent-notes.ts";
import { Draft, type SessionState } from "./draft.ts";
import { foldTurn, readState } from "./folding.ts";
import { Recent } from "./recent.ts";

export interface StorePorts {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** What a transition must know of the agents. */
  readonly agents: AgentNotes;
  /** Whether there is an inbox that has to be told of what is committed. */
  readonly hasInbox: boolean;
  /** Told of each transaction once it stands, with the turns that were open before it. */
  readonly committed: (commits: readonly Commit[], before: SessionState["open"]) => void;
}

const NEW_STATE: SessionState = { head: EMPTY_HEAD, open: new Map(), timers: new Map() };

export class SessionStore {
  readonly database: Database;
  readonly key: SessionKey;
  readonly chores: Chores;
  readonly #ports: StorePorts;
  #state: SessionState;
  /** Whether the tables are there: those of a session that was erased stay. */
  #hasTables: boolean;
  #untold = false;
  #transcript: Transcript | undefined;
  readonly #recent = new Recent();
  #wakes = 0;
  /** The alarm as it is set; undefined where none is; "unknown" until this object has set it. */
  #alarm: number | undefined | "unknown" = "unknown";
  /** Turns that were under way when this object woke: nobody drives them yet, and their work may be half done. */
  readonly #interrupted: Set<number>;

  constructor(database: Database, key: SessionKey, ports: StorePorts) {
    this.database = database;
    this.key = key;
    this.#ports = ports;
    this.#hasTables = hasTables(database);
    // Nothing was said yet, so there is nothing to read.
    if (!this.#hasTables) this.#transcript = new Transcript();
    this.chores = new Chores(database);
    this.#state = this.#hasTables ? readState(database) : NEW_STATE;
    this.#interrupted = new Set(this.openTurns.filter(isUnderWay).map((turn) => turn.n));
  }

  get exists(): boolean {
    return this.#hasTables && this.head.erased !== true;
  }

  get head(): SessionState["head"] {
    return this.#state.head;
  }

  get openTurns(): readonly OpenTurn[] {
    return [...this.#state.open.values()];
  }

  /** How an agent's questions reach people. */
  reach(agent: string | undefined): Reach {
    return this.#ports.agents.reach(agent);
  }

  now(): number {
    return this.#ports.now();
  }

  openTurn(n: number): OpenTurn | undefined {
    return this.#state.open.get(n);
  }

  /** A turn in any state; a settled one is read from the journal. */
  turn(n: number): Turn | undefined {
    const open = this.#state.open.get(n);
    if (open !== undefined || !this.#hasTables) return open;
    return this.#recent.turn(n) ?? foldTurn(this.database, n);
  }

  /** A question or a background tool. */
  task(n: number): TaskRecord | undefined {
    const recent = this.#recent.question(n);
    if (recent !== undefined || !this.exists) return recent;
    const record = readTask(this.database, n);
    if (record !== undefined && record.content.kind !== "background") this.#recent.read(record);
    return record;
  }

  /** How a turn began: of a settled one only that is read. */
  started(n: number): TurnStarted | undefined {
    const open = this.#state.open.get(n);
    if (open !== undefined || !this.#hasTables) return open?.started;
    return readStart(this.database, n);
  }

  /** The conversation, read from the journal once and kept up from there. */
  get transcript(): Transcript {
    if (this.#transcript === undefined) {
      const transcript = new Transcript();
      for (const { turn, facts } of readAll(this.database)) transcript.add(turn, facts);
      this.#transcript = transcript;
    }
    return this.#transcript;
  }

  /** True once for a turn that an earlier life of this object left under way. */
  takeInterrupted(n: number): boolean {
    return this.#interrupted.delete(n);
  }

  /** Declares a turn's work in memory lost, so that it is taken up as after a crash. */
  markInterrupted(n: number): void {
    this.#interrupted.add(n);
  }

  /**
   * Runs one transition as one transaction: what `work` adds, what follows from it, and the alarm. What `work` returns
   * without adding anything writes nothing, so a refusal costs no row.
   */
  transact<T>(work: (draft: Draft) => T): T {
    const at = this.#ports.now();
    const before = this.#alarm;
    const [result, written] = this.#inTransaction(() => {
      if (!this.#hasTables) createTables(this.database);
      const draft = new Draft(this.database, this.key, this.#state, this.#ports.agents, at);
      const value = work(draft);
      draft.followThrough();
      const wrote = draft.write(JOURNAL_VERSION);
      this.chores.written(draft.chores);
      if (wrote.commits.length > 0) {
        this.#untold = this.#ports.hasInbox;
        this.#arm(wrote.state, at);
      }
      return [value, wrote] as const;
    }, before);
    const { commits, state } = written;
    if (commits.length > 0) {
      const { open } = this.#state;
      this.#hasTables = true;
      this.#state = state;
      this.#recent.take(written);
      if (state.head.erased === true) this.chores.reload();
      for (const { turn, facts } of commits) this.#transcript?.add(turn, facts);
      this.#ports.committed(commits, open);
    }
    return result;
  }

  /** Lets happen what the clock has made due, in a transaction of its own, so that nothing else is judged before it. */
  catchUp(): void {
    const due = earliest(this.#state.timers);
    if (due !== undefined && due <= this.#ports.now()) this.transact(() => undefined);
  }

  /** What is due by the clock is a consequence of the time: an empty transition lets it follow. */
  letTimePass(): void {
    if (this.exists) this.transact(() => undefined);
  }

  /** Notes what became of a chore, and arms the alarm for the next. */
  changeChores(change: (chores: Chores) => void): void {
    this.#inTransaction(() => {
      change(this.chores);
      this.arm();
    }, this.#alarm);
  }

  /** The number of the last commit, and all that it made. */
  get last(): number {
    return this.#state.head.next - 1;
  }

  /** Up to which number the inbox was told. */
  get told(): number {
    return this.#state.head.told;
  }

  /** Whether the inbox has to be told of something, with the alarm behind it. */
  get isUntold(): boolean {
    return this.#untold;
  }

  /**
   * The inbox has it. Written with the next commit: to be told twice does it no harm. The alarm that stood behind it stays
   * until it is armed anew.
   */
  toldUpTo(seq: number): void {
    this.#state = { ...this.#state, head: { ...this.#state.head, told: seq } };
    this.#untold = seq < this.last;
  }

  /**
   * The alarm went off: what was armed is spent. Arms the lease first, so that dying or failing from here on is found
   * out: the platform's own retries of an alarm are few.
   */
  alarmFired(): void {
    this.#wakes += 1;
    this.#noteUntold();
    this.#alarm = this.#ports.now() + LEASE_MS;
    this.database.setAlarm(this.#alarm);
  }

  /** How often the alarm woke it since the object was made. */
  get wakes(): number {
    return this.#wakes;
  }

  /** When something is due by itself, whether or not the inbox was told. */
  wakeAt(): number | undefined {
    return this.#wakeAt(this.#state, this.now(), false);
  }

  /** Since when something is due that nobody is at. `isAtChores`: whether this object does chores now. */
  overdueSince(isAtChores: boolean): number | undefined {
    const isAttended = (turn: RunningTurn) => !this.#interrupted.has(turn.n);
    return overdueSince(this.openTurns, isAttended, {
      chores: isAtChores ? [] : this.chores.dueTimes,
      timer: earliest(this.#state.timers),
      sweep: this.head.sweepAt,
    });
  }

  /** Sets the alarm to when something is due, outside a transition. */
  arm(): void {
    this.#arm(this.#state, this.#ports.now());
  }

  /** Arms the alarm anew, where the one that was set was lost. */
  rearm(): void {
    this.#alarm = "unknown";
    this.arm();
  }

  #wakeAt({ open, head, timers }: SessionState, at: number, isUntold: boolean): number | undefined {
    return wakeAt(
      open.values(),
      head.beside.length > 0 || isUntold,
      { chores: this.chores.dueTimes, timer: earliest(timers), sweep: head.sweepAt },
      at,
    );
  }

  /** To be told twice does the inbox no harm: what it was told is written with the next commit. */
  #noteUntold(): void {
    this.#untold ||= this.#ports.hasInbox && this.told < this.last;
  }

  #inTransaction<T>(work: () => T, alarmBefore: number | undefined | "unknown"): T {
    try {
      return this.database.transaction(work);
    } catch (error) {
      this.#alarm = alarmBefore;
      this.chores.reload();
      throw error;
    }
  }

  /**
   * Each change of the alarm is a row, so one that is armed early enough is left as it is. So is one that has just come
   * due: it is about to fire, and what it was armed for is not put off. One that is overdue for longer was lost.
   */
  #arm(state: SessionState, at: number): void {
    // Where this life has not set it yet, it may stand for what an earlier life committed and did not tell.
    if (this.#alarm === "unknown") this.#noteUntold();
    const wanted = this.#wakeAt(state, at, this.#untold);
    const armed = this.#alarm;
    if (armed === wanted) return;
    if (
      typeof armed === "number" &&
      wanted !== undefined &&
      armed <= wanted &&
      (armed <= at ? at : wanted) - armed <= LEASE_MS
    )
      return;
    this.#alarm = wanted;
    this.database.setAlarm(wanted);
  }
}

function earliest(timers: SessionState["timers"]): number | undefined {
  return timers.size === 0 ? undefined : Math.min(...timers.values());
}

/** A turn that backs off, or failed to go on and waits to be told again, is so only where a tool's effect has begun. */
function isUnderWay(turn: OpenTurn): boolean {
  if (turn.status === "running" && turn.retry === undefined) return true;
  return turn.calls.some((call) => call.now.state === "started");
}
