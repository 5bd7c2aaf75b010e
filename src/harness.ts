/**
 * Owns: createHarness: it checks an author's options once, in words that name the option, and binds the agents to the
 * Durable Object and the Worker.
 */

import { env as bindings } from "cloudflare:workers";
import { z } from "zod";
import type { Agent, AnyTool, ApprovalRule, ToolRule } from "./agent/agent.ts";
import type { ModelSource } from "./agent/model-context.ts";
import { issuesOf } from "./core/issue.ts";
import {
  ATTEMPTS_DEFAULT,
  EXTRA_BODY_BYTES,
  MODEL_TIMEOUT_MS,
  RECIPIENT_NAME_CHARACTERS,
  RETRY_DELAY_MS,
  STEPS_DEFAULT,
} from "./core/limits.ts";
import { type HoldpointEnv, readConfig } from "./env.ts";
import { type InboxFace, openInbox } from "./inbox/face.ts";
import { InboxObject } from "./inbox/inbox.ts";
import { createApp } from "./inbound/app.ts";
import type { Door } from "./inbound/door.ts";
import type { Reach } from "./library/target.ts";
import { openSession } from "./session/face.ts";
import type { SessionDefinition } from "./session/engine.ts";
import { SessionObject } from "./session/session.ts";

/** The options of one agent, as its author writes them down. */
export interface AgentOptions {
  /** A model of the AI SDK, or a function that gives one for a turn. */
  readonly model: ModelSource;
  readonly system: string;
  /** AI SDK tools. One without `execute` is a client tool: the caller runs it. */
  readonly tools?: Readonly<Record<string, AnyTool>>;
  readonly toolRules?: Readonly<Record<string, ToolRule>>;
  readonly approvals?: Readonly<Record<string, ApprovalRule>>;
  /** `true`, or what differs from it: gives the model `ask_person` and the task tools, and tools `ask`. */
  readonly humanInput?:
    | boolean
    | { readonly tool?: boolean; readonly recipients?: readonly string[] };
  /** Gives the model `ask_user_question`. */
  readonly userQuestions?: boolean;
  /** Model calls of one turn over all its runs. */
  readonly maxSteps?: number;
  /** Input and output tokens of one turn over all its runs. */
  readonly maxTokens?: number;
  readonly modelTimeoutMs?: number;
  readonly retryDelayMs?: number;
  readonly maxAttempts?: number;
  /** The size that a turn's `extraBody` may have, in bytes of JSON. */
  readonly extraBodyBytes?: number;
}

/** One agent, flat; or several by name, which may depend on the Worker's environment. */
export type HarnessOptions =
  | AgentOptions
  | { readonly agents: AgentsByName | ((env: Readonly<Record<string, unknown>>) => AgentsByName) };

export type AgentsByName = Readonly<Record<string, AgentOptions>>;

/** What the engine takes from outside, and a test may replace: the clock, chance, and who is told of commits. */
export type HarnessPorts = Partial<Omit<SessionDefinition, "agents">>;

