/**
 * Owns: the parts of a session's object and how they are joined: the store, the driver, the chores, the inbox's teller,
 * and who waits for what. Does not own: what may be called from outside (`session.ts`).
 */

import type { Agent } from "../agent/agent.ts";
import { formatId, type SessionKey } from "../core/ids.ts";
import type { InboxItem, InboxReport } from "../core/inbox.ts";
import type { JsonObject } from "../core/json.ts";
import { ATTEMPTS_DEFAULT, OVERDUE_AFTER_MS } from "../core/limits.ts";
import type { ChannelContext } from "../core/channel.ts";
import type { Question } from "../core/question.ts";
import { NO_REACH, type Reach } from "../core/recipients.ts";
import type { TaskRecord } from "../core/task.ts";
import { openDatabase } from "../journal/database.ts";
import type { Commit } from "../journal/journal.ts";
import { type QuestionFilter, readQuestions, readTaskById } from "../journal/tasks.ts";
import { commitLine } from "./commit-line.ts";
import { performChore } from "./performing.ts";
import { ChoreRunner } from "./chores.ts";
import type { SessionState } from "./draft.ts";
import { Driver } from "./driver.ts";
import type { SessionFace } from "./face.ts";
import { deliveriesOf } from "./notices.ts";
import { Readers } from "./readers.ts";
import { SessionStore } from "./store.ts";
import { inboxItem, Teller } from "./teller.ts";
import { questionView, turnView, type ViewSource } from "./views.ts";
import type { LinkOf, TurnView } from "../core/turn-view.ts";
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
  /** How a session reaches its siblings. */
  readonly openSession: (env: unknown, workspace: string, key: SessionKey) => SessionFace;
  /** The agent of questions that no turn asked. */
  readonly defaultAgent: (env: unknown) => string;
  /** The link under which `to` answers a question; undefined where none can be made. */
  readonly answerUrl: (
    env: unknown,
    workspace: string,
    question: Parameters<LinkOf>[0],
    /** Where links point, if no public address is configured. */
    origin?: string,
  ) => ReturnType<LinkOf>;
  /** What a channel is told of where it runs. */
  readonly surroundings: (env: unknown) => Surroundings;
  /** How messages to people speak and look, as far as the author chose it. */
  readonly look: NonNullable<ChannelContext["look"]>;
  /** A defect of ours, with the request that met it, where one did. */
  readonly report: (defect: unknown, requestId?: string) => void;
  /** One line for whoever reads the logs: ids, never what was said. */
  readonly log: (env: unknown, line: () => object) => void;
  /** Told of each transaction once it stands. */
  readonly committed?: (commits: readonly Commit[], session: DurableObjectState) => void;
}

/** Whether a session was overdue when it was asked, and when it wakes by itself next. */
export interface WakeCheck {
  readonly isOverdue: boolean;
  readonly seq: number;
  readonly wakeAt?: number;
}

/** What is sent is signed with these. */
export interface Surroundings {
  readonly linkSecret?: string;
  readonly webhookSecret?: string;
  /** True only on the machine of a developer. */
  readonly development: boolean;
}

