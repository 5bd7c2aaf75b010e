/**
 * Owns: createHarness: it checks an author's options once, in words that name the option, and binds the agents to the
 * Durable Object and the Worker.
 */

import { env as bindings } from "cloudflare:workers";
import type { Agent } from "./agent/agent.ts";
import { EXTRA_BODY_BYTES } from "./core/limits.ts";
import type { Question } from "./core/question.ts";
import { type HoldpointEnv, readConfig } from "./env.ts";
import { type InboxFace, openInbox } from "./inbox/face.ts";
import { InboxObject } from "./inbox/inbox.ts";
import { createApp } from "./inbound/app.ts";
import type { Door } from "./inbound/door.ts";
import type { Reach } from "./library/target.ts";
import { agentsByEnvironment, defaultAgentOf, type HarnessOptions, lookOf } from "./options.ts";
import { answerUrl } from "./outbound/sign.ts";
import { openSession } from "./session/face.ts";
import type { SessionDefinition } from "./session/engine.ts";
import { SessionObject } from "./session/session.ts";

/** What the engine takes from outside, and a test may replace: the clock, chance, and who is told of commits. */
export type HarnessPorts = Partial<Omit<SessionDefinition, "agents">>;

/** Throws a TypeError that names each option that is wrong. */
export function createHarness(options: HarnessOptions, ports: HarnessPorts = {}) {
  const agentsOf = agentsByEnvironment(options);
  const definition: SessionDefinition = {
    agents: (env) => agentsOf(env as object),
    now: () => Date.now(),
    random: () => Math.random(),
    inbox: (env, workspace) => {
      const inbox = inboxOf(env as HoldpointEnv, workspace);
      return inbox === undefined ? undefined : (report) => inbox.tell(report);
    },
    defaultAgent: (env) => defaultAgentOf(agentsOf(env as object)),
    answerUrl: (env, workspace, question) => answerUrlOf(env as object, workspace, question),
    report: logDefect,
    ...ports,
  };
  class Session extends SessionObject {
    constructor(state: DurableObjectState, env: unknown) {
      super(state, env, definition);
    }
  }
  class Inbox extends InboxObject {}
  const app = createApp(doorOf(agentsOf, definition, lookOf(options)));
  const worker = {
    fetch: (request: Request, env: object, context: ExecutionContext) =>
      app.fetch(request, env, context),
  };
  const reach: Reach = {
    openSession: (workspace, key) =>
      openSession((bindings as unknown as HoldpointEnv).SESSION, workspace, key),
    openInbox: (workspace) => inboxOf(bindings as unknown as HoldpointEnv, workspace),
    resumesManually: () =>
      [...agentsOf(bindings).values()].some((agent) => agent.humanInput?.resumesManually === true),
    defaultAgent: () => defaultAgentOf(agentsOf(bindings)),
  };
  return { Session, Inbox, worker, reach };
}

/** The workspace's inbox, where one is bound. */
function inboxOf(
  env: HoldpointEnv,
  workspace: string,
  shards: number | undefined = undefined,
): InboxFace | undefined {
  return env.INBOX === undefined
    ? undefined
    : openInbox(env.INBOX, workspace, shards ?? readConfig(env).inboxShards);
}

/** The link of a question that leaves without a request: it needs to be told where the Worker is reached. */
function answerUrlOf(
  env: object,
  workspace: string,
  question: Question,
): Promise<string | undefined> {
  const { linkSecret, publicUrl } = readConfig(env);
  if (linkSecret === undefined || publicUrl === undefined) return Promise.resolve(undefined);
  return answerUrl(linkSecret, publicUrl, workspace, question);
}

function doorOf(
  agentsOf: (env: object) => ReadonlyMap<string, Agent>,
  definition: SessionDefinition,
  look: Door["look"],
): Door {
  return {
    config: readConfig,
    openSession: (env, workspace, key) =>
      openSession((env as HoldpointEnv).SESSION, workspace, key),
    openInbox: (env, workspace, shards) => inboxOf(env as HoldpointEnv, workspace, shards),
    defaultAgent: (env) => defaultAgentOf(agentsOf(env)),
    extraBodyBytes: (env, agent) => agentsOf(env).get(agent)?.extraBodyBytes ?? EXTRA_BODY_BYTES,
    look,
    now: definition.now,
    report: definition.report,
  };
}

/** A defect goes to the log with its stack, and never to a caller. */
function logDefect(defect: unknown, requestId?: string): void {
  const error = defect instanceof Error ? (defect.stack ?? defect.message) : String(defect);
  console.error(JSON.stringify({ event: "holdpoint.defect", requestId, error }));
}
