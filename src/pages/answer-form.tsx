/**
 * Owns: the form by which a question is answered: which controls each kind of question needs, and the buttons. One form,
 * one hidden field. The names of the fields, and what they mean, are in `form-answer.ts`.
 */

import type { Question } from "../core/question.ts";
import { argumentsField, readArguments } from "./argument-fields.ts";
import { typedOverPreset } from "./field-values.ts";
import { Choices, TextField, type Choice, type Filled } from "./fields.tsx";
import { formField, otherField } from "./form-answer.ts";
import { useWords } from "./look.ts";
import { SchemaControl } from "./schema-controls.tsx";
import { fieldOfSchema } from "./schema-fields.ts";
import type { Wording } from "./wording.ts";

interface AnswerFormProps extends Filled {
  readonly question: Question;
  readonly nonce: string;
}

interface KindProps extends Filled {
  readonly question: Question;
}

export function AnswerForm({ question, nonce, typed, issues }: AnswerFormProps) {
  const words = useWords();
  return (
    <section class="sheet reply" id="reply" tabindex={-1} aria-label={words.reply}>
      <Summary issues={issues} />
      <form method="post" autocomplete="off">
        <input type="hidden" name="nonce" value={nonce} />
        {question.kind === "approval" ? (
          <Decision question={question} typed={typed} issues={issues} />
        ) : (
          <>
            <Controls question={question} typed={typed} issues={issues} />
            <div>
              <button class="main" type="submit" name="action" value="answer">
                {words.sendAnswer}
              </button>
              <You question={question} />
            </div>
            <Decline typed={typed} issues={issues} />
          </>
        )}
      </form>
    </section>
  );
}

/** Above the form and in focus: a person who can't see the page learns first that nothing was recorded. */
function Summary({ issues }: Pick<Filled, "issues">) {
  const words = useWords();
  return issues.length === 0 ? null : (
    <div class="notice wrong" role="alert" tabindex={-1} autofocus>
      <h2>{words.nothingRecorded}</h2>
      <ul>
        {issues.map(({ control, message, label }) => (
          <li>
            <a href={`#${control}`}>
              {label === undefined ? null : (
                <>
                  <bdi>{label}</bdi>
                  {/[?!.:]$/.test(label) ? " " : ": "}
                </>
              )}
              {message}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function You({ question }: { readonly question: Question }) {
  const words = useWords();
  return question.to === undefined ? null : (
    <p class="you">{words.answeringAs(<bdi>{question.to}</bdi>)}</p>
  );
}

function Controls(props: KindProps) {
  const { question, typed, issues } = props;
  if (question.answerSchema !== undefined)
    return (
      <SchemaControl field={fieldOfSchema(question.answerSchema)} typed={typed} issues={issues} />
    );
  return question.kind === "form" ? <FormControls {...props} /> : <ChoiceControls {...props} />;
}

function ChoiceControls({ question, typed, issues }: KindProps) {
  const words = useWords();
  const { options, multiple = false, allowText = true } = question;
  if (options === undefined)
    return (
      <TextField name="text" label={words.yourAnswer} rows={5} typed={typed} issues={issues} />
    );
  const inOwnWords = { label: words.ownWords, hint: words.ownWordsHint };
  return (
    <>
      <Choices
        name={multiple ? "options" : "option"}
        isMultiple={multiple}
        legend={multiple ? words.chooseSome : words.chooseOne}
        choices={options.map(({ id, label, description }) => ({ value: id, label, description }))}
        typed={typed}
        issues={issues}
      />
      <TextField
        name="text"
        {...(allowText ? inOwnWords : { label: words.noteOptional })}
        typed={typed}
        issues={issues}
      />
    </>
  );
}

/** A radio button once pressed can't be released, and words beside a choice are refused. */
function ownWordsChoice({ noneOfThese: { title, text } }: Wording): Choice {
  return { value: "", label: title, description: text };
}

function FormControls({ question, typed, issues }: KindProps) {
  const words = useWords();
  return (
    <>
      {(question.questions ?? []).map((one, n) => (
        <Choices
          name={formField(n)}
          isMultiple={one.multiSelect}
          legend={
            <>
              <bdi class="tag">{one.header}</bdi>
              <span class="text" dir="auto">
                {one.question}
              </span>
              {one.multiSelect ? <span class="hint">{words.chooseSomeOrOwnWords}</span> : null}
            </>
          }
          choices={[
            ...one.options.map(({ label, description }, place) => ({
              value: String(place),
              label,
              description,
            })),
            ...(one.multiSelect ? [] : [ownWordsChoice(words)]),
          ]}
          typed={typed}
          issues={issues}
        >
          <TextField
            class="other"
            name={otherField(n)}
            label={words.ownWords}
            rows={1}
            typed={typed}
            issues={[]}
          />
        </Choices>
      ))}
      <TextField
        name="response"
        label={words.wholeReply}
        hint={words.wholeReplyHint}
        typed={typed}
        issues={issues}
      />
    </>
  );
}

/** Whoever declines need not fill in what a browser checks by itself. */
function Decline(filled: Filled) {
  const words = useWords();
  return (
    <div class="aside">
      <h2>{words.cannotAnswer.title}</h2>
      <p class="hint">{words.cannotAnswer.text}</p>
      <TextField name="reason" label={words.reasonOptional} rows={1} {...filled} />
      <button class="second" type="submit" name="action" value="decline" formnovalidate>
        {words.decline}
      </button>
    </div>
  );
}

function Decision({ question, typed, issues }: KindProps) {
  const words = useWords();
  const isEditable = argumentsField(question) !== undefined;
  const passage = isEditable ? words.approveOrChange : words.approveAsShown;
  return (
    <>
      <div class="decide">
        <h2>{passage.title}</h2>
        <p class="hint">{passage.text}</p>
        <Changes question={question} typed={typed} issues={issues} />
        {/* A browser can't show what is wrong with a field that is folded away. */}
        <button class="main" type="submit" name="action" value="approve" formnovalidate>
          {words.approve}
        </button>
        <You question={question} />
      </div>
      <div class="aside">
        <TextField
          name="reason"
          label={words.denyReason.title}
          hint={words.denyReason.text}
          rows={1}
          typed={typed}
          issues={issues}
        />
        <button class="against" type="submit" name="action" value="deny" formnovalidate>
          {words.deny}
        </button>
      </div>
    </>
  );
}

/** The arguments, to be changed: folded away until somebody wants to, or has. */
function Changes({ question, typed, issues }: KindProps) {
  const words = useWords();
  const field = argumentsField(question);
  if (field === undefined) return null;
  const { value, unread } = readArguments(question, typed);
  const isOpen = value !== undefined || unread.length > 0;
  return (
    <details class="changes" open={isOpen}>
      <summary>{words.changeArguments}</summary>
      <SchemaControl field={field} typed={typedOverPreset(field, typed)} issues={issues} />
    </details>
  );
}
