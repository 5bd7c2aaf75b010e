/**
 * Questions in memory, behind the port that the answer page wants: the first answer wins, the same again is its receipt.
 * Answers are judged by core, as a session does.
 */

import { Hono } from "hono";
import { checkAnswer, type Answerable } from "../../src/core/answer.ts";
import { canonicalJson, isJsonObject } from "../../src/core/json.ts";
import type { Question } from "../../src/core/question.ts";
import { accepted, type Issue, refused, type Outcome } from "../../src/core/refusal.ts";
import { answerPageRoutes, type AnswerPageDeps } from "../../src/inbound/answer-page.ts";
import { createTries } from "../../src/inbound/tries.ts";
import { signLink, type Link } from "../../src/outbound/sign.ts";

export const SECRET = "a secret of the tests";
export const NOW = Date.parse("2026-11-30T10:00:00.000Z");

export interface Desk {
  readonly app: Hono;
  /** The path of a link to a question. */
  readonly linkTo: (question: Question, more?: Partial<Link>) => Promise<string>;
  readonly question: (requestId: string) => Question | undefined;
  /** Puts a question there, or changes it behind the page's back. */
  readonly put: (question: Question) => void;
  /** Which of the port's functions were called, in order. */
  readonly calls: string[];
  readonly advance: (milliseconds: number) => void;
}

export function createDesk(
  questions: readonly Question[],
  changed: Partial<AnswerPageDeps> = {},
): Desk {
  const byId = new Map(questions.map((question) => [question.requestId, question]));
  const calls: string[] = [];
  const tries = createTries({ limit: 30, windowMs: 60_000, maxKeys: 100 });
  let now = NOW;

  function settle(
    requestId: string,
    ending: Pick<Question, "status"> & Partial<Question>,
  ): Outcome<Question> {
    const question = byId.get(requestId);
    if (question === undefined)
      return refused({ code: "not_found", detail: "There is no such question." });
    if (question.status !== "waiting") {
      const isSame =
        question.status === ending.status &&
        canonicalJson(question.answer) === canonicalJson(ending.answer);
      return isSame
        ? accepted(question)
        : refused({ code: "already_answered", detail: "It is answered." });
    }
    const settled = { ...question, ...ending, answeredAt: new Date(now).toISOString() };
    byId.set(requestId, settled);
    return accepted(settled);
  }

  const deps: AnswerPageDeps = {
    linkSecret: () => SECRET,
    publicOrigin: () => "https://ask.example",
    now: () => now,
    maySubmit: (token) => tries.may(token, now),
    report: () => "failed",
    readQuestion: async (workspace, requestId) => {
      calls.push("readQuestion");
      const question = workspace === "acme" ? byId.get(requestId) : undefined;
      return question === undefined
        ? refused({ code: "not_found", detail: "There is no such question." })
        : accepted(question);
    },
    answer: async (_, requestId, { answer, answeredBy, via }) => {
      calls.push("answer");
      const question = byId.get(requestId);
      const checked =
        question === undefined ? undefined : checkAnswer(answerableOf(question), answer);
      if (checked?.ok === false)
        return refused({
          code: "invalid_answer",
          detail: "It does not fit.",
          issues: checked.issues,
        });
      return settle(requestId, {
        status: "answered",
        answer: JSON.parse(JSON.stringify(checked?.value ?? null)),
        answeredBy,
        answeredVia: via,
      });
    },
    decline: async (_, requestId, { reason, answeredBy, via }) => {
      calls.push("decline");
      return settle(requestId, {
        status: "declined",
        ...(reason !== undefined && { reason }),
        answeredBy,
        answeredVia: via,
      });
    },
    ...changed,
  };

  return {
    app: new Hono().route("/", answerPageRoutes(deps)),
    linkTo: async (question, more = {}) => {
      const { requestId, to } = question;
      return `/a/${await signLink(SECRET, { workspace: "acme", requestId, ...(to !== undefined && { recipient: to }), ...more })}`;
    },
    question: (requestId) => byId.get(requestId),
    put: (question) => void byId.set(question.requestId, question),
    calls,
    advance: (milliseconds) => void (now += milliseconds),
  };
}

function answerableOf(question: Question): Answerable {
  switch (question.kind) {
    case "person":
      return { kind: "person", question: { ...question, allowText: question.allowText ?? true } };
    case "tool":
      return { kind: "tool", question: { ...question, allowText: question.allowText ?? true } };
    case "form":
      return { kind: "form", request: { questions: question.questions ?? [] } };
    case "approval":
      return { kind: "approval", editable: question.editable === true, checkInput: checkMail };
  }
}

/** What a tool that sends mail might say of its input. */
function checkMail(input: unknown): readonly Issue[] {
  return isJsonObject(input) && !String(input.to).includes("@")
    ? [{ path: "to", message: "Invalid email address" }]
    : [];
}

/** The nonce of a page's form. */
export function nonceOf(html: string): string {
  return /name="nonce" value="([^"]*)"/.exec(html)?.[1] ?? "";
}

/** Opens the page of a question, and sends its form with these fields. */
export async function fillIn(
  desk: Desk,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const page = await desk.app.request(path);
  return send(desk, path, { nonce: nonceOf(await page.text()), ...fields }, headers);
}

export function send(
  desk: Desk,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) {
  return desk.app.request(path, { method: "POST", body: new URLSearchParams(fields), headers });
}
