/**
 * Owns: running the tools of a step, each result a commit of its own, and the background tools that go on beside a turn.
 * Does not own: what a result says to the model (`core/settlement.ts`), nor when calls are run (`driver.ts`).
 */

import type { Agent } from "../agent/agent.ts";
import { decideApproval } from "../agent/approvals.ts";
import type { BoundTool } from "../agent/bound-tool.ts";
import { RuleTimedOut } from "../agent/rule-time.ts";
import { toolboxOf } from "../agent/tools.ts";
import type { ToolOutput } from "../core/event.ts";
import { formatTaskId } from "../core/ids.ts";
import { editedResult, failed, isAllowed, notRun, OUTCOME_UNKNOWN } from "../core/settlement.ts";
import type { TaskRecord } from "../core/task.ts";
import { isUnsettled, type RunningTurn, type Turn, type TurnCall } from "../core/turn.ts";
import { countTry, readTask } from "../journal/tasks.ts";
import { approvalContext, type ContextSource, toolContext } from "./contexts.ts";
import type { CallPlace } from "./draft.ts";
import type { DriverPorts } from "./driver.ts";
import type { SessionStore } from "./store.ts";

export class CallRunner {
  readonly #store: SessionStore;
  readonly #ports: DriverPorts;
  readonly #ring: () => void;
  /** Background tools that run in this object now. */
  readonly #beside = new Map<number, AbortController>();

  constructor(store: SessionStore, ports: DriverPorts, ring: () => void) {
    this.#store = store;
    this.#ports = ports;
    this.#ring = ring;
  }

