/**
 * Owns: `POST /v1/slack/interactions`: a click on a button of ours answers its question, in the name of the Slack user who
 * clicked. No API key: Slack's signature says who sends, and the button's token for which question and recipient it was
 * made. Whoever is not answered by the message itself is told in Slack, and nobody else sees it.
 */

import { Hono } from "hono";
import { parseId } from "../core/ids.ts";
import { DEFAULT_LANGUAGE } from "../core/language.ts";
import { SLACK_ANSWER_MS } from "../core/limits.ts";
import type { Question } from "../core/question.ts";
import { isAddressedTo } from "../core/recipients.ts";
import { slackButtons } from "../core/slack-form.ts";
import { SLACK_USER, slackInteractionSchema } from "../core/slack-wire.ts";
import { type Link, verifyLink } from "../outbound/sign.ts";
import { answerClick } from "../outbound/slack-api.ts";
import { messageWordsOf } from "../pages/message-words.ts";
import { slackEnded } from "../pages/slack-message.ts";
import { parsed, parseJson, textOf } from "./body.ts";
import type { Caller, CallerContext, Door } from "./door.ts";
import { genuineBytes } from "./genuine.ts";
import { Problem } from "./problem.ts";
import { slackSignature } from "./webhook-signatures.ts";

const VERIFY = slackSignature("SLACK_SIGNING_SECRET");

export function slackRoutes(door: Door): Hono<Caller> {
  const app = new Hono<Caller>();

  app.post("/slack/interactions", async (context) => {
    const click = await readClick(context, door);
    if (click !== undefined) await inTime(context, door, settleAndTell(context, door, click));
    return context.body(null, 200);
  });

  // Before the doors that need a key, as for triggers.
  app.all("/slack/interactions", () => {
    throw new Problem("method_not_allowed", "This path takes POST.", {
      headers: { allow: "POST" },
    });
  });

  return app;
}

interface Click {
  readonly user: string;
  /** Which button, of which question and for whom. */
  readonly value: string;
  readonly responseUrl: string | undefined;
}

/** Undefined for what is genuine and no click that answers: the button that opens the page is one. */
async function readClick(context: CallerContext, door: Door): Promise<Click | undefined> {
  const bytes = await genuineBytes(context, door.now(), VERIFY);
  const type = context.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/x-www-form-urlencoded")
    throw new Problem("unsupported_media_type", "Slack sends a form.");
  const payload = new URLSearchParams(textOf(bytes)).get("payload");
  if (payload === null) throw new Problem("invalid_request", "The form has no payload.");
  const interaction = parsed(slackInteractionSchema, parseJson(payload), "payload");
  if (interaction.type !== "block_actions") return undefined;
  const [action] = interaction.actions;
  if (action?.value === undefined || !action.action_id.startsWith("holdpoint_")) return undefined;
  return {
    user: interaction.user.id,
    value: action.value,
    responseUrl: interaction.response_url,
  };
}

/**
 * Slack is answered once the click was recorded, or else before it gives up: the work goes on behind that. A failure is
 * an error to Slack, which shows the person that it did not work.
 */
async function inTime(context: CallerContext, door: Door, work: Promise<void>): Promise<void> {
  let isLate = false;
  const late = new Promise<void>((resolve) => {
    const timer = setTimeout(() => {
      isLate = true;
      resolve();
    }, SLACK_ANSWER_MS);
    const ended = work.finally(() => clearTimeout(timer));
    context.executionCtx.waitUntil(
      ended.catch((error: unknown) => {
        if (isLate) door.report(error, context.get("requestId"));
      }),
    );
  });
  await Promise.race([work, late]);
}

async function settleAndTell(context: CallerContext, door: Door, click: Click): Promise<void> {
  const words = await settleClick(context, door, click);
  if (words === undefined || click.responseUrl === undefined) return;
  // What was recorded stands, whether or not the one who clicked can be told.
  await answerClick(click.responseUrl, words, door.config(context.env)).catch((error: unknown) =>
    door.report(error, context.get("requestId")),
  );
}

/** What the one who clicked is told; undefined where the click was recorded, which the message itself will show. */
async function settleClick(
  context: CallerContext,
  door: Door,
  { user, value }: Click,
): Promise<string | undefined> {
  const { linkSecret } = door.config(context.env);
  if (linkSecret === undefined)
    throw new Problem("not_configured", "Set the secret LINK_SECRET, which signs buttons.");
  const language = door.look.language ?? DEFAULT_LANGUAGE;
  const { slack: words } = messageWordsOf(language);
  const [key = "", token = ""] = value.split(".", 2);
  const check = await verifyLink(linkSecret, token, door.now());
  if (!check.ok) return check.why === "expired" ? words.linkExpired : words.notYours;
  const { workspace, requestId, recipient } = check.link;
  const id = parseId("q", requestId);
  if (id === undefined) throw new Error("a token names a question");
  const face = door.openSession(context.env, workspace, id.key);
  const read = await face.readQuestion(id.n);
  if (!read.ok || !isTheirs(context.env, door, read.value, check.link, user)) return words.notYours;
  const button = slackButtons(read.value).find((each) => each.key === key);
  if (button === undefined) return words.notTaken;
  const settled = await face.settleQuestion(id.n, {
    action: "answer",
    answer: button.answer,
    by: user,
    via: "slack",
    link: recipient === undefined ? {} : { recipient },
  });
  // The same answer may have been somebody else's first.
  if (settled.ok)
    return settled.value.answeredBy === user ? undefined : endedWords(settled.value, language);
  switch (settled.refusal.code) {
    case "already_answered":
    case "declined":
    case "cancelled":
    case "expired": {
      const now = await face.readQuestion(id.n);
      return now.ok ? endedWords(now.value, language) : words.notYours;
    }
    case "not_found":
      return words.notYours;
    case "invalid_request":
    case "invalid_answer":
    case "session_busy":
    case "session_full":
    case "idempotency_key_reused":
    case "turn_settled":
    case "turn_not_parked":
    case "not_waiting_head":
    case "run_sealed":
    case "wait_not_client_owned":
    case "results_incomplete":
    case "invalid_result":
      return words.notTaken;
  }
}

function endedWords(
  question: Question,
  language: Parameters<typeof slackEnded>[2],
): string | undefined {
  return question.status === "waiting"
    ? undefined
    : slackEnded(question, question.status, language);
}

/** What was sent to one person alone is that person's to answer; in a channel it is anybody's who can read there. */
function isTheirs(
  env: object,
  door: Door,
  question: Question,
  { recipient }: Link,
  user: string,
): boolean {
  if (!isAddressedTo(question, recipient)) return false;
  const address =
    recipient === undefined ? undefined : door.slackAddress(env, question.agent, recipient);
  return address === undefined || !SLACK_USER.test(address) || address === user;
}
