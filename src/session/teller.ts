/**
 * Owns: telling the inbox what changed in the session. The journal is the outbox: what was told up to is a number in the
 * head, and while more was committed than told, the session's alarm stands behind it. A report takes all changes of a
 * short while together, so that a turn which runs through is told once. While the object lives, it need not read again
 * what it has just written.
 */

import { formatId } from "../core/ids.ts";
import type { ChoreContent } from "../core/chore.ts";
import type { Fact } from "../core/event.ts";
import { type InboxItem, type InboxReport, isFast, reportDelay } from "../core/inbox.ts";
import type { JsonObject } from "../core/json.ts";
import { FAST_MS } from "../core/limits.ts";
import { hasFailedChores } from "../journal/chores.ts";
import { type Commit, readSince } from "../journal/journal.ts";
import { JOURNAL_VERSION } from "../journal/schema.ts";
import { readTaskById } from "../journal/tasks.ts";
import type { SessionStore } from "./store.ts";

export interface TellerPorts {
  readonly tell: (report: InboxReport) => Promise<void>;
  readonly turnItem: (n: number) => InboxItem;
  /** Undefined for one that was erased since. */
  readonly questionItem: (n: number) => InboxItem | undefined;
  /** What the session did since its object was made. */
  readonly did: () => { readonly wakes: number; readonly rows: number };
  /** In [0, 1): spreads reports. */
  readonly random: () => number;
  readonly waitUntil: (work: Promise<unknown>) => void;
  readonly report: (defect: unknown) => void;
}

export class Teller {
  readonly #store: SessionStore;
  readonly #ports: TellerPorts;
  #telling = false;
  #toldOf = { wakes: 0, rows: 0 };
  /** Questions of which the inbox shows an old state, though nothing was committed since. */
  readonly #stale = new Set<number>();
  /** The commits that are untold; undefined where they have to be read from the journal. */
  #untold: readonly Commit[] | undefined;
  /** Whether a chore was tried since the last report. */
  #hasTried = false;
  /** What the inbox was last told of what was given up; undefined until this object has told it. */
  #toldFailed: boolean | undefined;
  /** When this object made its last report, in milliseconds since the epoch. */
  #toldAt: number | undefined;

  constructor(store: SessionStore, ports: TellerPorts) {
    this.#store = store;
    this.#ports = ports;
    this.#untold = store.told === store.last ? [] : undefined;
  }

