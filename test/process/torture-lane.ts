/**
 * Owns: one caller of a Holdpoint that dies again and again: it has conversations, one after another, and sends each
 * request until it is answered. What was promised to it is kept, for the test to compare with what is there in the end.
 */

import type { Question } from "../../src/core/question.ts";
import type { TurnView } from "../../src/core/turn-view.ts";
import type { Message } from "./client.ts";
import { effects } from "./effects.ts";

export interface LaneOptions {
  readonly n: number;
  readonly url: string;
  /** What a request that met a dead process waits for before it is sent again. */
  readonly up: () => Promise<void>;
  /** Counts those of all lanes. */
  readonly answers: Answers;
  /** Where the effects of tools are seen. */
  readonly ledger: string;
}

/** How many requests were answered, and waiting for more. */
export class Answers {
  #count = 0;
  #waiting: { readonly enough: number; readonly resolve: () => void } | undefined;

  note(): void {
    this.#count += 1;
    if (this.#waiting !== undefined && this.#count >= this.#waiting.enough) this.#waiting.resolve();
  }

  /** Resolves when so many more were answered. */
  more(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting = { enough: this.#count + count, resolve };
    return promise;
  }
}

/** A conversation that came to its end. */
export interface Finished {
  /** Its name in the ledger's paths, and its Idempotency-Key. */
  readonly name: string;
  readonly turn: TurnView;
  /** Whom the accepted answer named. */
  readonly answered: Question;
  readonly messages: readonly Message[];
}

interface Reply<T> {
  readonly status: number;
  readonly body: T;
}

export class Lane {
  readonly finished: Finished[] = [];
  /** Turns that were killed too often, and driven on. */
  retried = 0;
  /** Requests whose answer was lost with the process. */
  resent = 0;
  readonly #options: LaneOptions;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  async run(isOver: () => boolean): Promise<void> {
    while (!isOver() || this.finished.length === 0) await this.#converse();
  }

  async get<T>(path: string): Promise<T> {
    const { status, body } = await this.#send<T>("GET", path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  async #converse(): Promise<void> {
    const name = `lane-${this.#options.n}-${this.finished.length}`;
    const script = effects((what) => `${this.#options.ledger}/${name}/${what}`, {
      confirm: { toolName: "retry_http" },
      end: `${name} is done.`,
    });
    const body = { agent: "playground", input: "go", extraBody: { script } };
    // Every second one in the lane's own session, so that sessions grow old and journals long.
    const path =
      this.finished.length % 2 === 0 ? `/v1/sessions/lane-${this.#options.n}/turns` : "/v1/turns";
    const { id } = await this.#post<TurnView>(path, body, name);
    const parked = await this.#settled(id);
    const requestId = parked.waitingFor?.[0]?.requestId;
    if (requestId === undefined) throw new Error(`${name} asks nothing: ${JSON.stringify(parked)}`);
    const answered = await this.#post<Question>(`/v1/questions/${requestId}/answer`, {
      answer: { option: "yes" },
      answeredBy: name,
    });
    const turn = await this.#settled(id);
    const { messages } = await this.get<{ messages: readonly Message[] }>(
      `/v1/sessions/${turn.sessionId}/messages`,
    );
    this.finished.push({ name, turn, answered, messages });
  }

  /** The turn once it waits for a person or is completed; one that was killed too often is driven on. */
  async #settled(id: string): Promise<TurnView> {
    for (;;) {
      const turn = await this.get<TurnView>(`/v1/turns/${id}?wait=20`);
      if (turn.status === "parked" || turn.status === "completed") return turn;
      if (turn.status !== "failed") continue;
      this.retried += 1;
      const { status, body } = await this.#send("POST", `/v1/turns/${id}/retry`);
      if (status >= 300 && status !== 409)
        throw new Error(`a retry is ${status}: ${JSON.stringify(body)}`);
    }
  }

  async #post<T>(path: string, sent: unknown, key?: string): Promise<T> {
    const { status, body } = await this.#send<T>("POST", path, sent, key);
    if (status >= 300) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  async #send<T>(method: string, path: string, sent?: unknown, key?: string): Promise<Reply<T>> {
    for (;;) {
      await this.#options.up();
      try {
        const response = await fetch(`${this.#options.url}${path}`, {
          method,
          headers: {
            authorization: "Bearer dev-key",
            ...(sent !== undefined && { "content-type": "application/json" }),
            ...(key !== undefined && { "idempotency-key": key }),
          },
          ...(sent !== undefined && { body: JSON.stringify(sent) }),
        });
        const body = (await response.json()) as T;
        // What was under way in the process when it died may end as an internal error just before.
        this.#options.answers.note();
        if (response.status < 500) return { status: response.status, body };
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
      }
      this.resent += 1;
    }
  }
}
