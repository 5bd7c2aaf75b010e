/**
 * Owns: the answer page in each of its states. Nothing that a model or a person wrote becomes markup here: JSX escapes
 * it, and Markdown passes `markdown.ts`. Does not own: which state it is, and its HTTP status (`inbound/answer-page.ts`).
 */

import type { Question } from "../core/question.ts";
import type { Issue } from "../core/refusal.ts";
import { AnswerForm } from "./answer-form.tsx";
import { Asked, Background, hasBackground } from "./asked.tsx";
import { Ending, type SettledStatus } from "./ending.tsx";
import { NO_FIELDS, type FormFields } from "./form-answer.ts";
import { sayIssues } from "./issue-words.ts";
import { Layout, renderDocument } from "./layout.tsx";
import { NoticePage, type NoticeName } from "./notice.tsx";
import { titleOf } from "./wording.ts";

export type AnswerPageState =
  | {
      readonly name: "waiting";
      readonly question: Question;
      /** The form's hidden field. */
      readonly nonce: string;
      /** What to show in the fields. */
      readonly typed?: FormFields;
      /** Why nothing was recorded: shown beside the fields. */
      readonly issues?: readonly Issue[];
      /** The form that was sent is too old, or not of this link: it can be sent again as it stands. */
      readonly isStale?: true;
    }
  | {
      readonly name: "settled";
      readonly question: Question;
      readonly status: SettledStatus;
      /** What became of what the reader sent just now: `recorded`, or `refused` since it had ended before. */
      readonly sent?: "recorded" | "refused";
    }
  | { readonly name: NoticeName };

/** The whole document. */
export function answerPage(state: AnswerPageState): string {
  switch (state.name) {
    case "waiting":
      return renderDocument(<WaitingPage {...state} />);
    case "settled":
      return renderDocument(<SettledPage {...state} />);
    case "notFound":
    case "expired":
    case "tooManyTries":
    case "foreignOrigin":
    case "wrongMethod":
    case "tooLarge":
    case "unreadable":
    case "notConfigured":
    case "unavailable":
    case "failed":
      return renderDocument(<NoticePage name={state.name} />);
  }
}

function WaitingPage({
  question,
  nonce,
  typed = NO_FIELDS,
  issues = [],
  isStale,
}: Extract<AnswerPageState, { name: "waiting" }>) {
  const said = sayIssues(question, issues, typed);
  const before = said.length > 0 || isStale === true ? "Not recorded: " : "";
  return (
    <Layout
      title={`${before}${titleOf(question.question)} · Holdpoint`}
      state={{ words: "Waiting for you", mood: "open" }}
      reference={question.requestId}
      isWide={hasBackground(question) && question.kind !== "form"}
      skipTo={{ id: "reply", words: "Skip to the answer" }}
    >
      {isStale === true ? (
        <div class="notice wrong full" role="alert" tabindex={-1} autofocus>
          <h2>Please send it again</h2>
          <p>
            This page had been open for too long, so nothing was recorded. What you entered is still
            below.
          </p>
        </div>
      ) : null}
      <Asked question={question} />
      <Background question={question} />
      <AnswerForm question={question} nonce={nonce} typed={typed} issues={said} />
    </Layout>
  );
}

function SettledPage({ question, status, sent }: Extract<AnswerPageState, { name: "settled" }>) {
  return (
    <Layout
      title={`${sent === "recorded" ? "Recorded: " : ""}${titleOf(question.question)} · Holdpoint`}
      state={{ words: STATE_WORDS[status], mood: status === "answered" ? "done" : "quiet" }}
      reference={question.requestId}
    >
      {sent === "recorded" ? (
        <div class="notice" role="status">
          <h2>Recorded. Thank you.</h2>
          <p>
            {question.agent === undefined ? "" : "The agent goes on from here. "}You can close this
            page.
          </p>
        </div>
      ) : null}
      {sent === "refused" ? (
        <div class="notice wrong" role="alert">
          <h2>Yours was not recorded</h2>
          <p>The question had ended before it arrived. This is how:</p>
        </div>
      ) : null}
      <Asked question={question} />
      <Ending question={question} status={status} />
      <Background question={question} />
    </Layout>
  );
}

const STATE_WORDS: Readonly<Record<SettledStatus, string>> = {
  answered: "Answered",
  declined: "Declined",
  cancelled: "Cancelled",
  expired: "Expired",
};
