/**
 * Owns: the options of agents as their author writes them down, and their check, in words that name the option.
 */

import type { TelemetryOptions } from "ai";
import * as z from "zod";
import type {
  Agent,
  AnyTool,
  ApprovalRule,
  OnResult,
  PrepareMessages,
  ToolRule,
} from "./agent/agent.ts";
import type { ModelSource } from "./agent/model-context.ts";
import { durationSchema } from "./core/duration.ts";
import { issuesBelow, issuesOf } from "./core/issue.ts";
import { authorSchema, outputSchema } from "./core/output.ts";
import {
  ATTEMPTS_DEFAULT,
  EXTRA_BODY_BYTES,
  MODEL_TIMEOUT_MS,
  RETENTION_MS_MIN,
  RETRY_DELAY_MS,
  STEPS_DEFAULT,
} from "./core/limits.ts";
import type { Issue } from "./core/refusal.ts";
import {
  humanInputOf,
  type HumanInputOptions,
  humanInputSchema,
  issuesOfHumanInput,
} from "./human-input.ts";
import type { LookOptions } from "./look-options.ts";
import type { MailOption } from "./mail-options.ts";
import type { TriggersByName } from "./triggers.ts";

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
  /** Named shapes of input, each with what a turn that is given one ends with. Schemas are zod or JSON Schema 2020-12. */
  readonly inputTypes?: Readonly<Record<string, InputTypeOptions>>;
  readonly prepareMessages?: PrepareMessages;
  /**
   * The AI SDK's own: its integrations, such as OpenTelemetry's, are told of each model call. What was said is left out
   * unless `recordInputs` and `recordOutputs` say otherwise.
   */
  readonly telemetry?: TelemetryOptions;
  /** Erases settled turns and their questions once they are so old: a duration such as `90d`. Without it they are kept. */
  readonly retention?: { readonly settled: string };
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

export interface InputTypeOptions {
  readonly schema: unknown;
  /** What its turns end with: `output` of the turn's own start comes first. */
  readonly output?: { readonly schema: unknown };
}

/** One agent, flat; or several by name, which may depend on the Worker's environment. */
export type HarnessOptions = (
  | AgentOptions
  | { readonly agents: AgentsByName | ((env: Readonly<Record<string, unknown>>) => AgentsByName) }
) &
  LookOptions & {
    /** The events of other systems that start turns, by their names in `POST /v1/hooks/{name}`. */
    readonly triggers?: TriggersByName;
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
    const { triggers: _triggers, mail: _mail, lang: _lang, brand: _brand, ...agent } = options;
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

/** The names of the agents, where they don't depend on the environment. */
export function agentNames(options: HarnessOptions): readonly string[] | undefined {
  if (!("agents" in options)) return [DEFAULT_AGENT];
  return typeof options.agents === "function" ? undefined : Object.keys(options.agents);
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

/** Shown to the test that holds the reference to it. */
export const agentOptionsSchema = z.strictObject({
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
  humanInput: humanInputSchema.default(false),
  onResult: isFunction.optional(),
  userQuestions: z.boolean().default(false),
  inputTypes: z
    .record(
      z.string().min(1).max(64),
      z.strictObject({
        schema: authorSchema,
        output: outputSchema.optional(),
      }),
    )
    .default({}),
  prepareMessages: isFunction.optional(),
  telemetry: anObject.optional(),
  retention: z
    .strictObject({
      settled: durationSchema.refine(
        (ms) => ms >= RETENTION_MS_MIN,
        `must be at least ${RETENTION_MS_MIN} ms, an hour`,
      ),
    })
    .optional(),
  maxSteps: positive.default(STEPS_DEFAULT),
  maxTokens: positive.optional(),
  modelTimeoutMs: positive.default(MODEL_TIMEOUT_MS),
  retryDelayMs: positive.default(RETRY_DELAY_MS),
  maxAttempts: positive.default(ATTEMPTS_DEFAULT),
  extraBodyBytes: positive.default(EXTRA_BODY_BYTES),
});

function checkedAgent(name: string, options: AgentOptions, path: string): Agent {
  const parsed = agentOptionsSchema.safeParse(options);
  if (!parsed.success) throw badOptions(path, issuesOf(parsed.error));
  const {
    humanInput,
    tools: _tools,
    approvals: _approvals,
    model: _model,
    onResult: _onResult,
    prepareMessages: _prepareMessages,
    telemetry: _telemetry,
    inputTypes,
    retention,
    maxTokens,
    ...numbers
  } = parsed.data;
  const { tools = {}, approvals = {}, model } = options;
  const written = typeof options.humanInput === "object" ? options.humanInput : {};
  const reached = humanInput === false ? undefined : humanInputOf(humanInput, written);
  const needsApproval = Object.values(approvals).some((rule) => rule !== "never");
  const issues = reached === undefined ? [] : issuesOfHumanInput(reached, needsApproval);
  if (issues.length > 0) throw badOptions(path, issuesBelow("humanInput", issues));
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
    inputTypes: Object.fromEntries(
      Object.entries(inputTypes).map(([type, { schema, output }]) => [
        type,
        { schema, ...(output !== undefined && { output }) },
      ]),
    ),
    ...(options.prepareMessages !== undefined && { prepareMessages: options.prepareMessages }),
    ...(options.telemetry !== undefined && { telemetry: options.telemetry }),
    ...(options.onResult !== undefined && { onResult: options.onResult }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(retention !== undefined && { keepSettledMs: retention.settled }),
    ...(reached !== undefined && { humanInput: reached }),
  };
}

function badOptions(path: string, issues: readonly Issue[]): TypeError {
  const words = issues.map((issue) => `${path}${issue.path}: ${issue.message}`);
  return new TypeError(`createHarness: ${words.join("; ")}`);
}
