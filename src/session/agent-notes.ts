/**
 * Owns: what a transition must know of the agents. It is asked for by name, since a transition outlives no configuration.
 */

import type { KeptFor } from "../core/retention.ts";

/** An agent of undefined is that of questions which no turn asked. */
export interface AgentNotes {
  /** The channels by which an agent's questions are brought to people. */
  readonly channels: (agent: string | undefined) => readonly string[];
  readonly system: (agent: string) => string | undefined;
  /** Whether the agent's parked turns go on only when they are told to. */
  readonly resumesManually: (agent: string) => boolean;
  /** Whether somebody wants to know how the agent's turns end. */
  readonly wantsResult: (agent: string) => boolean;
  /** How long what the agent settled is kept. */
  readonly keptFor: KeptFor;
}
