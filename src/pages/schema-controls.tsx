/**
 * Owns: what each field that was drawn from a schema looks like as a control. Titles and descriptions are the schema's,
 * and shown as text. Does not own: which field a schema becomes (`schema-fields.ts`).
 */

import type { Child } from "hono/jsx";
import { NO, YES } from "./field-values.ts";
import {
  Choices,
  hasIssue,
  IssueLines,
  issueId,
  LineField,
  SelectField,
  TextField,
  type Choice,
  type Filled,
} from "./fields.tsx";
import { fieldText } from "./form-fields.ts";
import { JsonView } from "./json-view.tsx";
import { useWords } from "./look.ts";
import { isSelected, type FieldChoice, type SchemaField } from "./schema-fields.ts";
import { labelOf, sayValue } from "./field-words.ts";
import type { Wording } from "./wording.ts";

type Field<Kind extends SchemaField["kind"]> = Extract<SchemaField, { kind: Kind }>;

interface FieldControlProps extends Filled {
  readonly field: SchemaField;
}

export function SchemaControl({ field, typed, issues }: FieldControlProps) {
  const words = useWords();
  const filled = { name: field.name, typed, issues };
  const common = { ...filled, label: <Label field={field} />, isRequired: field.isRequired };
  switch (field.kind) {
    case "text":
      return field.input === "lines" ? (
        <TextField
          {...common}
          {...hintOf(field, words.lengthHint(lengthOf(field)))}
          rows={field.key === "" ? 5 : 1}
        />
      ) : (
        <LineField
          {...common}
          {...hintOf(field, textHint(field, words))}
          type={field.input === "line" ? "text" : field.input}
        />
      );
    case "number":
      return (
        <LineField
          {...common}
          {...hintOf(field, words.numberHint(field))}
          type="number"
          {...numberBounds(field, fieldText(typed, field.name))}
        />
      );
    case "yesNo":
      return (
        <Choices
          {...filled}
          isMultiple={false}
          isInline
          legend={<Legend field={field} />}
          choices={yesNoChoices(field, words)}
        />
      );
    case "choice":
      return <ChoiceControl field={field} typed={typed} issues={issues} />;
    case "choices":
      return (
        <Choices
          {...filled}
          isMultiple
          legend={<Legend field={field} hint={words.itemsHint(itemsOf(field))} />}
          choices={field.choices.map((choice, n) => shownChoice(choice, n, words))}
        />
      );
    case "list":
      return (
        <TextField
          {...common}
          {...hintOf(field, `${words.oneALine} ${words.itemsHint(itemsOf(field))}`)}
          rows={3}
        />
      );
    case "group":
      return <Group field={field} typed={typed} issues={issues} />;
    case "json":
      return (
        <>
          <TextField {...common} {...hintOf(field, words.asJson)} rows={4} isCode />
          {field.schema === undefined ? null : (
            <details class="shape">
              <summary>{words.whatItMayBe}</summary>
              <JsonView value={field.schema} label={words.whatItMayBe} />
            </details>
          )}
        </>
      );
  }
}

/** The label of a control of its own. */
function Label({ field }: { readonly field: SchemaField }) {
  const words = useWords();
  return (
    <>
      <bdi>{labelOf(field) ?? words.yourAnswer}</bdi>
      {field.isRequired ? null : <span class="optional"> {words.optional}</span>}
    </>
  );
}

/** The same over several controls, with the hint in it. */
function Legend({ field, hint = "" }: { readonly field: SchemaField; readonly hint?: string }) {
  const own = hintOf(field, hint).hint;
  return (
    <>
      <Label field={field} />
      {own === undefined ? null : <span class="hint">{own}</span>}
    </>
  );
}

/** The schema's own description, and what its bounds say in words of ours. */
function hintOf({ description }: SchemaField, ours: Child): { readonly hint?: Child } {
  const isSilent = ours === "" || ours === " ";
  if (description === undefined) return isSilent ? {} : { hint: ours };
  return {
    hint: (
      <>
        <span class="text" dir="auto">
          {description}
        </span>
        {isSilent ? null : <> {ours}</>}
      </>
    ),
  };
}

