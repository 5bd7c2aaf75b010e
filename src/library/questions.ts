/**
 * Owns: reading and settling questions from the Worker's own code.
 */

import { answeredBySchema, reasonSchema } from "../core/answer.ts";
import { formatSessionId, parseId } from "../core/ids.ts";
import type { InboxPlace } from "../core/inbox.ts";
import { PAGE_ITEMS_MAX } from "../core/limits.ts";
import type { Question, QuestionStatus } from "../core/question.ts";
import type { Settling } from "../session/face.ts";
import type { RefusalCode } from "../core/refusal.ts";
import { listQuestionsQuerySchema } from "../core/requests.ts";
import type { LinkOf } from "../core/turn-view.ts";
import { checked, HoldpointRefusal, refusalError, valueOf } from "./refusal.ts";
import { DEFAULT_WORKSPACE } from "../core/key.ts";
import { type HasReach, targetOf } from "./target.ts";

interface QuestionOptions {
  readonly harness: HasReach;
  readonly requestId: string;
  /** May be left out: the question's id carries its session. Where it is given, it must be the question's. */
  readonly sessionId?: string;
  readonly workspace?: string;
}

export interface AnswerOptions extends QuestionOptions {
  readonly answer: unknown;
  readonly answeredBy: string;
}

export interface DeclineOptions extends QuestionOptions {
  readonly reason?: string;
  readonly answeredBy: string;
}

export interface CancelOptions extends QuestionOptions {
  readonly reason?: string;
}

/** Records an answer. The same answer again returns the question too; a different one is refused. */
export async function answerInputRequest(options: AnswerOptions): Promise<Question> {
  const by = checked(answeredBySchema, options.answeredBy, "answeredBy");
  return settle(options, { action: "answer", answer: options.answer, by, via: "code" });
}

export async function declineInputRequest(options: DeclineOptions): Promise<Question> {
  const by = checked(answeredBySchema, options.answeredBy, "answeredBy");
  const reason = checked(reasonSchema, options.reason, "reason");
  return settle(options, {
    action: "decline",
    by,
    via: "code",
    ...(reason !== undefined && { reason }),
  });
}

export async function cancelInputRequest(options: CancelOptions): Promise<Question> {
  const reason = checked(reasonSchema, options.reason, "reason");
  return settle(options, { action: "cancel", ...(reason !== undefined && { reason }) });
}

type ListedStatus = QuestionStatus | "all";
const listedStatusSchema = listQuestionsQuerySchema.shape.status;

export interface ListOptions {
  readonly harness: HasReach;
  /** One session's questions, never behind; without it those of all sessions, from the inbox. */
  readonly sessionId?: string;
  readonly status?: ListedStatus;
  readonly workspace?: string;
}

/** Questions, oldest first: those that wait, or of another status. Those that wait have their links, where there are any. */
export async function listInputRequests(options: ListOptions): Promise<readonly Question[]> {
  const { harness, sessionId, workspace = DEFAULT_WORKSPACE } = options;
  const status = checked(listedStatusSchema, options.status, "status");
  const linkOf = harness.reach.linkOf(workspace);
  const questions = await (sessionId === undefined
    ? questionsOfAll(harness, status, workspace)
    : questionsOfSession(harness, sessionId, status, workspace));
  return Promise.all(questions.map((question) => withLink(question, linkOf)));
}

async function withLink(question: Question, linkOf: LinkOf): Promise<Question> {
  const answerUrl = question.status === "waiting" ? await linkOf(question) : undefined;
  return answerUrl === undefined ? question : { ...question, answerUrl };
}

async function questionsOfAll(
  harness: HasReach,
  status: ListedStatus,
  workspace: string,
): Promise<readonly Question[]> {
  const inbox = harness.reach.openInbox(workspace);
  if (inbox === undefined)
    throw new HoldpointRefusal(
      "invalid_request",
      "No inbox is bound: bind INBOX, or give sessionId.",
    );
  const all: Question[] = [];
  for (let after: InboxPlace | undefined; ;) {
    const page = await inbox.list({
      kind: "question",
      status,
      limit: PAGE_ITEMS_MAX,
      ...(after !== undefined && { after }),
    });
    all.push(...page.map(({ view }) => view as unknown as Question));
    const last = page.at(-1);
    if (page.length < PAGE_ITEMS_MAX || last === undefined) return all;
    after = { at: last.createdAt, id: last.id };
  }
}

async function questionsOfSession(
  harness: HasReach,
  sessionId: string,
  status: ListedStatus,
  workspace: string,
): Promise<readonly Question[]> {
  const target = await targetOf(sessionId);
  const face = harness.reach.openSession(workspace, target.key);
  const all: Question[] = [];
  for (let after = 0; ;) {
    const read = await face.readQuestions({ status, after, limit: PAGE_ITEMS_MAX });
    // A name that no session has yet has no questions; an id that was never given is a mistake.
    if (!read.ok && !target.mustExist) return all;
    const page = valueOf(read);
    all.push(...page);
    const last = page.at(-1);
    if (page.length < PAGE_ITEMS_MAX || last === undefined) return all;
    after = parseId("q", last.requestId)?.n ?? after;
  }
}

async function settle(options: QuestionOptions, settling: Settling): Promise<Question> {
  const { harness, requestId, sessionId, workspace = DEFAULT_WORKSPACE } = options;
  const id = parseId("q", requestId);
  if (id === undefined || (sessionId !== undefined && !(await isSession(sessionId, id.key))))
    throw new HoldpointRefusal("not_found", "There is no such question.");
  const face = harness.reach.openSession(workspace, id.key);
  const settled = await face.settleQuestion(id.n, settling);
  if (settled.ok || !SETTLED_BEFORE.has(settled.refusal.code)) return valueOf(settled);
  const read = await face.readQuestion(id.n);
  throw refusalError(settled.refusal, read.ok ? read.value : undefined);
}

/** The refusals that tell of a question how it ended, and of which the caller may want to know more. */
const SETTLED_BEFORE: ReadonlySet<RefusalCode> = new Set([
  "already_answered",
  "declined",
  "cancelled",
  "expired",
]);

async function isSession(sessionId: string, key: string): Promise<boolean> {
  const target = await targetOf(sessionId);
  return formatSessionId(target.key) === formatSessionId(key);
}
