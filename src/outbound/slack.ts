/**
 * Owns: the Slack channel: it posts a question with its buttons, reminds of it below, and updates the message once the
 * question has ended, at whichever door. Does not own: what a message says (`pages/slack-message.ts`), and what a click
 * does (`inbound/slack.ts`).
 *
 * A button's value is `{key}.{token}`: which one it is, and the token of a link to this question for this recipient. So a
 * click answers the question that the message showed, and no other.
 */

import { type Channel, type ChannelContext, NOTICE_EVENTS, type Notice } from "../core/channel.ts";
import type { JsonObject } from "../core/json.ts";
import { isAddressedTo } from "../core/recipients.ts";
import {
  SLACK_API_URL,
  SLACK_CHANNEL,
  SLACK_TOKEN,
  type SlackPlace,
  slackPlaceSchema,
} from "../core/slack-wire.ts";
import {
  askingMessage,
  endedMessage,
  followUpMessage,
  type SlackMessage,
} from "../pages/slack-message.ts";
import { DeliveryFailure, noAddress } from "./delivery-failure.ts";
import { signLink } from "./sign.ts";
import { callSlack, SLACK_API, type SlackCall } from "./slack-api.ts";

export interface SlackOptions {
  /** The bot's token, `xoxb-…`; `SLACK_BOT_TOKEN` of the environment where it is left out. */
  readonly token?: string;
  /**
   * The channel (`#underwriting`, or better its id) that gets the questions that are addressed to nobody, or to somebody
   * who has no address of any kind.
   */
  readonly channel?: string;
  /** Slack's API; `https://slack.com/api` where it is left out. */
  readonly api?: string;
}

/** Throws a TypeError that names the option that is wrong. */
export function slack({ token, channel, api = SLACK_API }: SlackOptions = {}): Channel {
  if (token !== undefined && !SLACK_TOKEN.test(token))
    throw new TypeError("slack: token: must be a bot's token, such as xoxb-…");
  if (channel !== undefined && !SLACK_CHANNEL.test(channel))
    throw new TypeError("slack: channel: must be a channel's id or #name");
  if (!SLACK_API_URL.test(api))
    throw new TypeError("slack: api: must be an https:// address, without a slash at its end");
  return {
    name: "slack",
    events: NOTICE_EVENTS,
    send: async (notice, context) => {
      const call = (method: SlackCall["method"], body: object) =>
        callSlack({
          api,
          token: token ?? configuredToken(context.env),
          method,
          body,
          now: context.now,
        });
      return send(notice, context, channel, call);
    },
  };
}

type Call = (method: SlackCall["method"], body: object) => Promise<SlackPlace>;

async function send(
  notice: Notice,
  context: ChannelContext,
  channel: string | undefined,
  call: Call,
): Promise<JsonObject | undefined> {
  const { event, question, recipient } = notice;
  const before = slackPlaceSchema.safeParse(notice.reference);
  switch (event) {
    case "question.asked":
    case "question.reminded":
    case "question.escalated":
    case "question.assigned": {
      if (before.success) {
        const { channel: place, ts } = before.data;
        const message = followUpMessage({ event, question, ...lookOf(context) });
        const thread = { channel: place, thread_ts: ts, reply_broadcast: true };
        await call("chat.postMessage", { ...thread, ...QUIET, ...message });
        // The buttons stay where they are, and so does what is updated.
        return before.data;
      }
      const to = recipient?.slack ?? channel;
      if (to === undefined) throw noAddress(notice, "slack address", "slack() has no channel");
      const message = await asking(notice, context);
      return call("chat.postMessage", { channel: to, ...QUIET, ...message });
    }
    case "question.answered":
    case "question.declined":
    case "question.cancelled":
    case "question.expired": {
      if (!before.success || question.status === "waiting") return undefined;
      const message = endedMessage(question, question.status, {
        // One from whom the question was taken learns that it is over, and nothing more.
        showsAnswer: isAddressedTo(question, recipient?.name),
        ...lookOf(context),
      });
      return call("chat.update", { ...before.data, ...message });
    }
  }
}

/** Slack opens no link to show what is behind it. */
const QUIET = { unfurl_links: false, unfurl_media: false };

async function asking(
  { event, question, recipient }: Notice,
  context: ChannelContext,
): Promise<SlackMessage> {
  const { linkSecret, workspace } = context;
  if (linkSecret === undefined)
    throw new Error("LINK_SECRET is not set, and without it nobody could answer in Slack");
  const { requestId, expiresAt } = question;
  const token = await signLink(linkSecret, {
    workspace,
    requestId,
    ...(recipient !== undefined && { recipient: recipient.name }),
    ...(expiresAt !== undefined && { expiresAt: Date.parse(expiresAt) }),
  });
  const valueOf = (key: string) => `${key}.${token}`;
  const message = askingMessage({ event, question, valueOf, ...lookOf(context) });
  if (!message.blocks.some(({ type }) => type === "actions"))
    throw new DeliveryFailure(
      "the question is answered on its page alone, to which PUBLIC_URL has to lead",
      { retryable: true },
    );
  return message;
}

function lookOf({ look }: ChannelContext): Pick<ChannelContext, "look"> {
  return look === undefined ? {} : { look };
}

function configuredToken(env: Readonly<Record<string, unknown>>): string {
  const token = env["SLACK_BOT_TOKEN"];
  if (typeof token === "string" && SLACK_TOKEN.test(token)) return token;
  throw new DeliveryFailure("SLACK_BOT_TOKEN is not set: it takes the bot's token, xoxb-…", {
    retryable: true,
  });
}
