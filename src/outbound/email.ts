/**
 * Owns: the email channel: it brings a question to its recipient by the platform's `send_email` binding, with an address
 * for the reply that only this question and this recipient have. Does not own: what the mail says (`pages/`), how a reply
 * is read (`inbound/email.ts`).
 */

import {
  type Channel,
  type ChannelContext,
  MAIL_CHANNEL,
  type Notice,
  type NoticeEvent,
} from "../core/channel.ts";
import type { JsonObject } from "../core/json.ts";
import { formatMailbox, type Mailbox, parseMailbox } from "../core/mailbox.ts";
import { MAIL_LOCAL_PART_CHARACTERS } from "../core/limits.ts";
import { questionMail } from "../pages/question-mail.tsx";
import { signMailToken } from "./mail-token.ts";

export interface EmailOptions {
  /** `desk@mail.example`, or `Loan desk <desk@mail.example>`. */
  readonly from: string;
  /** Whom questions reach that are addressed to nobody, or to somebody who has no address of any kind. */
  readonly to?: string;
  /** `local@domain` that takes the replies, to which each question adds its token. By default the address of `from`. */
  readonly replyTo?: string;
  /** The name of the `send_email` binding; `EMAIL` by default. */
  readonly binding?: string;
  /** What is mailed: by default all that asks for an answer, and no endings. */
  readonly events?: readonly NoticeEvent[];
}

const ASKING: readonly NoticeEvent[] = [
  "question.asked",
  "question.reminded",
  "question.escalated",
  "question.assigned",
];

const defaultRecipients = new WeakMap<Channel, string>();

/** Whom an email channel's questions reach that are addressed to nobody with an address; whose reply is taken for them. */
export function defaultRecipientOf(channel: Channel): string | undefined {
  return defaultRecipients.get(channel);
}

/** Throws a TypeError that names the option that is wrong. */
export function email(options: EmailOptions): Channel {
  const from = mailboxOption("from", options.from);
  const to = options.to === undefined ? undefined : mailboxOption("to", options.to).address;
  const replyTo = mailboxOption("replyTo", options.replyTo ?? from.address).address;
  if (replyTo.indexOf("@") > MAIL_LOCAL_PART_CHARACTERS)
    throw new TypeError(
      `email: ${options.replyTo === undefined ? "from" : "replyTo"}: before the @ may stand at most ${MAIL_LOCAL_PART_CHARACTERS} characters, since a question's token is added; set replyTo to such an address`,
    );
  const { binding = "EMAIL", events = ASKING } = options;
  const channel: Channel = {
    name: MAIL_CHANNEL,
    events,
    send: (notice, context) => send({ from, to, replyTo, binding }, notice, context),
  };
  if (to !== undefined) defaultRecipients.set(channel, to);
  return channel;
}

interface Settings {
  readonly from: Mailbox;
  readonly to: string | undefined;
  readonly replyTo: string;
  readonly binding: string;
}

async function send(
  { from, to: defaultTo, replyTo, binding }: Settings,
  notice: Notice,
  context: ChannelContext,
): Promise<JsonObject | undefined> {
  const { event, question, recipient, reference } = notice;
  const to = recipient?.email ?? defaultTo;
  if (to === undefined)
    throw new Error("the recipient has no email address, and the email channel has no `to`");
  // Whoever ended it knows how.
  if (question.answeredBy !== undefined && [to, recipient?.name].includes(question.answeredBy))
    return reference;
  if (context.linkSecret === undefined)
    throw new Error("LINK_SECRET is not set, and without it nobody could answer by mail");
  const token = await signMailToken(context.linkSecret, {
    workspace: context.workspace,
    requestId: question.requestId,
    // Whoever reads at the channel's own address stands for nobody in particular.
    ...(recipient?.email !== undefined && { recipient: recipient.name }),
  });
  const thread = threadOf(reference);
  const sent = await bindingOf(context, binding).send({
    from: formatMailbox(from),
    to,
    replyTo: replyTo.replace("@", `+${token}@`),
    ...questionMail({
      event,
      question,
      isFollowUp: thread !== undefined,
      ...(context.look !== undefined && { look: context.look }),
    }),
    headers: {
      "Auto-Submitted": "auto-generated",
      ...(thread !== undefined && { "In-Reply-To": thread, References: thread }),
    },
  });
  return { messageId: thread ?? sent.messageId };
}

/** The first mail of the question to this recipient: all later ones stand below it. */
function threadOf(reference: JsonObject | undefined): string | undefined {
  const messageId = reference?.["messageId"];
  if (typeof messageId !== "string" || !/^<?[^\s<>]{1,900}>?$/.test(messageId)) return undefined;
  return messageId.startsWith("<") ? messageId : `<${messageId}>`;
}

function bindingOf({ env }: ChannelContext, name: string): SendEmail {
  const binding = env[name];
  if (typeof binding !== "object" || binding === null || !("send" in binding))
    throw new Error(`there is no send_email binding called ${name}`);
  return binding as SendEmail;
}

function mailboxOption(name: string, value: string): Mailbox {
  const mailbox = typeof value === "string" ? parseMailbox(value) : undefined;
  if (mailbox === undefined)
    throw new TypeError(`email: ${name}: must be name@domain, or Name <name@domain>`);
  return mailbox;
}
