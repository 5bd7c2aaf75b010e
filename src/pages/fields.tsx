/**
 * Owns: the controls of the form: a choice among options, and a text. Each shows what was typed, and what is wrong with
 * it, beside itself. Does not own: which controls a question needs (`answer-form.tsx`).
 */

import type { Child } from "hono/jsx";
import type { FieldIssue } from "./issue-words.ts";
import { fieldText, fieldTexts, type FormFields } from "./form-answer.ts";

/** What a form shows again. */
export interface Filled {
  readonly typed: FormFields;
  readonly issues: readonly FieldIssue[];
}

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly description?: string | undefined;
}

interface ChoicesProps extends Filled {
  readonly name: string;
  readonly isMultiple: boolean;
  readonly legend: Child;
  readonly choices: readonly Choice[];
  readonly children?: Child;
}

/** Radio buttons, or checkboxes. An issue is told to a screen reader together with the legend. */
export function Choices({
  name,
  isMultiple,
  legend,
  choices,
  typed,
  issues,
  children,
}: ChoicesProps) {
  const issue = issues.find(({ field }) => field === name);
  const chosen = fieldTexts(typed, name);
  return (
    <fieldset
      class={issue === undefined ? "question" : "question bad"}
      aria-describedby={issueId(issue)}
    >
      <legend>{legend}</legend>
      <IssueLine issue={issue} />
      <div class="choices">
        {choices.map((choice, n) => (
          <ChoiceCard
            name={name}
            n={n}
            isMultiple={isMultiple}
            choice={choice}
            isChosen={chosen.includes(choice.value)}
          />
        ))}
      </div>
      {children}
    </fieldset>
  );
}

interface ChoiceCardProps {
  readonly name: string;
  readonly n: number;
  readonly isMultiple: boolean;
  readonly choice: Choice;
  readonly isChosen: boolean;
}

function ChoiceCard({ name, n, isMultiple, choice, isChosen }: ChoiceCardProps) {
  const id = choiceId(name, n);
  const noteId = choice.description === undefined ? undefined : `${id}-note`;
  return (
    <label class="choice">
      <input
        type={isMultiple ? "checkbox" : "radio"}
        name={name}
        value={choice.value}
        id={id}
        checked={isChosen}
        aria-labelledby={`${id}-name`}
        aria-describedby={noteId}
      />
      <span class="name" id={`${id}-name`} dir="auto">
        {choice.label}
      </span>
      {noteId === undefined ? null : (
        <span class="note" id={noteId} dir="auto">
          {choice.description}
        </span>
      )}
    </label>
  );
}

interface TextFieldProps extends Filled {
  readonly name: string;
  readonly label: Child;
  readonly hint?: Child;
  readonly rows?: number;
  readonly class?: string;
  readonly isCode?: boolean;
}

export function TextField({
  name,
  label,
  hint,
  rows = 2,
  class: className,
  isCode = false,
  typed,
  issues,
}: TextFieldProps) {
  const issue = issues.find(({ field }) => field === name);
  const hintId = hint === undefined ? undefined : `${name}-hint`;
  const described = [hintId, issueId(issue)].filter((id) => id !== undefined).join(" ");
  return (
    <div class={className}>
      <label class="label" for={name}>
        {label}
      </label>
      {hintId === undefined ? null : (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
      <IssueLine issue={issue} />
      <textarea
        id={name}
        name={name}
        rows={rows}
        class={isCode ? "code" : rows > 3 ? "tall" : undefined}
        dir={isCode ? "ltr" : "auto"}
        aria-describedby={described === "" ? undefined : described}
        aria-invalid={issue === undefined ? undefined : "true"}
      >
        {/* A parser takes the first line end of a textarea away. */}
        {`\n${fieldText(typed, name)}`}
      </textarea>
    </div>
  );
}

function IssueLine({ issue }: { readonly issue: FieldIssue | undefined }) {
  return issue === undefined ? null : (
    <span class="issue" id={issueId(issue)}>
      {issue.message}
    </span>
  );
}

function issueId(issue: FieldIssue | undefined): string | undefined {
  return issue === undefined ? undefined : `${issue.field}-issue`;
}

function choiceId(name: string, n: number): string {
  return `${name}-${n}`;
}

/** Where a link to a field leads: to its first control. */
export function controlId(field: string): string {
  if (field === "") return "reply";
  return field === "option" || field === "options" || /^q[0-9]$/.test(field)
    ? choiceId(field, 0)
    : field;
}
