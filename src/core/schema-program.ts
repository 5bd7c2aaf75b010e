/**
 * Owns: turning a schema document into what the validator runs, and bounding what a run may cost.
 *
 * The validator runs a copy of ours, since of the document itself it would ignore `$dynamicRef`, take the old keyword
 * `id` for `$id` and write into the schema, and since it has no bounds of its own.
 */

import type { Schema } from "@cfworker/json-schema";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import { SCHEMA_ENUM_VALUES_A_STEP, SCHEMA_STEPS, SCHEMA_UNIQUE_ITEMS } from "./limits.ts";
import {
  ASSERTION_KEYWORDS,
  CHECKED_FORMATS,
  SCHEMA_KEYWORDS,
  SCHEMA_LIST_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
} from "./metaschema.ts";
import { isSchema, type SchemaDocument, type Target } from "./schema-document.ts";

export interface SchemaProgram {
  readonly root: Schema;
  /** The targets of the program's references, by the names that its `$ref`s have. */
  readonly targets: Record<string, Schema | boolean>;
  /** How many steps the validator may still take; at 0 it throws StepsExhausted. Set it before each run. */
  readonly meter: { left: number };
}

export class StepsExhausted extends Error {}

/** The document as the validator runs it: known keywords only, references by name, and each schema counted. */
export function programOf({ root, references }: SchemaDocument): SchemaProgram {
  const meter = { left: SCHEMA_STEPS };
  const referred = new Set(
    [...references.values()].flat().filter((target) => target !== undefined),
  );
  const names = new Map([...referred].map((target, n) => [target, `${n}`] as const));
  const targets: Record<string, Schema | boolean> = {};

  function copy(schema: Target): Schema | boolean {
    if (typeof schema === "boolean") return schema;
    const node: Schema = {};
    for (const keyword of ASSERTION_KEYWORDS)
      if (schema[keyword] !== undefined) node[keyword] = schema[keyword];
    if (typeof node.format !== "string" || !CHECKED_FORMATS.includes(node.format))
      delete node.format;
    if (Array.isArray(node.enum)) node.enum = shownInPart(node.enum);
    for (const keyword of SCHEMA_KEYWORDS)
      if (isSchema(schema[keyword])) node[keyword] = copy(schema[keyword]);
    for (const keyword of SCHEMA_LIST_KEYWORDS) {
      const list = schema[keyword];
      if (Array.isArray(list)) node[keyword] = list.filter(isSchema).map(copy);
    }
    for (const keyword of SCHEMA_MAP_KEYWORDS)
      if (isJsonObject(schema[keyword])) node[keyword] = copyMap(schema[keyword]);
    const also = [...referencesOf(schema), ...boundedUniqueness(node), ...shownConst(node)];
    if (also.length > 0) node.allOf = [...(node.allOf ?? []), ...also];
    const name = names.get(schema);
    if (name !== undefined) targets[name] = node;
    return counted(node, meter);
  }

  function copyMap(map: JsonObject): Record<string, Schema | boolean> {
    const schemas = Object.entries(map).flatMap(([key, value]) =>
      isSchema(value) ? [[key, copy(value)] as const] : [],
    );
    return Object.fromEntries(schemas);
  }

  function referencesOf(schema: JsonObject): Schema[] {
    const found = references.get(schema) ?? [];
    // A name that isn't there makes the validator throw: what can't be checked must not pass.
    return found.map((target) => ({
      $ref: (target !== undefined && names.get(target)) || "nowhere",
    }));
  }

  const copied = copy(root) as Schema;
  for (const [target, name] of names) if (typeof target === "boolean") targets[name] = target;
  return { root: copied, targets, meter };
}

/**
 * A recursive schema can make work grow by a power with each level of a value, and the validator has no budget. It reads
 * every keyword that it knows of each schema that it enters, so a keyword that we don't pass on counts its entries.
 */
function counted(node: Schema, meter: { left: number }): Schema {
  const steps = 1 + Math.floor((node.enum?.length ?? 0) / SCHEMA_ENUM_VALUES_A_STEP);
  return Object.defineProperty(node, "$recursiveRef", {
    get: () => {
      if (meter.left < steps) throw new StepsExhausted();
      meter.left -= steps;
      return undefined;
    },
  });
}

/** Comparing each item with each is too much for a list without bounds, so uniqueness bounds the list. */
function boundedUniqueness(node: Schema): Schema[] {
  if (node.uniqueItems !== true) return [];
  delete node.uniqueItems;
  const bound = { maxItems: SCHEMA_UNIQUE_ITEMS };
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  return [{ if: bound, then: { uniqueItems: true }, else: bound }];
}

const SHOWN_CHARACTERS = 256;

/**
 * The validator writes the whole of `enum` and `const` into each of its errors, of which there can be one for each item
 * of a list: a long one is written in part.
 */
function shownInPart(values: Json[]): Json[] {
  let length = 0;
  const fitting = values.findIndex(
    (value) => (length += JSON.stringify(value).length) > SHOWN_CHARACTERS,
  );
  if (fitting === -1) return values;
  return Object.defineProperty([...values], "toJSON", {
    value: () => [...values.slice(0, fitting), "…"],
  });
}

function shownConst(node: Schema): Schema[] {
  if (node.const === undefined || JSON.stringify(node.const).length <= SHOWN_CHARACTERS) return [];
  const only = { enum: shownInPart([node.const]) };
  delete node.const;
  return [only];
}
