/**
 * Owns: which controls a JSON Schema becomes: the table from schemas to fields. What no control can say is a field for
 * JSON, that part alone. Does not own: what a field's control looks like (`schema-controls.tsx`), and what was typed into
 * it (`field-values.ts`).
 */

import type { Segments } from "../core/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { FORM_CHARACTERS, FORM_CONTROLS, FORM_LEVELS } from "../core/limits.ts";
import type { Target } from "../core/schema-document.ts";
import { schemaReader, type PlainSchema, type SchemaReader } from "./schema-reading.ts";

interface FieldBase {
  /** Of the control: places among the properties, since a name may hold anything. */
  readonly name: string;
  /** In the answer. */
  readonly path: Segments;
  /** Of the property in its object; "" for the whole value. */
  readonly key: string;
  readonly title?: string;
  readonly description?: string;
  readonly isRequired: boolean;
  /** What it is without a word from the person: null where that is as good as nothing. */
  readonly blank: null | undefined;
  readonly preset?: Json;
  /** It edits a value that is there: a control that isn't sent leaves it, and a blank text is a text. */
  readonly isEdit?: true;
}

export type TextInput = "line" | "lines" | "email" | "url" | "date" | "datetime-local";

export interface FieldChoice {
  readonly value: Json;
  readonly title?: string;
  readonly description?: string;
}

export type SchemaField = FieldBase &
  (
    | {
        readonly kind: "text";
        readonly input: TextInput;
        readonly minLength?: number;
        readonly maxLength?: number;
        /** Where nothing else says what to write. */
        readonly pattern?: string;
      }
    | {
        readonly kind: "number";
        readonly isInteger: boolean;
        readonly min?: number;
        readonly max?: number;
        readonly above?: number;
        readonly below?: number;
        readonly step?: number;
      }
    | { readonly kind: "yesNo" }
    | { readonly kind: "choice"; readonly choices: readonly FieldChoice[] }
    | ({ readonly kind: "choices"; readonly choices: readonly FieldChoice[] } & ItemBounds)
    | ({ readonly kind: "list"; readonly items: ListItem } & ItemBounds)
    | { readonly kind: "group"; readonly fields: readonly SchemaField[] }
    /** `schema` is there where it is short enough to be read. */
    | { readonly kind: "json"; readonly schema?: JsonObject }
  );

type ListItem = "string" | "number" | "integer";

interface ItemBounds {
  readonly minItems?: number;
  readonly maxItems?: number;
}

interface Place extends FieldBase {
  readonly schema: Json | undefined;
  readonly level: number;
  readonly trail: readonly Target[];
}

const SHOWN_SCHEMA_CHARACTERS = 2_000;

/** One request asks for the form of its schema at several places, and is given it once. */
const known = new WeakMap<JsonObject, SchemaField>();

/** The form of an `answerSchema`. */
export function fieldOfSchema(schema: JsonObject | boolean): SchemaField {
  const whole: Place = { ...wholeOf("value"), schema, level: 0, trail: [] };
  if (!isJsonObject(schema)) return jsonField(whole);
  const before = known.get(schema);
  if (before !== undefined) return before;
  const drawing: Drawing = { read: schemaReader(schema), room: roomOfForm() };
  const field = drawn(whole, drawing);
  const form = isExhausted(drawing.room) ? jsonField(whole) : field;
  known.set(schema, form);
  return form;
}

/** The field of a whole value, which stands at `name` in the answer. */
export function wholeOf(name: string): FieldBase {
  return { name, path: [name], key: "", isRequired: true, blank: undefined };
}

/** What a form may still hold: a few references can make a small schema a form that no page should show. */
export interface Room {
  controls: number;
  characters: number;
}

export function roomOfForm(): Room {
  return { controls: FORM_CONTROLS, characters: FORM_CHARACTERS };
}

export function isExhausted({ controls, characters }: Room): boolean {
  return controls < 0 || characters < 0;
}

/** Takes what a field needs. What is in a group takes its own. */
export function takeRoom(room: Room, field: SchemaField): void {
  if (field.kind === "group") return;
  room.controls -= field.kind === "choices" ? field.choices.length : 1;
  room.characters -= JSON.stringify(field).length;
}

