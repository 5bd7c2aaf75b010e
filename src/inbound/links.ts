/**
 * Owns: the links under which people answer, added to turns and questions on their way out. A link is derived from the
 * question and the secret each time, and never stored.
 */

import type { Question } from "../core/question.ts";
import type { SessionEvent } from "../core/session-event.ts";
import { answerUrl } from "../outbound/sign.ts";
import type { TurnView } from "../core/turn-view.ts";
import { type CallerContext, type Door, publicOrigin } from "./door.ts";

type WaitView = NonNullable<TurnView["waitingFor"]>[number];

export async function withAnswerUrl(
  context: CallerContext,
  door: Door,
  question: Question,
): Promise<Question> {
  if (question.status !== "waiting") return question;
  const url = await answerUrlOf(context, door, question);
  return url === undefined ? question : { ...question, answerUrl: url };
}

export async function withAnswerUrls(
  context: CallerContext,
  door: Door,
  turn: TurnView,
): Promise<TurnView> {
  const { waitingFor, queuedBehind } = turn;
  const ahead = queuedBehind?.waitingFor;
  return {
    ...turn,
    ...(waitingFor !== undefined && { waitingFor: await shownWaits(context, door, waitingFor) }),
    ...(queuedBehind !== undefined &&
      ahead !== undefined && {
        queuedBehind: { ...queuedBehind, waitingFor: await shownWaits(context, door, ahead) },
      }),
  };
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
    return { ...event, waitingFor: [...(await shownWaits(context, door, event.waitingFor))] };
  return event;
}

/** Waits with their links, and without what only the links are made of. */
function shownWaits(
  context: CallerContext,
  door: Door,
  waits: readonly WaitView[],
): Promise<readonly WaitView[]> {
  return Promise.all(
    waits.map(async (wait) => {
      if (wait.requestId === undefined) return wait;
      const { requestId, to, expiresAt } = wait;
      const url = await answerUrlOf(context, door, {
        requestId,
        ...(to !== undefined && { to }),
        ...(expiresAt !== undefined && { expiresAt }),
      });
      const { to: _to, expiresAt: _expiresAt, ...shown } = wait;
      return url === undefined ? shown : { ...shown, answerUrl: url };
    }),
  );
}

async function answerUrlOf(
  context: CallerContext,
  door: Door,
  question: Pick<Question, "requestId" | "to" | "expiresAt">,
): Promise<string | undefined> {
  const config = door.config(context.env);
  const { workspace, can } = context.get("key");
  if (config.linkSecret === undefined || !can.includes("answer")) return undefined;
  return answerUrl(config.linkSecret, publicOrigin(context, config), workspace, question);
}
