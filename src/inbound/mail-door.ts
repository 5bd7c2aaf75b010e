/**
 * Owns: what the mail handler needs of the rest of the Worker, as one interface.
 */

import type { Door } from "./door.ts";

/** What the handler uses of the platform's message. */
export type ArrivedMail = Pick<
  ForwardableEmailMessage,
  "from" | "to" | "raw" | "rawSize" | "setReject" | "reply"
>;

export interface MailConfig {
  readonly linkSecret?: string;
  readonly publicUrl?: string;
  /** Whose `Authentication-Results` are believed; without it no mail is taken. */
  readonly mailAuthservId?: string;
}

/** What a mail to an agent's own address starts. */
export interface AgentMailbox {
  readonly agent: string;
  readonly workspace: string;
}

/** A mail of ours that did not arrive. */
export interface Bounce {
  readonly workspace: string;
  readonly requestId: string;
  readonly recipient?: string;
  readonly reason: string;
}

export interface MailDoor extends Pick<Door, "openSession" | "now" | "look"> {
  /** Throws where the configuration can't be read. */
  readonly config: (env: object) => MailConfig;
  /** All workspaces in which a question can have been mailed. */
  readonly workspaces: (env: object) => readonly string[];
  readonly agents: (env: object) => readonly string[];
  /** The mail addresses of those whom an agent's questions reach, by name; under "" whom they reach that name nobody. */
  readonly recipients: (env: object, agent: string | undefined) => ReadonlyMap<string, string>;
  readonly mailbox: (env: object, address: string) => AgentMailbox | undefined;
  /** Marks the delivery as failed, where the engine can. */
  readonly bounced?: (env: object, bounce: Bounce) => Promise<void>;
  readonly report: (defect: unknown) => void;
}
