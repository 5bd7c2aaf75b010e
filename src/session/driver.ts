/**
 * Owns: the one loop that drives a session (I4). It asks `nextMove` what to do, has it done, and goes on until there is
 * nothing to do now. Does not own: how a model call or a tool call is done and committed (`steps.ts`, `calls.ts`).
 */

import type { Agent } from "../agent/agent.ts";
import { RuleTimedOut } from "../agent/rule-time.ts";
import type { Failure } from "../core/event.ts";
import { type Move, nextMove } from "../core/plan.ts";
import { retryDelay, toldRetryDelay } from "../core/retry.ts";
import { OUTCOME_UNKNOWN } from "../core/settlement.ts";
import type { RunningTurn } from "../core/turn.ts";
import { CallRunner } from "./calls.ts";
import type { OpenSibling } from "./children.ts";
import { failTurn } from "./ending.ts";
import type { Readers } from "./readers.ts";
import { finishStep } from "./steps.ts";
import type { SessionStore } from "./store.ts";

export interface DriverPorts {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly env: Readonly<Record<string, unknown>>;
  readonly openSibling: OpenSibling;
  readonly readers: Readers;
  /** In [0, 1): spreads retries. */
  readonly random: () => number;
  /** Keeps the object alive for work that no caller waits for. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** A defect of ours, told to whoever reads the logs. */
  readonly report: (defect: unknown) => void;
}

export class Driver {
  readonly #store: SessionStore;
  readonly #ports: DriverPorts;
  readonly #calls: CallRunner;
  readonly #stops = new Map<number, AbortController>();
  #driving = false;

  constructor(store: SessionStore, ports: DriverPorts) {
    this.#store = store;
    this.#ports = ports;
    this.#calls = new CallRunner(store, ports, () => this.ring());
  }

  /** Starts the loop where it isn't running. Whatever was committed before is seen by the loop that runs. */
  ring(): void {
    this.#calls.recoverBeside();
    if (this.#driving || this.#next() === undefined) return;
    this.#driving = true;
    this.#ports.waitUntil(this.#drive());
  }

  /** Stops the work in flight of a turn that was cancelled; its results would be refused anyway (I9). */
  stop(turn: number): void {
    this.#stops.get(turn)?.abort();
    this.#calls.stopCancelled();
  }

  async #drive(): Promise<void> {
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next())
        await this.#perform(next.turn, next.move);
    } finally {
      this.#driving = false;
    }
  }

  #next(): { turn: RunningTurn; move: Move } | undefined {
    const now = this.#store.now();
    for (const turn of this.#store.openTurns) {
      if (turn.status !== "running") continue;
      const move = nextMove(turn, now);
      if (move.move === "callModel" || move.move === "runCalls") return { turn, move };
    }
    return undefined;
  }

  async #perform(turn: RunningTurn, move: Move): Promise<void> {
    const agent = this.#ports.agents.get(turn.started.agent);
    if (agent === undefined) {
      const message = `there is no agent ${turn.started.agent}`;
      this.#fail(turn, { code: "agent_not_found", message, retryable: true });
      return;
    }
    if (this.#store.takeInterrupted(turn.n)) {
      this.#recover(turn, agent);
      return;
    }
    const stop = new AbortController();
    this.#stops.set(turn.n, stop);
    try {
      const work =
        move.move === "runCalls"
          ? this.#calls.run(turn, agent, move.calls, stop.signal)
          : this.#callModel(turn, agent, stop.signal);
      // A cancel lets go of work that heeds no signal, such as an author's approval rule: what it brings is refused (I9).
      await Promise.race([work, aborted(stop.signal)]);
    } catch (defect) {
      if (defect instanceof RuleTimedOut) {
        this.#failAttempt(turn, agent, defect.failure, 0);
        return;
      }
      this.#ports.report(defect);
      this.#store.markInterrupted(turn.n);
      this.#failAttempt(turn, agent, internalFailure(defect), 0);
    } finally {
      this.#stops.delete(turn.n);
    }
  }

  async #callModel(turn: RunningTurn, agent: Agent, signal: AbortSignal): Promise<void> {
    const spent = spentBudget(turn, agent);
    if (spent !== undefined) {
      this.#fail(turn, spent);
      return;
    }
    const outcome = await finishStep(this.#store, this.#ports, turn, agent, signal);
    // The step may have cancelled background tasks.
    this.#calls.stopCancelled();
    if (outcome !== undefined)
      this.#failAttempt(turn, agent, outcome.failure, outcome.retryAfterMs);
  }

  /** Takes up a turn that died in the middle: at once, but counted, so that one that kills its object comes to an end. */
  #recover(turn: RunningTurn, agent: Agent): void {
    const attempts = turn.attempts + 1;
    if (attempts >= (turn.told ?? agent).maxAttempts) {
      const message = `the turn's object stopped ${attempts} times in a row at this place`;
      this.#fail(turn, { code: "interrupted", message, retryable: true }, attempts);
      return;
    }
    this.#store.transact((draft) => {
      draft.add({ type: "turn.recovered", turn: turn.n });
      for (const call of turn.calls) {
        if (call.now.state !== "started" || agent.toolRules[call.toolName]?.interrupted === "retry")
          continue;
        const { n, steps } = turn;
        draft.add({
          type: "call.settled",
          turn: n,
          step: steps - 1,
          index: call.index,
          output: OUTCOME_UNKNOWN,
        });
      }
    });
  }

  #failAttempt(read: RunningTurn, agent: Agent, failure: Failure, retryAfterMs: number): void {
    const turn = this.#store.openTurn(read.n);
    if (turn?.status !== "running" || turn.fence !== read.fence) return;
    const attempts = turn.attempts + 1;
    const told = agent.humanInput?.resumesManually === true ? turn.told : undefined;
    const delay =
      told === undefined
        ? retryDelay(agent, attempts, this.#ports.random(), retryAfterMs)
        : toldRetryDelay(told, attempts, retryAfterMs);
    if (delay === null || !failure.retryable) {
      this.#fail(turn, failure, attempts);
      return;
    }
    this.#store.transact((draft) => {
      draft.add({ type: "attempt.failed", turn: turn.n, failure, retryAt: draft.at + delay });
      // What went on only because it was told to waits to be told again, and sets no alarm.
      if (told !== undefined) draft.add({ type: "turn.parked", turn: turn.n });
    });
  }

  /** `attempts`: how many in a row failed, where that is what fails the turn. */
  #fail(turn: RunningTurn, failure: Failure, attempts?: number): void {
    this.#store.transact((draft) => failTurn(draft, this.#store, turn.n, failure, attempts));
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function spentBudget(turn: RunningTurn, agent: Agent): Failure | undefined {
  const tokens = turn.usage.inputTokens + turn.usage.outputTokens;
  if (turn.steps >= agent.maxSteps)
    return {
      code: "max_steps",
      message: `the turn made ${turn.steps} model calls, its limit`,
      retryable: false,
    };
  if (agent.maxTokens !== undefined && tokens >= agent.maxTokens)
    return {
      code: "max_tokens",
      message: `the turn used ${tokens} tokens of ${agent.maxTokens}`,
      retryable: false,
    };
  return undefined;
}

/** What a caller may know of a defect: that it was one. */
function internalFailure(defect: unknown): Failure {
  const name = defect instanceof Error ? defect.name : typeof defect;
  return {
    code: "internal",
    message: `the turn met an internal error (${name}); see the logs`,
    retryable: true,
  };
}
