/**
 * Owns: what people and callers do while a script is played: they start turns, answer, decline, withdraw, edit, return
 * results, cancel, come late, come twice, contradict, or let time pass, until nothing is left to be done.
 */

import { deriveSessionKey } from "../../src/core/ids.ts";
import type { Question } from "../../src/core/question.ts";
import type { TurnView } from "../../src/core/turn-view.ts";
import { proveInboxOf, proveWakes } from "./checks.ts";
import { BESIDE } from "./conversation.ts";
import { approvalOf, contradict, decide, type Decision, resultOf } from "./decisions.ts";
import { Random } from "./random.ts";
import type { Script, ScriptedTurn } from "./script.ts";
import type { Deed } from "./faults.ts";
import { simulation } from "./simulation.ts";
import { type Reply, type View, Violation, World } from "./world.ts";

const ROUNDS_MAX = 150;
const HOUR_MS = 3_600_000;

interface Problem {
  readonly code: string;
  readonly detail: string;
}

/** A question that a person settled, and how. */
export interface Settled {
  readonly question: Question;
  readonly decision: Decision;
}

/** What people and callers may do. */
export const ACTS = [
  "start",
  "settle",
  "settle twice at once",
  "contradict at once",
  "settle several at once",
  "return a batch",
  "come again, and contradict",
  "come after the deadline",
  "let time pass",
  "cancel",
  "retry",
  "send again after a death",
] as const;
type ActName = (typeof ACTS)[number];

interface Act {
  readonly name: ActName;
  readonly weight: number;
  readonly do: () => Promise<void>;
}

export class People {
  readonly world: World;
  /** The turns that were started, by their labels. */
  readonly started = new Map<string, TurnView>();
  /** What was accepted, by the ids of the questions: as it was said, and as the engine showed it. */
  readonly accepted = new Map<string, Settled>();
  /** Every batch that was sent, whether or not its answer came. */
  readonly batches: object[] = [];
  /** How often each act was done. */
  readonly done = new Map<ActName, number>(ACTS.map((act) => [act, 0]));
  readonly #script: Script;
  readonly #name: string;
  readonly #random: Random;
  readonly #retried = new Set<string>();

  constructor(script: Script, name: string) {
    this.#script = script;
    this.#name = name;
    this.#random = new Random("people", script.seed);
    this.world = new World(script.seed, (deed, session) => this.#intrude(deed, session));
  }

  /** Plays the script to its end: every turn settled, every question settled, and no alarm left. */
  async play(): Promise<void> {
    await this.#startNext();
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      await this.world.rest();
      await this.world.mayDie(await this.key());
      const views = await this.#lookAround();
      await proveWakes(views, this.world);
      if (!simulation.hasFault) await proveInboxOf(views, this.world);
      const acts = this.#acts(views);
      if (acts.length === 0) {
        if (this.#isOver(views)) return;
        throw new Violation(
          `nobody can do anything: ${JSON.stringify(views)} ${simulation.unrest}`,
        );
      }
      const act = this.#random.weighted(
        Object.fromEntries(acts.map(({ weight }, n) => [n, weight])),
      );
      await this.#do(acts[Number(act)]);
    }
    throw new Violation(`no end after ${ROUNDS_MAX} rounds: ${simulation.unrest}`);
  }

