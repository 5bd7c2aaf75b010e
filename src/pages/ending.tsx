/**
 * Owns: how a question ended, as the page says it: the word, by whom and when, and what was answered.
 */

import type { Child } from "hono/jsx";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { Question, QuestionStatus } from "../core/question.ts";
import { Time } from "./asked.tsx";
import { JsonView } from "./json-view.tsx";
import { sayDoor, settledAt, settledBy } from "./wording.ts";

export type SettledStatus = Exclude<QuestionStatus, "waiting">;

export function Ending({
  question,
  status,
}: {
  readonly question: Question;
  readonly status: SettledStatus;
}) {
  const at = settledAt(question);
  const by = status === "expired" ? undefined : settledBy(question);
  return (
    <section class="sheet reply ending" aria-labelledby="ending">
      <h2 id="ending">{headingOf(question, status)}</h2>
      <p class="how">
        This question {VERBS[status]}
        {by === undefined ? null : <Who by={by} />}
        {at === undefined ? null : (
          <>
            {" "}
            on <Time iso={at} />
          </>
        )}
        {status === "answered" || status === "declined" ? sayDoor(question.answeredVia, by) : ""}.
      </p>
      {question.late === true ? (
        <p class="how">It came after the agent had stopped waiting for it.</p>
      ) : null}
      <Given question={question} />
      {question.reason === undefined ? null : <Words label="Reason" text={question.reason} />}
    </section>
  );
}

const VERBS: Readonly<Record<SettledStatus, string>> = {
  answered: "was answered",
  declined: "was declined",
  cancelled: "was cancelled",
  expired: "has expired, since no answer came in time. It ended",
};

function headingOf(question: Question, status: SettledStatus): string {
  switch (status) {
    case "answered":
      if (!isJsonObject(question.answer) || question.kind !== "approval") return "The answer";
      return question.answer.approved === true ? "Approved" : "Denied";
    case "declined":
      return "Declined";
    case "cancelled":
      return "Cancelled";
    case "expired":
      return "Expired";
  }
}

/** `link` and `default` are no names of persons: they say that nobody is named. */
function Who({ by }: { readonly by: string }) {
  if (by === "link") return <> through the link</>;
  if (by === "default") return <> by default, since nobody did</>;
  return (
    <>
      {" "}
      by <bdi>{by}</bdi>
    </>
  );
}

function Given({ question }: { readonly question: Question }) {
  const { answer } = question;
  if (!isJsonObject(answer)) return null;
  switch (question.kind) {
    case "person":
    case "tool":
      return <GivenChoice question={question} answer={answer} />;
    case "form":
      return <GivenForm question={question} answer={answer} />;
    case "approval":
      return <GivenDecision answer={answer} />;
  }
}

interface GivenProps {
  readonly question: Question;
  readonly answer: JsonObject;
}

function GivenChoice({ question, answer }: GivenProps) {
  const ids = texts(answer.options ?? answer.option);
  return (
    <>
      {ids.length === 0 ? null : <Picked labels={ids.map((id) => labelOf(question, id))} />}
      {typeof answer.text === "string" ? <Words text={answer.text} /> : null}
      {answer.value === undefined ? null : (
        <div class="given">
          {typeof answer.value === "string" ? (
            <p class="words" dir="auto">
              {answer.value}
            </p>
          ) : (
            <JsonView value={answer.value} label="The answer" />
          )}
        </div>
      )}
    </>
  );
}

function GivenForm({ question, answer }: GivenProps) {
  const answers = isJsonObject(answer.answers)
    ? new Map(Object.entries(answer.answers))
    : new Map<string, Json>();
  const covered = (question.questions ?? []).filter((one) => answers.has(one.question));
  return (
    <>
      {covered.length === 0 ? null : (
        <dl class="given">
          {covered.map((one) => (
            <>
              <dt dir="auto">{one.question}</dt>
              {texts(answers.get(one.question)).map((text) => (
                <dd
                  class={one.options.some(({ label }) => label === text) ? "picked" : "words"}
                  dir="auto"
                >
                  <bdi>{text}</bdi>
                </dd>
              ))}
            </>
          ))}
        </dl>
      )}
      {typeof answer.response === "string" ? (
        <Words label="Reply to the whole form" text={answer.response} />
      ) : null}
    </>
  );
}

function GivenDecision({ answer }: { readonly answer: JsonObject }) {
  return (
    <>
      {typeof answer.reason === "string" ? <Words label="Reason" text={answer.reason} /> : null}
      {answer.input === undefined ? null : (
        <div class="given">
          <p>Approved with changed arguments:</p>
          <JsonView value={answer.input} label="Changed arguments" />
        </div>
      )}
    </>
  );
}

function Picked({ labels }: { readonly labels: readonly string[] }) {
  return (
    <ul class="given">
      {labels.map((label) => (
        <li class="picked">
          <bdi>{label}</bdi>
        </li>
      ))}
    </ul>
  );
}

function Words({ text, label }: { readonly text: string; readonly label?: Child }) {
  return (
    <div class="given">
      {label === undefined ? null : <p class="hint">{label}</p>}
      <p class="words" dir="auto">
        {text}
      </p>
    </div>
  );
}

function labelOf(question: Question, id: string): string {
  return question.options?.find((option) => option.id === id)?.label ?? id;
}

function texts(value: Json | undefined): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((item) => typeof item === "string");
}
