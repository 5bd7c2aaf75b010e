/**
 * Owns: the form by which the arguments of a call are changed before it is approved. A question carries the arguments and
 * not their schema, so the form is drawn from the values that are there: each keeps its type. Adding and removing
 * arguments is for callers of the API.
 */

import { canonicalJson, isJsonObject, type Json } from "../core/json.ts";
import { FORM_LEVELS } from "../core/limits.ts";
import type { Question } from "../core/question.ts";
import { strip } from "../core/text.ts";
import { readValue, type ReadValue } from "./field-values.ts";
import type { FormFields } from "./form-fields.ts";
import {
  isExhausted,
  roomOfForm,
  takeRoom,
  wholeOf,
  type Room,
  type SchemaField,
} from "./schema-fields.ts";

/** Undefined where the arguments can't be changed, or are so long that a form which holds them could not be sent. */
export function argumentsField(question: Question): SchemaField | undefined {
  if (question.editable !== true) return undefined;
  const whole = { ...wholeOf("input"), isEdit: true, preset: question.arguments ?? {} } as const;
  const room = roomOfForm();
  const field = drawn(whole, room, 0);
  return isExhausted(room) ? undefined : field;
}

type Whole = ReturnType<typeof wholeOf> & { readonly preset: Json; readonly isEdit: true };

function drawn(at: Whole, room: Room, level: number): SchemaField {
  const field = isExhausted(room) ? ({ ...at, kind: "json" } as const) : fieldAt(at, room, level);
  takeRoom(room, field);
  return field;
}

function fieldAt(at: Whole, room: Room, level: number): SchemaField {
  const { preset } = at;
  if (typeof preset === "string")
    return isKeptByForms(preset)
      ? { ...at, kind: "text", input: "lines" }
      : { ...at, kind: "json" };
  if (typeof preset === "number") return { ...at, kind: "number", isInteger: false };
  if (typeof preset === "boolean") return { ...at, kind: "yesNo" };
  if (Array.isArray(preset) && preset.length > 0 && preset.every(isLine))
    return { ...at, kind: "list", items: "string" };
  const entries = isJsonObject(preset) ? Object.entries(preset) : [];
  if (entries.length === 0 || level >= FORM_LEVELS) return { ...at, kind: "json" };
  const fields = entries.map(([key, value = null], n) =>
    drawn(
      { ...at, name: `${at.name}_${n}`, path: [...at.path, key], key, preset: value },
      room,
      level + 1,
    ),
  );
  return { ...at, kind: "group", fields };
}

/** What a list of one item a line gives back as it was. */
function isLine(item: Json): boolean {
  return (
    typeof item === "string" &&
    item.isWellFormed() &&
    item !== "" &&
    strip(item) === item &&
    !/[\n\r\0]/.test(item)
  );
}

/** What a browser sends back as it got it: it makes one line end of all, and has no way to say a NUL. */
function isKeptByForms(text: string): boolean {
  return text.isWellFormed() && !/[\r\0]/.test(text);
}

/** The changed arguments; `value` is undefined where nothing was changed. */
export function readArguments(question: Question, typed: FormFields): ReadValue {
  const field = argumentsField(question);
  if (field === undefined) return { value: undefined, unread: [] };
  const read = readValue(field, typed);
  const isChanged = canonicalJson(read.value) !== canonicalJson(question.arguments ?? {});
  return isChanged ? read : { ...read, value: undefined };
}
