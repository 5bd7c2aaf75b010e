/**
 * Owns: the requests to Slack, and what its answers mean for a further try. Does not own: what a message says.
 */

import type { ChannelContext } from "../core/channel.ts";
import { SLACK_RESPONSE_UNITS, SLACK_TIMEOUT_MS } from "../core/limits.ts";
import { slackAnswerSchema, type SlackPlace } from "../core/slack-wire.ts";
import { DeliveryFailure } from "./delivery-failure.ts";
import { retryAfterMs } from "./retry-after.ts";
import { checkWebhookUrl } from "./webhook-url.ts";

export const SLACK_API = "https://slack.com/api";

export interface SlackCall {
  readonly api: string;
  readonly token: string;
  readonly method: "chat.postMessage" | "chat.update";
  readonly body: object;
  readonly now: number;
}

/** What the same request meets again at each try. All else its deployer can mend, or passes. */
const FINAL: ReadonlySet<string> = new Set([
  "cant_update_message",
  "edit_window_closed",
  "invalid_blocks",
  "invalid_blocks_format",
  "message_not_found",
  "msg_blocks_too_long",
  "msg_too_long",
]);

/** Where the message is now. Rejects with a DeliveryFailure where Slack did not take it. */
export async function callSlack(call: SlackCall): Promise<SlackPlace> {
  const { api, token, method, body, now } = call;
  const response = await posted(`${api}/${method}`, body, { authorization: `Bearer ${token}` });
  if (!response.ok) {
    await response.body?.cancel();
    const delayMs = response.status === 429 ? retryAfterMs(response.headers, now) : undefined;
    throw new DeliveryFailure(`Slack answered with HTTP ${response.status}`, {
      retryable: true,
      ...(delayMs !== undefined && { retryAfterMs: delayMs }),
    });
  }
  const answer = slackAnswerSchema.safeParse(await readAnswer(response));
  if (!answer.success)
    throw new DeliveryFailure("Slack answered with what is not its API's", { retryable: true });
  if (answer.data.ok) return { channel: answer.data.channel, ts: answer.data.ts };
  const { error } = answer.data;
  // One of Slack's own words, and nothing else that the other side may have written.
  const word = /^[a-z0-9_]{1,64}$/.test(error) ? error : "Slack refused it";
  throw new DeliveryFailure(word, { retryable: !FINAL.has(error) });
}

/** Undefined for what is no JSON, breaks off, or is longer than an answer of Slack's: the rest is not read. */
async function readAnswer({ body }: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > SLACK_RESPONSE_UNITS) return undefined;
    }
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Tells the one who clicked, and nobody else. Where it came from is only believed where it is Slack's own. */
export async function answerClick(
  url: string,
  text: string,
  { development }: Pick<ChannelContext, "development">,
): Promise<void> {
  if (!isSlackUrl(url, development)) return;
  const body = { response_type: "ephemeral", replace_original: false, text };
  const response = await posted(url, body);
  await response.body?.cancel();
}

function isSlackUrl(text: string, development: boolean): boolean {
  if (/^https:\/\/hooks\.slack(?:-gov)?\.com\//.test(text)) return true;
  // A stand-in on a developer's machine.
  return development && checkWebhookUrl(text, true) === undefined && text.startsWith("http:");
}

async function posted(
  url: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  try {
    return await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json; charset=utf-8", ...headers },
      body: JSON.stringify(body),
      redirect: "manual",
      signal: AbortSignal.timeout(SLACK_TIMEOUT_MS),
    });
  } catch {
    throw new DeliveryFailure("Slack could not be reached", { retryable: true });
  }
}
