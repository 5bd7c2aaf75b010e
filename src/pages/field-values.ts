/**
 * Owns: what a field's control says before anybody typed, and the value that what was typed gives: the two ways between
 * JSON and the texts of a form. Nothing is judged here: what is no number is handed on as it was typed, and core refuses it.
 */

import { canonicalJson, type Json } from "../core/json.ts";
import { strip } from "../core/text.ts";
import { chosenTexts, fieldText, fieldTexts, type FormFields } from "./form-fields.ts";
import { visibleJson } from "./json-view.tsx";
import { allFields, type FieldChoice, type SchemaField } from "./schema-fields.ts";
import { typedJson, typedNumber } from "./typed-number.ts";

export const YES = "true";
export const NO = "false";

/** The form as it is shown first, with what is preset in its controls. */
export function presetFields(whole: SchemaField): FormFields {
  const texts = new Map(allFields(whole).map((field) => [field.name, presetTexts(field)]));
  return { getAll: (name) => texts.get(name) ?? [] };
}

/** The same, with what was typed in place of what is preset. */
export function typedOverPreset(whole: SchemaField, typed: FormFields): FormFields {
  const preset = presetFields(whole);
  return {
    getAll: (name) => {
      const texts = typed.getAll(name);
      return texts.length === 0 ? preset.getAll(name) : texts;
    },
  };
}

function presetTexts(field: SchemaField): readonly string[] {
  const { preset } = field;
  if (preset === undefined) return [];
  switch (field.kind) {
    case "text":
      if (typeof preset !== "string") return [];
      return [field.input === "datetime-local" ? utcTime(preset) : preset];
    case "number":
      return typeof preset === "number" ? [String(preset)] : [];
    case "yesNo":
      return typeof preset === "boolean" ? [preset ? YES : NO] : [];
    case "choice":
      return placesOf(field.choices, [preset]);
    case "choices":
      return Array.isArray(preset) ? placesOf(field.choices, preset) : [];
    case "list":
      return Array.isArray(preset) ? [preset.map(String).join("\n")] : [];
    case "json":
      return [visibleJson(preset)];
    case "group":
      return [];
  }
}

/** A control for a time without a zone takes no zone: the page shows it in UTC. */
function utcTime(text: string): string {
  const time = Date.parse(text);
  if (Number.isNaN(time)) return "";
  const [date = "", clock = ""] = new Date(time).toISOString().split("T");
  const characters = time % 60_000 === 0 ? 5 : time % 1_000 === 0 ? 8 : 12;
  return `${date}T${clock.slice(0, characters)}`;
}

function placesOf(choices: readonly FieldChoice[], values: readonly Json[]): readonly string[] {
  const wanted = new Set(values.map(canonicalJson));
  return choices.flatMap(({ value }, n) => (wanted.has(canonicalJson(value)) ? [String(n)] : []));
}

/** `undefined` is a field that was left blank. */
export interface ReadValue {
  readonly value: Json | undefined;
  /** Fields whose text says no value that can be recorded, with what it must be. */
  readonly unread: readonly Unread[];
}

interface Unread {
  readonly field: SchemaField;
  readonly message: string;
}

export const NOT_JSON = "must be JSON";
export const SEVERAL = "must be one value, not several";
const NOT_A_NUMBER = "must be of type number";

