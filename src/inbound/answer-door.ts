/**
 * Owns: how the answer page reaches the session of its question. The workspace is the one that the link was signed for.
 */

import { parseId } from "../core/ids.ts";
import { LINK_TRIES_A_MINUTE } from "../core/limits.ts";
import type { Question } from "../core/question.ts";
import { type Outcome, refused } from "../core/refusal.ts";
import type { SessionFace, Settling } from "../session/face.ts";
import type { AnswerPageDeps } from "./answer-page.ts";
import { type Caller, type CallerContext, type Door, publicOrigin } from "./door.ts";
import { asProblem } from "./problem.ts";
import { createTries } from "./tries.ts";

const MINUTE_MS = 60_000;
const LINKS_REMEMBERED = 10_000;

export function answerDoor(door: Door): AnswerPageDeps<Caller> {
  const tries = createTries({
    limit: LINK_TRIES_A_MINUTE,
    windowMs: MINUTE_MS,
    maxKeys: LINKS_REMEMBERED,
  });
  const settle = (
    workspace: string,
    requestId: string,
    settling: Settling,
    context: CallerContext,
  ) =>
    withQuestion(door, context, workspace, requestId, (face, n) =>
      face.settleQuestion(n, settling),
    );
  return {
    linkSecret: (context) => door.config(context.env).linkSecret,
    publicOrigin: (context) => publicOrigin(context, door.config(context.env)),
    now: door.now,
    look: door.look,
    maySubmit: (token) => tries.may(token, door.now()),
    readQuestion: (workspace, requestId, context) =>
      withQuestion(door, context, workspace, requestId, (face, n) => face.readQuestion(n)),
    answer: (workspace, requestId, { answer, answeredBy: by, via, link }, context) =>
      settle(workspace, requestId, { action: "answer", answer, by, via, link }, context),
    decline: (workspace, requestId, { reason, answeredBy: by, via, link }, context) =>
      settle(
        workspace,
        requestId,
        { action: "decline", by, via, link, ...(reason !== undefined && { reason }) },
        context,
      ),
    report: (thrown, context) => {
      const { code } = asProblem(thrown);
      if (code === "unavailable") return "unavailable";
      if (code === "not_configured") return "notConfigured";
      door.report(thrown, context.get("requestId"));
      return "failed";
    },
  };
}

async function withQuestion(
  door: Door,
  context: CallerContext,
  workspace: string,
  requestId: string,
  use: (face: SessionFace, n: number) => Promise<Outcome<Question>>,
): Promise<Outcome<Question>> {
  const id = parseId("q", requestId);
  if (id === undefined) return refused({ code: "not_found", detail: "There is no such question." });
  return use(door.openSession(context.env, workspace, id.key), id.n);
}
