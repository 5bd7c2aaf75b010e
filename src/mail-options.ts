/**
 * Owns: the option `mail`: which addresses start a turn, of which agent and in which workspace; and what the mail handler
 * needs to know of the agents. Does not own: the email channel of an agent (`outbound/email.ts`).
 */

import * as z from "zod";
import type { Agent } from "./agent/agent.ts";
import { formatPath, issuesBelow, issuesOf } from "./core/issue.ts";
import { DEFAULT_WORKSPACE, workspaceSchema } from "./core/key.ts";
import { type AgentAddresses, agentAddressesSchema } from "./core/mailbox.ts";
import type { AgentMailbox, MailDoor } from "./inbound/mail-door.ts";
import { defaultRecipientOf } from "./outbound/email.ts";

export interface MailOptions {
  /** By address: the agent a turn of which a mail to it starts, in `workspace`, or in `default`. */
  readonly agents?: AgentAddresses;
  /** Workspaces whose questions may be answered by mail, beside those of the API keys, of `agents`, and `default`. */
  readonly workspaces?: readonly string[];
}

/** As written down, or made of the Worker's environment. */
export type MailOption = MailOptions | ((env: Readonly<Record<string, unknown>>) => MailOptions);

const mailOptionsSchema = z.strictObject({
  agents: agentAddressesSchema.default({}),
  workspaces: z.array(workspaceSchema).default([]),
});

export interface CheckedMail {
  readonly mailboxes: ReadonlyMap<string, AgentMailbox>;
  readonly workspaces: readonly string[];
}

type AgentsOf = (env: object) => ReadonlyMap<string, Agent>;

/** Throws a TypeError that names the option that is wrong: at once, but for what depends on the environment. */
export function mailByEnvironment(
  option: MailOption | undefined,
  agentsOf: AgentsOf,
): (env: object) => CheckedMail {
  const written = typeof option === "function" ? undefined : parsedMail(option ?? {});
  const byEnvironment = new WeakMap<object, CheckedMail>();
  return (env) => {
    const known = byEnvironment.get(env);
    if (known !== undefined) return known;
    const parsed =
      typeof option === "function"
        ? parsedMail(option(env as Record<string, unknown>))
        : (written ?? parsedMail({}));
    const checked = checkedMail(parsed, agentsOf(env));
    byEnvironment.set(env, checked);
    return checked;
  };
}

type ParsedMail = z.output<typeof mailOptionsSchema>;

function parsedMail(options: MailOptions): ParsedMail {
  const parsed = mailOptionsSchema.safeParse(options);
  if (parsed.success) return parsed.data;
  const words = issuesBelow("mail", issuesOf(parsed.error));
  throw new TypeError(
    `createHarness: ${words.map(({ path, message }) => `${path}: ${message}`).join("; ")}`,
  );
}

function checkedMail(
  { agents: addresses, workspaces }: ParsedMail,
  agents: ReadonlyMap<string, Agent>,
): CheckedMail {
  const mailboxes = new Map<string, AgentMailbox>();
  for (const [address, mailbox] of Object.entries(addresses)) {
    if (!agents.has(mailbox.agent))
      throw new TypeError(
        `createHarness: ${formatPath(["mail", "agents", address, "agent"])}: must be one of ${[...agents.keys()].join(", ")}`,
      );
    const { agent, workspace = DEFAULT_WORKSPACE } = mailbox;
    mailboxes.set(address.toLowerCase(), { agent, workspace });
  }
  return { mailboxes, workspaces };
}

/** The part of the mail handler's door that the options decide. */
export function mailDoorOf(
  mailOf: (env: object) => CheckedMail,
  agentsOf: AgentsOf,
  keyWorkspaces: (env: object) => readonly string[],
  defaultAgent: (env: object) => string,
): Pick<MailDoor, "workspaces" | "agents" | "recipients" | "mailbox"> {
  return {
    workspaces: (env) => {
      const { mailboxes, workspaces } = mailOf(env);
      const ofMailboxes = [...mailboxes.values()].map(({ workspace }) => workspace);
      return [
        ...new Set([DEFAULT_WORKSPACE, ...keyWorkspaces(env), ...ofMailboxes, ...workspaces]),
      ];
    },
    agents: (env) => [...agentsOf(env).keys()],
    recipients: (env, agent) => mailRecipients(agentsOf(env).get(agent ?? defaultAgent(env))),
    mailbox: (env, address) => mailOf(env).mailboxes.get(address),
  };
}

function mailRecipients(agent: Agent | undefined): ReadonlyMap<string, string> {
  const recipients = new Map<string, string>();
  const { channels = [], directory = new Map() } = agent?.humanInput?.reach ?? {};
  for (const channel of channels) {
    const address = defaultRecipientOf(channel);
    if (address !== undefined) recipients.set("", address);
  }
  for (const people of directory.values())
    for (const { name, email } of people) if (email !== undefined) recipients.set(name, email);
  return recipients;
}
