/**
 * Owns: how a question ended, as the page says it: the word, by whom and when, and what was answered.
 */

import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { Question } from "../core/question.ts";
import { Time } from "./asked.tsx";
import { GivenValue } from "./given-value.tsx";
import { JsonView } from "./json-view.tsx";
import { useWords } from "./look.ts";
import type { EndingFacts, SettledStatus, Wording } from "./wording.ts";

export function Ending({
  question,
  status,
  reader,
}: {
  readonly question: Question;
  readonly status: SettledStatus;
  readonly reader: string | undefined;
}) {
  const words = useWords();
  return (
    <section class="sheet reply ending" aria-labelledby="ending" data-status={status}>
      <h2 id="ending">{headingOf(question, status, words)}</h2>
      <p class="how">{words.ended(status, factsOf(question, status, reader))}</p>
      {question.late === true ? <p class="how">{words.cameLate}</p> : null}
      <Given question={question} />
      {question.reason === undefined ? null : <Words label={words.reason} text={question.reason} />}
    </section>
  );
}

function headingOf(question: Question, status: SettledStatus, { endings }: Wording): string {
  if (status !== "answered" || question.kind !== "approval" || !isJsonObject(question.answer))
    return endings[status];
  return question.answer.approved === true ? endings.approved : endings.denied;
}

/** What is not written down is not said. */
function factsOf(
  question: Question,
  status: SettledStatus,
  reader: string | undefined,
): EndingFacts {
  const entry = question.history.findLast(({ event }) => event === `question.${status}`);
  const expiry = status === "expired" ? question.expiresAt : undefined;
  const at = question.answeredAt ?? entry?.at ?? expiry;
  const by = status === "expired" ? undefined : (question.answeredBy ?? entry?.by);
  const via = status === "answered" || status === "declined" ? question.answeredVia : undefined;
  return {
    by: whoIs(by, reader),
    ...(at !== undefined && { at: <Time iso={at} /> }),
    ...(via !== undefined && { via }),
  };
}

/** `link` and `default` are no names of persons: they say that nobody is named. */
function whoIs(by: string | undefined, reader: string | undefined): EndingFacts["by"] {
  if (by === undefined) return "nobody";
  if (by === "link" || by === "default") return by;
  return { name: <bdi>{by}</bdi>, isReader: by === reader };
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
        <GivenValue schema={question.answerSchema ?? true} value={answer.value} />
      )}
    </>
  );
}

function GivenForm({ question, answer }: GivenProps) {
  const words = useWords();
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
        <Words label={words.wholeReplyGiven} text={answer.response} />
      ) : null}
    </>
  );
}

function GivenDecision({ answer }: { readonly answer: JsonObject }) {
  const words = useWords();
  return (
    <>
      {typeof answer.reason === "string" ? (
        <Words label={words.reason} text={answer.reason} />
      ) : null}
      {answer.input === undefined ? null : (
        <div class="given">
          <p>{words.approvedWithChanges}</p>
          <JsonView value={answer.input} label={words.changedArguments} />
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

function Words({ text, label }: { readonly text: string; readonly label?: string }) {
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
