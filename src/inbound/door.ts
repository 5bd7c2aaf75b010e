/**
 * Owns: what the HTTP surface needs of the rest of the Worker, as one interface, and what it knows of a caller.
 */

import type { Context } from "hono";
import type { ApiKey, Authority, Issuer } from "../core/key.ts";
import type { SessionKey } from "../core/ids.ts";
import type { InboxFace } from "../inbox/face.ts";
import type { Look } from "../pages/look.ts";
import type { SessionFace } from "../session/face.ts";
import type { Trigger } from "./trigger.ts";

export interface DoorConfig {
  readonly keys: readonly ApiKey[];
  /** Who speaks for people. */
  readonly issuers: readonly Issuer[];
  /** Whose pages may call from a browser. */
  readonly corsOrigins: readonly string[];
  readonly linkSecret?: string;
  readonly publicUrl?: string;
  readonly webhookSecret?: string;
  readonly development: boolean;
}

export interface Door {
  /** Throws where the configuration can't be read. */
  readonly config: (env: object) => DoorConfig;
  readonly openSession: (env: object, workspace: string, key: SessionKey) => SessionFace;
  /** The workspace's list over all its sessions; undefined where none is bound. */
  readonly openInbox: (env: object, workspace: string, shards?: number) => InboxFace | undefined;
  /** Whether a caller may call now, where a rate is configured. */
  readonly mayCall: (env: object, caller: string) => Promise<boolean>;
  /** The agent of a request that names none. */
  readonly defaultAgent: (env: object) => string;
  /** The size that a turn's `extraBody` may have. */
  readonly extraBodyBytes: (env: object, agent: string) => number;
  /** Digest of the input schema that an agent's tool has now; undefined where it is not there. */
  readonly schemaDigest: (env: object, agent: string, tool: string) => Promise<string | undefined>;
  /** Where an agent's questions reach a recipient in Slack: a channel's or a user's id. */
  readonly slackAddress: (
    env: object,
    agent: string | undefined,
    recipient: string,
  ) => string | undefined;
  /** The triggers by their names. */
  readonly triggers: ReadonlyMap<string, Trigger>;
  /** How pages speak and look, as far as the author chose it. */
  readonly look: Partial<Look>;
  readonly now: () => number;
  readonly report: (defect: unknown, requestId: string) => void;
  /** One line for whoever reads the logs; it is made where they are wanted. */
  readonly log: (env: object, line: () => object) => void;
}

/** Hono's types for our requests: the bindings, and what the first middlewares found out. */
export interface Caller {
  Bindings: object;
  Variables: { requestId: string; key: Authority };
}

export type CallerContext = Context<Caller>;

/** Where links point; undefined where no public address is configured and the caller used none. */
export function linkOrigin(context: CallerContext, config: DoorConfig): string | undefined {
  return context.get("key").isBound === true ? config.publicUrl : publicOrigin(context, config);
}

/** The configured public address, else the one that the caller used. */
export function publicOrigin(context: CallerContext, config: DoorConfig): string {
  return config.publicUrl ?? new URL(context.req.url).origin;
}
