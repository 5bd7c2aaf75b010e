/**
 * Owns: the world around the session while a script is played: requests that are sent again until they are answered, the
 * platform that wakes objects by their alarms, and the waiting until nothing moves any more.
 */

import { env, exports } from "cloudflare:workers";
import { Random } from "./random.ts";
import type { Question } from "../../src/core/question.ts";
import type { Outcome } from "../../src/core/refusal.ts";
import type { TurnView } from "../../src/core/turn-view.ts";
import type { Message } from "./conversation.ts";
import type { Deed } from "./faults.ts";
import { simulation } from "./simulation.ts";
import type { Inbox, Session } from "./worker.ts";

interface Bindings {
  readonly SESSION: DurableObjectNamespace<Session>;
  readonly INBOX: DurableObjectNamespace<Inbox>;
}

const bindings = env as unknown as Bindings;

/** Real milliseconds in which whatever moves has moved: a deadline, never waited for where all is well. */
const PATIENCE_MS = 20_000;
const TRIES = 8;
/** Turns of the event loop without any work, after which an engine whose disk refused it waits for its alarm. */
const QUIET_TICKS = 10;

export class Violation extends Error {
  override readonly name = "Violation";
}

/** A session as it stands. */
export interface View {
  readonly session: string;
  readonly turns: readonly TurnView[];
  /** Those that wait for an answer. */
  readonly questions: readonly Question[];
}

export interface Alarm {
  readonly session: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface Reply<T> {
  readonly status: number;
  readonly body: T;
}

export class World {
  /** Requests that were sent again, since their answer was lost with the object. */
  resent = 0;
  readonly #random: Random;
  /** Does what a fault wants done while the engine waits. */
  readonly #intrude: (deed: Deed, session: string) => Promise<void>;

  constructor(seed: number, intrude: (deed: Deed, session: string) => Promise<void>) {
    this.#random = new Random("world", seed);
    this.#intrude = intrude;
  }

  /** Sends a request until it is answered: one that met a dying object may or may not have been heard. */
  async send<T>(method: string, path: string, body?: unknown, key?: string): Promise<Reply<T>> {
    for (let left = TRIES; left > 0; left -= 1) {
      const reply = await this.sendOnce<T>(method, path, body, key);
      if (reply.status < 500) return reply;
      this.resent += 1;
      await this.rest();
    }
    throw new Violation(`${method} ${path} is not answered`);
  }

  async sendOnce<T>(method: string, path: string, body?: unknown, key?: string): Promise<Reply<T>> {
    const response = await exports.default.fetch(
      new Request(`http://holdpoint.test${path}`, {
        method,
        headers: {
          authorization: "Bearer dev-key",
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(key !== undefined && { "idempotency-key": key }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    return { status: response.status, body: await response.json<T>() };
  }

  /** Waits until each object stands still, firing alarms that are overdue, waking those that died and doing a fault's deed. */
  async rest(): Promise<void> {
    // Calls alone would keep the loop so busy that no timer is ever due.
    await tick();
    for (;;) {
      let quiet = 0;
      await this.until(() => {
        quiet = simulation.isDiskRefused && simulation.isQuiet ? quiet + 1 : 0;
        const isStill = simulation.isAtRest || quiet > QUIET_TICKS;
        const isOverdue = simulation.isQuiet && this.#overdue !== undefined;
        return simulation.paused !== undefined || simulation.dead.size > 0 || isStill || isOverdue;
      });
      const overdue = this.#overdue;
      if (simulation.paused !== undefined) {
        const { deed, session } = simulation.paused;
        await this.#intrude(deed, session);
        simulation.paused = undefined;
      } else if (simulation.dead.size > 0) await this.#reviveOne();
      else if (overdue !== undefined) await this.fire(overdue.session);
      else return;
    }
  }

  /** Waits for what comes by itself where all is well. */
  async until(condition: () => boolean): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (!condition()) {
      if (Date.now() > deadline)
        throw new Violation(`nothing moves, and not all is at rest: ${simulation.unrest}`);
      await tick();
    }
  }

  /** The earliest alarm of all sessions that the script reached. */
  nextAlarm(): Alarm | undefined {
    let next: Alarm | undefined;
    for (const session of simulation.sessions) {
      const at = simulation.alarmOf(session);
      if (at !== null && (next === undefined || at < next.at)) next = { session, at };
    }
    return next;
  }

  /** One that the platform should have fired: the clock went past it. */
  get #overdue(): Alarm | undefined {
    const next = this.nextAlarm();
    return next !== undefined && next.at <= simulation.now ? next : undefined;
  }

  /** Fires a session's alarm; where its handler dies, the platform fires it again. */
  async fire(session: string): Promise<void> {
    await stub(session)
      .fire()
      .catch(() => undefined);
  }

  /** Lets time pass to an alarm, and fires it. */
  async passTo({ session, at }: Alarm): Promise<void> {
    simulation.now = Math.max(simulation.now, at);
    await this.fire(session);
  }

  /** The fault may strike while nothing moves: parked objects are evicted, and die with their machines. */
  async mayDie(session: string): Promise<void> {
    if (simulation.strikes("rest") !== undefined) await this.kill(session);
  }

  async kill(session: string): Promise<void> {
    await stub(session)
      .die()
      .catch(() => undefined);
    await this.rest();
  }

  async view(session: string): Promise<View> {
    return { session, ...(await this.#ask<Omit<View, "session">>(session, "readSession", 100)) };
  }

  messages(session: string): Promise<readonly Message[]> {
    return this.#ask(session, "readMessages");
  }

  questions(session: string): Promise<readonly Question[]> {
    return this.#ask(session, "readQuestions", { status: "all", after: 0, limit: 1_000 });
  }

  inboxViewsOf(session: string): Promise<Record<string, string>> {
    return bindings.INBOX.getByName("dev/1/0").viewsOf(session);
  }

  /** Reads a session by its object's own method, as the door behind HTTP does. */
  async #ask<T>(session: string, method: string, ...args: unknown[]): Promise<T> {
    for (let left = TRIES; left > 0; left -= 1) {
      const remote = stub(session) as unknown as Record<
        string,
        (...args: unknown[]) => Promise<Outcome<T>>
      >;
      const outcome = await remote[method]?.(...args).catch(() => undefined);
      if (outcome?.ok === true) return outcome.value;
      if (outcome !== undefined)
        throw new Violation(`${method} is refused: ${outcome.refusal.detail}`);
      await this.rest();
    }
    throw new Violation(`${method} of ${session} is not answered`);
  }

  /** An object that died is woken by its alarm, or by whoever comes first. */
  async #reviveOne(): Promise<void> {
    const [session] = simulation.dead;
    if (session === undefined) return;
    const alarm = await stub(session).alarmAt();
    simulation.dead.delete(session);
    if (alarm !== simulation.alarmOf(session))
      throw new Error(`the disk has the alarm at ${alarm}`);
    if (alarm === null) {
      if (simulation.watch.needsWake(session))
        throw new Violation(`${session} died with work to do, and no alarm is set`);
      return;
    }
    if (this.#random.happens(0.3)) await this.sendOnce("GET", `/v1/sessions/sess_${session}`);
    else await this.passTo({ session, at: alarm });
  }
}

function stub(session: string): DurableObjectStub<Session> {
  return bindings.SESSION.getByName(`dev/${session}`);
}

function tick(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
