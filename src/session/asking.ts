/**
 * Owns: asking from a tool's own code, or for another system: at once, with the status of the same question where it was
 * asked before. Whom a question may go to, and by what terms it may live, is judged before it is asked.
 */

import type { AskResult } from "../agent/tool-context.ts";
import type { ToolAnswer } from "../core/answer.ts";
import { formatId, formatTaskId, sha256Hex } from "../core/ids.ts";
import { issuesOf, modelIssues } from "../core/issue.ts";
import {
  type Callback,
  checkTerms,
  type Terms,
  withTermsSchema,
  type WrittenTerms,
} from "../core/life.ts";
import { canonicalJson, isJsonObject } from "../core/json.ts";
import { OPEN_QUESTIONS } from "../core/limits.ts";
import { jsonSchemaOf } from "../core/output.ts";
import { type ToolQuestion, toolQuestionSchema } from "../core/question.ts";
import { issueOfName, type Reach } from "../core/recipients.ts";
import { accepted, type Checked, type Issue, type Outcome, refused } from "../core/refusal.ts";
import type { QuestionContent, TaskContent, TaskRecord } from "../core/task.ts";
import type { AskUserQuestionRequest } from "../core/user-question.ts";
import { findIdempotent, readSince } from "../journal/journal.ts";
import { readTask, readTaskByIdentity } from "../journal/tasks.ts";
import type { CallPlace } from "./draft.ts";
import { KEY_REUSED, sessionNotFound } from "./starting.ts";
import type { SessionStore } from "./store.ts";

/** Throws, in words for the tool's author, where the question is not one that can be asked. */
export async function askFromTool(
  store: SessionStore,
  place: CallPlace,
  question: unknown,
  key: string | undefined,
): Promise<AskResult> {
  const lived = withTermsSchema.safeParse(question);
  if (!lived.success) throw unaskable(issuesOf(lived.error));
  const parsed = toolQuestionSchema.safeParse(withJsonSchema(lived.data.rest));
  if (!parsed.success) throw unaskable(issuesOf(parsed.error));
  const content = parsed.data;
  const identity = await identityOf(content, key);
  // Nothing is awaited from here on, so two calls that ask the same find the same question.
  const turn = store.turn(place.turn);
  if (turn?.status === "cancelled") throw new Error("the turn was cancelled, so nobody is asked");
  const known = readTaskByIdentity(store.database, identity);
  if (known !== undefined) return askResult(store, known);
  const agent = turn?.started.agent;
  const asked = { kind: "tool", question: content } as const;
  const terms = checkedTerms(store.reach(agent), asked, content.to, lived.data.terms);
  if (!terms.ok) throw unaskable(terms.issues);
  const record = store.transact((draft) => {
    if (draft.openQuestions >= OPEN_QUESTIONS)
      throw new Error(`this session has ${OPEN_QUESTIONS} open questions already`);
    const notes = { identity, terms: terms.value, ...(agent !== undefined && { agent }) };
    return draft.ask(place, asked, notes);
  });
  return askResult(store, record);
}

function unaskable(issues: readonly Issue[]): Error {
  return new Error(`the question can't be asked: ${modelIssues(issues)}`);
}

/** The terms that were given with a question, once they, and whom they name, are found to fit it. */
function checkedTerms(
  { directory }: Reach,
  content: QuestionContent,
  to: string | undefined,
  written: WrittenTerms,
): Checked<Terms> {
  const named = [
    ...(to === undefined ? [] : [{ path: "to", name: to }]),
    ...(written.escalate ?? []).map((each, i) => ({ path: `escalate[${i}].to`, name: each.to })),
  ];
  const unknown = named.flatMap(({ path, name }) => issueOfName(directory, path, name) ?? []);
  return unknown.length > 0 ? { ok: false, issues: unknown } : checkTerms(content, written);
}

/** What makes two questions the same one: the key, or else the content. */
function identityOf(question: AskRequest["question"], key: string | undefined): Promise<string> {
  return sha256Hex(key === undefined ? `content:${canonicalJson(question)}` : `key:${key}`);
}

export interface AskRequest {
  readonly question: ToolQuestion | AskUserQuestionRequest;
  /** Whom a form is for. */
  readonly to?: string;
  readonly terms: WrittenTerms;
  readonly callback?: Callback;
  /** The same key in the same session is the same question. */
  readonly key?: string;
  /** As for the start of a turn. */
  readonly mustExist: boolean;
  readonly fresh: boolean;
  readonly idempotency?: { readonly key: string; readonly digest: string };
}

