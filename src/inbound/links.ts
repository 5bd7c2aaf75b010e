/**
 * Owns: the links under which people answer, added to turns and questions on their way out. A link is derived from the
 * question and the secret each time, and never stored.
 */

import type { Question } from "../core/question.ts";
import type { SessionEvent } from "../core/session-event.ts";
import { answerUrl } from "../outbound/sign.ts";
import { linkedWaits, type TurnView, withLinks } from "../core/turn-view.ts";
import { type CallerContext, type Door, linkOrigin } from "./door.ts";

export async function withAnswerUrl(
  context: CallerContext,
  door: Door,
  question: Question,
): Promise<Question> {
  if (question.status !== "waiting") return question;
  const url = await answerUrlOf(context, door, question);
  return url === undefined ? question : { ...question, answerUrl: url };
}

export function withAnswerUrls(
  context: CallerContext,
  door: Door,
  turn: TurnView,
): Promise<TurnView> {
  return withLinks(turn, (question) => answerUrlOf(context, door, question));
}

/** An event with the links of what it shows. */
export async function withEventUrls(
  context: CallerContext,
  door: Door,
  event: SessionEvent,
): Promise<SessionEvent> {
  if (event.type === "question.asked")
    return { ...event, question: await withAnswerUrl(context, door, event.question) };
  if (event.type === "turn.parked")
    return {
      ...event,
      waitingFor: [
        ...(await linkedWaits(event.waitingFor, (question) =>
          answerUrlOf(context, door, question),
        )),
      ],
    };
  return event;
}

async function answerUrlOf(
  context: CallerContext,
  door: Door,
  question: Pick<Question, "requestId" | "to" | "expiresAt">,
): Promise<string | undefined> {
  const config = door.config(context.env);
  const { workspace, can } = context.get("key");
  if (config.linkSecret === undefined || !can.includes("answer")) return undefined;
  const origin = linkOrigin(context, config);
  return origin === undefined
    ? undefined
    : answerUrl(config.linkSecret, origin, workspace, question);
}
