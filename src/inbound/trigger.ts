/**
 * Owns: what a trigger is: an event of another system that starts a turn. Does not own: the door at which it arrives
 * (`hooks.ts`), nor how it proves who sent it (`webhook-signatures.ts`).
 */

import type { Input } from "../core/input.ts";
import type { WebhookVerifier } from "./webhook-signatures.ts";

/** What is known of an event beside its body. */
export interface TriggerRequest {
  readonly headers: Headers;
  /** The sender's own id of the event. */
  readonly eventId: string;
}

/** A trigger, as its author writes it down. Both functions see a delivery only after its signature was found genuine. */
export interface TriggerOptions {
  readonly verify: WebhookVerifier;
  /** Whose sessions its turns are in. */
  readonly workspace?: string;
  /** Left out: the default one. */
  readonly agent?: string;
  /** The name of the session in which the turn starts, the same for the same event; without one each event has its own. */
  readonly session?: (
    body: unknown,
    request: TriggerRequest,
  ) => string | undefined | Promise<string | undefined>;
  /** What the agent is told. Undefined: the event is none for it, and nothing starts. */
  readonly input: (
    body: unknown,
    request: TriggerRequest,
  ) => Input | undefined | Promise<Input | undefined>;
}

export interface Trigger extends TriggerOptions {
  readonly workspace: string;
}
