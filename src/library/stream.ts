/**
 * Owns: starting a turn from the Worker's own code and reading it as it goes.
 */

import { parseId } from "../core/ids.ts";
import { DEFAULT_WORKSPACE } from "../core/key.ts";
import type { SessionEvent } from "../core/session-event.ts";
import { turnResult, type TurnResult } from "../core/turn-view.ts";
import type { Listening } from "../session/face.ts";
import { valueOf } from "./refusal.ts";
import { type GenerateOptions, restingTurn, startTurn } from "./turns.ts";

export interface StreamedTurn {
  readonly turnId: string;
  readonly sessionId: string;
  /**
   * The text of the turn's model calls as it comes, until the turn is settled or parked. Where a call is tried again
   * after a part of its text came, that part is not repeated; but what was given can't be taken back, so a text that turns
   * out another one comes whole, behind it. `events` tell of both.
   */
  readonly textStream: ReadableStream<string>;
  /** What a reader of the turn's events is told, over its parks, until the turn is over. Cancel it to stop earlier. */
  readonly events: ReadableStream<SessionEvent>;
  /** What the turn came to, once it is settled or parked. */
  readonly result: Promise<TurnResult>;
}

/** As `generateHarness`, streamed. Rejects with a HoldpointRefusal where the turn may not start. */
export async function streamHarness(options: GenerateOptions): Promise<StreamedTurn> {
  const { face, turn } = await startTurn(options, { waitMs: 0, listeners: 2 });
  const { id: turnId, sessionId } = turn;
  const listen = async () =>
    valueOf(await face.listen({ turn: parseId("turn", turnId)?.n ?? 0, mustExist: true }));
  // The turn begins when both are there.
  const [forText, forEvents] = await Promise.all([listen(), listen()]);
  const { harness, workspace = DEFAULT_WORKSPACE } = options;
  const result = restingTurn(face, turn, harness.reach.linkOf(workspace)).then(turnResult);
  // Whoever reads only the streams leaves it alone.
  result.catch(() => undefined);
  return { turnId, sessionId, textStream: textOf(forText), events: eventsOf(forEvents), result };
}

function eventsOf(listening: Listening): ReadableStream<SessionEvent> {
  return new ReadableStream<SessionEvent>({
    async pull(controller) {
      const event = await listening.next();
      if (event === undefined) controller.close();
      else controller.enqueue(event);
    },
    cancel: () => listening.close(),
  });
}

function textOf(listening: Listening): ReadableStream<string> {
  const text = new RunningText();
  return new ReadableStream<string>({
    async pull(controller) {
      for (;;) {
        const event = await listening.next();
        if (event === undefined || event.type === "turn.parked") {
          listening.close();
          controller.close();
          return;
        }
        const more = text.after(event);
        if (more === "") continue;
        controller.enqueue(more);
        return;
      }
    },
    cancel: () => listening.close(),
  });
}

/** The text of one step after the other, each given out once. */
class RunningText {
  /** Of the present step: what was given out, and what the present attempt has said so far. */
  #given = "";
  #said = "";

  /** What an event adds to the text that was given out. */
  after(event: SessionEvent): string {
    switch (event.type) {
      case "step.started":
        this.#said = "";
        return "";
      case "text.delta":
        this.#said += event.text;
        return this.#give();
      case "text.finished": {
        this.#said = event.text;
        const rest = this.#give();
        this.#given = "";
        return rest;
      }
      default:
        return "";
    }
  }

  #give(): string {
    // An attempt that says the same again is heard from where the last one ended.
    if (this.#given.startsWith(this.#said)) return "";
    const more = this.#said.startsWith(this.#given)
      ? this.#said.slice(this.#given.length)
      : this.#said;
    this.#given = this.#said;
    return more;
  }
}