export function readValue(whole: SchemaField, typed: FormFields): ReadValue {
  const unread: Unread[] = [];

  function read(field: SchemaField): Json | undefined {
    if (field.isEdit && field.kind !== "group" && typed.getAll(field.name).length === 0)
      return field.preset;
    switch (field.kind) {
      case "text":
        return readText(field, fieldText(typed, field.name));
      case "number":
        return readNumberField(field, readNumber(fieldText(typed, field.name)));
      case "yesNo":
        return readOne(field, chosenTexts(typed, field.name).map(yesOrNo));
      case "choice":
        return readOne(field, chosen(field.choices, fieldTexts(typed, field.name)));
      case "choices":
        return readItems(field, chosen(field.choices, fieldTexts(typed, field.name)));
      case "list":
        return readItems(field, listed(field, fieldText(typed, field.name)));
      case "json":
        return readJson(field, fieldText(typed, field.name));
      case "group":
        return readGroup(field);
    }
  }

  function readGroup(field: Extract<SchemaField, { kind: "group" }>): Json | undefined {
    const entries = field.fields.flatMap((inside) => {
      const value = read(inside);
      return value === undefined ? [] : [[inside, value] as const];
    });
    // A null and an empty list stand for nothing: by themselves they don't make an object that may be left out.
    const isUsed = entries.some(([{ blank }, value]) => value !== blank && !isEmptyList(value));
    if (!isUsed && !field.isEdit && (!field.isRequired || field.blank === null)) return field.blank;
    return Object.fromEntries(entries.map(([{ key }, value]) => [key, value]));
  }

  /** Of several none is taken for the one. A null that was chosen is a value like another. */
  function readOne(field: SchemaField, [value, ...others]: readonly Json[]): Json | undefined {
    if (others.length === 0) return value === undefined ? field.blank : value;
    unread.push({ field, message: SEVERAL });
    return undefined;
  }

  /** Changed arguments meet whatever check their tool has, and that may take a text for a number: here none passes. */
  function readNumberField(field: SchemaField, number: Json | undefined): Json | undefined {
    if (!field.isEdit || typeof number === "number") return number ?? field.blank;
    unread.push({ field, message: NOT_A_NUMBER });
    return undefined;
  }

  function readJson(field: SchemaField, text: string): Json | undefined {
    if (strip(text) === "" && !field.isEdit) return field.blank;
    try {
      const said = typedJson(text);
      if (said.value !== undefined) return said.value;
      unread.push({ field, message: said.issue });
    } catch {
      unread.push({ field, message: NOT_JSON });
    }
    return undefined;
  }

  return { value: read(whole), unread };
}

function readText(
  field: Extract<SchemaField, { kind: "text" }>,
  typed: string,
): string | null | undefined {
  if (field.isEdit) return typed;
  const text = strip(typed);
  if (text === "") return field.blank;
  if (field.input !== "datetime-local" || !/^\d{4,}-\d\d-\d\dT\d\d:\d\d/.test(text)) return text;
  const whole = /T\d\d:\d\d$/.test(text) ? `${text}:00` : text;
  return /(?:Z|[+-]\d\d:\d\d)$/i.test(whole) ? whole : (presetTime(field, whole) ?? `${whole}Z`);
}

/** A time that still stands there as it was shown is what was shown, with its zone and its smallest parts. */
function presetTime({ preset }: SchemaField, utc: string): string | undefined {
  if (typeof preset !== "string" || !TIME.test(preset)) return undefined;
  const shown = utcTime(preset);
  return shown !== "" && shown === utcTime(`${utc}Z`) ? preset : undefined;
}

const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

/** What is no number, or none that can be recorded as it is, stays a text, for core to refuse. */
function readNumber(typed: string): number | string | undefined {
  const text = strip(typed);
  return text === "" ? undefined : (typedNumber(text) ?? text);
}

function yesOrNo(text: string): boolean | string {
  return text === YES || text === NO ? text === YES : text;
}

/** A place that no choice has is no choice. */
function chosen(choices: readonly FieldChoice[], places: readonly string[]): readonly Json[] {
  return choices.filter((_, n) => places.includes(String(n))).map(({ value }) => value);
}

function listed({ items }: Extract<SchemaField, { kind: "list" }>, text: string): readonly Json[] {
  const lines = text
    .split("\n")
    .map(strip)
    .filter((line) => line !== "");
  return items === "string" ? lines : lines.map((line) => readNumber(line) ?? line);
}

/** A list that must be there can be an empty one; one that need not be is left out. */
function readItems(field: SchemaField, items: readonly Json[]): Json | undefined {
  if (items.length > 0) return items;
  return field.isRequired && field.blank === undefined ? [] : field.blank;
}

function isEmptyList(value: Json): boolean {
  return Array.isArray(value) && value.length === 0;
}
