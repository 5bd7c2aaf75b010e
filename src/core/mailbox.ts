/**
 * Owns: what a mail address is here: the plain form that every mail system takes, with no quotes, comments or routes in
 * it, so that nothing in it can be read in two ways. And which agents have one, as it is written down.
 */

import * as z from "zod";
import { workspaceSchema } from "./key.ts";

export interface Mailbox {
  readonly name?: string;
  readonly address: string;
}

const ADDRESS =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;
const NAMED = /^([^<>"\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]{1,128}?)\s*<([^<>]+)>$/u;

export function isMailAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/** `name@domain`, or `Name <name@domain>`. */
export function parseMailbox(text: string): Mailbox | undefined {
  const [, name, address] = NAMED.exec(text.trim()) ?? [undefined, undefined, text.trim()];
  if (address === undefined || !isMailAddress(address)) return undefined;
  return { address, ...(name !== undefined && name.trim() !== "" && { name: name.trim() }) };
}

/** As the platform's binding takes it. */
export function formatMailbox({
  name,
  address,
}: Mailbox): string | { name: string; email: string } {
  return name === undefined ? address : { name, email: address };
}

/** Domains know no case, and of the part before the @ no system of today does. */
export function areSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Agents by the address at which a mail starts a turn of theirs. */
export const agentAddressesSchema = z
  .record(
    z.string(),
    z.strictObject({ agent: z.string().min(1), workspace: z.exactOptional(workspaceSchema) }),
  )
  .superRefine((agents, context) => {
    for (const address of Object.keys(agents))
      if (!isMailAddress(address))
        context.addIssue({ code: "custom", path: [address], message: "must be name@domain" });
  });
export type AgentAddresses = Readonly<z.output<typeof agentAddressesSchema>>;
