/**
 * Owns: the text of the model call that is under way, passed on as it comes and kept for those who come later. It is no
 * row, and delays none: the finished text is journalled once. One loop drives a session (I4), so there is one such call.
 */

import { formatId, formatSessionId, type SessionKey } from "../core/ids.ts";
import { DELTA_INTERVAL_MS } from "../core/limits.ts";
import type { LiveEvent } from "../core/session-event.ts";

export interface LivePorts {
  readonly key: SessionKey;
  readonly now: () => number;
  /** Tells those who listen to the turn. */
  readonly tell: (turn: number, event: LiveEvent) => void;
}

interface UnderWay {
  readonly turn: number;
  readonly step: number;
  /** What was passed on. */
  text: string;
  /** What came since. */
  pending: string;
}

/** A model call on its way. */
export interface LiveCall {
  readonly onText: (delta: string) => void;
  /** The call is over. What was passed on is not waited for, nor is what still comes from a call that was given up. */
  end(): void;
}

export class LiveStep {
  readonly #ports: LivePorts;
  #now: UnderWay | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ports: LivePorts) {
    this.#ports = ports;
  }

  begin(turn: number, step: number): LiveCall {
    const now: UnderWay = { turn, step, text: "", pending: "" };
    this.#now = now;
    this.#ports.tell(turn, this.#started(now));
    return {
      onText: (delta) => {
        if (this.#now !== now) return;
        now.pending += delta;
        if (this.#timer === undefined) this.#passOn();
      },
      end: () => {
        if (this.#now !== now) return;
        this.#flush();
        this.#now = undefined;
      },
    };
  }

  /** What somebody who comes now has missed of the step. */
  soFar(turn: number | undefined): readonly LiveEvent[] {
    const now = this.#now;
    if (now === undefined || (turn !== undefined && turn !== now.turn)) return [];
    this.#flush();
    const started = this.#started(now);
    return now.text === "" ? [started] : [started, this.#delta(now, now.text)];
  }

  #passOn(): void {
    const now = this.#now;
    this.#timer = undefined;
    if (now === undefined || now.pending === "") return;
    this.#flush();
    this.#timer = setTimeout(() => this.#passOn(), DELTA_INTERVAL_MS);
  }

  #flush(): void {
    const now = this.#now;
    // No timer outlives its call: it would keep a parked object in memory (I11).
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
    if (now === undefined || now.pending === "") return;
    const { pending } = now;
    now.text += pending;
    now.pending = "";
    this.#ports.tell(now.turn, this.#delta(now, pending));
  }

  #started(now: UnderWay): LiveEvent {
    return { type: "step.started", ...this.#place(now) };
  }

  #delta(now: UnderWay, text: string): LiveEvent {
    return { type: "text.delta", ...this.#place(now), text };
  }

  #place({ turn, step }: UnderWay) {
    const { key } = this.#ports;
    return {
      sessionId: formatSessionId(key),
      turnId: formatId("turn", key, turn),
      at: new Date(this.#ports.now()).toISOString(),
      step,
    };
  }
}
