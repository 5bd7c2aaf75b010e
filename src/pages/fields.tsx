/**
 * Owns: the controls of the form: a choice among options, a text, a line, a list to select from. Each shows what was typed,
 * and what is wrong with it, beside itself. Does not own: which controls a question needs (`answer-form.tsx`).
 */

import type { Child } from "hono/jsx";
import type { FieldIssue } from "./issue-words.ts";
import { fieldText, fieldTexts, type FormFields } from "./form-fields.ts";

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
  /** Side by side where they fit: for a few short ones. */
  readonly isInline?: boolean;
  readonly children?: Child;
}

/** Radio buttons, or checkboxes. An issue is told to a screen reader together with the legend. */
export function Choices({
  name,
  isMultiple,
  legend,
  choices,
  isInline = false,
  typed,
  issues,
  children,
}: ChoicesProps) {
  const isBad = hasIssue(issues, name);
  const chosen = fieldTexts(typed, name);
  return (
    <fieldset
      class={isBad ? "question bad" : "question"}
      aria-describedby={isBad ? issueId(name) : undefined}
    >
      <legend>{legend}</legend>
      <IssueLines name={name} issues={issues} />
      <div class={isInline ? "choices inline" : "choices"}>
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

interface FieldProps extends Filled {
  readonly name: string;
  readonly label: Child;
  readonly hint?: Child;
  readonly isRequired?: boolean;
  readonly class?: string;
}

interface TextFieldProps extends FieldProps {
  readonly rows?: number;
  readonly isCode?: boolean;
}

export function TextField({ rows = 2, isCode = false, ...field }: TextFieldProps) {
  return (
    <Field {...field}>
      <textarea
        {...controlOf(field)}
        rows={rows}
        class={isCode ? "code" : rows > 3 ? "tall" : undefined}
        dir={isCode ? "ltr" : "auto"}
      >
        {/* A parser takes the first line end of a textarea away. */}
        {`\n${fieldText(field.typed, field.name)}`}
      </textarea>
    </Field>
  );
}

export interface LineFieldProps extends FieldProps {
  readonly type: "text" | "email" | "url" | "date" | "datetime-local" | "number";
  readonly min?: number;
  readonly max?: number;
  readonly step?: number | "any";
}

/**
 * The browser holds back what it could not send, such as half a date. There is no `maxlength`, since it cuts off what is
 * pasted without a word, and no `pattern`, since the browser would run it on every key.
 */
export function LineField({ type, min, max, step, ...field }: LineFieldProps) {
  const isText = type === "text";
  return (
    <Field {...field}>
      <input
        {...controlOf(field)}
        type={type}
        value={fieldText(field.typed, field.name)}
        min={min}
        max={max}
        step={step}
        dir={isText ? "auto" : "ltr"}
        autocapitalize={type === "email" || type === "url" ? "off" : undefined}
      />
    </Field>
  );
}

interface SelectFieldProps extends FieldProps {
  /** The first one is what stands there before anything is chosen. */
  readonly choices: readonly Choice[];
}

export function SelectField({ choices, ...field }: SelectFieldProps) {
  const chosen = fieldText(field.typed, field.name);
  return (
    <Field {...field}>
      <select {...controlOf(field)}>
        {choices.map(({ value, label }) => (
          <option value={value} selected={value === chosen} dir="auto">
            {label}
          </option>
        ))}
      </select>
    </Field>
  );
}

function Field({
  name,
  label,
  hint,
  class: className,
  issues,
  children,
}: Omit<FieldProps, "typed"> & { readonly children: Child }) {
  return (
    <div class={className === undefined ? "field" : `field ${className}`}>
      <label class="label" for={name}>
        {label}
      </label>
      {hint === undefined ? null : (
        <p class="hint" id={hintId(name)}>
          {hint}
        </p>
      )}
      <IssueLines name={name} issues={issues} />
      {children}
    </div>
  );
}

/** What every control of its own has in common. */
function controlOf({ name, hint, isRequired, issues }: FieldProps) {
  const isBad = hasIssue(issues, name);
  const ids = [...(hint === undefined ? [] : [hintId(name)]), ...(isBad ? [issueId(name)] : [])];
  return {
    id: name,
    name,
    "aria-describedby": ids.length === 0 ? undefined : ids.join(" "),
    "aria-invalid": isBad ? "true" : undefined,
    "aria-required": isRequired === true ? "true" : undefined,
  };
}

/** All that is wrong with a field. */
export function IssueLines({ name, issues }: Pick<Filled, "issues"> & { readonly name: string }) {
  return hasIssue(issues, name) ? (
    <div class="issue" id={issueId(name)}>
      {issues
        .filter(({ field }) => field === name)
        .map(({ message }) => (
          <p>{message}</p>
        ))}
    </div>
  ) : null;
}

export function hasIssue(issues: readonly FieldIssue[], name: string): boolean {
  return issues.some(({ field }) => field === name);
}

export function issueId(name: string): string {
  return `${name}-issue`;
}

function hintId(name: string): string {
  return `${name}-hint`;
}

export function choiceId(name: string, n: number): string {
  return `${name}-${n}`;
}
