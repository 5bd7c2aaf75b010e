/**
 * Owns: what is read of a mail that arrives: who says to have sent it, what it belongs to, its text, and whether a person
 * wrote it at all. Does not own: whether its sender is to be believed (`authentication-results.ts`).
 */

import PostalMime, { addressParser, type Email } from "postal-mime";
import { MAIL_HEADER_BYTES, MAIL_NESTING_LEVELS, MAIL_TEXT_CHARACTERS } from "../core/limits.ts";
import { isMailAddress } from "../core/mailbox.ts";
import { textOfHtml } from "./mail-html.ts";

export interface MailMessage {
  /** The one address that it says to be from; undefined where there is none, or more than one. */
  readonly from?: { readonly address: string; readonly name: string };
  readonly subject: string;
  readonly messageId?: string;
  /** The mails that it answers, the first of the conversation first. */
  readonly references: readonly string[];
  /** All that it says, quotes and signature too; undefined where that is too long to be read. */
  readonly text?: string;
  readonly attachments: readonly string[];
  /** The topmost header by which a server says what it found out about the sender. */
  readonly authentication?: string;
  readonly nature: MailNature;
}

export type ReadMail = MailMessage & { readonly text: string };

/** Of what a program wrote, only a bounce says something: that a mail of ours did not arrive. */
export type MailNature =
  | { readonly kind: "personal" }
  | { readonly kind: "automatic" }
  | { readonly kind: "bounce"; readonly reason: string };

/** Undefined for what is no mail. `envelopeFrom` is where a server would send a bounce. */
export async function readMail(
  bytes: Uint8Array<ArrayBuffer>,
  envelopeFrom: string,
): Promise<MailMessage | undefined> {
  let email: Email;
  try {
    email = await PostalMime.parse(bytes, {
      maxHeadersSize: MAIL_HEADER_BYTES,
      maxNestingDepth: MAIL_NESTING_LEVELS,
      // A mail inside the mail is somebody else's words.
      maxRfc822NestingDepth: 0,
    });
  } catch {
    return undefined;
  }
  const from = senderOf(email);
  const authentication = headerOf(email, "authentication-results");
  const text = await textOf(email);
  const [messageId] = idsIn(headerOf(email, "message-id"));
  return {
    ...(from !== undefined && { from }),
    subject: email.subject ?? "",
    ...(messageId !== undefined && { messageId }),
    references: referencesOf(email),
    ...(text !== undefined && { text }),
    attachments: email.attachments.map(({ filename, mimeType }) => filename ?? mimeType),
    ...(authentication !== undefined && { authentication }),
    nature: natureOf(email, envelopeFrom, from?.address),
  };
}

/** The first one of that name: servers put theirs on top. */
function headerOf({ headers }: Email, name: string): string | undefined {
  return headers.find(({ key }) => key === name)?.value;
}

function senderOf({ headers }: Email): MailMessage["from"] {
  const [only, ...others] = headers.filter(({ key }) => key === "from");
  if (only === undefined || others.length > 0) return undefined;
  const [sender, ...more] = addressParser(only.value);
  if (sender?.address === undefined || more.length > 0) return undefined;
  return isMailAddress(sender.address) ? { address: sender.address, name: sender.name } : undefined;
}

function referencesOf(email: Email): readonly string[] {
  const references = idsIn(headerOf(email, "references"));
  return references.length > 0 ? references : idsIn(headerOf(email, "in-reply-to"));
}

function idsIn(header: string | undefined): readonly string[] {
  return Array.from((header ?? "").matchAll(/<[^\s<>]{1,900}>/g), ([id]) => id);
}

/** The plain text where there is one: every program that writes HTML writes it too, and its quotes are marked. */
async function textOf({ text = "", html = "" }: Email): Promise<string | undefined> {
  const isText = text.trim() !== "";
  if ((isText ? text : html).length > MAIL_TEXT_CHARACTERS) return undefined;
  return isText ? text : textOfHtml(html);
}

/** RFC 3834, and what programs that don't know it say instead. */
function natureOf(email: Email, envelopeFrom: string, from = ""): MailNature {
  const contentType = headerOf(email, "content-type") ?? "";
  const report = email.attachments.find(({ mimeType }) => mimeType === "message/delivery-status");
  if (report !== undefined || /^\s*multipart\/report\b/i.test(contentType)) {
    const reason = report === undefined ? undefined : failureIn(report.content);
    return reason === undefined ? { kind: "automatic" } : { kind: "bounce", reason };
  }
  const submitted = headerOf(email, "auto-submitted") ?? "no";
  const returnPath = headerOf(email, "return-path");
  const isAutomatic =
    !/^\s*no\s*(?:[;(]|$)/i.test(submitted) ||
    /^\s*(?:bulk|junk|list|auto_reply)\b/i.test(headerOf(email, "precedence") ?? "") ||
    ["list-id", "x-autoreply", "x-autorespond"].some(
      (name) => headerOf(email, name) !== undefined,
    ) ||
    /^\s*(?:<\s*>)?\s*$/.test(envelopeFrom) ||
    (returnPath !== undefined && /^\s*<\s*>\s*$/.test(returnPath)) ||
    /^(?:mailer-daemon|postmaster)@/i.test(from);
  return { kind: isAutomatic ? "automatic" : "personal" };
}

/** What a delivery status (RFC 3464) says of the recipient that it could not reach; undefined where it says no such thing. */
function failureIn(content: ArrayBuffer | Uint8Array | string): string | undefined {
  const text = typeof content === "string" ? content : new TextDecoder().decode(content);
  if (!/^action:[ \t]*failed\b/im.test(text)) return undefined;
  const diagnosis = /^diagnostic-code:[ \t]*(?:[\w-]+;[ \t]*)?([^\r\n]{1,300})/im.exec(text)?.[1];
  const status = /^status:[ \t]*([0-9.]{5,11})/im.exec(text)?.[1];
  return diagnosis?.trim() ?? status ?? "the mail could not be delivered";
}