  /** Runs the calls beside one another and returns when each has its result. */
  async run(
    turn: RunningTurn,
    agent: Agent,
    calls: readonly TurnCall[],
    signal: AbortSignal,
  ): Promise<void> {
    const results = await Promise.allSettled(
      calls.map((call) => this.#runCall(turn, agent, call, signal)),
    );
    const rejected = results.filter((result) => result.status === "rejected");
    const [first] = rejected;
    // A rule that hung leaves nothing half done; a defect may have, so it is the one that is told.
    const defect = rejected.find(({ reason }) => !(reason instanceof RuleTimedOut)) ?? first;
    if (defect !== undefined) throw defect.reason;
  }

  /** Takes up background tools that an earlier life of this object left running. */
  recoverBeside(): void {
    for (const n of this.#store.head.beside) {
      if (this.#beside.has(n)) continue;
      const record = readTask(this.#store.database, n);
      if (record !== undefined) this.#recoverTask(record);
    }
  }

  /** Stops background tools whose task was settled by a cancel. */
  stopCancelled(): void {
    for (const [n, stop] of this.#beside) if (!this.#store.head.beside.includes(n)) stop.abort();
  }

  async #runCall(
    turn: RunningTurn,
    agent: Agent,
    call: TurnCall,
    signal: AbortSignal,
  ): Promise<void> {
    const place = placeOf(turn, call);
    const tool = (await toolboxOf(agent, turn.started.deferred ?? true)).get(call.toolName);
    if (tool === undefined) {
      this.#settle(
        turn,
        place,
        failed(`the tool ${call.toolName} is no longer there; it was not run`),
      );
      return;
    }
    const refusal = await this.#refusalNow(turn, agent, call, tool);
    if (refusal !== undefined) {
      this.#settle(turn, place, refusal);
      return;
    }
    if (tool.kind === "background") {
      this.#startBeside(turn, agent, call, tool);
      return;
    }
    if (tool.effect && call.now.state !== "started" && !this.#start(turn, place)) return;
    const output = await tool.run({
      input: call.input,
      toolCallId: call.callId,
      signal,
      context: toolContext(this.#source, turn, agent, place, call.toolName, signal),
    });
    this.#settle(turn, place, withEdit(call, output));
  }

  /**
   * A call that a person had to allow is judged once more each time that it would run: by what the person was asked and
   * said, and by the rules and the schema of now.
   */
  async #refusalNow(
    turn: Turn,
    agent: Agent,
    call: TurnCall,
    tool: BoundTool,
  ): Promise<ToolOutput | undefined> {
    if (call.approved === undefined) return undefined;
    const { question } = call.approved;
    const asked = question === undefined ? undefined : readTask(this.#store.database, question);
    if (!isAllowed(turn, call, asked))
      return notRun(call, "what was allowed is not this call: its tool or its arguments differ");
    const context = approvalContext(this.#source, turn, agent);
    const approval = await decideApproval(agent, tool.name, call.input, true, context);
    return approval.decision === "forbidden" ? notRun(call, approval.reason) : undefined;
  }

  /** Journals that an effect begins (I3); false where the turn was ended meanwhile. */
  #start(turn: RunningTurn, place: CallPlace): boolean {
    if (this.#store.openTurn(turn.n)?.fence !== turn.fence) return false;
    this.#store.transact((draft) => draft.add({ type: "tool.started", ...place }));
    return true;
  }

  /** I9: a result is refused where its turn was ended, or its call settled, while the tool ran. */
  #settle(turn: RunningTurn, place: CallPlace, output: ToolOutput): void {
    const now = this.#store.openTurn(turn.n);
    const call = now?.calls[place.index];
    if (now?.fence !== turn.fence || call === undefined || !isUnsettled(call)) return;
    this.#store.transact((draft) => draft.add({ type: "call.settled", ...place, output }));
  }

  #startBeside(turn: RunningTurn, agent: Agent, call: TurnCall, tool: BoundTool): void {
    if (this.#store.openTurn(turn.n)?.fence !== turn.fence) return;
    const place = placeOf(turn, call);
    const record = this.#store.transact((draft) => {
      const { toolName, input } = call;
      const started = draft.startBeside(place, { kind: "background", toolName, input });
      const value = { status: "started", taskId: formatTaskId(started.task ?? 0) };
      draft.add({
        type: "call.settled",
        ...place,
        output: withEdit(call, { type: "json", value }),
      });
      return started;
    });
    this.#runBeside(record, turn, agent, tool);
  }

  #runBeside(
    record: TaskRecord,
    turn: Turn,
    agent: Agent,
    tool: BoundTool,
    stop: AbortController = new AbortController(),
  ): void {
    if (record.content.kind !== "background") return;
    this.#beside.set(record.n, stop);
    const place = { turn: record.turn, step: record.step, index: record.index };
    const running = tool
      .run({
        input: record.content.input,
        toolCallId: formatTaskId(record.task ?? 0),
        signal: stop.signal,
        context: toolContext(this.#source, turn, agent, place, tool.name, stop.signal),
      })
      .then((output) => this.#finishBeside(record, output))
      .finally(() => this.#beside.delete(record.n));
    this.#ports.waitUntil(running);
  }

  #finishBeside(record: TaskRecord, output: ToolOutput): void {
    if (!this.#store.head.beside.includes(record.n)) return;
    this.#store.transact((draft) => draft.finishBeside(record, output));
    this.#ring();
  }

  #recoverTask(record: TaskRecord): void {
    const turn = this.#store.turn(record.turn);
    const agent = turn === undefined ? undefined : this.#ports.agents.get(turn.started.agent);
    const rule =
      record.content.kind === "background" ? agent?.toolRules[record.content.toolName] : undefined;
    const again = rule?.interrupted === "retry" || rule?.effect === false;
    if (
      turn === undefined ||
      agent === undefined ||
      !again ||
      record.tries + 1 >= agent.maxAttempts
    ) {
      this.#store.transact((draft) => draft.finishBeside(record, OUTCOME_UNKNOWN));
      return;
    }
    countTry(this.#store.database, record.n);
    const stop = new AbortController();
    this.#beside.set(record.n, stop);
    this.#ports.waitUntil(this.#runAgain(record, turn, agent, stop));
  }

  async #runAgain(
    record: TaskRecord,
    turn: Turn,
    agent: Agent,
    stop: AbortController,
  ): Promise<void> {
    const name = record.content.kind === "background" ? record.content.toolName : "";
    const tool = (await toolboxOf(agent, turn.started.deferred ?? true)).get(name);
    // Cancelled while the tools were made, it is settled already.
    if (stop.signal.aborted) this.#beside.delete(record.n);
    else if (tool !== undefined) this.#runBeside(record, turn, agent, tool, stop);
    else {
      this.#beside.delete(record.n);
      this.#finishBeside(record, failed(`the tool ${name} is no longer there`));
    }
  }

  get #source(): ContextSource {
    return { store: this.#store, ports: this.#ports };
  }
}

function placeOf(turn: Turn, call: TurnCall): CallPlace {
  return { turn: turn.n, step: turn.steps - 1, index: call.index };
}

function withEdit(call: TurnCall, output: ToolOutput): ToolOutput {
  return call.approved?.edited === true
    ? editedResult(call.approved.by, call.input, output)
    : output;
}
