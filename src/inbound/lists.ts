/**
 * Owns: lists over the sessions of a workspace, and over one of them. With a session they are read from the session
 * itself and never behind; without one from the inbox, which hears of a change within half a second.
 */

import { Hono } from "hono";
import { base64url, utf8 } from "../core/bytes.ts";
import { parseId, type SessionKey } from "../core/ids.ts";
import type { InboxFilter, InboxItem, InboxPlace } from "../core/inbox.ts";
import type { Question } from "../core/question.ts";
import {
  listQuestionsQuerySchema,
  type ListQuestionsQuery,
  listTurnsQuerySchema,
  rebuildSchema,
} from "../core/requests.ts";
import type { InboxFace } from "../inbox/face.ts";
import type { TurnView } from "../core/turn-view.ts";
import { readBody, readQuery } from "./body.ts";
import type { Caller, CallerContext, Door } from "./door.ts";
import { needs } from "./keys.ts";
import { withAnswerUrl, withAnswerUrls } from "./links.ts";
import { invalidCursor, Problem, problemOf } from "./problem.ts";
import { faceOf, targetOf } from "./sessions.ts";

export function listRoutes(door: Door): Hono<Caller> {
  const app = new Hono<Caller>();

  app.get("/questions", needs("read"), async (context) => {
    const query = readQuery(context, listQuestionsQuerySchema);
    const questions =
      query.sessionId === undefined
        ? await questionsOfWorkspace(context, door, query)
        : await questionsOfSession(context, door, query, query.sessionId);
    return page(
      context,
      questions,
      query.limit,
      (question) => withAnswerUrl(context, door, question),
      (question) => ({
        at: Date.parse(question.createdAt),
        id: question.requestId,
      }),
    );
  });

  app.get("/turns", needs("read"), async (context) => {
    const { limit, cursor, olderThan, agent, status } = readQuery(context, listTurnsQuerySchema);
    const after = cursor === undefined ? undefined : readCursor(cursor);
    const items = await inboxOf(context, door).list({
      kind: "turn",
      status,
      limit: limit + 1,
      ...(agent !== undefined && { agent }),
      ...(olderThan !== undefined && { createdBefore: door.now() - olderThan }),
      ...(after !== undefined && { after }),
    });
    const turns = items.map(({ view }) => view as unknown as TurnView);
    return page(
      context,
      turns,
      limit,
      (turn) => withAnswerUrls(context, door, turn),
      (turn) => ({
        at: Date.parse(turn.createdAt),
        id: turn.id,
      }),
    );
  });

  app.post("/inbox/rebuild", needs("admin"), async (context) => {
    const { fromShards } = await readBody(context, rebuildSchema);
    const { workspace } = context.get("key");
    const inbox = inboxOf(context, door);
    const before = door.openInbox(context.env, workspace, fromShards) ?? inbox;
    const known = new Set([...(await before.sessions()), ...(await inbox.sessions())]);
    await inbox.clear();
    await inEach([...known], (key) => door.openSession(context.env, workspace, key).tellInbox());
    return context.json({ sessions: known.size });
  });

  return app;
}

async function questionsOfWorkspace(
  context: CallerContext,
  door: Door,
  query: ListQuestionsQuery,
): Promise<readonly Question[]> {
  const { status, kind, agent, to, olderThan, limit, cursor } = query;
  const filter: InboxFilter = {
    kind: "question",
    status,
    limit: limit + 1,
    ...(kind !== undefined && { questionKind: kind }),
    ...(agent !== undefined && { agent }),
    ...(to !== undefined && { to }),
    ...(olderThan !== undefined && { createdBefore: door.now() - olderThan }),
    ...(cursor !== undefined && { after: readCursor(cursor) }),
  };
  const items: readonly InboxItem[] = await inboxOf(context, door).list(filter);
  return items.map(({ view }) => view as unknown as Question);
}

async function questionsOfSession(
  context: CallerContext,
  door: Door,
  { status, kind, agent, to, olderThan, limit, cursor }: ListQuestionsQuery,
  session: string,
): Promise<readonly Question[]> {
  const target = await targetOf(session);
  const read = await faceOf(context, door, target.key).readQuestions({
    status,
    // One more than shown tells whether a page follows.
    limit: limit + 1,
    after: cursor === undefined ? 0 : numberAfter(readCursor(cursor), target.key),
    ...(kind !== undefined && { kind }),
    ...(agent !== undefined && { agent }),
    ...(to !== undefined && { to }),
    ...(olderThan !== undefined && { createdBefore: door.now() - olderThan }),
  });
  if (read.ok) return read.value;
  // A name that no session has yet is no mistake; an id that nobody was given is one.
  if (target.mustExist) throw problemOf(read.refusal);
  return [];
}

export function inboxOf(context: CallerContext, door: Door): InboxFace {
  const inbox = door.openInbox(context.env, context.get("key").workspace);
  if (inbox !== undefined) return inbox;
  throw new Problem(
    "not_configured",
    "No inbox is bound: add the Durable Object binding INBOX, or name a session by sessionId.",
  );
}

async function page<T>(
  context: CallerContext,
  found: readonly T[],
  limit: number,
  show: (item: T) => Promise<T>,
  placeOf: (item: T) => InboxPlace,
): Promise<Response> {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const nextCursor = found.length > limit && last !== undefined ? cursorAfter(placeOf(last)) : null;
  return context.json({ items: await Promise.all(shown.map(show)), nextCursor });
}

/** A cursor says after which item the next page begins. Stable under writes, since the order of what is there never changes. */
function cursorAfter({ at, id }: InboxPlace): string {
  return base64url(utf8(`${at} ${id}`));
}

const CURSOR_CHARACTERS_MAX = 128;

function readCursor(cursor: string): InboxPlace {
  const match =
    cursor.length > CURSOR_CHARACTERS_MAX
      ? null
      : /^([0-9]{1,15}) ((?:q|turn)_[0-9a-f]{32})$/.exec(decoded(cursor));
  const [, at, id] = match ?? [];
  if (at === undefined || id === undefined) throw invalidCursor();
  return { at: Number(at), id };
}

function decoded(cursor: string): string {
  try {
    return atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return "";
  }
}

function numberAfter({ id }: InboxPlace, session: SessionKey): number {
  const parsed = parseId("q", id);
  if (parsed?.key !== session) throw invalidCursor();
  return parsed.n;
}

const AT_ONCE = 32;

/** Calls for each, so many at once, so that a large workspace does not ask for all its objects in one moment. */
export async function inEach<T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE)
    await Promise.all(items.slice(from, from + AT_ONCE).map(work));
}
