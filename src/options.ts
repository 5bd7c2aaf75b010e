/**
 * Owns: the options of agents as their author writes them down, and their check, in words that name the option.
 */

import { z } from "zod";
import type { Agent, AnyTool, ApprovalRule, Deliver, OnResult, ToolRule } from "./agent/agent.ts";
import type { ModelSource } from "./agent/model-context.ts";
import type { Channel, Recipient } from "./core/channel.ts";
import { issuesOf } from "./core/issue.ts";
import {
  ATTEMPTS_DEFAULT,
  EXTRA_BODY_BYTES,
  MODEL_TIMEOUT_MS,
  RECIPIENT_NAME_CHARACTERS,
  RETRY_DELAY_MS,
  STEPS_DEFAULT,
} from "./core/limits.ts";
import type { Directory } from "./core/recipients.ts";
import type { MailOption } from "./mail-options.ts";

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
  readonly humanInput?: boolean | HumanInputOptions;
  /** Called for each settled turn: at least once, and once where nothing crashes. */
  readonly onResult?: OnResult;
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

export interface HumanInputOptions {
  /** `false` removes `ask_person` alone: the agent's tools may still ask, and the task tools stay. */
  readonly tool?: boolean;
  /** The names that `to` of a question may have, with addresses that no model sees. */
  readonly recipients?: readonly string[] | Readonly<Record<string, Omit<Recipient, "name">>>;
  /** The ways by which questions reach people. */
  readonly channels?: readonly Channel[];
  /** Your own delivery of a question. Called until it returns: five tries, then its delivery shows as failed. */
  readonly deliver?: Deliver;
  /** `manual`: parked turns go on only when `resumeParked` is called. */
  readonly resume?: "auto" | "manual";
}

/** One agent, flat; or several by name, which may depend on the Worker's environment. */
export type HarnessOptions = (
  | AgentOptions
  | { readonly agents: AgentsByName | ((env: Readonly<Record<string, unknown>>) => AgentsByName) }
) & {
  /** What mails may do beside answering: start turns. */
  readonly mail?: MailOption;
};

export type AgentsByName = Readonly<Record<string, AgentOptions>>;

/** Options of one agent, for `agents`. It only gives them their type. */
export function defineAgent(options: AgentOptions): AgentOptions {
  return options;
}

const DEFAULT_AGENT = "default";

/** The agent of a turn that names none: the one called "default", else the first. */
export function defaultAgentOf(agents: ReadonlyMap<string, Agent>): string {
  const [first = DEFAULT_AGENT] = agents.keys();
  return agents.has(DEFAULT_AGENT) ? DEFAULT_AGENT : first;
}

export function agentsByEnvironment(
  options: HarnessOptions,
): (env: object) => ReadonlyMap<string, Agent> {
  if (!("agents" in options)) {
    const { mail: _mail, ...agent } = options;
    const agents = checkedAgents({ [DEFAULT_AGENT]: agent }, "");
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
const recipientName = z.string().min(1).max(RECIPIENT_NAME_CHARACTERS);

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
        deliver: isFunction.optional(),
        resume: z.enum(["auto", "manual"]).optional(),
        recipients: z
          .union([
            z.array(recipientName),
            z.record(
              recipientName,
              z.strictObject({
                email: z.email().optional(),
                slack: z.string().min(1).optional(),
                webhook: z.url().optional(),
              }),
            ),
          ])
          .optional(),
        channels: z.array(anObject).optional(),
      }),
    ])
    .default(false),
  onResult: isFunction.optional(),
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
    onResult: _onResult,
    maxTokens,
    ...numbers
  } = parsed.data;
  const { tools = {}, approvals = {}, model } = options;
  const written = typeof options.humanInput === "object" ? options.humanInput : {};
  const { deliver, channels = [], recipients = [] } = written;
  const directory: Directory = Array.isArray(recipients)
    ? new Map(recipients.map((recipient: string) => [recipient, [{ name: recipient }]]))
    : new Map(
        Object.entries(recipients).map(([recipient, addresses]) => [
          recipient,
          [{ name: recipient, ...addresses }],
        ]),
      );
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
    ...(options.onResult !== undefined && { onResult: options.onResult }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(humanInput !== false && {
      humanInput: {
        askPerson: humanInput === true || humanInput.tool !== false,
        recipients: [...directory.keys()],
        reach: { channels, directory },
        resumesManually: humanInput !== true && humanInput.resume === "manual",
        ...(deliver !== undefined && { deliver }),
      },
    }),
  };
}
