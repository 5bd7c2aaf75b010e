/**
 * Owns: what each session committed, read back from its disk, and what has to follow from it before the session can be at
 * rest. Does not own: whether what followed was right (`checks.ts`).
 */

import type { Fact } from "../../src/core/event.ts";
import { formatId } from "../../src/core/ids.ts";

export interface WatchedTurn {
  readonly n: number;
  readonly label: string;
  readonly agent: string;
  status: "queued" | "running" | "parked" | "completed" | "failed" | "cancelled";
  /** When a failed attempt is made again, in milliseconds since the epoch. */
  retryAt: number;
  /** How often the turn ended: a failed one that is retried ends again. */
  ended: number;
}

interface ChildTask {
  isSettled: boolean;
  hasStarted: boolean;
  hasEnded: boolean;
}

export class WatchedSession {
  readonly turns = new Map<number, WatchedTurn>();
  readonly facts: Fact[] = [];
  /** Questions by their numbers; true once settled. */
  readonly questions = new Map<number, boolean>();
  /** Background tools that run, and children, by their numbers. */
  readonly beside = new Set<number>();
  readonly children = new Map<number, ChildTask>();
  /** What the world has to be told at least once: `deliver N` and `result N`. */
  readonly owed = new Set<string>();
  /** Questions that were settled before anybody was told of them: their own model took them back in the step that asked. */
  readonly takenBack = new Set<number>();
  /** The number of the last commit, of the last one that the inbox has to hear of, and up to where it heard, or will by an alarm. */
  last = 0;
  toTell = 0;
  told = 0;
  waived = 0;
}

const ENDS: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);
/** What a turn asked or started may be settled after its end; a failed one may be retried. */
const OUTLIVES = /^(question|task)\.|^turn\.retried$/;

/** What changes no list. */
const UNTOLD: ReadonlySet<Fact["type"]> = new Set([
  "step.finished",
  "tool.started",
  "task.started",
  "task.settled",
]);

/** The agent whose author delivers questions and hears of results. */
export const AUTHORED = "simulated";

/** The tool that starts another agent. */
export const DELEGATING = "delegate";

export class Watch {
  readonly sessions = new Map<string, WatchedSession>();
  readonly violations: string[] = [];
  readonly #labels = new Set<string>();

  session(key: string): WatchedSession {
    const session = this.sessions.get(key) ?? new WatchedSession();
    this.sessions.set(key, session);
    return session;
  }

  /** The session that plays the turn with this input. */
  sessionOf(label: string): string {
    for (const [key, { turns }] of this.sessions)
      for (const turn of turns.values()) if (turn.label === label) return key;
    throw new Error(`no session plays ${label}`);
  }

  committed(key: string, seq: number, facts: readonly Fact[]): void {
    const session = this.session(key);
    if (seq <= session.last) this.violations.push(`commit ${seq} came after ${session.last}`);
    session.last = seq;
    const isWaited = [...session.turns.values()].some(({ status }) => status === "parked");
    if (facts.some(({ type }) => !UNTOLD.has(type) || (type === "task.settled" && isWaited)))
      session.toTell = seq;
    session.facts.push(...facts);
    for (const fact of facts) this.#follow(session, fact);
  }

  /** What an object that died, or was refused, was about to tell the inbox waits for its alarm. */
  waitsForAlarm(key: string): void {
    const session = this.session(key);
    session.waived = session.toTell;
  }

  /** Whether a dead object has left something undone that nobody but its alarm will do. */
  needsWake(key: string): boolean {
    const { turns, owed, told, toTell, beside } = this.session(key);
    const isDriven = [...turns.values()].some(({ status }) => status === "running");
    return isDriven || owed.size > 0 || beside.size > 0 || told < toTell;
  }

  /** The inbox was told up to a number, or refused to be. */
  told(key: string, seq: number): void {
    const session = this.session(key);
    session.told = Math.max(session.told, seq);
  }

  /** The author's code is at it: whether it succeeds is the author's to say. */
  tried(key: string, chore: "deliver" | "result", id: string): void {
    this.session(key).owed.delete(`${chore} ${Number.parseInt(id.slice(-8), 16)}`);
  }

  /** Whether a turn went on with the results of these calls. */
  hasTaken(turnId: string, callIds: readonly string[]): boolean {
    for (const [key, { facts }] of this.sessions)
      for (const fact of facts) {
        if (fact.type !== "turn.resumed" || formatId("turn", key, fact.turn) !== turnId) continue;
        const { approvals = [], calls = [] } = fact.resume?.batch ?? {};
        const taken = [...approvals, ...calls].map(([callId]) => callId);
        if (taken.length === callIds.length && callIds.every((callId) => taken.includes(callId)))
          return true;
      }
    return false;
  }

