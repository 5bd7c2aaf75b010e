/**
 * Owns: the answer page in each of its states. Nothing that a model or a person wrote becomes markup here: JSX escapes
 * it, and Markdown passes `markdown.ts`. Does not own: which state it is, and its HTTP status (`inbound/answer-page.ts`).
 */

import type { Question } from "../core/question.ts";
import type { Issue } from "../core/refusal.ts";
import { AnswerForm } from "./answer-form.tsx";
import { Asked, Background, hasBackground, headlineOf } from "./asked.tsx";
import { Ending } from "./ending.tsx";
import { NO_FIELDS, type FormFields } from "./form-fields.ts";
import { sayIssues } from "./issue-words.ts";
import { Layout, renderDocument, titleOf } from "./layout.tsx";
import { DEFAULT_LOOK, useWords, type Look } from "./look.ts";
import { NoticePage } from "./notice.tsx";
import { allFields, fieldOfSchema } from "./schema-fields.ts";
import type { NoticeName, SettledStatus } from "./wording.ts";

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
      /** For whom the link was made; undefined where it was made for nobody in particular. */
      readonly reader?: string;
      /** What became of what the reader sent just now: `recorded`, or `refused` since it had ended before. */
      readonly sent?: "recorded" | "refused";
    }
  | { readonly name: NoticeName };

/** The whole document. */
export function answerPage(state: AnswerPageState, look: Look = DEFAULT_LOOK): string {
  switch (state.name) {
    case "waiting":
      return renderDocument(look, <WaitingPage {...state} />);
    case "settled":
      return renderDocument(look, <SettledPage {...state} />);
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
      return renderDocument(look, <NoticePage name={state.name} />);
  }
}

function WaitingPage({
  question,
  nonce,
  typed = NO_FIELDS,
  issues = [],
  isStale,
}: Extract<AnswerPageState, { name: "waiting" }>) {
  const words = useWords();
  const said = sayIssues(question, issues, typed, words);
  const before = said.length > 0 || isStale === true ? words.notRecordedTitle : "";
  return (
    <Layout
      title={`${before}${titleOf(headlineOf(question, words))}`}
      state={{ words: words.states.waiting, mood: "open" }}
      reference={question.requestId}
      isWide={hasBackground(question) && isShortForm(question)}
      skipTo={{ id: "reply", words: words.skipToAnswer }}
    >
      {isStale === true ? (
        <div class="notice wrong full" role="alert" tabindex={-1} autofocus>
          <h2>{words.sendAgain.title}</h2>
          <p>{words.sendAgain.text}</p>
        </div>
      ) : null}
      <Asked question={question} />
      <Background question={question} />
      <AnswerForm question={question} nonce={nonce} typed={typed} issues={said} />
    </Layout>
  );
}

/** A long form wants the whole page to itself. */
function isShortForm({ kind, answerSchema }: Question): boolean {
  if (answerSchema === undefined) return kind !== "form";
  return allFields(fieldOfSchema(answerSchema)).length <= SHORT_FORM_FIELDS;
}

const SHORT_FORM_FIELDS = 5;

function SettledPage({
  question,
  status,
  reader,
  sent,
}: Extract<AnswerPageState, { name: "settled" }>) {
  const words = useWords();
  return (
    <Layout
      title={`${sent === "recorded" ? words.recordedTitle : ""}${titleOf(headlineOf(question, words))}`}
      state={{ words: words.states[status], mood: status === "answered" ? "done" : "quiet" }}
      reference={question.requestId}
    >
      {sent === "recorded" ? (
        <div class="notice" role="status">
          <h2>{words.recorded.title}</h2>
          <p>
            {question.agent === undefined ? "" : `${words.agentGoesOn} `}
            {words.recorded.text}
          </p>
        </div>
      ) : null}
      {sent === "refused" ? (
        <div class="notice wrong" role="alert">
          <h2>{words.notYours.title}</h2>
          <p>{words.notYours.text}</p>
        </div>
      ) : null}
      <Asked question={question} />
      <Ending question={question} status={status} reader={reader} />
      <Background question={question} />
    </Layout>
  );
}
