/**
 * Owns: the answer page's HTTP: who may open it, what a GET and a POST do, and with which status each ends.
 * Does not own: how it looks (`pages/`), what a link says (`outbound/sign.ts`), what answers a question (`core/answer.ts`).
 *
 * A GET changes nothing, whoever prefetches it. A forged link is told from its MAC: no session is asked about it. A link
 * is good for the one to whom the question is addressed now, so assigning it to somebody else ends the links before.
 */

import { Hono, type Context, type Env } from "hono";
import { reasonSchema } from "../core/answer.ts";
import { issuesBelow, issuesOf } from "../core/issue.ts";
import type { Question } from "../core/question.ts";
import { isAddressedTo } from "../core/recipients.ts";
import type { Issue, Outcome, Refusal } from "../core/refusal.ts";
import { signNonce, verifyLink, verifyNonce, type Link } from "../outbound/sign.ts";
import { formToAnswer, openingFields } from "../pages/form-answer.ts";
import { chosenTexts, fieldText, NO_FIELDS, type FormFields } from "../pages/form-fields.ts";
import type { Look } from "../pages/look.ts";
import { noticeReply, type PageStatus, type Reply, writtenReply } from "./page-reply.ts";
import { readPostedForm, type PostedForm } from "./posted-form.ts";

export interface PageAnswer {
  readonly answer: unknown;
  readonly answeredBy: string;
  readonly via: "page";
  /** For whom the link was made. */
  readonly link: { readonly recipient?: string };
}

export interface PageDecline {
  readonly reason?: string;
  readonly answeredBy: string;
  readonly via: "page";
  readonly link: { readonly recipient?: string };
}

/** What the page needs of the rest of the Worker. */
export interface AnswerPageDeps<E extends Env = Env> {
  /** Undefined where none is configured. */
  readonly linkSecret: (context: Context<E>) => string | undefined;
  /** Under which links are given out. */
  readonly publicOrigin: (context: Context<E>) => string;
  readonly now: () => number;
  /** What is not chosen is the reader's language, and our own brand. */
  readonly look?: Partial<Look>;
  /** Counts a try to answer by this link, and says whether it may go on. */
  readonly maySubmit: (token: string) => boolean;
  readonly readQuestion: (
    workspace: string,
    requestId: string,
    context: Context<E>,
  ) => Promise<Outcome<Question>>;
  /** The same answer again is accepted, as the first one's receipt. */
  readonly answer: (
    workspace: string,
    requestId: string,
    given: PageAnswer,
    context: Context<E>,
  ) => Promise<Outcome<Question>>;
  readonly decline: (
    workspace: string,
    requestId: string,
    given: PageDecline,
    context: Context<E>,
  ) => Promise<Outcome<Question>>;
  /** Notes what one of these threw, and says what the reader is told. */
  readonly report: (
    thrown: unknown,
    context: Context<E>,
  ) => "unavailable" | "failed" | "notConfigured";
}

type Step<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reply: Reply };

interface OpenLink {
  readonly secret: string;
  readonly token: string;
  readonly link: Link;
}

interface OpenQuestion extends OpenLink {
  readonly question: Question;
}

/** `answeredBy` of a link that was made for nobody in particular. */
const ANYBODY = "link";

export function answerPageRoutes<E extends Env>(deps: AnswerPageDeps<E>): Hono<E> {
  const routes = new Hono<E>();
  routes.get("/a/:token", (context) => respond(deps, context, show));
  routes.post("/a/:token", (context) => respond(deps, context, submit));
  routes.all("/a/:token", (context) =>
    respond(deps, context, async () => noticeReply("wrongMethod")),
  );
  routes.all("/a/*", (context) => respond(deps, context, async () => noticeReply("notFound")));
  return routes;
}

type Handler = <E extends Env>(deps: AnswerPageDeps<E>, context: Context<E>) => Promise<Reply>;

