/**
 * Owns: how a value that was given is shown afterwards: under the names that its form had, or as JSON where it had none.
 */

import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { JsonView } from "./json-view.tsx";
import { useWords } from "./look.ts";
import { fieldOfSchema, type SchemaField } from "./schema-fields.ts";
import { labelOf, sayValue } from "./field-words.ts";
import type { Wording } from "./wording.ts";

interface GivenValueProps {
  readonly schema: JsonObject | boolean;
  readonly value: Json;
}

export function GivenValue({ schema, value }: GivenValueProps) {
  const words = useWords();
  const field = fieldOfSchema(schema);
  const rows = rowsOf(field, value, words);
  if (typeof value === "string")
    return (
      <div class="given">
        <p class="words" dir="auto">
          {field.kind === "choice" ? sayPart(field, value, words) : value}
        </p>
      </div>
    );
  if (rows === undefined || field.kind !== "group")
    return (
      <div class="given">
        <JsonView value={value} label={words.theAnswer} />
      </div>
    );
  return (
    <dl class="given">
      {rows.map(({ label, part }) => (
        <>
          <dt>
            <bdi>{label}</bdi>
          </dt>
          <dd class="words" dir="auto">
            {part}
          </dd>
        </>
      ))}
    </dl>
  );
}

interface Row {
  readonly label: string;
  readonly part: string;
}

/** A row for each part that was given; undefined where the form has no place for some of it. */
function rowsOf(
  field: SchemaField,
  value: Json,
  words: Wording,
  outer: readonly string[] = [],
): readonly Row[] | undefined {
  const label = labelOf(field);
  const names = label === undefined || field.key === "" ? outer : [...outer, label];
  if (field.kind !== "group" || !isJsonObject(value))
    return [{ label: names.join(" · "), part: sayPart(field, value, words) }];
  const rows: Row[] = [];
  for (const [key, part] of Object.entries(value)) {
    const inside = field.fields.find((each) => each.key === key);
    const more =
      inside === undefined || part === undefined ? undefined : rowsOf(inside, part, words, names);
    if (more === undefined) return undefined;
    rows.push(...more);
  }
  return rows;
}

function sayPart(field: SchemaField, value: Json, words: Wording): string {
  if (field.kind === "choice") {
    const choice = field.choices.find((each) => canonicalJson(each.value) === canonicalJson(value));
    return choice?.title ?? sayValue(value, words);
  }
  if (Array.isArray(value) && value.every((item: Json) => typeof item !== "object"))
    return value.map((item: Json) => sayValue(item, words)).join("\n");
  return sayValue(value, words);
}
