/**
 * Owns: what becomes of a mail that arrives: which door it came to, whether its sender is to be believed, and the answer
 * or the turn that it is. Does not own: how a mail is read (`mail-message.ts`, `mail-reply.ts`), which answer its words
 * are (`mail-answer.ts`), and what answers a question (the session).
 *
 * A mail that is refused before its sender is known is refused to the server that brings it: nothing is sent to an
 * address that somebody may have forged. A person who is known gets one mail that says why. What a program sent gets
 * nothing. What throws is tried again by that server: a mail is taken once it is answered for.
 */

import { MAIL_BYTES, MAIL_EXPLANATIONS_AN_HOUR, MAIL_TEXT_CHARACTERS } from "../core/limits.ts";
import { isMailAddress } from "../core/mailbox.ts";
import {
  type MailTokenAudience,
  type MailTokenLink,
  verifyMailToken,
} from "../outbound/mail-token.ts";
import { startAgentMail } from "./agent-mail.ts";
import { passesDmarc } from "./authentication-results.ts";
import { readStream } from "./bounded-body.ts";
import { answerByMail } from "./mail-answering.ts";
import type { AgentMailbox, ArrivedMail, MailDoor } from "./mail-door.ts";
import { explain } from "./mail-explanation.ts";
import { type ReadMail, readMail } from "./mail-message.ts";
import { createTries } from "./tries.ts";

export type MailHandler = (message: ArrivedMail, env: object) => Promise<void>;

const HOUR_MS = 60 * 60_000;
const CORRESPONDENTS_REMEMBERED = 10_000;

/** Where a mail is addressed to. */
type Destination =
  | { readonly kind: "question"; readonly link: MailTokenLink }
  | { readonly kind: "agent"; readonly mailbox: AgentMailbox; readonly address: string };

export function createMailHandler(door: MailDoor): MailHandler {
  const explanations = createTries({
    limit: MAIL_EXPLANATIONS_AN_HOUR,
    windowMs: HOUR_MS,
    maxKeys: CORRESPONDENTS_REMEMBERED,
  });
  return async (message, env) => {
    const taken = await take(door, message, env);
    if (taken === undefined) return;
    const { mail, sender, destination } = taken;
    const explanation = await (destination.kind === "agent"
      ? startAgentMail(door, env, destination, mail, sender)
      : answerByMail(door, env, destination.link, mail, sender));
    if (explanation === undefined) return;
    // Two programs that answer each other would go on for ever, where one of them hides what it is.
    if (explanations.may(`${message.to}\n${sender}`.toLowerCase(), door.now()))
      await explain(message, mail, explanation, door.look.language).catch(door.report);
  };
}

interface TakenMail {
  readonly mail: ReadMail;
  /** The address from which it is. */
  readonly sender: string;
  readonly destination: Destination;
}

/** Undefined for a mail that is done with: it was refused, or a program sent it. */
async function take(
  door: MailDoor,
  message: ArrivedMail,
  env: object,
): Promise<TakenMail | undefined> {
  const refuse = (reason: string) => {
    message.setReject(reason);
    return undefined;
  };
  const tooLarge = `The mail is too large: ${MAIL_BYTES} bytes are taken, and ${MAIL_TEXT_CHARACTERS} characters of text.`;
  if (message.rawSize > MAIL_BYTES) return refuse(tooLarge);
  const destination = await destinationOf(door, env, message.to);
  if (destination === undefined) return refuse("There is no such address.");
  const bytes = await readStream(message.raw, MAIL_BYTES);
  if (bytes === undefined) return refuse(tooLarge);
  const mail = await readMail(bytes, message.from);
  if (mail === undefined) return refuse("The mail could not be read.");
  if (mail.nature.kind !== "personal") {
    if (mail.nature.kind === "bounce" && destination.kind === "question")
      await door.bounced?.(env, { ...destination.link, reason: mail.nature.reason });
    return undefined;
  }
  const sender = mail.from?.address;
  if (sender === undefined) return refuse("The mail has to be from one address.");
  const { mailAuthservId } = door.config(env);
  if (mailAuthservId === undefined)
    return refuse("No mail is taken here: MAIL_AUTHSERV_ID is not set.");
  if (
    !passesDmarc(mail.authentication ?? "", mailAuthservId, sender.slice(sender.indexOf("@") + 1))
  )
    return refuse("The sender's domain does not vouch for this mail (DMARC).");
  const { text } = mail;
  return text === undefined ? refuse(tooLarge) : { mail: { ...mail, text }, sender, destination };
}

async function destinationOf(
  door: MailDoor,
  env: object,
  to: string,
): Promise<Destination | undefined> {
  if (!isMailAddress(to)) return undefined;
  const address = to.toLowerCase();
  const mailbox = door.mailbox(env, address);
  if (mailbox !== undefined) return { kind: "agent", mailbox, address };
  const token = /^[^+]+\+([a-z2-7]+)@/.exec(address)?.[1];
  const { linkSecret } = door.config(env);
  if (token === undefined || linkSecret === undefined) return undefined;
  const link = await verifyMailToken(linkSecret, token, audiences(door, env));
  return link === undefined ? undefined : { kind: "question", link };
}

/** For whom a token of ours can be: whatever else it says is forged, and no session is asked about it. */
function* audiences(door: MailDoor, env: object): Iterable<MailTokenAudience> {
  const names = new Set(
    door.agents(env).flatMap((agent) => [...door.recipients(env, agent).keys()]),
  );
  for (const workspace of door.workspaces(env))
    for (const recipient of names)
      yield recipient === "" ? { workspace } : { workspace, recipient };
}
