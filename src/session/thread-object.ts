/**
 * Owns: what may be called on a session's object in the words of threads, entries and runs, in which the Service's wire
 * speaks of the same turns. Does not own: those words (`runs.ts`).
 */

import { DurableObject } from "cloudflare:workers";
import type { Batch } from "../core/batch.ts";
import { parseId } from "../core/ids.ts";
import { accepted, type Outcome } from "../core/refusal.ts";
import type { Settler } from "./answers.ts";
import { Engine, type SessionDefinition } from "./engine.ts";
import type { BatchRequest } from "./results.ts";
import {
  type EntryView,
  interruptRun,
  justAccepted,
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
import { type StartRequest, startTurn } from "./starting.ts";

export interface StartedMessage {
  readonly thread: ThreadView;
  readonly entry: EntryView;
  /** Absent while the message waits for its turn. */
  readonly run?: RunView;
  readonly replayed: boolean;
}

export class ThreadObject extends DurableObject {
  protected readonly engine: Engine;

  constructor(state: DurableObjectState, env: unknown, definition: SessionDefinition) {
    super(state, env as Cloudflare.Env);
    this.engine = new Engine(state, env, definition);
  }

  /** Starts a turn as a message to the thread, and shows it as the Service does. */
  startMessage(request: StartRequest): Outcome<StartedMessage> {
    const started = startTurn(this.engine.store, this.engine.agents, request);
    this.engine.ring();
    if (!started.ok) return started;
    const { n, replayed } = started.value;
    const entry = readEntry(this.engine.store, n);
    const thread = readThread(this.engine.store);
    if (!entry.ok) return entry;
    if (!thread.ok) return thread;
    const run = entry.value.runId === undefined ? undefined : parseId("run", entry.value.runId);
    const shown =
      run === undefined ? undefined : readRun(this.engine.store, this.engine.source, run.n);
    return accepted({
      replayed,
      entry: entry.value,
      thread: thread.value,
      ...(shown?.ok === true && { run: replayed ? shown.value : justAccepted(shown.value) }),
    });
  }

  readThread(): Outcome<ThreadView> {
    this.engine.ring();
    return readThread(this.engine.store);
  }

  readEntry(n: number): Outcome<EntryView> {
    this.engine.ring();
    return readEntry(this.engine.store, n);
  }

  readRun(n: number): Outcome<RunView> {
    this.engine.ring();
    return readRun(this.engine.store, this.engine.source, n);
  }

  readRuns(limit: number, before: number | undefined): Outcome<RunPage> {
    this.engine.ring();
    return readRuns(this.engine.store, this.engine.source, limit, before);
  }

  resumeRun(
    n: number,
    batch: Batch,
    settler: Settler,
    idempotency: Required<BatchRequest>,
  ): Outcome<ResumedRun> {
    const resumed = resumeRun(
      this.engine.store,
      this.engine.source,
      n,
      batch,
      settler,
      idempotency,
    );
    this.engine.ring();
    return resumed;
  }

  interruptRun(n: number): Outcome<RunView> {
    const interrupted = interruptRun(this.engine.store, n);
    if (!interrupted.ok) return interrupted;
    this.engine.driver.stop(interrupted.value.turn);
    this.engine.ring();
    return readRun(this.engine.store, this.engine.source, n);
  }
}
