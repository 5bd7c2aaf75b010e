/**
 * Owns: the part of the page that says what is asked: by whom, when and until when, and why.
 */

import type { Question } from "../core/question.ts";
import { JsonView } from "./json-view.tsx";
import { renderMarkdown } from "./markdown.ts";
import { sayTime } from "./wording.ts";

/** Texts of that many characters are read, not glanced at, and are set smaller. */
const LONG_QUESTION_CHARACTERS = 140;
const VERY_LONG_QUESTION_CHARACTERS = 600;
/** Beyond this the answer is far below on a small screen. */
const LONG_CONTEXT_CHARACTERS = 900;

export function Asked({ question }: { readonly question: Question }) {
  return (
    <header class="asked">
      <p class="who">
        <Asker question={question} />
      </p>
      <h1 dir="auto" class={sizeOf(headlineOf(question))}>
        {headlineOf(question)}
      </h1>
      <p class="when">
        <span>
          Asked on <Time iso={question.createdAt} />
        </span>
        {question.status === "waiting" && question.expiresAt !== undefined ? (
          <span>
            Open until <Time iso={question.expiresAt} />
          </span>
        ) : null}
      </p>
    </header>
  );
}

function Asker({ question }: { readonly question: Question }) {
  const isOpen = question.status === "waiting";
  if (question.agent === undefined) return <>{isOpen ? "You are asked" : "You were asked"}</>;
  const asks = `${isOpen ? "asks" : "asked"} ${question.kind === "approval" ? "for your approval" : "you"}`;
  return (
    <>
      The agent{" "}
      <strong>
        <bdi>{question.agent}</bdi>
      </strong>{" "}
      {asks}
    </>
  );
}

export function Time({ iso }: { readonly iso: string }) {
  return <time datetime={iso}>{sayTime(iso)}</time>;
}

export function hasBackground(question: Question): boolean {
  return question.context !== undefined || question.kind === "approval";
}

/** The context, and of an approval the call that would be run. */
export function Background({ question }: { readonly question: Question }) {
  const { context } = question;
  if (!hasBackground(question)) return null;
  const isLong = (context?.length ?? 0) > LONG_CONTEXT_CHARACTERS;
  return (
    <>
      {context === undefined ? null : (
        <section class="why" aria-labelledby="why">
          <h2 id="why">Why this is asked</h2>
          {isLong && question.status === "waiting" ? (
            <p class="jump">
              <a href="#reply">Go to the answer ↓</a>
            </p>
          ) : null}
          <div class="prose" dangerouslySetInnerHTML={{ __html: renderMarkdown(context) }} />
        </section>
      )}
      {question.kind === "approval" ? <Call question={question} /> : null}
    </>
  );
}

function Call({ question }: { readonly question: Question }) {
  return (
    <section class="why" aria-labelledby="call">
      <h2 id="call">
        What <bdi>{question.toolName ?? "the tool"}</bdi> would be given
      </h2>
      <JsonView value={question.arguments ?? {}} label="Arguments" />
    </section>
  );
}

/** While a form is open its questions stand over its controls, and its headline need not repeat them. */
function headlineOf({ kind, status, question, questions = [] }: Question): string {
  if (kind !== "form" || status !== "waiting") return question;
  return questions.length === 1 ? "A question for you" : `${questions.length} questions for you`;
}

function sizeOf(question: string): string | undefined {
  if (question.length > VERY_LONG_QUESTION_CHARACTERS) return "text";
  return question.length > LONG_QUESTION_CHARACTERS ? "long" : undefined;
}
