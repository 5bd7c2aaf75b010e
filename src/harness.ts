/**
 * Owns: createHarness: it checks an author's options once, in words that name the option, and binds the agents to the
 * Durable Object and the Worker.
 */

import { env as bindings } from "cloudflare:workers";
import type { Agent } from "./agent/agent.ts";
import { EXTRA_BODY_BYTES } from "./core/limits.ts";
import type { LinkOf } from "./core/turn-view.ts";
import { MAIL_CHANNEL } from "./core/channel.ts";
import { parseId, type SessionKey } from "./core/ids.ts";
import { personNamed } from "./core/recipients.ts";
import { createEntrypoint, type EntrypointClass } from "./entrypoint.ts";
import { type HoldpointEnv, placementOf, readConfig, wantsLogs, workspacesOf } from "./env.ts";
import { type InboxFace, openInbox } from "./inbox/face.ts";
import { InboxObject } from "./inbox/inbox.ts";
import { toolboxOf } from "./agent/tools.ts";
import { createApp } from "./inbound/app.ts";
import type { Door } from "./inbound/door.ts";
import { wakeOverdue } from "./inbound/watchdog.ts";
import { DEFAULT_WORKSPACE } from "./core/key.ts";
import type { Reach } from "./library/target.ts";
import type { Trigger } from "./inbound/trigger.ts";
import { agentNames, agentsByEnvironment, defaultAgentOf, type HarnessOptions } from "./options.ts";
import { createMailHandler } from "./inbound/email.ts";
import { lookOf } from "./look-options.ts";
import { mailByEnvironment, mailDoorOf } from "./mail-options.ts";
import { answerUrl } from "./outbound/sign.ts";
import { openSession, type SessionFace } from "./session/face.ts";
import type { SessionDefinition } from "./session/engine.ts";
import { SessionObject } from "./session/session.ts";
import { checkedTriggers } from "./triggers.ts";

/** What the engine takes from outside, and a test may replace: the clock, chance, and who is told of commits. */
export type HarnessPorts = Partial<Omit<SessionDefinition, "agents">>;

/** What a Worker exports. Each class is extended by name, since a destructured one loses the types of its stubs. */
export interface Harness {
  /** `export class Session extends harness.Session {}`, bound as `SESSION`. */
  readonly Session: new (state: DurableObjectState, env: unknown) => SessionObject;
  /** `export class Inbox extends harness.Inbox {}`, bound as `INBOX`. */
  readonly Inbox: typeof InboxObject;
  /** `export class HoldpointEntrypoint extends harness.Entrypoint {}`, for other Workers' service bindings. */
  readonly Entrypoint: EntrypointClass;
  /** `export default harness.worker`. */
  readonly worker: {
    fetch(request: Request, env: object, context: ExecutionContext): Response | Promise<Response>;
    /** Takes a mail: an answer to a question, or the start of a turn. */
    email(message: ForwardableEmailMessage, env: object): Promise<void>;
    /** The watchdog, for a cron trigger. */
    scheduled(event: ScheduledController, env: object, context: ExecutionContext): void;
  };
  /** What the functions that take a harness use of it. */
  readonly reach: Reach;
}

/** Throws a TypeError that names each option that is wrong. */
export function createHarness(options: HarnessOptions, ports: HarnessPorts = {}): Harness {
  const agentsOf = agentsByEnvironment(options);
  const triggers = checkedTriggers(options.triggers ?? {}, agentNames(options));
  const definition: SessionDefinition = {
    agents: (env) => agentsOf(env as object),
    now: () => Date.now(),
    random: () => Math.random(),
    inbox: (env, workspace) => {
      const inbox = inboxOf(env as HoldpointEnv, workspace);
      return inbox === undefined ? undefined : (report) => inbox.tell(report);
    },
    openSession: (env, workspace, key) => sessionOf(env as HoldpointEnv, workspace, key),
    defaultAgent: (env) => defaultAgentOf(agentsOf(env as object)),
    answerUrl: (env, workspace, question, origin) =>
      answerUrlOf(env as object, workspace, question, origin),
    surroundings: (env) => readConfig(env as object),
    look: lookOf(options),
    report: logDefect,
    log: (env, line) => {
      if (wantsLogs(env as object)) console.log(JSON.stringify(line()));
    },
    ...ports,
  };
  class Session extends SessionObject {
    constructor(state: DurableObjectState, env: unknown) {
      super(state, env, definition);
    }
  }
  class Inbox extends InboxObject {}
  const door = doorOf(agentsOf, triggers, definition);
  const app = createApp(door);
  const takeMail = createMailHandler({
    ...door,
    ...mailDoorOf(
      mailByEnvironment(options.mail, agentsOf),
      agentsOf,
      workspacesOf,
      definition.defaultAgent,
    ),
    config: readConfig,
    bounced: async (env, { workspace, requestId, recipient, reason }) => {
      const id = parseId("q", requestId);
      if (id === undefined) return;
      const session = door.openSession(env, workspace, id.key);
      await session.noteBounce(id.n, { channel: MAIL_CHANNEL, recipient, reason });
    },
    report: (defect) => definition.report(defect),
  });
  const worker = {
    fetch: (request: Request, env: object, context: ExecutionContext) =>
      app.fetch(request, env, context),
    scheduled: (_event: ScheduledController, env: object, context: ExecutionContext) =>
      context.waitUntil(watch(door, env)),
    email: (message: ForwardableEmailMessage, env: object) => takeMail(message, env),
  };
  const reach: Reach = {
    openSession: (workspace, key) => sessionOf(bindings as unknown as HoldpointEnv, workspace, key),
    openInbox: (workspace) => inboxOf(bindings as unknown as HoldpointEnv, workspace),
    resumesManually: () =>
      [...agentsOf(bindings).values()].some((agent) => agent.humanInput?.resumesManually === true),
    defaultAgent: () => defaultAgentOf(agentsOf(bindings)),
    linkOf: (workspace) => (question) => answerUrlOf(bindings, workspace, question, undefined),
  };
  const Entrypoint = createEntrypoint(worker.fetch);
  return { Session, Inbox, Entrypoint, worker, reach };
}