export class Engine {
  readonly store: SessionStore;
  readonly driver: Driver;
  readonly teller: Teller;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly waiters = new Waiters();
  /** How an agent's questions reach people; of questions that no turn asked, the default agent's. */
  readonly reach: (agent: string | undefined) => Reach;
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
    const openSibling = (sibling: string) => definition.openSession(env, workspace, sibling);
    this.agents = definition.agents(env);
    const agentOf = (name: string | undefined) =>
      this.agents.get(name ?? definition.defaultAgent(env));
    this.reach = (name) => agentOf(name)?.humanInput?.reach ?? NO_REACH;
    this.store = new SessionStore(openDatabase(state.storage), key, {
      now: definition.now,
      agents: {
        reach: this.reach,
        system: (name) => agentOf(name)?.system,
        resumesManually: (name) => agentOf(name)?.humanInput?.resumesManually === true,
        keptFor: (name) => agentOf(name)?.keepSettledMs,
        wantsResult: (name) => agentOf(name)?.onResult !== undefined,
      },
      hasInbox: tell !== undefined,
      committed: (commits, before) => {
        this.waiters.tell(commits.map(({ turn }) => turn));
        definition.committed?.(commits, state);
        this.#publish(commits, before);
        for (const commit of commits) {
          const turn = this.store.openTurn(commit.turn) ?? before.get(commit.turn);
          const run = turn?.runs.at(-1)?.n;
          definition.log(env, () => commitLine(workspace, key, commit, run));
        }
        this.#chores.ring();
        this.teller.committed(commits);
        this.teller.ring();
      },
    });
    this.readers = new Readers(state, this.store);
    this.teller = new Teller(this.store, {
      tell: (told) => tell?.(told) ?? Promise.resolve(),
      turnItem: (n) => this.#turnItem(n),
      questionItem: (n) => this.#questionItem(n),
      did: () => ({ wakes: this.store.wakes, rows: this.store.database.rowsWritten }),
      random,
      waitUntil,
      report,
    });
    const linkOf = (question: Parameters<LinkOf>[0], origin?: string) =>
      definition.answerUrl(env, workspace, question, origin);
    const performing = {
      openSibling,
      agent: agentOf,
      reach: this.reach,
      turnView: (n: number) => this.turnView(n),
      now: definition.now,
      webhooks: () => definition.surroundings(env),
      channelContext: (): ChannelContext => {
        const { linkSecret, development } = definition.surroundings(env);
        return {
          env: env as Readonly<Record<string, unknown>>,
          workspace,
          development,
          now: definition.now(),
          look: definition.look,
          ...(linkSecret !== undefined && { linkSecret }),
        };
      },
      linkOf,
      questionToSend: async (n: number, recipient?: string, origin?: string) => {
        const question = this.questionView(this.#task(n));
        if (question.status !== "waiting") return question;
        const { requestId, expiresAt } = question;
        const link = {
          requestId,
          ...(recipient !== undefined && { to: recipient }),
          ...(expiresAt !== undefined && { expiresAt }),
        };
        const answerUrl = await linkOf(link, origin);
        return answerUrl === undefined ? question : { ...question, answerUrl };
      },
    };
    this.#chores = new ChoreRunner(this.store, {
      perform: (chore) => performChore(this.store, performing, chore),
      tried: ({ content }) => {
        if (tell !== undefined) this.teller.tried(content);
      },
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
    this.store.catchUp();
    this.driver.ring();
    this.#chores.ring();
    this.teller.ring();
  }

  /**
   * Whoever lets an agent's parked turns go on asks the inbox which are ready. So it is told before an answer is given
   * out as recorded: the two calls may follow one another at once.
   */
  async tellOfReady(agent: string | undefined): Promise<void> {
    if (agent !== undefined && this.agents.get(agent)?.humanInput?.resumesManually === true)
      await this.teller.now();
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
    const view = questionView(record, deliveriesOf(this.store.database, record), this.store.key);
    if (view === undefined)
      throw new Error(`${formatId("q", this.store.key, record.n)} is no question`);
    return view;
  }

  get source(): ViewSource {
    const { store } = this;
    return {
      key: store.key,
      task: (task) => readTaskById(store.database, task),
      question: (n) => store.task(n),
      maxAttempts: (agent) => this.agents.get(agent)?.maxAttempts ?? ATTEMPTS_DEFAULT,
      ahead: (turn) => store.openTurns.find((open) => open.n !== turn.n),
    };
  }

  /** Is asked where the session seems overdue. To be asked sets it going again, and arms the alarm that was lost. */
  checkWake(): WakeCheck {
    const { store } = this;
    if (!store.exists) return { isOverdue: false, seq: store.last };
    const since = store.overdueSince(this.#chores.isRunning);
    const isOverdue = since !== undefined && since < store.now() - OVERDUE_AFTER_MS;
    if (isOverdue) {
      store.transact(() => undefined);
      store.rearm();
    }
    this.ring();
    const wakeAt = store.wakeAt();
    return { isOverdue, seq: store.last, ...(wakeAt !== undefined && { wakeAt }) };
  }

  /** Deletes the session, and stops what is under way in it. */
  erase(): void {
    const open = this.store.openTurns.map(({ n }) => n);
    this.store.transact((draft) => draft.eraseAll());
    for (const n of open) this.driver.stop(n);
    this.readers.endAll();
    this.waiters.tell(open);
  }

  #task(n: number): TaskRecord {
    const record = this.store.task(n);
    if (record === undefined) throw new Error(`there is no question ${n}`);
    return record;
  }

  #turnItem(n: number): InboxItem {
    const view = this.turnView(n);
    return inboxItem("turn", view.id, view as unknown as JsonObject);
  }

  #questionItem(n: number): InboxItem | undefined {
    const record = this.store.task(n);
    if (record === undefined) return undefined;
    const view = this.questionView(record);
    return inboxItem("question", view.requestId, view as unknown as JsonObject);
  }
}
