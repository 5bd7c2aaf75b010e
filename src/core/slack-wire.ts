/**
 * Owns: what Slack sends that is read here: the answers of its Web API, and a click on a button. Each has more members than
 * are read, and may get others.
 */

import * as z from "zod";
import { SLACK_NAME_CHARACTERS } from "./limits.ts";

const name = z.string().min(1).max(SLACK_NAME_CHARACTERS);

/** Of `chat.postMessage` and `chat.update`. */
export const slackAnswerSchema = z.union([
  z.object({ ok: z.literal(true), channel: name, ts: name }),
  z.object({ ok: z.literal(false), error: z.string() }),
]);

/** Where a message is. Kept with its delivery, so that it can be updated. */
export const slackPlaceSchema = z.object({ channel: name, ts: name });
export type SlackPlace = Readonly<z.output<typeof slackPlaceSchema>>;

/** A bot's token; whatever else it is, it is one word. */
export const SLACK_TOKEN = /^[A-Za-z0-9._-]{1,512}$/;
/** A channel's id, or its name behind a #. */
export const SLACK_CHANNEL = /^#?[^\s#]{1,128}$/;
/** Of the API: loopback is for a stand-in. No slash at its end, since a method follows. */
export const SLACK_API_URL =
  /^(?:https:\/\/|http:\/\/(?:localhost|127\.0\.0\.1)[:/])[^\s?#]*[^\s?#/]$/;

/** A person's id, and no channel's. */
export const SLACK_USER = /^[UW][A-Z0-9]{1,63}$/;

/** The `payload` of an interaction. Only a click on a button of ours has what an answer needs. */
export const slackInteractionSchema = z.object({
  type: z.string(),
  user: z.object({ id: z.string().regex(SLACK_USER) }),
  response_url: z.string().optional(),
  actions: z.array(z.object({ action_id: z.string(), value: z.string().optional() })).default([]),
});
