/**
 * The Worker under simulation: the product's engine, with agents that play scripts and a world that may fail. Faults
 * enter by the engine's own ports (clock, inbox, models, tools, deliveries), and where an object meets its disk.
 */

import type { Fact } from "../../src/core/event.ts";
import { createHarness } from "../../src/harness.ts";
import { openInbox } from "../../src/inbox/face.ts";
import type { InboxObject } from "../../src/inbox/inbox.ts";
import { agents } from "./agents.ts";
import { simulation } from "./simulation.ts";

interface Bindings {
  readonly INBOX: DurableObjectNamespace<InboxObject>;
}

export const harness = createHarness(
  { agents },
  {
    now: () => simulation.now,
    random: () => 0.5,
    report: (defect) => simulation.report(defect),
    log: () => undefined,
    inbox: (env, workspace) => async (report) => {
      const inbox = openInbox((env as Bindings).INBOX, workspace, 1, {});
      try {
        await simulation.around(report.session, "tell.before", "tell.after", () =>
          inbox.tell(report),
        );
        simulation.watch.told(report.session, report.seq);
      } catch (error) {
        simulation.watch.waitsForAlarm(report.session);
        throw error;
      }
    },
  },
);

/** A session's object with its disk watched, and what the platform does to it done by hand. */
export class Session extends harness.Session {
  readonly #key: string;

  constructor(state: DurableObjectState, env: unknown) {
    const key = state.id.name?.split("/")[1] ?? "";
    simulation.wake(key, state);
    watchDisk(key, state.storage);
    super(state, env);
    this.#key = key;
  }

  override alarm(): void {
    simulation.pass("alarm.before", this.#key);
    super.alarm();
    simulation.pass("alarm.after", this.#key);
  }

  /** The alarm as the disk has it. Being asked wakes the object, and rings nothing. */
  alarmAt(): Promise<number | null> {
    return this.ctx.storage.getAlarm();
  }

  /** Fires the alarm as the platform does: one whose handler dies stays, and fires again. */
  async fire(): Promise<void> {
    const { alarmsSet } = simulation;
    this.alarm();
    if (simulation.alarmsSet === alarmsSet) await this.ctx.storage.deleteAlarm();
  }

  die(): void {
    simulation.kill(this.#key);
  }
}

export class Inbox extends harness.Inbox {
  /** The views of one session, by their ids. */
  viewsOf(key: string): Record<string, string> {
    const rows = this.ctx.storage.sql.exec<{ id: string; view: string }>(
      "SELECT id, view FROM items WHERE (id > ?1 AND id < ?1 || '~') OR (id > ?2 AND id < ?2 || '~')",
      `turn_${key}`,
      `q_${key}`,
    );
    return Object.fromEntries(Array.from(rows, ({ id, view }) => [id, view]));
  }
}

/** Sees each transaction as it stands on the disk, and lets a dead object write nothing more. */
function watchDisk(key: string, storage: DurableObjectStorage): void {
  const { sql } = storage;
  const transactionSync = storage.transactionSync.bind(storage);
  const setAlarm = storage.setAlarm.bind(storage);
  const deleteAlarm = storage.deleteAlarm.bind(storage);
  const watched = <T>(work: () => T): T => {
    simulation.pass("commit.before", key);
    const alarm = simulation.alarmOf(key);
    let result: T;
    try {
      result = transactionSync(work);
    } catch (error) {
      simulation.noteAlarm(key, alarm);
      throw error;
    }
    for (const { seq, facts } of sql.exec<{ seq: number; facts: string }>(
      "SELECT seq, facts FROM journal WHERE seq > ? ORDER BY seq",
      simulation.watch.session(key).last,
    ))
      simulation.watch.committed(key, seq, JSON.parse(facts) as Fact[]);
    simulation.pass("commit.after", key);
    return result;
  };
  Object.defineProperties(storage, {
    transactionSync: { value: watched },
    setAlarm: {
      value: (at: number) => {
        simulation.noteAlarm(key, at);
        return setAlarm(at);
      },
    },
    deleteAlarm: {
      value: () => {
        simulation.noteAlarm(key, null);
        return deleteAlarm();
      },
    },
  });
}

export default harness.worker;
