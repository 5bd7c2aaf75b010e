/**
 * Owns: what a transition must know of the agents. It is asked for by name, since a transition outlives no configuration.
 */

import type { Reach } from "../core/recipients.ts";
import type { KeptFor } from "../core/retention.ts";

/** An agent of undefined is that of questions which no turn asked. */
export interface AgentNotes {
  /** How an agent's questions reach people. */
  readonly reach: (agent: string | undefined) => Reach;
  readonly system: (agent: string) => string | undefined;
  /** Whether the agent's parked turns go on only when they are told to. */
  readonly resumesManually: (agent: string) => boolean;
  /** Whether somebody wants to know how the agent's turns end. */
  readonly wantsResult: (agent: string) => boolean;
  /** How long what the agent settled is kept. */
  readonly keptFor: KeptFor;
}