async function respond<E extends Env>(
  deps: AnswerPageDeps<E>,
  context: Context<E>,
  handler: Handler,
): Promise<Response> {
  let reply: Reply;
  try {
    reply = await handler(deps, context);
  } catch (thrown) {
    reply = noticeReply(deps.report(thrown, context));
  }
  return writtenReply(context, reply, deps.look);
}

async function show<E extends Env>(deps: AnswerPageDeps<E>, context: Context<E>): Promise<Reply> {
  const link = await openLink(deps, context);
  const open = link.ok ? await openQuestion(deps, context, link.value) : link;
  if (!open.ok) return open.reply;
  // A link in a mail may choose an option beforehand. It is sent only when a person presses the button.
  const linked = (name: string) => context.req.queries(name) ?? [];
  return stateReply(deps, open.value, 200, { typed: openingFields(open.value.question, linked) });
}

async function submit<E extends Env>(deps: AnswerPageDeps<E>, context: Context<E>): Promise<Reply> {
  const link = await openLink(deps, context);
  if (!link.ok) return link.reply;
  if (isForeign(context, deps.publicOrigin(context))) return noticeReply("foreignOrigin");
  if (!deps.maySubmit(link.value.token)) return noticeReply("tooManyTries");
  const form = await readPostedForm(context.req.raw);
  if (!form.ok) return unreadable(form.why);
  const open = await openQuestion(deps, context, link.value);
  if (!open.ok) return open.reply;
  const { secret, token } = open.value;
  if (!(await verifyNonce(secret, token, fieldText(form.fields, "nonce"), deps.now())))
    return stateReply(deps, open.value, 403, { typed: form.fields, isStale: true });
  return settle(deps, context, open.value, form.fields);
}

async function settle<E extends Env>(
  deps: AnswerPageDeps<E>,
  context: Context<E>,
  open: OpenQuestion,
  typed: FormFields,
): Promise<Reply> {
  const { workspace, requestId, recipient } = open.link;
  const answeredBy = recipient ?? ANYBODY;
  const [action = "", ...others] = chosenTexts(typed, "action");
  if (others.length > 0 || !isAction(open.question, action)) {
    const issues = [{ path: "action", message: "is not a button of this form" }];
    return unfitReply(deps, open, typed, issues);
  }
  const link = recipient === undefined ? {} : { recipient };
  const by = { answeredBy, via: "page", link } as const;
  let outcome: Outcome<Question>;
  if (action === "decline") {
    const reason = reasonSchema.safeParse(fieldText(typed, "reason"));
    if (!reason.success)
      return unfitReply(deps, open, typed, issuesBelow("reason", issuesOf(reason.error)));
    const given = { ...(reason.data !== undefined && { reason: reason.data }), ...by };
    outcome = await deps.decline(workspace, requestId, given, context);
  } else {
    const answer = formToAnswer(open.question, typed);
    if (!answer.ok) return unfitReply(deps, open, typed, answer.issues);
    outcome = await deps.answer(workspace, requestId, { answer: answer.value, ...by }, context);
  }
  if (!outcome.ok) return refusalReply(deps, context, open, typed, outcome.refusal);
  // The same answer may have been somebody else's first: then theirs is shown, and not said to be this reader's.
  const isOwn = outcome.value.answeredBy === answeredBy;
  return stateReply(
    deps,
    { ...open, question: outcome.value },
    200,
    isOwn ? { sent: "recorded" } : {},
  );
}

function isAction(question: Question, action: string): boolean {
  const ofApprovals = action === "approve" || action === "deny";
  return (
    action === "" ||
    action === "answer" ||
    action === "decline" ||
    (ofApprovals && question.kind === "approval")
  );
}

/** The form again. Of a question that has ended that is said, and not what is wrong with the form. */
function unfitReply<E extends Env>(
  deps: AnswerPageDeps<E>,
  open: OpenQuestion,
  typed: FormFields,
  issues: readonly Issue[],
): Promise<Reply> {
  return open.question.status === "waiting"
    ? stateReply(deps, open, 422, { typed, issues })
    : stateReply(deps, open, 409, { sent: "refused" });
}

