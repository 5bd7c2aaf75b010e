/**
 * Owns: what a deployer configures, read once and checked, in words that say what to set. The one place that knows the
 * names of variables and secrets; values that are secret never stand in an error.
 */

import * as z from "zod";
import { type ApiKey, apiKeySchema, type Issuer, issuerSchema } from "./core/key.ts";
import { parseWebhookSecret, WEBHOOK_SECRET_FORM } from "./core/webhook-secret.ts";
import { type Brand, brandSchema } from "./core/brand.ts";
import { type Language, languageSchema } from "./core/language.ts";
import { MAIL_LOCAL_PART_CHARACTERS } from "./core/limits.ts";
import { type AgentAddresses, agentAddressesSchema, parseMailbox } from "./core/mailbox.ts";
import { type Placement, workspacesSchema } from "./core/placement.ts";
import { SLACK_API_URL, SLACK_CHANNEL, SLACK_TOKEN } from "./core/slack-wire.ts";
import type { InboxObject } from "./inbox/inbox.ts";
import type { SessionObject } from "./session/session.ts";

/** The bindings that Holdpoint itself needs. An app's own bindings stand beside them. */
export interface HoldpointEnv {
  readonly SESSION: DurableObjectNamespace<SessionObject>;
  /** The workspace's list over all sessions; without it, lists need a session. */
  readonly INBOX?: DurableObjectNamespace<InboxObject>;
  readonly API_KEYS?: string;
  readonly JWT_ISSUERS?: string;
  readonly CORS_ORIGINS?: string;
  readonly WORKSPACES?: string;
  readonly LOGS?: string;
  /** A binding of `[[ratelimits]]`: how often one key may call. */
  readonly RATE_LIMIT?: RateLimit;
  readonly LINK_SECRET?: string;
  readonly PUBLIC_URL?: string;
  readonly WEBHOOK_SECRET?: string;
  readonly DEVELOPMENT?: string | number;
  readonly MAIL_AUTHSERV_ID?: string;
  readonly MAIL_FROM?: string;
  readonly MAIL_TO?: string;
  readonly MAIL_REPLY_TO?: string;
  readonly MAIL_AGENTS?: string;
  readonly SLACK_BOT_TOKEN?: string;
  readonly SLACK_SIGNING_SECRET?: string;
  readonly SLACK_CHANNEL?: string;
  readonly SLACK_API_URL?: string;
}

export interface Config {
  readonly keys: readonly ApiKey[];
  /** Who speaks for people, and what those may do. */
  readonly issuers: readonly Issuer[];
  /** Whose pages may call from a browser; none, where nothing is configured. */
  readonly corsOrigins: readonly string[];
  /** Workspaces that are placed somewhere, or known by their name alone. */
  readonly workspaces: ReadonlyMap<string, Placement>;
  readonly linkSecret?: string;
  /** Without a trailing slash; where absent, links take the request's origin. */
  readonly publicUrl?: string;
  /** Signs callbacks and the webhook channel. */
  readonly webhookSecret?: string;
  /** True only on the machine of a developer: what is sent may go to loopback addresses there. */
  readonly development: boolean;
  /** How many objects share a workspace's inbox. */
  readonly inboxShards: number;
  /** The server whose `Authentication-Results` are believed; without it no mail is taken. */
  readonly mailAuthservId?: string;
  /** Where the app that ships sends its questions by mail from, and to; without the first it sends none. */
  readonly mailFrom?: string;
  readonly mailTo?: string;
  readonly mailReplyTo?: string;
  /** Agents by the address at which a mail starts a turn of theirs. */
  readonly mailAgents: AgentAddresses;
  /** By which the app that ships posts its questions in Slack, and where; without the first it posts none. */
  readonly slackBotToken?: string;
  readonly slackChannel?: string;
  /** Another Slack than slack.com: that of a government, or a stand-in for tests. */
  readonly slackApiUrl?: string;
  /** How the app that ships speaks to people, and in whose name; without them, in each reader's language and its own. */
  readonly language?: Language;
  readonly brand?: Brand;
}

