/**
 * Owns: what a deployer configures, read once and checked, in words that say what to set. The one place that knows the
 * names of variables and secrets; values that are secret never stand in an error.
 */

import * as z from "zod";
import { type ApiKey, apiKeySchema } from "./core/key.ts";
import { parseWebhookSecret, WEBHOOK_SECRET_FORM } from "./core/webhook-secret.ts";
import type { InboxObject } from "./inbox/inbox.ts";
import type { SessionObject } from "./session/session.ts";

/** The bindings that Holdpoint itself needs. An app's own bindings stand beside them. */
export interface HoldpointEnv {
  readonly SESSION: DurableObjectNamespace<SessionObject>;
  /** The workspace's list over all sessions; without it, lists need a session. */
  readonly INBOX?: DurableObjectNamespace<InboxObject>;
  readonly API_KEYS?: string;
  readonly LINK_SECRET?: string;
  readonly PUBLIC_URL?: string;
  readonly WEBHOOK_SECRET?: string;
  readonly DEVELOPMENT?: string | number;
}

export interface Config {
  readonly keys: readonly ApiKey[];
  readonly linkSecret?: string;
  /** Without a trailing slash; where absent, links take the request's origin. */
  readonly publicUrl?: string;
  /** Signs callbacks and the webhook channel. */
  readonly webhookSecret?: string;
  /** True only on the machine of a developer: what is sent may go to loopback addresses there. */
  readonly development: boolean;
  /** How many objects share a workspace's inbox. */
  readonly inboxShards: number;
}

/** What is wrong with the configuration, for the deployer: variable by variable. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

const LINK_SECRET_CHARACTERS_MIN = 16;

const variablesSchema = z.object({
  API_KEYS: z.string().default("[]").transform(parsedJson).pipe(z.array(apiKeySchema)),
  LINK_SECRET: z
    .string()
    .min(LINK_SECRET_CHARACTERS_MIN, `must have at least ${LINK_SECRET_CHARACTERS_MIN} characters`)
    .optional(),
  WEBHOOK_SECRET: z
    .string()
    .refine((secret) => parseWebhookSecret(secret) !== undefined, WEBHOOK_SECRET_FORM)
    .optional(),
  DEVELOPMENT: z.literal(["1", 1], "must be 1, on the machine of a developer alone").optional(),
  INBOX_SHARDS: z.coerce.number().int().min(1).max(1_024).default(1),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ""))
    .optional(),
});

const configs = new WeakMap<object, Config>();

/** Throws a ConfigurationError that names each variable and what to mend. */
export function readConfig(env: object): Config {
  const cached = configs.get(env);
  if (cached !== undefined) return cached;
  const parsed = variablesSchema.safeParse(env);
  if (!parsed.success)
    throw new ConfigurationError(
      parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "),
    );
  const { API_KEYS, LINK_SECRET, PUBLIC_URL, WEBHOOK_SECRET, DEVELOPMENT, INBOX_SHARDS } =
    parsed.data;
  const config: Config = {
    keys: API_KEYS,
    ...(LINK_SECRET !== undefined && { linkSecret: LINK_SECRET }),
    ...(PUBLIC_URL !== undefined && { publicUrl: PUBLIC_URL }),
    ...(WEBHOOK_SECRET !== undefined && { webhookSecret: WEBHOOK_SECRET }),
    development: DEVELOPMENT !== undefined,
    inboxShards: INBOX_SHARDS,
  };
  configs.set(env, config);
  return config;
}

function parsedJson(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: "custom", message: "must be JSON: a list of keys" });
    return z.NEVER;
  }
}