  async #do(act: Act | undefined): Promise<void> {
    if (act === undefined) return;
    const { resent } = this.world;
    await act.do();
    this.#count(act.name);
    if (this.world.resent > resent) this.#count("send again after a death");
  }

  #count(act: ActName): void {
    this.done.set(act, (this.done.get(act) ?? 0) + 1);
  }

  key(): Promise<string> {
    return deriveSessionKey({ from: "name", name: this.#name });
  }

  async #lookAround(): Promise<readonly View[]> {
    const views: View[] = [];
    for (const session of simulation.sessions)
      if (simulation.watch.session(session).turns.size > 0)
        views.push(await this.world.view(session));
    return views;
  }

  #isOver(views: readonly View[]): boolean {
    return views.every(
      ({ turns, questions }) =>
        questions.length === 0 &&
        turns.every(({ status }) => ["completed", "failed", "cancelled"].includes(status)),
    );
  }

  /** All that somebody could do now. */
  #acts(views: readonly View[]): Act[] {
    const questions = views.flatMap((view) => view.questions);
    const turns = views.flatMap((view) => view.turns);
    const acts: Act[] = [];
    const may = (name: ActName, weight: number, act: () => Promise<void>) =>
      acts.push({ name, weight, do: act });
    for (const question of questions) {
      may("settle", 4, () => this.#settle(question));
      may("settle twice at once", 0.5, () => this.#settleTwice(question));
      may("contradict at once", 0.5, () => this.#race(question));
    }
    if (questions.length > 1) may("settle several at once", 2, () => this.#settleAtOnce(questions));
    for (const turn of turns) {
      if (isBatch(turn)) may("return a batch", 5, () => this.#returnBatch(turn));
      if (turn.status === "failed" && !this.#retried.has(turn.id))
        may("retry", 3, () => this.#retry(turn));
    }
    if (this.started.size < this.#script.turns.length) may("start", 2, () => this.#startNext());
    const alarm = this.world.nextAlarm();
    if (alarm !== undefined) may("let time pass", 3, () => this.world.passTo(alarm));
    if (acts.length === 0) return acts;
    if (alarm !== undefined && questions.length > 0)
      may("come after the deadline", 0.3, async () => {
        simulation.now = Math.max(simulation.now, alarm.at) + HOUR_MS;
        await this.#settle(this.#random.pick(questions));
      });
    for (const turn of turns.filter(isOpen)) may("cancel", 0.1, () => this.#cancel(turn.id));
    if (this.accepted.size > 0) may("come again, and contradict", 0.5, () => this.#comeAgain());
    return acts;
  }

  async #startNext(): Promise<void> {
    const turn = this.#script.turns[this.started.size];
    if (turn !== undefined) await this.#start(turn);
  }

  async #start({ label, entries, whenBusy }: ScriptedTurn): Promise<void> {
    const body = {
      agent: "simulated",
      input: label,
      extraBody: { script: scriptOf(entries) },
      whenBusy,
    };
    const path = `/v1/sessions/${this.#name}/turns`;
    const { status, body: turn } = await this.world.send<TurnView>("POST", path, body, label);
    if (status !== 202 && status !== 200)
      throw new Violation(`the start of ${label} is ${status}: ${JSON.stringify(turn)}`);
    this.started.set(label, turn);
  }

  async #settle(question: Question): Promise<void> {
    const decision = decide(this.#script.seed, question);
    this.#note(question, decision, await this.#send(question, decision));
  }

  /** The same twice at once: both get the one receipt. */
  async #settleTwice(question: Question): Promise<void> {
    const decision = decide(this.#script.seed, question);
    const replies = await Promise.all([1, 2].map(() => this.#send(question, decision)));
    for (const reply of replies) this.#note(question, decision, reply);
  }

  /** Two at once who don't agree: one is accepted, and the other is told whose it was. */
  async #race(question: Question): Promise<void> {
    const decisions = [decide(this.#script.seed, question), contradict(question)];
    const replies = await Promise.all(decisions.map((decision) => this.#send(question, decision)));
    for (const [n, decision] of decisions.entries()) {
      const reply = replies[n];
      if (reply !== undefined) this.#note(question, decision, reply);
    }
  }

  async #settleAtOnce(questions: readonly Question[]): Promise<void> {
    await Promise.all(questions.map((question) => this.#settle(question)));
  }

  #send(question: Question, { door, body }: Decision): Promise<Reply<Question & Problem>> {
    return this.world.send("POST", `/v1/questions/${question.requestId}/${door}`, body);
  }

  /** What came of a decision: accepted once and for all, or refused because of an earlier one. */
  #note(question: Question, decision: Decision, { status, body }: Reply<Question & Problem>): void {
    const known = this.accepted.get(question.requestId);
    if (status === 200) {
      if (known === undefined) this.accepted.set(question.requestId, { question: body, decision });
      else if (
        known.question.answeredAt !== body.answeredAt ||
        known.question.status !== body.status
      )
        throw new Violation(`${JSON.stringify(body)} is no receipt of ${JSON.stringify(known)}`);
      return;
    }
    if (status !== 409 || !REFUSALS.has(body.code))
      throw new Violation(
        `a decision on ${question.question} is ${status}: ${JSON.stringify(body)}`,
      );
    if (
      known?.question.answeredBy !== undefined &&
      !body.detail.includes(known.question.answeredBy)
    )
      throw new Violation(`who came too late was not told whose it was: ${body.detail}`);
  }

  /** Somebody says once more what was accepted before, and somebody else contradicts. */
  async #comeAgain(): Promise<void> {
    const { question, decision } = this.#random.pick([...this.accepted.values()]);
    const again = await this.#send(question, decision);
    if (again.status !== 200)
      throw new Violation(`what was accepted is refused again: ${JSON.stringify(again.body)}`);
    this.#note(question, decision, again);
    const other =
      decision.body.answeredBy === "mallory"
        ? decide(this.#script.seed, question)
        : contradict(question);
    const late = await this.#send(question, other);
    if (late.status !== 409)
      throw new Violation(`a second answer is ${late.status}: ${JSON.stringify(late.body)}`);
    this.#note(question, other, late);
  }

  async #returnBatch(turn: TurnView): Promise<void> {
    const { seed } = this.#script;
    const { approvals = [], calls = [] } = turn.pending ?? {};
    const batch = {
      approvals: Object.fromEntries(
        approvals.map((item) => [item.toolCallId, approvalOf(seed, item)]),
      ),
      calls: Object.fromEntries(calls.map((item) => [item.toolCallId, resultOf(seed, item)])),
      ...(this.#random.happens(0.3) && {
        input: { content: [{ type: "text", text: `${BESIDE}${turn.id}` }] },
      }),
    };
    this.batches.push({ turn: turn.id, ...batch });
    const { status, body } = await this.world.send<Problem>(
      "POST",
      `/v1/turns/${turn.id}/results`,
      batch,
    );
    // One that was not taken before its object died may find that its turn went on otherwise.
    const isLate =
      (status === 409 || body.code === "results_incomplete") &&
      simulation.struck &&
      !simulation.watch.hasTaken(turn.id, Object.keys({ ...batch.approvals, ...batch.calls }));
    if (status !== 200 && !isLate)
      throw new Violation(`a batch is ${status}: ${JSON.stringify(body)}`);
  }

  async #retry({ id }: TurnView): Promise<void> {
    this.#retried.add(id);
    const { deaths } = simulation;
    const { status, body } = await this.world.send<Problem>("POST", `/v1/turns/${id}/retry`);
    // One whose answer was lost with its object may find that the turn has come to its end.
    const isLate = body.code === "turn_settled" && deaths !== simulation.deaths;
    if (status !== 200 && status !== 202 && !isLate)
      throw new Violation(`a retry is ${status}: ${JSON.stringify(body)}`);
  }

  async #cancel(id: string): Promise<void> {
    const { status, body } = await this.world.send<Problem>("POST", `/v1/turns/${id}/cancel`);
    if (status !== 200 && body.code !== "turn_settled")
      throw new Violation(`a cancel is ${status}: ${JSON.stringify(body)}`);
  }

  /** Does what a fault wants done in the midst of a wait of the engine's. */
  async #intrude(deed: Deed, session: string): Promise<void> {
    switch (deed) {
      case "alarm":
        return this.world.fire(session);
      case "answer": {
        const [question] = (await this.#lookAround()).flatMap(({ questions }) => questions);
        return question === undefined ? this.#startNext() : this.#settle(question);
      }
      case "again":
        return this.accepted.size > 0 ? this.#comeAgain() : this.world.fire(session);
      case "cancel": {
        const turns = (await this.#lookAround()).flatMap((view) => view.turns);
        const turn = turns.find(({ status }) => status === "running") ?? turns.find(isOpen);
        return turn === undefined ? undefined : this.#cancel(turn.id);
      }
      case "crash":
      case "refuse":
        throw new Error(`${deed} needs nobody`);
    }
  }
}

const REFUSALS = new Set(["already_answered", "declined", "cancelled", "expired"]);

function isOpen({ status }: TurnView): boolean {
  return status === "running" || status === "parked" || status === "queued";
}

/** A turn that waits for its caller's own calls: nothing but a batch settles those. */
function isBatch({ pending }: TurnView): boolean {
  const calls = pending?.calls ?? [];
  return (
    calls.some(({ toolName }) => toolName === "client_tool") &&
    calls.every(({ toolName }) => toolName !== "await_tasks")
  );
}

/** The script as the model plays it: without the words by which the simulation knows what comes of a call. */
function scriptOf(entries: ScriptedTurn["entries"]): readonly object[] {
  return entries.map((entry) => {
    if (!("calls" in entry)) return entry;
    const calls = entry.calls.map(({ toolName, input, toolCallId }) => ({
      toolName,
      input,
      ...(toolCallId !== undefined && { toolCallId }),
    }));
    return { ...entry, calls };
  });
}