  /** `isLate`: what sessions tell one another may wait for an alarm, since one of them died or was refused. */
  isAtRest(key: string, now: number, isLate: boolean): boolean {
    const session = this.session(key);
    const told = Math.max(session.told, session.waived);
    if (session.owed.size > 0 || told < session.toTell || session.beside.size > 0) return false;
    for (const { status, retryAt } of session.turns.values())
      if (status === "running" && retryAt <= now) return false;
    for (const child of isLate ? [] : session.children.values())
      if (
        child.isSettled ? child.hasStarted && !child.hasEnded : !child.hasStarted || child.hasEnded
      )
        return false;
    return true;
  }

  #follow(session: WatchedSession, fact: Fact): void {
    const turn = session.turns.get(fact.turn);
    if (turn !== undefined && ENDS.has(turn.status) && !OUTLIVES.test(fact.type))
      this.violations.push(`${fact.type} came after turn ${fact.turn} had ${turn.status}`);
    // Whatever moves a turn ends its back-off; what settles beside it does not.
    if (turn !== undefined && !/^(question|task)/.test(fact.type)) turn.retryAt = 0;
    switch (fact.type) {
      case "turn.started":
        if (this.#labels.has(String(fact.input)))
          this.violations.push(`${String(fact.input)} was started twice`);
        this.#labels.add(String(fact.input));
        session.turns.set(fact.turn, {
          n: fact.turn,
          label: typeof fact.input === "string" ? fact.input : "",
          agent: fact.agent,
          status: fact.queued ? "queued" : "running",
          retryAt: 0,
          ended: 0,
        });
        if (fact.parent !== undefined)
          this.#child(fact.parent, (child) => (child.hasStarted = true));
        return;
      case "turn.begun":
      case "turn.resumed":
        this.#become(turn, "running");
        return;
      case "turn.retried":
        this.#become(turn, fact.queued ? "queued" : "running");
        return;
      case "turn.parked":
        this.#become(turn, "parked");
        return;
      case "turn.completed":
      case "turn.failed":
      case "turn.cancelled":
        this.#end(session, turn, fact.type);
        return;
      case "attempt.failed":
        if (turn !== undefined) turn.retryAt = fact.retryAt;
        return;
      case "question.asked":
        session.questions.set(fact.question, false);
        if (turn?.agent === AUTHORED) session.owed.add(`deliver ${fact.question}`);
        return;
      case "question.settled":
        if (session.questions.get(fact.question) !== false)
          this.violations.push(`question ${fact.question} was settled twice, or never asked`);
        session.questions.set(fact.question, true);
        if (session.owed.delete(`deliver ${fact.question}`)) session.takenBack.add(fact.question);
        return;
      case "task.started":
        if (toolOf(session, fact) === DELEGATING)
          session.children.set(fact.item, { isSettled: false, hasStarted: false, hasEnded: false });
        else session.beside.add(fact.item);
        return;
      case "task.settled": {
        const child = session.children.get(fact.item);
        if (child !== undefined) child.isSettled = true;
        session.beside.delete(fact.item);
        return;
      }
      case "step.finished":
      case "tool.started":
      case "call.approved":
      case "call.settled":
      case "turn.recovered":
        return;
    }
  }

  #become(turn: WatchedTurn | undefined, status: WatchedTurn["status"]): void {
    if (turn === undefined) this.violations.push(`a turn that never started became ${status}`);
    else turn.status = status;
  }

  #end(
    session: WatchedSession,
    turn: WatchedTurn | undefined,
    type: "turn.completed" | "turn.failed" | "turn.cancelled",
  ): void {
    this.#become(
      turn,
      type === "turn.completed" ? "completed" : type === "turn.failed" ? "failed" : "cancelled",
    );
    if (turn === undefined) return;
    turn.ended += 1;
    if (turn.agent === AUTHORED) session.owed.add(`result ${turn.n}`);
    const started = session.facts.find(
      (fact) => fact.type === "turn.started" && fact.turn === turn.n,
    );
    if (started?.type === "turn.started" && started.parent !== undefined)
      this.#child(started.parent, (child) => (child.hasEnded = true));
  }

  #child(parent: { session: string; item: number }, change: (child: ChildTask) => void): void {
    const child = this.session(parent.session).children.get(parent.item);
    if (child === undefined) this.violations.push(`no task of the parent stands behind a child`);
    else change(child);
  }
}

/** The tool whose call started a task: the last step that the turn made by then has it. */
function toolOf(
  session: WatchedSession,
  fact: { turn: number; index: number },
): string | undefined {
  const step = session.facts.findLast(
    (each) => each.type === "step.finished" && each.turn === fact.turn,
  );
  return step?.type === "step.finished" ? step.calls[fact.index]?.toolName : undefined;
}
