/**
 * Owns: the check of triggers as their author writes them down, in words that name the option.
 */

import * as z from "zod";
import { issuesOf } from "./core/issue.ts";
import { DEFAULT_WORKSPACE, workspaceSchema } from "./core/key.ts";
import type { Trigger, TriggerOptions } from "./inbound/trigger.ts";
import type { WebhookVerifier } from "./inbound/webhook-signatures.ts";

/** By the name in the path: `POST /v1/hooks/{name}`. */
export type TriggersByName = Readonly<Record<string, TriggerOptions>>;

const aFunction = z.custom<(...args: never[]) => unknown>(
  (value) => typeof value === "function",
  "must be a function",
);

const triggerSchema = z.strictObject({
  verify: z.custom<WebhookVerifier>(
    isVerifier,
    'must be standardWebhooks("NAME"), githubSignature("NAME"), slackSignature("NAME") or a verifier of your own',
  ),
  workspace: workspaceSchema.default(DEFAULT_WORKSPACE),
  agent: z.string().min(1).optional(),
  session: aFunction.optional(),
  input: aFunction,
});

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Throws a TypeError. `agents` are the names to choose from, where they don't depend on the environment. */
export function checkedTriggers(
  triggers: TriggersByName,
  agents: readonly string[] | undefined,
): ReadonlyMap<string, Trigger> {
  return new Map(
    Object.entries(triggers).map(([name, options]) => {
      if (!NAME.test(name)) throw wrong("triggers", "a name must be 1 to 64 of A-Z a-z 0-9 _ -");
      return [name, checkedTrigger(`triggers.${name}`, options, agents)];
    }),
  );
}

function checkedTrigger(
  path: string,
  options: TriggerOptions,
  agents: readonly string[] | undefined,
): Trigger {
  const parsed = triggerSchema.safeParse(options);
  if (!parsed.success) {
    const [issue] = issuesOf(parsed.error);
    throw wrong(
      issue === undefined || issue.path === "" ? path : `${path}.${issue.path}`,
      issue?.message ?? "is not valid",
    );
  }
  const { agent } = options;
  if (agent !== undefined && agents !== undefined && !agents.includes(agent))
    throw wrong(`${path}.agent`, `must be one of ${agents.join(", ")}`);
  return { ...options, workspace: parsed.data.workspace };
}

function isVerifier(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { secretName, check, eventId } = value as Partial<WebhookVerifier>;
  return (
    typeof secretName === "string" && typeof check === "function" && typeof eventId === "function"
  );
}

function wrong(path: string, message: string): TypeError {
  return new TypeError(`createHarness: ${path}: ${message}`);
}