export interface Asked {
  readonly record: TaskRecord;
  /** True where an earlier request asked it. */
  readonly replayed: boolean;
}

/** A question that belongs to no turn. */
const NO_CALL: CallPlace = { turn: 0, step: 0, index: 0 };

/** Asks for another system, whose own agent waits for the answer. */
export async function askDirectly(
  store: SessionStore,
  request: AskRequest,
): Promise<Outcome<Asked>> {
  if (request.mustExist && !store.exists) return refused(sessionNotFound());
  const { key, idempotency, fresh } = request;
  const identity = key === undefined ? undefined : await identityOf(request.question, key);
  // Nothing is awaited from here on, so two requests that ask the same find the same question.
  const known = store.exists ? askedBefore(store, request) : undefined;
  if (known !== undefined)
    return known.digest === idempotency?.digest
      ? accepted({ record: known.record, replayed: true })
      : refused(KEY_REUSED);
  const same =
    identity === undefined || !store.exists
      ? undefined
      : readTaskByIdentity(store.database, identity);
  if (same !== undefined) return accepted({ record: same, replayed: true });
  if (store.head.waiting >= OPEN_QUESTIONS)
    return refused({
      code: "session_full",
      detail: `The session has ${OPEN_QUESTIONS} open questions already.`,
    });
  const content = directContent(request.question);
  const { to, callback } = request;
  const addressee = content.kind === "form" ? to : content.question.to;
  const terms = checkedTerms(store.reach(undefined), content, addressee, request.terms);
  if (!terms.ok)
    return refused({
      code: "invalid_request",
      detail: "The question can't be asked so.",
      issues: terms.issues,
    });
  const record = store.transact((draft) => {
    if (idempotency !== undefined && !fresh) draft.recordRequest(idempotency.key);
    return draft.ask(NO_CALL, content, {
      terms: terms.value,
      ...(to !== undefined && { to }),
      ...(callback !== undefined && { callback }),
      ...(identity !== undefined && { identity }),
      ...(idempotency !== undefined && { requestDigest: idempotency.digest }),
    });
  });
  return accepted({ record, replayed: false });
}

function directContent(question: AskRequest["question"]): DirectContent {
  if ("questions" in question) return { kind: "form", request: question };
  return question.answerSchema === undefined
    ? { kind: "person", question }
    : { kind: "tool", question };
}

type DirectContent = Extract<TaskContent, { kind: "form" | "person" | "tool" }>;

function askedBefore(
  store: SessionStore,
  { fresh, idempotency }: AskRequest,
): { readonly record: TaskRecord; readonly digest: string | undefined } | undefined {
  const seq = fresh
    ? 0
    : idempotency === undefined
      ? undefined
      : findIdempotent(store.database, idempotency.key)?.seq;
  if (seq === undefined) return undefined;
  for (const { facts } of readSince(store.database, seq - 1))
    for (const fact of facts) {
      if (fact.type !== "question.asked") continue;
      const record = readTask(store.database, fact.question);
      return record === undefined ? undefined : { record, digest: fact.requestDigest };
    }
  return undefined;
}

/** An `answerSchema` may be zod; it is stored, and checked, as the JSON Schema that it stands for. */
function withJsonSchema(question: unknown): unknown {
  if (!isJsonObject(question)) return question;
  const schema: unknown = question["answerSchema"];
  return schema === undefined ? question : { ...question, answerSchema: jsonSchemaOf(schema) };
}

function askResult(store: SessionStore, record: TaskRecord): AskResult {
  // A form is answered as forms are, and has no task to wait for.
  if (record.task === undefined)
    throw new Error("the question can't be asked: its key is that of a form; take another key");
  const ids = {
    taskId: formatTaskId(record.task),
    requestId: formatId("q", store.key, record.n),
  };
  const { settlement } = record;
  if (settlement === undefined) return { status: "waiting", ...ids };
  switch (settlement.status) {
    case "answered":
      return {
        status: "answered",
        ...ids,
        answer: settlement.answer as ToolAnswer,
        answeredBy: settlement.by,
        answeredAt: new Date(settlement.at).toISOString(),
      };
    case "declined":
    case "cancelled":
      return {
        status: settlement.status,
        ...ids,
        ...(settlement.reason !== undefined && { reason: settlement.reason }),
      };
    case "expired":
      return { status: "expired", ...ids };
    case "finished":
      throw new Error("a question does not end as a background tool does");
  }
}
