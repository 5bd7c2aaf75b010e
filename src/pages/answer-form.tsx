/**
 * Owns: the form by which a question is answered: which controls each kind of question needs, and the buttons. One form,
 * one hidden field. The names of the fields, and what they mean, are in `form-answer.ts`.
 */

import { isJsonObject } from "../core/json.ts";
import type { Question } from "../core/question.ts";
import { Choices, controlId, TextField, type Choice, type Filled } from "./fields.tsx";
import { formField, otherField, takesPlainText } from "./form-answer.ts";

interface AnswerFormProps extends Filled {
  readonly question: Question;
  readonly nonce: string;
}

interface KindProps extends Filled {
  readonly question: Question;
}

export function AnswerForm({ question, nonce, typed, issues }: AnswerFormProps) {
  return (
    <section class="sheet reply" id="reply" tabindex={-1} aria-label="Reply">
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
                Send answer
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
  return issues.length === 0 ? null : (
    <div class="notice wrong" role="alert" tabindex={-1} autofocus>
      <h2>Nothing is recorded yet</h2>
      <ul>
        {issues.map(({ field, message }) => (
          <li>
            <a href={`#${controlId(field)}`}>{message}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function You({ question }: { readonly question: Question }) {
  return question.to === undefined ? null : (
    <p class="you">
      You answer as <bdi>{question.to}</bdi>.
    </p>
  );
}

function Controls(props: KindProps) {
  if (props.question.answerSchema !== undefined) return <ValueControls {...props} />;
  return props.question.kind === "form" ? (
    <FormControls {...props} />
  ) : (
    <ChoiceControls {...props} />
  );
}

function ChoiceControls({ question, typed, issues }: KindProps) {
  const { options, multiple = false, allowText = true } = question;
  if (options === undefined)
    return <TextField name="text" label="Your answer" rows={5} typed={typed} issues={issues} />;
  return (
    <>
      <Choices
        name={multiple ? "options" : "option"}
        isMultiple={multiple}
        legend={multiple ? "Choose one or more" : "Choose one"}
        choices={options.map(({ id, label, description }) => ({ value: id, label, description }))}
        typed={typed}
        issues={issues}
      />
      {allowText ? (
        <TextField
          name="text"
          label="In your own words"
          hint="A note to your choice, or an answer without one."
          typed={typed}
          issues={issues}
        />
      ) : (
        <TextField name="text" label="Add a note (optional)" typed={typed} issues={issues} />
      )}
    </>
  );
}

const OWN_WORDS: Choice = {
  value: "",
  label: "None of these",
  description: "I answer in my own words.",
};

function FormControls({ question, typed, issues }: KindProps) {
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
              {one.multiSelect ? (
                <span class="hint">Choose one or more, or use your own words.</span>
              ) : null}
            </>
          }
          choices={[
            ...one.options.map(({ label, description }, place) => ({
              value: String(place),
              label,
              description,
            })),
            // A radio button once pressed can't be released, and words beside a choice are refused.
            ...(one.multiSelect ? [] : [OWN_WORDS]),
          ]}
          typed={typed}
          issues={issues}
        >
          <TextField
            class="other"
            name={otherField(n)}
            label="In your own words"
            rows={1}
            typed={typed}
            issues={[]}
          />
        </Choices>
      ))}
      <TextField
        name="response"
        label="A reply to the whole form (optional)"
        hint="With a reply here you may leave questions open."
        typed={typed}
        issues={issues}
      />
    </>
  );
}

function ValueControls({ question, typed, issues }: KindProps) {
  const { answerSchema } = question;
  const schema = isJsonObject(answerSchema) ? answerSchema : {};
  const title = typeof schema.title === "string" ? schema.title : "Your answer";
  const description = typeof schema.description === "string" ? schema.description : undefined;
  const isPlain = takesPlainText(question);
  const form = isPlain ? undefined : "Write it as JSON.";
  const hint = [description, form].filter((part) => part !== undefined).join(" ");
  return (
    <TextField
      name="value"
      label={<bdi>{title}</bdi>}
      {...(hint === "" ? {} : { hint: <bdi>{hint}</bdi> })}
      rows={5}
      isCode={!isPlain}
      typed={typed}
      issues={issues}
    />
  );
}

function Decline(filled: Filled) {
  return (
    <div class="aside">
      <h2>Can’t answer this?</h2>
      <p class="hint">Decline it, and whoever asked is told so.</p>
      <TextField name="reason" label="Reason (optional)" rows={1} {...filled} />
      <button class="second" type="submit" name="action" value="decline">
        Decline
      </button>
    </div>
  );
}

function Decision({ question, typed, issues }: KindProps) {
  return (
    <>
      <div class="decide">
        <h2>Approve it as shown?</h2>
        <p class="hint">It runs with exactly these arguments, and only if you approve.</p>
        <button class="main" type="submit" name="action" value="approve">
          Approve
        </button>
        <You question={question} />
      </div>
      <div class="aside">
        <TextField
          name="reason"
          label="Reason to deny (optional)"
          hint="The agent is told, and goes on without running it."
          rows={1}
          typed={typed}
          issues={issues}
        />
        <button class="against" type="submit" name="action" value="deny">
          Deny
        </button>
      </div>
    </>
  );
}