  /** Notes what a transaction added. What it deleted is not there to be told any more, as in the journal. */
  committed(commits: readonly Commit[]): void {
    if (this.#untold === undefined || !this.#store.isUntold) return;
    const facts = commits.flatMap((commit) => commit.facts);
    const erased = new Set(
      facts.flatMap((fact) => (fact.type === "settled.erased" ? fact.turns : [])),
    );
    const isAllErased = facts.some((fact) => fact.type === "session.erased");
    const kept = isAllErased ? [] : this.#untold.filter(({ turn }) => !erased.has(turn));
    this.#untold = [...kept, ...commits];
  }

  /** Tells what is untold, soon, where nobody does it already. */
  ring(): void {
    if (this.#telling || !this.#hasNews) return;
    this.#telling = true;
    this.#ports.waitUntil(this.#tell());
  }

  /**
   * Tells what is untold before it returns, for whoever asks the inbox next. Where that fails, it is told later, and the
   * caller goes on: the inbox may lag (I10).
   */
  async now(): Promise<void> {
    try {
      if (this.#store.isUntold) await this.#tellOnce();
    } catch (error) {
      this.#untold = undefined;
      this.#ports.report(error);
    }
  }

  /**
   * What was to reach the outside came further, or was given up, which is no fact of the journal. No alarm stands behind
   * telling it: where it is lost with the object, the lists show the old state until the session commits again.
   */
  tried(content: ChoreContent): void {
    if (content.kind === "deliver") this.#stale.add(content.question);
    this.#hasTried = true;
    this.ring();
  }

  get #hasNews(): boolean {
    return this.#store.isUntold || this.#hasTried;
  }

  /** All of the session, for an inbox that is rebuilt. */
  async tellAll(): Promise<void> {
    const report = this.#reportOf(readSince(this.#store.database, 0));
    await this.#ports.tell({ ...report, hasFailed: this.#hasFailed });
  }

  async #tell(): Promise<void> {
    try {
      while (this.#hasNews) {
        await pause(reportDelay(this.#isFast, this.#ports.random()));
        await this.#tellOnce();
      }
    } catch (error) {
      this.#untold = undefined;
      // The alarm that stands behind it tries again.
      this.#ports.report(error);
    } finally {
      this.#telling = false;
    }
  }

  async #tellOnce(): Promise<void> {
    const hasTried = this.#hasTried;
    const { told, database } = this.#store;
    const report = this.#reportOf(this.#untold ?? readSince(database, told));
    const hasFailed = this.#hasFailed;
    const isOtherwise = hasFailed !== this.#toldFailed;
    const wasFast = this.#isFast;
    const isNews =
      report.items.length > 0 || report.erased !== undefined || (hasTried && isOtherwise);
    if (isNews) {
      const { wakes, rows } = this.#ports.did();
      const did = { wakes: wakes - this.#toldOf.wakes, rows: rows - this.#toldOf.rows };
      await this.#ports.tell({ ...report, ...(isOtherwise && { hasFailed }), did });
      this.#toldAt = this.#store.now();
      this.#toldOf = { wakes, rows };
      this.#toldFailed = hasFailed;
    }
    this.#store.toldUpTo(report.seq);
    if (this.#untold !== undefined)
      this.#untold = this.#untold.filter(({ seq }) => seq > report.seq);
    else if (!this.#store.isUntold) this.#untold = [];
    this.#letGo(wasFast);
  }

  /**
   * Nothing is untold, so no alarm has to stand behind it. To take it away and to set it again are commits of their own, so
   * a session that changes faster than people do keeps it until it was quiet for a while.
   */
  #letGo(later: boolean): void {
    if (this.#store.isUntold) return;
    if (later) this.#ports.waitUntil(this.#letGoLater());
    else this.#store.arm();
  }

  async #letGoLater(): Promise<void> {
    const told = this.#store.last;
    await pause(FAST_MS);
    // Whatever was committed since is told of, and lets go of it then.
    if (this.#store.last !== told) return;
    try {
      this.#store.arm();
    } catch (error) {
      this.#ports.report(error);
    }
  }

  get #isFast(): boolean {
    return isFast(this.#toldAt, this.#store.now());
  }

  get #hasFailed(): boolean {
    return this.#store.chores.exist && hasFailedChores(this.#store.database);
  }

  #reportOf(commits: Iterable<Commit>): InboxReport {
    const turns = new Set<number>();
    const questions = new Set(this.#stale);
    this.#stale.clear();
    this.#hasTried = false;
    const gone: string[] = [];
    let all = false;
    const { last, key } = this.#store;
    for (const { facts } of commits)
      for (const fact of facts) {
        if (fact.type.startsWith("turn.") || CHANGES_A_TURN.has(fact.type)) turns.add(fact.turn);
        // Whoever asked, any turn may be waiting for it.
        if (fact.type === "question.settled" || fact.type === "task.settled")
          for (const open of this.#store.openTurns) if (open.status === "parked") turns.add(open.n);
        // A wait that ran out makes its questions' answers late ones.
        if (fact.type === "call.settled")
          for (const task of fact.timedOut ?? []) {
            const record = readTaskById(this.#store.database, task);
            if (record !== undefined && record.content.kind !== "background")
              questions.add(record.n);
          }
        if (fact.type === "question.asked" || fact.type === "question.settled")
          questions.add(fact.question);
        if (fact.type === "settled.erased") {
          gone.push(...fact.turns.map((n) => formatId("turn", key, n)));
          gone.push(...fact.questions.map((n) => formatId("q", key, n)));
        }
        all ||= fact.type === "session.erased";
        if (isOfQuestion(fact)) questions.add(fact.question);
        // A link is its recipient's: whatever waits for the question shows another one now.
        if (fact.type === "question.assigned")
          for (const turn of this.#store.openTurns) if (turn.status === "parked") turns.add(turn.n);
      }
    const items = [
      ...Array.from(turns, this.#ports.turnItem),
      ...Array.from(questions, this.#ports.questionItem).filter((item) => item !== undefined),
    ];
    const erased = all ? "all" : gone;
    const wakeAt = this.#store.wakeAt();
    return {
      session: key,
      seq: last,
      items,
      version: JOURNAL_VERSION,
      ...(wakeAt !== undefined && { wakeAt }),
      ...(erased.length > 0 && { erased }),
    };
  }
}

/** What is no step of a turn's life, and changes what it waits for, or that it is tried again. */
const CHANGES_A_TURN: ReadonlySet<string> = new Set([
  "attempt.failed",
  "call.settled",
  "call.approved",
]);

function isOfQuestion(fact: Fact): fact is Extract<Fact, { question: number }> {
  return fact.type.startsWith("question.");
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** An item of the inbox from a view: what lists filter by, beside the view itself. */
export function inboxItem(kind: InboxItem["kind"], id: string, view: JsonObject): InboxItem {
  const text = (name: string) => (typeof view[name] === "string" ? view[name] : "");
  return {
    kind,
    id,
    createdAt: Date.parse(text("createdAt")),
    status: text("status"),
    agent: text("agent"),
    questionKind: kind === "question" ? text("kind") : "",
    to: recipientsOf(view).join("\n"),
    view,
  };
}

/** All who may answer, by name: a question is found under each. */
function recipientsOf({ to, recipients }: JsonObject): string[] {
  const others: readonly unknown[] = Array.isArray(recipients) ? recipients : [];
  return [to, ...others].filter((name) => typeof name === "string");
}