/** What is wrong with the configuration, for the deployer: variable by variable. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

const LINK_SECRET_CHARACTERS_MIN = 16;

const mailbox = z
  .string()
  .refine((text) => parseMailbox(text) !== undefined, "must be name@domain, or Name <name@domain>");

const variablesSchema = z
  .object({
    API_KEYS: z
      .string()
      .default("[]")
      .transform(parsedJson("a list of keys"))
      .pipe(z.array(apiKeySchema)),
    JWT_ISSUERS: z
      .string()
      .default("[]")
      .transform(parsedJson("a list of issuers"))
      .pipe(z.array(issuerSchema)),
    CORS_ORIGINS: z
      .string()
      .default("")
      .transform((text) => text.split(/[\s,]+/).filter((origin) => origin !== ""))
      .pipe(
        z.array(
          z
            .string()
            .refine(isOrigin, "must be origins, such as https://app.example.com, without *"),
        ),
      ),
    WORKSPACES: z
      .string()
      .default("{}")
      .transform(parsedJson('such as {"acme":{"jurisdiction":"eu"}}'))
      .pipe(workspacesSchema),
    LOGS: z.literal("off", "must be off, or left out").optional(),
    LINK_SECRET: z
      .string()
      .min(
        LINK_SECRET_CHARACTERS_MIN,
        `must have at least ${LINK_SECRET_CHARACTERS_MIN} characters`,
      )
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
    MAIL_AUTHSERV_ID: z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,255}$/, "must be the name of one server, such as mx.cloudflare.net")
      .optional(),
    MAIL_FROM: mailbox.optional(),
    MAIL_TO: mailbox.optional(),
    MAIL_REPLY_TO: mailbox.optional(),
    MAIL_AGENTS: z
      .string()
      .default("{}")
      .transform(parsedJson('such as {"loans@example.com":{"agent":"loan-desk"}}'))
      .pipe(agentAddressesSchema),
    SLACK_BOT_TOKEN: z
      .string()
      .regex(SLACK_TOKEN, "must be a bot's token, such as xoxb-…")
      .optional(),
    SLACK_CHANNEL: z.string().regex(SLACK_CHANNEL, "must be a channel's id or #name").optional(),
    SLACK_API_URL: z
      .string()
      .regex(SLACK_API_URL, "must be an https:// address, without a slash at its end")
      .optional(),
    LANGUAGE: languageSchema.optional(),
    BRAND: z
      .string()
      .transform(parsedJson('such as {"name":"Acme Bank","colour":"#0b5f49"}'))
      .pipe(brandSchema)
      .optional(),
  })
  .superRefine(({ MAIL_FROM, MAIL_REPLY_TO }, context) => {
    const { address = "" } = parseMailbox(MAIL_REPLY_TO ?? MAIL_FROM ?? "") ?? {};
    if (address.indexOf("@") > MAIL_LOCAL_PART_CHARACTERS)
      context.addIssue({
        code: "custom",
        path: ["MAIL_REPLY_TO"],
        message: `must be set to an address with at most ${MAIL_LOCAL_PART_CHARACTERS} characters before the @`,
      });
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
  const { MAIL_AUTHSERV_ID, MAIL_FROM, MAIL_TO, MAIL_REPLY_TO, MAIL_AGENTS } = parsed.data;
  const { SLACK_BOT_TOKEN: token, SLACK_CHANNEL: channel, SLACK_API_URL: api } = parsed.data;
  const { LANGUAGE: language, BRAND: brand } = parsed.data;
  const config: Config = {
    keys: API_KEYS,
    issuers: parsed.data.JWT_ISSUERS,
    corsOrigins: parsed.data.CORS_ORIGINS,
    workspaces: new Map(Object.entries(parsed.data.WORKSPACES)),
    ...(LINK_SECRET !== undefined && { linkSecret: LINK_SECRET }),
    ...(PUBLIC_URL !== undefined && { publicUrl: PUBLIC_URL }),
    ...(WEBHOOK_SECRET !== undefined && { webhookSecret: WEBHOOK_SECRET }),
    development: DEVELOPMENT !== undefined,
    inboxShards: INBOX_SHARDS,
    ...(MAIL_AUTHSERV_ID !== undefined && { mailAuthservId: MAIL_AUTHSERV_ID }),
    ...(MAIL_FROM !== undefined && { mailFrom: MAIL_FROM }),
    ...(MAIL_TO !== undefined && { mailTo: MAIL_TO }),
    ...(MAIL_REPLY_TO !== undefined && { mailReplyTo: MAIL_REPLY_TO }),
    mailAgents: MAIL_AGENTS,
    ...(token !== undefined && { slackBotToken: token }),
    ...(channel !== undefined && { slackChannel: channel }),
    ...(api !== undefined && { slackApiUrl: api }),
    ...(language !== undefined && { language }),
    ...(brand !== undefined && { brand }),
  };
  configs.set(env, config);
  return config;
}

/** Every workspace that the configuration names. */
export function workspacesOf(env: object): readonly string[] {
  const { keys, issuers, workspaces } = readConfig(env);
  return [...[...keys, ...issuers].map(({ workspace }) => workspace), ...workspaces.keys()];
}

/** Whatever else is wrong with the configuration: what goes on is told. */
export function wantsLogs(env: object): boolean {
  return (env as HoldpointEnv).LOGS !== "off";
}

const ANYWHERE: Placement = {};

export function placementOf(env: object, workspace: string): Placement {
  const { workspaces, development } = readConfig(env);
  const { jurisdiction, ...hint } = workspaces.get(workspace) ?? ANYWHERE;
  // A developer's machine is in no jurisdiction: the local runtime throws where one is asked for.
  return jurisdiction === undefined || development ? hint : { ...hint, jurisdiction };
}

function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function parsedJson(what: string): (text: string, context: z.RefinementCtx) => unknown {
  return (text, context) => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: "custom", message: `must be JSON: ${what}` });
      return z.NEVER;
    }
  };
}
