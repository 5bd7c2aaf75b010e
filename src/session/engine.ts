/**
 * Owns: the parts of a session's object and how they are joined: the store, the driver, the chores, the inbox's teller,
 * and who waits for what. Does not own: what may be called from outside (`session.ts`).
 */

import type { Agent } from "../agent/agent.ts";
import { formatId } from "../core/ids.ts";
import type { InboxItem, InboxReport } from "../core/inbox.ts";
import type { JsonObject } from "../core/json.ts";
import { ATTEMPTS_DEFAULT } from "../core/limits.ts";
import type { Question } from "../core/question.ts";
import type { TaskRecord } from "../core/task.ts";
import { readDeliveries } from "../journal/chores.ts";
import { openDatabase } from "../journal/database.ts";
import type { Commit } from "../journal/journal.ts";
import { type QuestionFilter, readQuestions, readTask, readTaskById } from "../journal/tasks.ts";
import { performChore } from "./performing.ts";
import { ChoreRunner } from "./chores.ts";
import type { SessionState } from "./draft.ts";
import { Driver } from "./driver.ts";
import { openSession } from "./face.ts";
import { Readers } from "./readers.ts";
import type { SessionObject } from "./session.ts";
import { SessionStore } from "./store.ts";
import { inboxItem, Teller } from "./teller.ts";
import { questionView, turnView, type ViewSource } from "./views.ts";
import type { TurnView } from "../core/turn-view.ts";
import { Waiters } from "./waiters.ts";

/** What the object is made of; the clock and chance are arguments, so that a test can say what they are. */
export interface SessionDefinition {
  readonly agents: (env: unknown) => ReadonlyMap<string, Agent>;
  readonly now: () => number;
  readonly random: () => number;
  /** Tells the workspace's inbox what changed; undefined where there is none. */
  readonly inbox: (
    env: unknown,
    workspace: string,
  ) => ((report: InboxReport) => Promise<void>) | undefined;
  /** The agent of questions that no turn asked. */
  readonly defaultAgent: (env: unknown) => string;
  /** The link under which a question is answered; undefined where none can be made. */
  readonly answerUrl: (
    env: unknown,
    workspace: string,
    question: Question,
  ) => Promise<string | undefined>;
  /** A defect of ours, with the request that met it, where one did. */
  readonly report: (defect: unknown, requestId?: string) => void;
  /** Told of each transaction once it stands. */
  readonly committed?: (commits: readonly Commit[], session: DurableObjectState) => void;
}

/** The channel of an author's own delivery. */
const OWN_CHANNEL = "deliver";

/** The binding by which a session reaches its siblings. */
interface SessionBindings {
  readonly SESSION: DurableObjectNamespace<SessionObject>;
}

export class Engine {
  readonly store: SessionStore;
  readonly driver: Driver;
  readonly teller: Teller;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly waiters = new Waiters();
  readonly readers: Readers;
  /** A defect of ours, for whoever reads the logs. */
  readonly report: (defect: unknown) => void;
  readonly #chores: ChoreRunner;

  constructor(state: DurableObjectState, env: unknown, definition: SessionDefinition) {
    const [workspace, key] = state.id.name?.split("/") ?? [];
    if (workspace === undefined || key === undefined)
      throw new Error("a session's object is named {workspace}/{key}");
    const { random, report } = definition;
    this.report = report;
    const tell = definition.inbox(env, workspace);
    const waitUntil = (work: Promise<unknown>) => state.waitUntil(work);
    const openSibling = (sibling: string) =>
      openSession((env as SessionBindings).SESSION, workspace, sibling);
    this.agents = definition.agents(env);
    const agentOf = (name: string | undefined) =>
      this.agents.get(name ?? definition.defaultAgent(env));
    this.store = new SessionStore(openDatabase(state.storage), key, {
      now: definition.now,
      agents: {
        channels: (name) => (agentOf(name)?.humanInput?.deliver === undefined ? [] : [OWN_CHANNEL]),
        system: (name) => agentOf(name)?.system,
        resumesManually: (name) => agentOf(name)?.humanInput?.resumesManually === true,
        wantsResult: (name) => agentOf(name)?.onResult !== undefined,
      },
      hasInbox: tell !== undefined,
      committed: (commits, before) => {
        this.waiters.tell(commits.map(({ turn }) => turn));
        definition.committed?.(commits, state);
        this.#publish(commits, before);
        this.#chores.ring();
        this.teller.ring();
      },
    });
    this.readers = new Readers(state, this.store);
    this.teller = new Teller(this.store, {
      tell: (told) => tell?.(told) ?? Promise.resolve(),
      turnItem: (n) => this.#turnItem(n),
      questionItem: (n) => this.#questionItem(n),
      waitUntil,
      report,
    });
    const performing = {
      openSibling,
      agent: agentOf,
      env: env as Readonly<Record<string, unknown>>,
      turnView: (n: number) => this.turnView(n),
      questionToSend: async (n: number) => {
        const question = this.questionView(this.#task(n));
        const answerUrl = await definition.answerUrl(env, workspace, question);
        return answerUrl === undefined ? question : { ...question, answerUrl };
      },
    };
    this.#chores = new ChoreRunner(this.store, {
      perform: (chore) => performChore(this.store, performing, chore),
      random,
      waitUntil,
      report,
    });
    this.driver = new Driver(this.store, {
      openSibling,
      readers: this.readers,
      agents: this.agents,
      env: env as Readonly<Record<string, unknown>>,
      random,
      waitUntil,
      report,
    });
  }

  /** Starts whatever has work to do and isn't at it: after each transition, and on each event that reaches the object. */
  ring(): void {
    this.driver.ring();
    this.#chores.ring();
    this.teller.ring();
  }

  /** Behind the commit, which stands whatever becomes of this. */
  #publish(commits: readonly Commit[], before: SessionState["open"]): void {
    try {
      this.readers.publish(commits, before);
    } catch (defect) {
      this.report(defect);
    }
  }

  turnView(n: number): TurnView {
    const turn = this.store.turn(n);
    if (turn === undefined) throw new Error(`there is no turn ${n}`);
    return turnView(turn, this.source);
  }

  questionViews(filter: QuestionFilter): readonly Question[] {
    return readQuestions(this.store.database, filter).map((record) => this.questionView(record));
  }

  questionView(record: TaskRecord): Question {
    const { database, chores, key } = this.store;
    const deliveries = chores.exist ? readDeliveries(database, record.n) : [];
    const view = questionView(record, deliveries, key);
    if (view === undefined)
      throw new Error(`${formatId("q", this.store.key, record.n)} is no question`);
    return view;
  }

  get source(): ViewSource {
    const { store } = this;
    return {
      key: store.key,
      task: (task) => readTaskById(store.database, task),
      question: (n) => readTask(store.database, n),
      maxAttempts: (agent) => this.agents.get(agent)?.maxAttempts ?? ATTEMPTS_DEFAULT,
      ahead: (turn) => store.openTurns.find((open) => open.n !== turn.n),
    };
  }

  #task(n: number): TaskRecord {
    const record = readTask(this.store.database, n);
    if (record === undefined) throw new Error(`there is no question ${n}`);
    return record;
  }

  #turnItem(n: number): InboxItem {
    const view = this.turnView(n);
    return inboxItem("turn", view.id, view as unknown as JsonObject);
  }

  #questionItem(n: number): InboxItem {
    const view = this.questionView(this.#task(n));
    return inboxItem("question", view.requestId, view as unknown as JsonObject);
  }
}