/** Options of one agent, for `agents`. It only gives them their type. */
export function defineAgent(options: AgentOptions): AgentOptions {
  return options;
}

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
    report: logDefect,
    ...ports,
  };
  class Session extends SessionObject {
    constructor(state: DurableObjectState, env: unknown) {
      super(state, env, definition);
    }
  }
  class Inbox extends InboxObject {}
  const app = createApp(doorOf(agentsOf, definition));
  const worker = {
    fetch: (request: Request, env: object, context: ExecutionContext) =>
      app.fetch(request, env, context),
  };
  const reach: Reach = {
    openSession: (workspace, key) =>
      openSession((bindings as unknown as HoldpointEnv).SESSION, workspace, key),
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

function doorOf(
  agentsOf: (env: object) => ReadonlyMap<string, Agent>,
  definition: SessionDefinition,
): Door {
  return {
    config: readConfig,
    openSession: (env, workspace, key) =>
      openSession((env as HoldpointEnv).SESSION, workspace, key),
    openInbox: (env, workspace, shards) => inboxOf(env as HoldpointEnv, workspace, shards),
    defaultAgent: (env) => defaultAgentOf(agentsOf(env)),
    extraBodyBytes: (env, agent) => agentsOf(env).get(agent)?.extraBodyBytes ?? EXTRA_BODY_BYTES,
    now: definition.now,
    report: definition.report,
  };
}

const DEFAULT_AGENT = "default";

/** The agent of a turn that names none: the one called "default", else the first. */
function defaultAgentOf(agents: ReadonlyMap<string, Agent>): string {
  const [first = DEFAULT_AGENT] = agents.keys();
  return agents.has(DEFAULT_AGENT) ? DEFAULT_AGENT : first;
}

function agentsByEnvironment(options: HarnessOptions): (env: object) => ReadonlyMap<string, Agent> {
  if (!("agents" in options)) {
    const agents = checkedAgents({ [DEFAULT_AGENT]: options }, "");
    return () => agents;
  }
  const { agents } = options;
  if (typeof agents !== "function") {
    const checked = checkedAgents(agents, "agents.");
    return () => checked;
  }
  const byEnvironment = new WeakMap<object, ReadonlyMap<string, Agent>>();
  return (env) => {
    const known =
      byEnvironment.get(env) ??
      checkedAgents(agents(env as Readonly<Record<string, unknown>>), "agents.");
    byEnvironment.set(env, known);
    return known;
  };
}

function checkedAgents(agents: AgentsByName, path: string): ReadonlyMap<string, Agent> {
  const entries = Object.entries(agents);
  if (entries.length === 0)
    throw new TypeError("createHarness: agents must name at least one agent");
  return new Map(
    entries.map(([name, options]) => [
      name,
      checkedAgent(name, options, path === "" ? "" : `${path}${name}.`),
    ]),
  );
}

const isFunction = z.custom<(...args: never[]) => unknown>(
  (value) => typeof value === "function",
  "must be a function",
);
const anObject = z.custom<object>(
  (value) => typeof value === "object" && value !== null,
  "must be an object",
);
const positive = z.int().min(1);

const agentOptionsSchema = z.strictObject({
  model: z.union(
    [isFunction, anObject],
    "must be a model of the AI SDK, or a function that gives one",
  ),
  system: z.string().min(1),
  tools: z.record(z.string(), anObject).default({}),
  toolRules: z
    .record(
      z.string(),
      z.strictObject({
        effect: z.literal(false).optional(),
        interrupted: z.enum(["report", "retry"]).optional(),
        background: z.literal(true).optional(),
        timeoutMs: positive.optional(),
        editable: z.boolean().optional(),
      }),
    )
    .default({}),
  approvals: z.record(z.string(), z.union([z.enum(["always", "never"]), isFunction])).default({}),
  humanInput: z
    .union([
      z.boolean(),
      z.strictObject({
        tool: z.boolean().optional(),
        recipients: z.array(z.string().min(1).max(RECIPIENT_NAME_CHARACTERS)).optional(),
      }),
    ])
    .default(false),
  userQuestions: z.boolean().default(false),
  maxSteps: positive.default(STEPS_DEFAULT),
  maxTokens: positive.optional(),
  modelTimeoutMs: positive.default(MODEL_TIMEOUT_MS),
  retryDelayMs: positive.default(RETRY_DELAY_MS),
  maxAttempts: positive.default(ATTEMPTS_DEFAULT),
  extraBodyBytes: positive.default(EXTRA_BODY_BYTES),
});

function checkedAgent(name: string, options: AgentOptions, path: string): Agent {
  const parsed = agentOptionsSchema.safeParse(options);
  if (!parsed.success)
    throw new TypeError(
      `createHarness: ${issuesOf(parsed.error)
        .map((issue) => `${path}${issue.path}: ${issue.message}`)
        .join("; ")}`,
    );
  const {
    humanInput,
    tools: _tools,
    approvals: _approvals,
    model: _model,
    maxTokens,
    ...numbers
  } = parsed.data;
  const { tools = {}, approvals = {}, model } = options;
  for (const option of ["toolRules", "approvals"] as const)
    for (const tool of Object.keys(options[option] ?? {}))
      if (tools[tool] === undefined)
        throw new TypeError(`createHarness: ${path}${option}.${tool}: there is no such tool`);
  for (const tool of Object.keys(approvals))
    if (tools[tool]?.execute === undefined)
      throw new TypeError(
        `createHarness: ${path}approvals.${tool}: the caller runs this tool, so the caller decides`,
      );
  return {
    ...numbers,
    name,
    model,
    tools,
    approvals,
    toolRules: options.toolRules ?? {},
    ...(maxTokens !== undefined && { maxTokens }),
    ...(humanInput !== false && {
      humanInput: {
        askPerson: humanInput === true || humanInput.tool !== false,
        recipients: humanInput === true ? [] : (humanInput.recipients ?? []),
      },
    }),
  };
}

/** A defect goes to the log with its stack, and never to a caller. */
function logDefect(defect: unknown, requestId?: string): void {
  const error = defect instanceof Error ? (defect.stack ?? defect.message) : String(defect);
  console.error(JSON.stringify({ event: "holdpoint.defect", requestId, error }));
}
