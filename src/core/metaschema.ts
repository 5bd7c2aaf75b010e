/**
 * Owns: the metaschema of JSON Schema 2020-12, by which a schema is checked, and which of its keywords hold schemas.
 *
 * The published metaschema (https://json-schema.org/draft/2020-12/schema) is eight documents that find one another by
 * `$dynamicRef`, so that others can extend it. Nobody extends ours: it is one document, in which each `$dynamicRef:
 * "#meta"` has become `$ref: "#"`. Titles, comments, defaults and `format`, which assert nothing, are left out.
 */

import type { JsonObject } from "./json.ts";

export const DIALECT = "https://json-schema.org/draft/2020-12/schema";

const schema = { $ref: "#" };
const schemas = { type: "array", minItems: 1, items: schema };
const schemaMap = { type: "object", additionalProperties: schema };
const string = { type: "string" };
const strings = { type: "array", items: string, uniqueItems: true };
const number = { type: "number" };
const count = { type: "integer", minimum: 0 };
const flag = { type: "boolean" };
const anchor = { type: "string", pattern: "^[A-Za-z_][-A-Za-z0-9._]*$" };
const simpleType = { enum: ["array", "boolean", "integer", "null", "number", "object", "string"] };

const core = {
  $id: { type: "string", pattern: "^[^#]*#?$" },
  $schema: string,
  $ref: string,
  $anchor: anchor,
  $dynamicRef: string,
  $dynamicAnchor: anchor,
  $vocabulary: { type: "object", additionalProperties: flag },
  $comment: string,
  $defs: schemaMap,
};

const applicator = {
  prefixItems: schemas,
  items: schema,
  contains: schema,
  additionalProperties: schema,
  properties: schemaMap,
  patternProperties: schemaMap,
  dependentSchemas: schemaMap,
  propertyNames: schema,
  if: schema,
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: schema,
  else: schema,
  allOf: schemas,
  anyOf: schemas,
  oneOf: schemas,
  not: schema,
  unevaluatedItems: schema,
  unevaluatedProperties: schema,
};

const validation = {
  type: {
    anyOf: [simpleType, { type: "array", items: simpleType, minItems: 1, uniqueItems: true }],
  },
  const: true,
  enum: { type: "array" },
  multipleOf: { type: "number", exclusiveMinimum: 0 },
  maximum: number,
  exclusiveMaximum: number,
  minimum: number,
  exclusiveMinimum: number,
  maxLength: count,
  minLength: count,
  pattern: string,
  maxItems: count,
  minItems: count,
  uniqueItems: flag,
  maxContains: count,
  minContains: count,
  maxProperties: count,
  minProperties: count,
  required: strings,
  dependentRequired: { type: "object", additionalProperties: strings },
};

const annotation = {
  title: string,
  description: string,
  default: true,
  deprecated: flag,
  readOnly: flag,
  writeOnly: flag,
  examples: { type: "array" },
  format: string,
  contentEncoding: string,
  contentMediaType: string,
  contentSchema: schema,
};

/** Keywords of earlier drafts, which the published metaschema keeps from being used for anything else. */
const former = {
  definitions: schemaMap,
  dependencies: { type: "object", additionalProperties: { anyOf: [schema, strings] } },
  $recursiveAnchor: anchor,
  $recursiveRef: string,
};

export const METASCHEMA: JsonObject = {
  $schema: DIALECT,
  $id: DIALECT,
  type: ["object", "boolean"],
  properties: { ...core, ...applicator, ...validation, ...annotation, ...former },
};

/** Keywords whose value is a schema. */
export const SCHEMA_KEYWORDS: readonly string[] = keywordsOf(schema);
/** Keywords whose value is a list of schemas. */
export const SCHEMA_LIST_KEYWORDS: readonly string[] = keywordsOf(schemas);
/** Keywords whose value is a map of schemas. */
export const SCHEMA_MAP_KEYWORDS: readonly string[] = keywordsOf(schemaMap);
/** Keywords that constrain a value without another schema's help. */
export const ASSERTION_KEYWORDS: readonly string[] = [...Object.keys(validation), "format"];

/** Keywords whose schemas are about the same value as the schema that they stand in. */
export const IN_PLACE_KEYWORDS: readonly string[] = [
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
];

/** The formats that 2020-12 defines and the validator knows; any other is an annotation. */
export const CHECKED_FORMATS: readonly string[] = [
  "date-time",
  "date",
  "time",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uri",
  "uri-reference",
  "uri-template",
  "uuid",
  "json-pointer",
  "relative-json-pointer",
  "regex",
];

function keywordsOf(form: JsonObject): string[] {
  const all: JsonObject = { ...core, ...applicator, ...annotation, ...former };
  return Object.keys(all).filter((keyword) => all[keyword] === form);
}
