/**
 * Owns: the turn that a mail to an agent's own address starts. A conversation by mail is one session: its name is made of
 * the first mail's Message-ID and of the address that writes, so that nobody enters the conversation of somebody else by
 * naming a mail of it.
 */

import { deriveSessionKey, sha256Hex } from "../core/ids.ts";
import { DEFAULT_LANGUAGE } from "../core/language.ts";
import { INPUT_CHARACTERS, METADATA_VALUE_CHARACTERS } from "../core/limits.ts";
import { shorten } from "../core/text.ts";
import { messageWordsOf } from "../pages/message-words.ts";
import type { AgentMailbox, MailDoor } from "./mail-door.ts";
import type { Explanation } from "./mail-explanation.ts";
import type { ReadMail } from "./mail-message.ts";
import { replyOf } from "./mail-reply.ts";

interface AgentDestination {
  readonly mailbox: AgentMailbox;
  /** The agent's address, in lower case. */
  readonly address: string;
}

/** Undefined: the turn is started, or was by an earlier delivery of the same mail. */
export async function startAgentMail(
  door: MailDoor,
  env: object,
  { mailbox: { agent, workspace }, address }: AgentDestination,
  mail: ReadMail,
  sender: string,
): Promise<Explanation | undefined> {
  const { mail: words } = messageWordsOf(door.look.language ?? DEFAULT_LANGUAGE);
  const input = inputOf(mail);
  if (input === undefined) return { why: words.empty };
  if (input.length > INPUT_CHARACTERS) return { why: words.tooLong(INPUT_CHARACTERS) };
  const writer = `${address}\n${sender.toLowerCase()}`;
  const messageId = mail.messageId ?? (await sha256Hex(`${mail.subject}\n${mail.text}`));
  const sessionName = await nameOf(`${writer}\n${mail.references[0] ?? messageId}`);
  const key = await deriveSessionKey({ from: "name", name: sessionName });
  const once = await sha256Hex(`mail\n${writer}\n${messageId}`);
  const started = await door.openSession(env, workspace, key).start({
    agent,
    input,
    sessionName,
    mustExist: false,
    fresh: false,
    whenBusy: "queue",
    waitMs: 0,
    // The same mail is the same turn, whatever a second server on its way made of it.
    idempotency: { key: once, digest: once },
    metadata: metadataOf(mail, address, sender),
  });
  return started.ok ? undefined : { why: started.refusal.detail };
}

async function nameOf(conversation: string): Promise<string> {
  return `mail:${(await sha256Hex(conversation)).slice(0, 32)}`;
}

/** A first mail is read whole, since what it quotes or forwards is what it is about; of a reply the session knows the rest. */
function inputOf({ subject, text, references, from, attachments }: ReadMail): string | undefined {
  const isReply = references.length > 0;
  const words = isReply ? replyOf(text, from?.name) : text.trim();
  if (words === "" && (isReply || subject.trim() === "")) return undefined;
  return [
    isReply ? "" : `Subject: ${subject.trim()}`,
    words,
    // A model that isn't told would answer as if nothing had been attached.
    ...attachments.map((name) => `[An attachment that can't be read here: ${shorten(name, 128)}]`),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** What an author needs to write back: `onResult` is handed the turn. */
function metadataOf(
  { subject, messageId }: ReadMail,
  address: string,
  sender: string,
): Readonly<Record<string, string>> {
  const short = (text: string) => shorten(text, METADATA_VALUE_CHARACTERS);
  return {
    mailFrom: short(sender),
    mailTo: short(address),
    ...(subject !== "" && { mailSubject: short(subject) }),
    ...(messageId !== undefined && { mailMessageId: short(messageId) }),
  };
}
