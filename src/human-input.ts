/**
 * Owns: the option `humanInput` as an author writes it down, and its check: the channels by which questions reach people,
 * who those people are, and by what terms a question lives.
 */

import * as z from "zod";
import type { Agent, Deliver } from "./agent/agent.ts";
import { type Channel, NOTICE_EVENTS, type Recipient } from "./core/channel.ts";
import { asksForAnswer, CALLBACK_CHANNEL, OWN_CHANNEL } from "./core/chore.ts";
import { issueAt } from "./core/issue.ts";
import { type TermsInput, recipientNameSchema, termsShape } from "./core/life.ts";
import {
  ADDRESS_CHARACTERS,
  CHANNEL_NAME_CHARACTERS,
  DELIVERY_CHANNELS,
  GROUP_RECIPIENTS,
} from "./core/limits.ts";
import { boundedList } from "./core/list.ts";
import type { Directory } from "./core/recipients.ts";
import type { Issue } from "./core/refusal.ts";

export interface HumanInputOptions extends TermsInput {
  /** `false` removes `ask_person` alone: the agent's tools may still ask, and the task tools stay. */
  readonly tool?: boolean;
  /**
   * Who may be asked: by name, with addresses that no model sees; or a group, as a list of such names. A plain list of
   * names gives none an address.
   */
  readonly recipients?: readonly string[] | Readonly<Record<string, Addresses | readonly string[]>>;
  /** The ways by which questions reach people: `email()`, `slack()`, `webhook()`, or your own. */
  readonly channels?: readonly Channel[];
  /** Your own delivery of a question: a channel without further ado. */
  readonly deliver?: Deliver;
  /** `manual`: parked turns go on only when `resumeParked` is called. */
  readonly resume?: "auto" | "manual";
}

export type Addresses = Omit<Recipient, "name">;

const address = z.string().min(1).max(ADDRESS_CHARACTERS);
const addressesSchema = z.strictObject({
  email: z.email("must be an email address").max(ADDRESS_CHARACTERS).optional(),
  slack: address.optional(),
  webhook: z
    .url({ protocol: /^https?$/, error: "must be a URL" })
    .max(ADDRESS_CHARACTERS)
    .optional(),
});

const recipientsSchema = z
  .custom<Record<string, unknown>>(
    (map) => typeof map === "object" && map !== null,
    "must be names, or addresses by name",
  )
  // By its entries: an object schema would drop the key `__proto__` in silence.
  .transform((map, context): Directory => {
    const entries = Array.isArray(map)
      ? map.map((name: unknown, i) => [String(name), {}, [i]] as const)
      : Object.entries(map).map(([name, value]) => [name, value, [name]] as const);
    const directory = new Map<string, readonly Recipient[]>();
    const refuse = (path: PropertyKey[], message: string) =>
      context.addIssue({ code: "custom", path, message });
    for (const [name, value, at] of entries) {
      const named = recipientNameSchema.safeParse(name);
      if (!named.success || named.data !== name || directory.has(name)) {
        refuse([...at], "must be a name of its own, without space around it");
        continue;
      }
      if (Array.isArray(value)) continue;
      const addresses = addressesSchema.safeParse(value);
      if (addresses.success) directory.set(name, [{ name, ...present(addresses.data) }]);
      else
        for (const issue of addresses.error.issues)
          context.addIssue({ ...issue, path: [...at, ...issue.path] });
    }
    for (const [name, value, at] of entries) {
      if (!Array.isArray(value)) continue;
      if (value.length < 1 || value.length > GROUP_RECIPIENTS)
        refuse([...at], `must be a list of 1 to ${GROUP_RECIPIENTS}`);
      const members = new Map<unknown, Recipient>();
      for (const [i, member] of value.entries()) {
        const [person, ...others] = directory.get(member as string) ?? [];
        if (person === undefined || others.length > 0 || person.name !== member)
          refuse([...at, i], "must be the name of one recipient");
        else if (members.has(member)) refuse([...at, i], "must be named once");
        else members.set(member, person);
      }
      directory.set(name, [...members.values()]);
    }
    return directory;
  });

/** Addresses without those that are `undefined`. */
function present(addresses: z.output<typeof addressesSchema>): Addresses {
  const { email, slack, webhook } = addresses;
  return {
    ...(email !== undefined && { email }),
    ...(slack !== undefined && { slack }),
    ...(webhook !== undefined && { webhook }),
  };
}

const isFunction = z.custom<(...args: never[]) => unknown>(
  (value) => typeof value === "function",
  "must be a function",
);

const RESERVED: readonly string[] = [OWN_CHANNEL, CALLBACK_CHANNEL];

const channelSchema = z.strictObject({
  name: z
    .string()
    .regex(
      new RegExp(`^[a-z0-9-]{1,${CHANNEL_NAME_CHARACTERS}}$`),
      `must be 1 to ${CHANNEL_NAME_CHARACTERS} of a-z 0-9 -`,
    )
    .refine((name) => !RESERVED.includes(name), `must be none of ${RESERVED.join(", ")}`),
  events: z.array(z.enum(NOTICE_EVENTS)),
  send: isFunction,
});

export const humanInputSchema = z.union([
  z.boolean(),
  z.strictObject({
    tool: z.boolean().optional(),
    deliver: isFunction.optional(),
    channels: boundedList(channelSchema, { min: 0, max: DELIVERY_CHANNELS - 1 })
      .refine(
        (channels) => new Set(channels.map(({ name }) => name)).size === channels.length,
        "must each have a name of its own",
      )
      .optional(),
    recipients: recipientsSchema.optional(),
    resume: z.enum(["auto", "manual"]).optional(),
    ...termsShape,
  }),
]);
type HumanInput = Exclude<z.output<typeof humanInputSchema>, boolean>;

/** What the agent needs of its checked options; the channels are the author's own objects, and not copies. */
export function humanInputOf(
  checked: true | HumanInput,
  written: HumanInputOptions,
): NonNullable<Agent["humanInput"]> {
  const { tool, resume, recipients, remind, escalate, expire }: HumanInput =
    checked === true ? {} : checked;
  const { channels = [], deliver } = written;
  return {
    askPerson: tool !== false,
    resumesManually: resume === "manual",
    reach: {
      channels: deliver === undefined ? channels : [...channels, ownChannel(deliver)],
      directory: recipients ?? new Map(),
      terms: {
        ...(remind !== undefined && { remind }),
        ...(escalate !== undefined && { escalate }),
        ...(expire !== undefined && { expire }),
      },
    },
  };
}

/** What the option says that its parts, each by itself, can't be blamed for. */
export function issuesOfHumanInput(
  { reach }: NonNullable<Agent["humanInput"]>,
  hasApprovals: boolean,
): readonly Issue[] {
  const { directory, terms } = reach;
  const issues = (terms.escalate ?? []).flatMap(({ to }, i) =>
    directory.size === 0 || directory.has(to)
      ? []
      : [issueAt(["escalate", i, "to"], `must be one of ${[...directory.keys()].join(", ")}`)],
  );
  if (terms.expire?.ending === "deny" && !hasApprovals)
    issues.push(
      issueAt(["expire", "then"], "denies approvals, and no tool of this agent needs one"),
    );
  return issues;
}

/** An author's own delivery is told of whatever asks for an answer. */
function ownChannel(deliver: Deliver): Channel {
  return {
    name: OWN_CHANNEL,
    events: NOTICE_EVENTS.filter(asksForAnswer),
    send: async ({ question, event, recipient }, { env }) => {
      await deliver(question, { env, event, ...(recipient !== undefined && { recipient }) });
      return undefined;
    },
  };
}
