/**
 * Owns: what a system must do to be measured, as one interface: the cycle of a turn that asks a person, parks, is answered
 * and is read when it is done.
 */

import type { ServerProcess } from "./workerd.ts";

export interface Target extends ServerProcess {
  readonly name: string;
  /** What a cycle of it does that another's does not, and the other way round. */
  readonly differences: string;
  /** Where its databases are. */
  readonly data: string;
  /** One turn: from its start until the question is there to be answered. */
  start(session: string): Promise<Parked>;
  /** The answer, and the reading of what came of it. Resolves once the caller has seen that the turn is done. */
  finish(parked: Parked): Promise<void>;
}

/** A turn that waits: whatever its system needs to be told the answer. */
export interface Parked {
  readonly session: string;
  readonly turn: string;
  readonly question: string;
}