function textHint(field: Field<"text">, words: Wording): Child {
  if (field.input === "datetime-local") return words.inUtc;
  const length = words.lengthHint(lengthOf(field));
  if (field.pattern === undefined) return length;
  return (
    <>
      {words.patternHint(<code dir="ltr">{field.pattern}</code>)} {length}
    </>
  );
}

/** That something must be there is no bound that needs saying. */
function lengthOf({ minLength, maxLength }: Field<"text">) {
  return {
    ...(minLength !== undefined && minLength > 1 && { min: minLength }),
    ...(maxLength !== undefined && { max: maxLength }),
  };
}

function itemsOf({ minItems, maxItems, isRequired }: Field<"choices"> | Field<"list">) {
  return {
    ...(minItems !== undefined && minItems > 0 && isRequired && { min: minItems }),
    ...(maxItems !== undefined && { max: maxItems }),
  };
}

/**
 * What a browser can check by itself. It counts steps from the least value or from what stands in the control; where that
 * is not a multiple of the step, it would refuse what fits the schema, and is asked to check none.
 */
function numberBounds({ isInteger, min, max, above, below, step }: Field<"number">, shown: string) {
  const wanted = step ?? (isInteger ? 1 : undefined);
  const least = min ?? (isInteger && above !== undefined ? Math.floor(above) + 1 : above);
  const most = max ?? (isInteger && below !== undefined ? Math.ceil(below) - 1 : below);
  const bases = [least ?? 0, shown === "" ? 0 : Number(shown)];
  const isCounted = wanted !== undefined && bases.every((base) => Number.isInteger(base / wanted));
  return {
    ...(least !== undefined && { min: least }),
    ...(most !== undefined && { max: most }),
    step: isCounted ? wanted : ("any" as const),
  };
}

/** A radio button once pressed can't be released, so leaving a field open is a choice of its own. */
function openChoice(words: Wording): Choice {
  return { value: "", label: words.noAnswer };
}

function yesNoChoices(field: SchemaField, words: Wording): readonly Choice[] {
  return [
    { value: YES, label: words.yes },
    { value: NO, label: words.no },
    ...(field.isRequired && field.blank === undefined ? [] : [openChoice(words)]),
  ];
}

function ChoiceControl({ field, typed, issues }: Filled & { readonly field: Field<"choice"> }) {
  const words = useWords();
  const choices = field.choices.map((choice, n) => shownChoice(choice, n, words));
  const filled = { name: field.name, typed, issues };
  const mayBeOpen = !field.isRequired || field.blank === null;
  if (isSelected(field))
    return (
      <SelectField
        {...filled}
        label={<Label field={field} />}
        {...hintOf(field, "")}
        isRequired={field.isRequired}
        choices={[
          { value: "", label: mayBeOpen ? words.noAnswer : words.choose },
          ...choices.map(({ value, label }) => ({ value, label })),
        ]}
      />
    );
  return (
    <Choices
      {...filled}
      isMultiple={false}
      legend={<Legend field={field} />}
      choices={mayBeOpen ? [...choices, openChoice(words)] : choices}
    />
  );
}

function shownChoice({ value, title, description }: FieldChoice, n: number, words: Wording) {
  return { value: String(n), label: title ?? sayValue(value, words), description };
}

/** The outermost group needs no frame: it is the form. */
function Group({ field, typed, issues }: Filled & { readonly field: Field<"group"> }) {
  const inside = field.fields.map((each) => (
    <SchemaControl field={each} typed={typed} issues={issues} />
  ));
  const isWhole = field.path.length === 1;
  if (isWhole && field.title === undefined && field.description === undefined)
    return (
      <div class="fields" id={field.name} tabindex={-1}>
        <IssueLines name={field.name} issues={issues} />
        {inside}
      </div>
    );
  return (
    <fieldset
      class={isWhole ? "fields" : "fields inner"}
      id={field.name}
      tabindex={-1}
      aria-describedby={hasIssue(issues, field.name) ? issueId(field.name) : undefined}
    >
      <legend>
        <Legend field={field} />
      </legend>
      <IssueLines name={field.name} issues={issues} />
      {inside}
    </fieldset>
  );
}
