/**
 * Owns: whether a JSON Schema of 2020-12 may be used, and whether a value fits one, each as a bounded list of issues.
 * Nothing here throws: a schema that breaks the validator is an issue too.
 */

import { format, validate, type OutputUnit } from "@cfworker/json-schema";
import { issueAt, type Segments } from "./issue.ts";
import { boundedJson, jsonProblem } from "./json-bounds.ts";
import { isJsonObject, type Json } from "./json.ts";
import {
  JSON_NESTING_LEVELS,
  REFUSAL_ISSUES,
  REQUEST_BODY_BYTES,
  SCHEMA_BYTES,
  SCHEMA_LISTING_STEPS,
  SCHEMA_STEPS,
} from "./limits.ts";
import { METASCHEMA } from "./metaschema.ts";
import type { Issue } from "./refusal.ts";
import { readSchemaDocument, type Finding } from "./schema-document.ts";
import { leafErrors, messageOfError } from "./schema-error.ts";
import { StepsExhausted } from "./pattern.ts";
import { programOf, type SchemaProgram } from "./schema-program.ts";

/** Empty where `schema` is a JSON Schema of 2020-12 by which values can be checked here. */
export function checkJsonSchema(schema: unknown): readonly Issue[] {
  return schemaFindings(schema).map(({ at, message }) => issueAt(at, message));
}

/** As checkJsonSchema, with places that can still be put below another. */
export function schemaFindings(schema: unknown): readonly Finding[] {
  if (typeof schema === "boolean") return [];
  if (!isJsonObject(schema))
    return [{ at: [], message: "must be a JSON Schema: an object, true or false" }];
  const json = boundedJson(schema, { bytes: SCHEMA_BYTES, levels: JSON_NESTING_LEVELS });
  if (!json.ok) return json.issues.map(({ message }) => ({ at: [], message }));
  if (!isJsonObject(json.value))
    return [{ at: [], message: "must be a JSON Schema: an object, true or false" }];
  const invalid = errorsOf(programOfSchema(METASCHEMA), json.value);
  const findings = invalid.length > 0 ? invalid : readSchemaDocument(json.value).findings;
  return findings.slice(0, REFUSAL_ISSUES);
}

/** Empty where `value` fits `schema`. Paths are those of the value. */
export function validateBySchema(schema: unknown, value: unknown): readonly Issue[] {
  const problem = jsonProblem(value, { bytes: REQUEST_BODY_BYTES, levels: JSON_NESTING_LEVELS });
  if (problem !== undefined) return [issueAt([], problem)];
  if (schema === true) return [];
  if (schema === false) return [issueAt([], "is not allowed: no value is")];
  const program = isJsonObject(schema) ? programOfSchema(schema) : undefined;
  return errorsOf(program, value as Json).map(({ at, message }) => issueAt(at, message));
}

/** Schemas are read once for each object that holds one. `undefined`: it can't be read. */
const programs = new WeakMap<object, SchemaProgram>();

function programOfSchema(schema: object): SchemaProgram | undefined {
  const known = programs.get(schema);
  if (known !== undefined) return known;
  const json = boundedJson(schema, { bytes: REQUEST_BODY_BYTES, levels: JSON_NESTING_LEVELS });
  if (!json.ok || !isJsonObject(json.value)) return undefined;
  const program = programOf(readSchemaDocument(json.value));
  programs.set(schema, program);
  return program;
}

const UNUSABLE: Finding = {
  at: [],
  message: "can't be checked: its schema is not one that can be used",
};
const TOO_MUCH: Finding = {
  at: [],
  message: "takes too long to check against its schema: make it smaller",
};

function errorsOf(program: SchemaProgram | undefined, value: Json): readonly Finding[] {
  if (program === undefined) return [UNUSABLE];
  // The first run stops where it can, which bounds what it collects. Only a value that is wrong is run again, to list more
  // of what is wrong with it, if that can be had cheaply.
  const first = run(program, value, { steps: SCHEMA_STEPS, stopsEarly: true });
  if ("at" in first) return [first];
  if (first.errors.length === 0) return [];
  const all = run(program, value, { steps: SCHEMA_LISTING_STEPS, stopsEarly: false });
  return findingsOf(value, "at" in all ? first.errors : all.errors);
}

interface RunOptions {
  readonly steps: number;
  readonly stopsEarly: boolean;
}

function run(
  { root, targets, formats, begin }: SchemaProgram,
  value: Json,
  { steps, stopsEarly }: RunOptions,
): { readonly errors: readonly OutputUnit[] } | Finding {
  const metered = begin(value, steps);
  try {
    Object.assign(format, formats);
    return validate(metered, root, "2020-12", targets, stopsEarly);
  } catch (error) {
    // RangeError: more errors than fit into one call, or a stack that overflowed; both are a matter of size.
    return error instanceof StepsExhausted || error instanceof RangeError ? TOO_MUCH : UNUSABLE;
  } finally {
    for (const name of Object.keys(formats)) delete format[name];
  }
}

function findingsOf(value: Json, errors: readonly OutputUnit[]): readonly Finding[] {
  const findings = new Map<string, Finding>();
  for (const error of leafErrors(errors)) {
    const finding = { at: placeIn(value, error.instanceLocation), message: messageOfError(error) };
    findings.set(JSON.stringify(finding), finding);
    if (findings.size === REFUSAL_ISSUES) break;
  }
  if (findings.size === 0) return [{ at: [], message: "does not fit its schema" }];
  return [...findings.values()];
}

/** A pointer does not say whether `0` is an index or a name; the value does. */
function placeIn(value: Json, pointer: string): Segments {
  const at: PropertyKey[] = [];
  let inside: Json | undefined = value;
  for (const encoded of pointer.split("/").slice(1)) {
    const name = decodeURIComponent(encoded).replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(inside)) {
      at.push(Number(name));
      inside = inside[Number(name)] as Json | undefined;
    } else {
      at.push(name);
      inside = isJsonObject(inside) ? inside[name] : undefined;
    }
  }
  return at;
}
