/**
 * Owns: what of a JSON Schema a form can be drawn from: a schema without its detours, that is with local references
 * followed and a nullable form taken apart. Does not own: which control it becomes (`schema-fields.ts`), and whether a
 * value fits: that is core's to say, by the whole schema.
 */

import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { readSchemaDocument, type Target } from "../core/schema-document.ts";

/** A schema without detours. */
export interface PlainSchema {
  readonly schema: JsonObject;
  /** Whether null is as good as a value of it. */
  readonly isNullable: boolean;
  /** Where that null is one of the values that are listed: what is said of it. */
  readonly listedNull?: JsonObject;
  /** The schemas that references led to on the way here, so that one that comes back to itself is found. */
  readonly trail: readonly Target[];
}

export type SchemaReader = (
  schema: Json | undefined,
  trail: readonly Target[],
) => PlainSchema | undefined;

/** Keywords that say something of a value, and ask nothing of it. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  "$anchor",
  "$comment",
  "$defs",
  "$id",
  "$schema",
  "default",
  "deprecated",
  "description",
  "examples",
  "readOnly",
  "title",
  "writeOnly",
]);

/** The document is an `answerSchema`, so it was checked when the question was asked. */
export function schemaReader(document: JsonObject): SchemaReader {
  const { references } = readSchemaDocument(document);

  function read(schema: Json | undefined, trail: readonly Target[]): PlainSchema | undefined {
    if (!isJsonObject(schema)) return undefined;
    const targets = references.get(schema);
    if (targets !== undefined) return follow(schema, "$ref", targets, trail);
    if (Array.isArray(schema.allOf) && schema.allOf.length === 1 && !isDrawnItself(schema))
      return follow(schema, "allOf", schema.allOf, trail);
    const nullable = withoutNull(schema);
    if (nullable === undefined) return { schema, isNullable: false, trail };
    const inner = read(nullable, trail);
    const listedNull = nullAmongValues(schema);
    return inner === undefined
      ? undefined
      : {
          ...inner,
          isNullable: true,
          schema: { ...inner.schema, ...annotationsOf(schema) },
          ...(listedNull !== undefined && { listedNull }),
        };
  }

  /** Only what leads to one schema, and asks nothing beside it, is the schema that it leads to. */
  function follow(
    schema: JsonObject,
    keyword: string,
    targets: readonly (Json | undefined)[],
    trail: readonly Target[],
  ): PlainSchema | undefined {
    const [target] = targets;
    const asksMore = Object.keys(schema).some((name) => name !== keyword && !ANNOTATIONS.has(name));
    if (targets.length !== 1 || !isJsonObject(target) || asksMore || trail.includes(target))
      return undefined;
    const inner = read(target, [...trail, target]);
    return inner && { ...inner, schema: { ...inner.schema, ...annotationsOf(schema) } };
  }

  return read;
}

function isDrawnItself({ type, properties, enum: values }: JsonObject): boolean {
  return type !== undefined || properties !== undefined || values !== undefined;
}

function annotationsOf(schema: JsonObject): JsonObject {
  const { title, description, default: value } = schema;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(value !== undefined && { default: value }),
  };
}

/** The schema of all but null, where null is one of what it takes. */
function withoutNull(schema: JsonObject): JsonObject | undefined {
  const { type, enum: values } = schema;
  if (Array.isArray(type) && type.length === 2 && type.includes("null"))
    return { ...schema, type: type.find((name: Json) => name !== "null") as Json };
  if (Array.isArray(values) && values.includes(null) && values.length > 1)
    return { ...schema, enum: values.filter((value: Json) => value !== null) };
  for (const keyword of ["anyOf", "oneOf"]) {
    const arms = schema[keyword];
    if (!Array.isArray(arms) || arms.length < 2) continue;
    const rest = arms.filter((arm: Json) => !isNull(arm));
    if (rest.length !== arms.length - 1) continue;
    const [only] = rest as Json[];
    if (rest.length > 1) return { ...schema, [keyword]: rest };
    const asksMore = Object.keys(schema).some((name) => name !== keyword && !ANNOTATIONS.has(name));
    return !asksMore && isJsonObject(only) ? only : undefined;
  }
  return undefined;
}

/** The null of an `enum`, or of constants with titles. */
function nullAmongValues({ enum: values, anyOf, oneOf }: JsonObject): JsonObject | undefined {
  if (Array.isArray(values)) return values.includes(null) ? {} : undefined;
  const arms: unknown = oneOf ?? anyOf;
  if (!Array.isArray(arms)) return undefined;
  const constants = arms.filter(isJsonObject).filter((arm) => arm.const !== undefined);
  return constants.length === arms.length ? constants.find(isNull) : undefined;
}

function isNull(schema: Json): boolean {
  return isJsonObject(schema) && (schema.type === "null" || schema.const === null);
}
