/**
 * Owns: how a turn looks to a caller, over HTTP and in code, and what a turn that is under way no more came to.
 */

import type { Json } from "./json.ts";
import type { Question } from "./question.ts";
import type { ShownPendingItem, ShownTurn, ShownWait } from "./turn-schema.ts";

export type PendingItem = ShownPendingItem;

export interface WaitView extends ShownWait {
  /** For whom the question is, and until when: what its link is made of. */
  readonly to?: string;
  readonly expiresAt?: string;
}

/** A turn as its session shows it: what its links are made of, in place of the links. */
export interface TurnView extends Omit<ShownTurn, "waitingFor" | "queuedBehind"> {
  readonly waitingFor?: readonly WaitView[];
  readonly queuedBehind?: { readonly turnId: string; readonly waitingFor?: readonly WaitView[] };
}

/** What a question's link is made of. */
export type LinkOf = (
  question: Pick<Question, "requestId" | "to" | "expiresAt">,
) => Promise<string | undefined>;

/** The turn with the links of what it waits for, and without what only the links are made of. */
export async function withLinks(turn: TurnView, linkOf: LinkOf): Promise<TurnView> {
  const { waitingFor, queuedBehind } = turn;
  const ahead = queuedBehind?.waitingFor;
  return {
    ...turn,
    ...(waitingFor !== undefined && { waitingFor: await linkedWaits(waitingFor, linkOf) }),
    ...(queuedBehind !== undefined &&
      ahead !== undefined && {
        queuedBehind: { ...queuedBehind, waitingFor: await linkedWaits(ahead, linkOf) },
      }),
  };
}

/** Waits with their links, and without what only the links are made of. */
export function linkedWaits(
  waits: readonly WaitView[],
  linkOf: LinkOf,
): Promise<readonly WaitView[]> {
  return Promise.all(
    waits.map(async ({ to, expiresAt, ...shown }) => {
      if (shown.requestId === undefined) return shown;
      const url = await linkOf({
        requestId: shown.requestId,
        ...(to !== undefined && { to }),
        ...(expiresAt !== undefined && { expiresAt }),
      });
      return url === undefined ? shown : { ...shown, answerUrl: url };
    }),
  );
}

interface ResultIds {
  readonly turnId: string;
  readonly sessionId: string;
}

export type TurnResult = ResultIds &
  (
    | {
        readonly status: "completed";
        /** The text of the last step. */
        readonly text: string;
        /** The value that was asked for, where one was. */
        readonly output?: Json;
        readonly steps: number;
        readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
      }
    | { readonly status: "parked"; readonly waitingFor: NonNullable<TurnView["waitingFor"]> }
    | { readonly status: "failed"; readonly error: NonNullable<TurnView["error"]> }
    | { readonly status: "cancelled" }
  );

export function turnResult(turn: TurnView): TurnResult {
  const ids = { turnId: turn.id, sessionId: turn.sessionId };
  const { steps, ...usage } = turn.usage;
  if (turn.status === "completed")
    return {
      status: "completed",
      text: turn.text ?? "",
      ...(turn.output !== undefined && { output: turn.output }),
      steps,
      usage,
      ...ids,
    };
  if (turn.status === "parked")
    return { status: "parked", waitingFor: turn.waitingFor ?? [], ...ids };
  if (turn.status === "failed" && turn.error !== undefined)
    return { status: "failed", error: turn.error, ...ids };
  return { status: "cancelled", ...ids };
}
