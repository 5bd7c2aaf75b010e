/**
 * Owns: what a request to the answer page comes to, and how that is written: its status, its headers, its language.
 */

import type { Context, Env } from "hono";
import { preferredLanguage } from "../core/language.ts";
import { answerPage, type AnswerPageState } from "../pages/answer-page.tsx";
import { DEFAULT_LOOK, type Look } from "../pages/look.ts";
import { pagePolicy } from "../pages/style.ts";
import type { NoticeName } from "../pages/wording.ts";

export type PageStatus =
  | 200
  | 400
  | 403
  | 404
  | 405
  | 409
  | 410
  | 413
  | 415
  | 422
  | 429
  | 500
  | 503;

/** What a request comes to, before it is written. */
export interface Reply {
  readonly status: PageStatus;
  readonly state: AnswerPageState;
}

const NOTICE_STATUS: Readonly<Record<NoticeName, PageStatus>> = {
  notFound: 404,
  expired: 410,
  tooManyTries: 429,
  foreignOrigin: 403,
  wrongMethod: 405,
  tooLarge: 413,
  unreadable: 400,
  notConfigured: 503,
  unavailable: 503,
  failed: 500,
};

const NOTICE_HEADERS: Partial<
  Readonly<Record<AnswerPageState["name"], Readonly<Record<string, string>>>>
> = {
  tooManyTries: { "retry-after": "60" },
  unavailable: { "retry-after": "2" },
  wrongMethod: { allow: "GET, HEAD, POST" },
};

export function noticeReply(name: NoticeName): Reply {
  return { status: NOTICE_STATUS[name], state: { name } };
}

/** What the author did not choose of the look is the reader's language, and our own brand. */
export async function writtenReply<E extends Env>(
  context: Context<E>,
  reply: Reply,
  chosen: Partial<Look> = {},
): Promise<Response> {
  const {
    language = preferredLanguage(context.req.header("accept-language")),
    brand = DEFAULT_LOOK.brand,
  } = chosen;
  return context.body(answerPage(reply.state, { language, brand }), reply.status, {
    "content-type": "text/html; charset=utf-8",
    "content-language": language,
    "content-security-policy": await pagePolicy(brand),
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-robots-tag": "noindex, nofollow",
    ...NOTICE_HEADERS[reply.state.name],
  });
}