async function refusalReply<E extends Env>(
  deps: AnswerPageDeps<E>,
  context: Context<E>,
  open: OpenQuestion,
  typed: FormFields,
  refusal: Refusal,
): Promise<Reply> {
  switch (refusal.code) {
    case "invalid_answer":
    case "invalid_request": {
      const issues = refusal.issues ?? [{ path: "", message: refusal.detail }];
      return unfitReply(deps, open, typed, issues);
    }
    case "already_answered":
    case "declined":
    case "cancelled":
    case "expired": {
      const now = await openQuestion(deps, context, open);
      return now.ok ? stateReply(deps, now.value, 409, { sent: "refused" }) : now.reply;
    }
    case "not_found":
      return noticeReply("notFound");
    default:
      // No other "no" is about an answer. Whatever it is, trying again may help and does no harm.
      return noticeReply("unavailable");
  }
}

async function openLink<E extends Env>(
  deps: AnswerPageDeps<E>,
  context: Context<E>,
): Promise<Step<OpenLink>> {
  const secret = deps.linkSecret(context);
  if (secret === undefined || secret === "")
    return { ok: false, reply: noticeReply("notConfigured") };
  const token = context.req.param("token") ?? "";
  const check = await verifyLink(secret, token, deps.now());
  if (check.ok) return { ok: true, value: { secret, token, link: check.link } };
  return { ok: false, reply: noticeReply(check.why === "expired" ? "expired" : "notFound") };
}

async function openQuestion<E extends Env>(
  deps: AnswerPageDeps<E>,
  context: Context<E>,
  open: OpenLink,
): Promise<Step<OpenQuestion>> {
  const { workspace, requestId, recipient } = open.link;
  const outcome = await deps.readQuestion(workspace, requestId, context);
  if (!outcome.ok || !isAddressedTo(outcome.value, recipient))
    return { ok: false, reply: noticeReply("notFound") };
  return { ok: true, value: { ...open, question: outcome.value } };
}

/** As its reader sees it: addressed to whom the link was made for, whoever else may answer it. */
function seenBy(question: Question, { recipient }: Link): Question {
  return recipient === undefined ? question : { ...question, to: recipient };
}

interface Shown {
  readonly typed?: FormFields;
  readonly issues?: readonly Issue[];
  readonly isStale?: true;
  readonly sent?: "recorded" | "refused";
}

/** The question as it stands: its form, or how it ended. */
async function stateReply<E extends Env>(
  deps: AnswerPageDeps<E>,
  { question: asked, secret, token, link }: OpenQuestion,
  status: PageStatus,
  { typed = NO_FIELDS, issues = [], isStale, sent }: Shown,
): Promise<Reply> {
  const question = seenBy(asked, link);
  if (question.status !== "waiting") {
    return {
      status,
      state: {
        name: "settled",
        question,
        status: question.status,
        ...(link.recipient !== undefined && { reader: link.recipient }),
        ...(sent !== undefined && { sent }),
      },
    };
  }
  const nonce = await signNonce(secret, token, deps.now());
  return {
    status,
    state: { name: "waiting", question, nonce, typed, issues, ...(isStale && { isStale }) },
  };
}

function unreadable(why: Extract<PostedForm, { ok: false }>["why"]): Reply {
  if (why === "tooLarge") return noticeReply("tooLarge");
  return { status: why === "wrongType" ? 415 : 400, state: { name: "unreadable" } };
}

/**
 * A missing Origin is no foreign one. Nor is `null`: it is what browsers send for a form of a page whose Referrer-Policy
 * is no-referrer, as ours is. They say in Sec-Fetch-Site then where it came from; and the nonce can't be had elsewhere.
 */
function isForeign<E extends Env>(context: Context<E>, publicOrigin: string): boolean {
  const site = context.req.header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin" && site !== "none") return true;
  const origin = context.req.header("origin");
  if (origin === undefined || origin === "null") return false;
  return origin !== new URL(publicOrigin).origin && origin !== new URL(context.req.url).origin;
}