/** Looks for what is overdue in every workspace that the Worker knows of. */
async function watch(door: Door, env: object): Promise<void> {
  const ofTriggers = Array.from(door.triggers.values(), ({ workspace }) => workspace);
  const workspaces = new Set([...workspacesOf(env), ...ofTriggers]);
  for (const workspace of workspaces.add(DEFAULT_WORKSPACE)) {
    const overdue = await wakeOverdue(door, env, workspace);
    if (overdue.length > 0)
      console.warn(
        JSON.stringify({ event: "holdpoint.overdue", workspace, sessions: overdue.length }),
      );
  }
}

/** The one way to a session: every door, and a session that reaches a sibling, look where its workspace is placed. */
function sessionOf(env: HoldpointEnv, workspace: string, key: SessionKey): SessionFace {
  return openSession(env.SESSION, workspace, key, placementOf(env, workspace));
}

/** The workspace's inbox, where one is bound. */
function inboxOf(
  env: HoldpointEnv,
  workspace: string,
  shards: number | undefined = undefined,
): InboxFace | undefined {
  if (env.INBOX === undefined) return undefined;
  const number = shards ?? readConfig(env).inboxShards;
  return openInbox(env.INBOX, workspace, number, placementOf(env, workspace));
}

/** The link of a question that leaves without a request: where the Worker is reached is configured, or was noted. */
function answerUrlOf(
  env: object,
  workspace: string,
  question: Parameters<LinkOf>[0],
  origin: string | undefined,
): ReturnType<LinkOf> {
  const { linkSecret, publicUrl = origin } = readConfig(env);
  if (linkSecret === undefined || publicUrl === undefined) return Promise.resolve(undefined);
  return answerUrl(linkSecret, publicUrl, workspace, question);
}

function doorOf(
  agentsOf: (env: object) => ReadonlyMap<string, Agent>,
  triggers: ReadonlyMap<string, Trigger>,
  definition: SessionDefinition,
): Door {
  return {
    config: readConfig,
    openSession: (env, workspace, key) => sessionOf(env as HoldpointEnv, workspace, key),
    openInbox: (env, workspace, shards) => inboxOf(env as HoldpointEnv, workspace, shards),
    mayCall: async (env, key) => {
      const outcome = await (env as HoldpointEnv).RATE_LIMIT?.limit({ key });
      return outcome?.success ?? true;
    },
    defaultAgent: (env) => defaultAgentOf(agentsOf(env)),
    extraBodyBytes: (env, agent) => agentsOf(env).get(agent)?.extraBodyBytes ?? EXTRA_BODY_BYTES,
    schemaDigest: async (env, name, tool) => {
      const agent = agentsOf(env).get(name);
      return agent === undefined
        ? undefined
        : (await toolboxOf(agent, true)).get(tool)?.schemaDigest;
    },
    slackAddress: (env, agent, recipient) => {
      const { reach } = agentsOf(env).get(agent ?? definition.defaultAgent(env))?.humanInput ?? {};
      return reach === undefined ? undefined : personNamed(reach.directory, recipient).slack;
    },
    triggers,
    look: definition.look,
    now: definition.now,
    report: definition.report,
    log: definition.log,
  };
}

/** A defect goes to the log with its stack, and never to a caller. */
function logDefect(defect: unknown, requestId?: string): void {
  const error = defect instanceof Error ? (defect.stack ?? defect.message) : String(defect);
  console.error(JSON.stringify({ event: "holdpoint.defect", requestId, error }));
}