/** A field, and all that are in it. */
export function allFields(field: SchemaField): readonly SchemaField[] {
  return field.kind === "group" ? [field, ...field.fields.flatMap(allFields)] : [field];
}

/** More than that many choices are selected from a list. */
const CARDS_MAX = 7;

export function isSelected({ choices }: Extract<SchemaField, { kind: "choice" }>): boolean {
  return choices.length > CARDS_MAX;
}

interface Drawing {
  readonly read: SchemaReader;
  readonly room: Room;
}

function drawn(place: Place, drawing: Drawing): SchemaField {
  if (isExhausted(drawing.room)) return { ...baseOf(place), kind: "json" };
  const field = fieldAt(place, drawing);
  takeRoom(drawing.room, field);
  return field;
}

function fieldAt(place: Place, drawing: Drawing): SchemaField {
  const plain = drawing.read(place.schema, place.trail);
  if (plain === undefined) return jsonField(place);
  const { schema, isNullable, trail } = plain;
  const preset = place.preset === undefined ? schema.default : place.preset;
  const at: Place = {
    ...place,
    ...wordsOf(schema),
    blank: isNullable && place.isRequired ? null : undefined,
    ...(preset !== undefined && { preset }),
    schema,
    trail,
  };
  const choices = choicesOf(schema);
  if (choices !== undefined)
    return { ...baseOf(at), kind: "choice", choices: withNull(choices, at, plain) };
  switch (schema.type ?? (schema.properties === undefined ? undefined : "object")) {
    case "string":
      return textField(at, schema);
    case "number":
    case "integer":
      return numberField(at, schema);
    case "boolean":
      return { ...baseOf(at), kind: "yesNo" };
    case "array":
      return arrayField(at, schema, drawing);
    case "object":
      return objectField(at, schema, drawing);
    default:
      return jsonField(at);
  }
}

function baseOf({ schema: _schema, level: _level, trail: _trail, ...base }: Place): FieldBase {
  return base;
}

function wordsOf({ title, description }: JsonObject): Pick<FieldChoice, "title" | "description"> {
  return {
    ...(typeof title === "string" && title.trim() !== "" && { title }),
    ...(typeof description === "string" && description.trim() !== "" && { description }),
  };
}

function jsonField(place: Place): SchemaField {
  const { schema } = place;
  const isShown =
    isJsonObject(schema) &&
    Object.keys(schema).length > 0 &&
    JSON.stringify(schema).length <= SHOWN_SCHEMA_CHARACTERS;
  return {
    ...baseOf(place),
    ...(isJsonObject(schema) && wordsOf(schema)),
    kind: "json",
    ...(isShown && { schema }),
  };
}

/** Of an `enum`, a `const`, or the idiom for values with titles: `oneOf` (or `anyOf`) of nothing but constants. */
function choicesOf(schema: JsonObject): readonly FieldChoice[] | undefined {
  if (Array.isArray(schema.enum) && schema.enum.length > 0)
    return schema.enum.map((value: Json) => ({ value }));
  if (schema.const !== undefined) return [{ value: schema.const }];
  const arms = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(arms) || arms.length === 0) return undefined;
  const choices = arms.flatMap((arm: Json) =>
    isJsonObject(arm) && arm.const !== undefined ? [{ value: arm.const, ...wordsOf(arm) }] : [],
  );
  return choices.length === arms.length ? choices : undefined;
}

/** To choose nothing is to choose null where null is asked for; where the field may be left out it is another answer. */
function withNull(
  choices: readonly FieldChoice[],
  { isRequired }: Place,
  { listedNull }: PlainSchema,
): readonly FieldChoice[] {
  return listedNull === undefined || isRequired || choices.some(({ value }) => value === null)
    ? choices
    : [...choices, { value: null, ...wordsOf(listedNull) }];
}

const INPUT_OF_FORMAT: Readonly<Record<string, TextInput>> = {
  email: "email",
  uri: "url",
  date: "date",
  "date-time": "datetime-local",
};
/** Up to that many characters a text is written on one line. */
const LINE_CHARACTERS = 120;

