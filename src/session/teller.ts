/**
 * Owns: telling the inbox what changed in the session. The journal is the outbox: what was told up to is a number in the
 * head, and while more was committed than told, the session's alarm stands behind it. A report takes all changes of a
 * short while together, so that a turn which runs through is told once.
 */

import { formatId } from "../core/ids.ts";
import type { InboxItem, InboxReport } from "../core/inbox.ts";
import type { JsonObject } from "../core/json.ts";
import { TELL_AFTER_MS } from "../core/limits.ts";
import { readSince } from "../journal/journal.ts";
import { JOURNAL_VERSION } from "../journal/schema.ts";
import type { SessionStore } from "./store.ts";

export interface TellerPorts {
  readonly tell: (report: InboxReport) => Promise<void>;
  readonly turnItem: (n: number) => InboxItem;
  /** Undefined for one that was erased since. */
  readonly questionItem: (n: number) => InboxItem | undefined;
  readonly waitUntil: (work: Promise<unknown>) => void;
  readonly report: (defect: unknown) => void;
}

export class Teller {
  readonly #store: SessionStore;
  readonly #ports: TellerPorts;
  #telling = false;

  constructor(store: SessionStore, ports: TellerPorts) {
    this.#store = store;
    this.#ports = ports;
  }

  /** Tells what is untold, soon, where nobody does it already. */
  ring(): void {
    if (this.#telling || !this.#store.isUntold) return;
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
      this.#ports.report(error);
    }
  }

  /** All of the session, for an inbox that is rebuilt. */
  async tellAll(): Promise<void> {
    await this.#ports.tell(this.#reportSince(0));
  }

  async #tell(): Promise<void> {
    try {
      while (this.#store.isUntold) {
        await new Promise((resolve) => setTimeout(resolve, TELL_AFTER_MS));
        await this.#tellOnce();
      }
    } catch (error) {
      // The alarm that stands behind it tries again.
      this.#ports.report(error);
    } finally {
      this.#telling = false;
    }
  }

  async #tellOnce(): Promise<void> {
    const report = this.#reportSince(this.#store.told);
    if (report.items.length > 0 || report.erased !== undefined) await this.#ports.tell(report);
    this.#store.toldUpTo(report.seq);
  }

  #reportSince(told: number): InboxReport {
    const turns = new Set<number>();
    const questions = new Set<number>();
    const gone: string[] = [];
    let all = false;
    const { last, key } = this.#store;
    for (const { facts } of readSince(this.#store.database, told))
      for (const fact of facts) {
        if (fact.type.startsWith("turn.") || CHANGES_A_WAIT.has(fact.type)) turns.add(fact.turn);
        if (fact.type === "question.asked" || fact.type === "question.settled")
          questions.add(fact.question);
        if (fact.type === "settled.erased") {
          gone.push(...fact.turns.map((n) => formatId("turn", key, n)));
          gone.push(...fact.questions.map((n) => formatId("q", key, n)));
        }
        all ||= fact.type === "session.erased";
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

/** What leaves a turn as it is, and changes what it waits for. */
const CHANGES_A_WAIT: ReadonlySet<string> = new Set(["call.settled", "call.approved"]);

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
    to: text("to"),
    view,
  };
}
