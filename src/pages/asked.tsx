/**
 * Owns: the part of the page that says what is asked: by whom, when and until when, and why.
 */

import type { Question } from "../core/question.ts";
import { JsonView } from "./json-view.tsx";
import { useWords } from "./look.ts";
import { renderMarkdown } from "./markdown.ts";
import type { Wording } from "./wording.ts";

/** Texts of that many characters are read, not glanced at, and are set smaller. */
const LONG_QUESTION_CHARACTERS = 140;
const VERY_LONG_QUESTION_CHARACTERS = 600;
/** Beyond this the answer is far below on a small screen. */
const LONG_CONTEXT_CHARACTERS = 900;

export function Asked({ question }: { readonly question: Question }) {
  const words = useWords();
  const { agent, status, expiresAt } = question;
  const isOpen = status === "waiting";
  return (
    <header class="asked">
      <p class="who">
        {words.asks({
          isOpen,
          isApproval: question.kind === "approval",
          ...(agent !== undefined && {
            agent: (
              <strong>
                <bdi>{agent}</bdi>
              </strong>
            ),
          }),
        })}
      </p>
      <h1 dir="auto" class={sizeOf(headlineOf(question, words))}>
        {headlineOf(question, words)}
      </h1>
      <p class="when">
        <span>{words.askedOn(<Time iso={question.createdAt} />)}</span>
        {isOpen && expiresAt !== undefined ? (
          <span>{words.openUntil(<Time iso={expiresAt} />)}</span>
        ) : null}
      </p>
    </header>
  );
}

export function Time({ iso }: { readonly iso: string }) {
  return <time datetime={iso}>{useWords().time(iso)}</time>;
}

export function hasBackground(question: Question): boolean {
  return question.context !== undefined || question.kind === "approval";
}

/** The context, and of an approval the call that would be run. */
export function Background({ question }: { readonly question: Question }) {
  const words = useWords();
  const { context } = question;
  if (!hasBackground(question)) return null;
  const isLong = (context?.length ?? 0) > LONG_CONTEXT_CHARACTERS;
  return (
    <>
      {context === undefined ? null : (
        <section class="why" aria-labelledby="why">
          <h2 id="why">{words.why}</h2>
          {isLong && question.status === "waiting" ? (
            <p class="jump">
              <a href="#reply">{words.goToAnswer}</a>
            </p>
          ) : null}
          <div
            class="prose"
            dangerouslySetInnerHTML={{ __html: renderMarkdown(context, words.markdown) }}
          />
        </section>
      )}
      {question.kind === "approval" ? <Call question={question} /> : null}
    </>
  );
}

function Call({ question }: { readonly question: Question }) {
  const words = useWords();
  return (
    <section class="why" aria-labelledby="call">
      <h2 id="call">{words.whatToolIsGiven(<bdi>{question.toolName}</bdi>)}</h2>
      <JsonView value={question.arguments ?? {}} label={words.arguments} />
    </section>
  );
}

/** While a form is open its questions stand over its controls, and its headline need not repeat them. */
export function headlineOf(
  { kind, status, question, questions = [], toolName }: Question,
  words: Wording,
): string {
  if (kind === "approval" && toolName !== undefined) return words.approvalHeadline(toolName);
  return kind === "form" && status === "waiting" ? words.formHeadline(questions.length) : question;
}

function sizeOf(question: string): string | undefined {
  if (question.length > VERY_LONG_QUESTION_CHARACTERS) return "text";
  return question.length > LONG_QUESTION_CHARACTERS ? "long" : undefined;
}