function textField(at: Place, schema: JsonObject): SchemaField {
  const { format, pattern } = schema;
  const maxLength = countOf(schema.maxLength);
  const isShort = maxLength === undefined ? pattern !== undefined : maxLength <= LINE_CHARACTERS;
  const wanted = typeof format === "string" ? INPUT_OF_FORMAT[format] : undefined;
  const isMultiline = typeof at.preset === "string" && /[\r\n]/.test(at.preset);
  const isAlone = at.description === undefined && wanted === undefined;
  return {
    ...baseOf(at),
    kind: "text",
    input: isMultiline ? "lines" : (wanted ?? (isShort || format !== undefined ? "line" : "lines")),
    ...bounds({ minLength: countOf(schema.minLength), maxLength }),
    ...(isAlone && typeof pattern === "string" && { pattern }),
  };
}

function numberField(at: Place, schema: JsonObject): SchemaField {
  return {
    ...baseOf(at),
    kind: "number",
    isInteger: schema.type === "integer",
    ...bounds({
      min: numberOf(schema.minimum),
      max: numberOf(schema.maximum),
      above: numberOf(schema.exclusiveMinimum),
      below: numberOf(schema.exclusiveMaximum),
      step: numberOf(schema.multipleOf),
    }),
  };
}

function arrayField(at: Place, schema: JsonObject, { read }: Drawing): SchemaField {
  const items = schema.prefixItems === undefined ? read(schema.items, at.trail) : undefined;
  if (items === undefined || items.isNullable) return jsonField(at);
  const itemBounds = bounds({
    minItems: countOf(schema.minItems),
    maxItems: countOf(schema.maxItems),
  });
  const choices = choicesOf(items.schema);
  if (choices !== undefined) return { ...baseOf(at), kind: "choices", choices, ...itemBounds };
  const item = listItemOf(items, at.preset);
  return item === undefined
    ? jsonField(at)
    : { ...baseOf(at), kind: "list", items: item, ...itemBounds };
}

/** Lists are written one item a line, so an item with a line end in it can't be among what is there. */
function listItemOf(
  { schema: { type } }: PlainSchema,
  preset: Json | undefined,
): ListItem | undefined {
  if (type !== "string" && type !== "number" && type !== "integer") return undefined;
  const there: readonly unknown[] = Array.isArray(preset) ? preset : [];
  return there.some((item) => typeof item === "string" && /[\r\n]/.test(item)) ? undefined : type;
}

/** What can make an object ask for properties that aren't among its `properties`. */
const OPEN_KEYWORDS = [
  "allOf",
  "anyOf",
  "dependentSchemas",
  "if",
  "oneOf",
  "patternProperties",
  "unevaluatedProperties",
] as const;

function objectField(at: Place, schema: JsonObject, drawing: Drawing): SchemaField {
  const { properties, required, additionalProperties } = schema;
  const isOpen =
    isJsonObject(additionalProperties) ||
    OPEN_KEYWORDS.some((keyword) => schema[keyword] !== undefined);
  const entries = Object.entries(isJsonObject(properties) ? properties : {});
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const isCovered = names.every((name) => entries.some(([key]) => key === name));
  if (entries.length === 0 || isOpen || !isCovered || at.level >= FORM_LEVELS) return jsonField(at);
  const there = isJsonObject(at.preset) ? at.preset : {};
  const fields = entries.flatMap(([key, property], n) => {
    const preset = Object.hasOwn(there, key) ? there[key] : undefined;
    const inside: Place = {
      name: `${at.name}_${n}`,
      path: [...at.path, key],
      key,
      isRequired: names.includes(key),
      blank: undefined,
      ...(preset !== undefined && { preset }),
      schema: property,
      level: at.level + 1,
      trail: at.trail,
    };
    // Of a property that takes no value there is nothing to ask.
    return property === false ? [] : [drawn(inside, drawing)];
  });
  return { ...baseOf(at), kind: "group", fields };
}

function countOf(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** The bounds of what a number can be at all are no news to anybody: libraries write them into every schema. */
function numberOf(value: Json | undefined): number | undefined {
  return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
}

function bounds<T extends Readonly<Record<string, number | undefined>>>(
  given: T,
): { readonly [name in keyof T]?: number } {
  const there = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there) as { readonly [name in keyof T]?: number };
}
