/**
 * Owns: reading a JSON Schema document: where the schemas in it are, what their references mean, and what the metaschema
 * can't say is wrong with them. Does not own: the metaschema, and running a schema (`schema-program.ts`).
 */

import type { Segments } from "./issue.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import { SCHEMA_CHAIN_SCHEMAS, SCHEMA_PATTERN_CHARACTERS } from "./limits.ts";
import {
  DIALECT,
  IN_PLACE_KEYWORDS,
  SCHEMA_KEYWORDS,
  SCHEMA_LIST_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
} from "./metaschema.ts";
import { readPattern } from "./pattern.ts";
import { countCodePoints } from "./text.ts";

/** What is wrong with a schema, and where. */
export interface Finding {
  readonly at: Segments;
  readonly message: string;
}

/** A schema, as it stands in a document. */
export type Target = JsonObject | boolean;

export interface SchemaDocument {
  readonly root: JsonObject;
  /** Of each schema that refers to others: which. Undefined for a reference that leads nowhere in the document. */
  readonly references: ReadonlyMap<JsonObject, readonly (Target | undefined)[]>;
  readonly findings: readonly Finding[];
}

/** A schema inside the document. */
interface Place {
  readonly schema: JsonObject;
  readonly at: Segments;
  readonly resource: Resource;
}

/** A part of the document with a URI of its own: the whole, and each schema with an `$id`. */
interface Resource {
  readonly uri: string;
  readonly at: Segments;
}

/** Under which a document without an `$id` is known to itself. */
const OWN_URI = "https://holdpoint.invalid/schema";

/** The document must be JSON of bounded nesting, and a tree: no object in it twice. */
export function readSchemaDocument(root: JsonObject): SchemaDocument {
  const index = indexOf(root);
  const { references, findings } = resolveAll(index);
  const chain = chainsBy(references);
  const endless = index.places.find(({ schema }) => chain(schema) > SCHEMA_CHAIN_SCHEMAS);
  return {
    root,
    references,
    findings: [
      ...index.findings,
      ...findings,
      ...index.places.flatMap(patternFindings),
      ...(endless === undefined ? [] : [{ at: endless.at, message: ENDLESS }]),
    ],
  };
}

const ENDLESS = `must not lead through more than ${SCHEMA_CHAIN_SCHEMAS} schemas, or back to itself, for one and the same value`;

interface SchemaIndex {
  readonly places: readonly Place[];
  readonly resources: ReadonlyMap<string, Resource>;
  /** By JSON Pointer from the document's root. */
  readonly byPointer: ReadonlyMap<string, Target>;
  /** By the resource's URI, `#` and the anchor. */
  readonly byAnchor: ReadonlyMap<string, JsonObject>;
  readonly dynamicAnchors: readonly string[];
  readonly findings: readonly Finding[];
}

function indexOf(document: JsonObject): SchemaIndex {
  const places: Place[] = [];
  const resources = new Map<string, Resource>();
  const byPointer = new Map<string, Target>();
  const byAnchor = new Map<string, JsonObject>();
  const dynamicAnchors: string[] = [];
  const findings: Finding[] = [];

  function visit(value: Json | undefined, at: Segments, parent: Resource): void {
    if (typeof value === "boolean") byPointer.set(pointerOf(at), value);
    if (!isJsonObject(value)) return;
    byPointer.set(pointerOf(at), value);
    const resource = resourceOf(value, at, parent);
    places.push({ schema: value, at, resource });
    for (const keyword of ["$anchor", "$dynamicAnchor"]) nameAnchor(value, keyword, at, resource);
    if (typeof value.$schema === "string" && value.$schema.replace(/#$/, "") !== DIALECT)
      findings.push({
        at: [...at, "$schema"],
        message: `must be ${DIALECT}: other drafts are not read`,
      });
    for (const child of subschemas(value)) visit(child.value, [...at, ...child.path], resource);
  }

  function resourceOf(schema: JsonObject, at: Segments, parent: Resource): Resource {
    if (typeof schema.$id !== "string") return parent;
    const uri = resolveUri(schema.$id, parent.uri);
    if (uri === undefined || (resources.has(uri) && at.length > 0)) {
      const message =
        uri === undefined ? "must be a URI reference" : "must be unique in this schema";
      findings.push({ at: [...at, "$id"], message });
      return parent;
    }
    const resource = { uri, at };
    resources.set(uri, resource);
    return resource;
  }

  function nameAnchor(schema: JsonObject, keyword: string, at: Segments, resource: Resource): void {
    const anchor = schema[keyword];
    if (typeof anchor !== "string") return;
    const key = `${resource.uri}#${anchor}`;
    const other = byAnchor.get(key);
    if (other !== undefined && other !== schema)
      findings.push({ at: [...at, keyword], message: "must be unique in this schema" });
    byAnchor.set(key, schema);
    if (keyword === "$dynamicAnchor") dynamicAnchors.push(anchor);
  }

  const own = { uri: OWN_URI, at: [] };
  resources.set(OWN_URI, own);
  visit(document, [], own);
  return { places, resources, byPointer, byAnchor, dynamicAnchors, findings };
}

type References = Pick<SchemaDocument, "references" | "findings">;

function resolveAll(index: SchemaIndex): References {
  const references = new Map<JsonObject, readonly (Target | undefined)[]>();
  const findings: Finding[] = [];
  for (const { schema, at, resource } of index.places) {
    const targets: (Target | undefined)[] = [];
    for (const keyword of ["$ref", "$dynamicRef"]) {
      const reference = schema[keyword];
      if (typeof reference !== "string") continue;
      const target = resolve(reference, resource, index);
      const ambiguous = keyword === "$dynamicRef" && dependsOnTheWay(reference, target, index);
      targets.push(ambiguous ? undefined : target);
      if (target === undefined) findings.push({ at: [...at, keyword], message: UNRESOLVED });
      if (ambiguous) findings.push({ at: [...at, keyword], message: AMBIGUOUS });
    }
    if (targets.length > 0) references.set(schema, targets);
  }
  return { references, findings };
}

const UNRESOLVED =
  "must lead to a schema in this document (#, #/$defs/…, an $anchor or an $id in it): nothing is fetched from elsewhere";

const AMBIGUOUS = "must name a $dynamicAnchor that stands once in this schema";

function resolve(reference: string, from: Resource, index: SchemaIndex): Target | undefined {
  const [reachedBy, fragment] = parted(reference);
  const uri = reachedBy === "" ? from.uri : resolveUri(reachedBy, from.uri);
  const resource = uri === undefined ? undefined : index.resources.get(uri);
  if (resource === undefined || fragment === undefined) return undefined;
  if (fragment !== "" && !fragment.startsWith("/"))
    return index.byAnchor.get(`${resource.uri}#${fragment}`);
  return index.byPointer.get(pointerOf(resource.at) + fragment);
}

/** What stands before the `#`, and what behind it: undefined where that is not encoded as it must be. */
function parted(reference: string): readonly [string, string | undefined] {
  const [, reachedBy = "", fragment = ""] = /^([^#]*)#?(.*)$/s.exec(reference) ?? [];
  return [reachedBy, decoded(fragment)];
}

/**
 * A `$dynamicRef` that names a `$dynamicAnchor` means the outermost one of that name on the way that the validator came.
 * With one such anchor in the document it means just that one; with several we would have to follow the way, and don't.
 * One that reaches the same schema in another manner, by a pointer say, is no more than a `$ref`.
 */
function dependsOnTheWay(
  reference: string,
  target: Target | undefined,
  { dynamicAnchors }: SchemaIndex,
): boolean {
  const [, name] = parted(reference);
  if (target === undefined || typeof target === "boolean") return false;
  if (target.$dynamicAnchor !== name) return false;
  return dynamicAnchors.filter((anchor) => anchor === name).length > 1;
}

/**
 * How many schemas the validator enters inside one another for one value that it gives to a schema. Infinity where it
 * would come back to itself: it would never end.
 */
function chainsBy(references: References["references"]): (start: JsonObject) => number {
  const known = new Map<JsonObject, number>();

  function chain(target: Target | undefined, above: number): number {
    if (target === undefined || typeof target === "boolean") return 1;
    const found = known.get(target);
    if (found !== undefined) return found;
    known.set(target, Number.POSITIVE_INFINITY);
    if (above > SCHEMA_CHAIN_SCHEMAS) return Number.POSITIVE_INFINITY;
    const next = [...(references.get(target) ?? []), ...inPlaceSchemas(target)];
    const length = next.reduce(
      (longest: number, child) => Math.max(longest, 1 + chain(child, above + 1)),
      1,
    );
    known.set(target, length);
    return length;
  }

  return (start) => chain(start, 0);
}

function inPlaceSchemas(schema: JsonObject): Target[] {
  return [...subschemas(schema)]
    .filter(({ path }) => IN_PLACE_KEYWORDS.includes(String(path[0])))
    .map(({ value }) => value)
    .filter((value) => typeof value === "boolean" || isJsonObject(value));
}

function patternFindings({ schema, at }: Place): Finding[] {
  const named = isJsonObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : [];
  const patterns = [
    ...(typeof schema.pattern === "string"
      ? [{ pattern: schema.pattern, at: [...at, "pattern"] }]
      : []),
    ...named.map((pattern) => ({ pattern, at: [...at, "patternProperties"] })),
  ];
  return patterns.flatMap(({ pattern, at: where }) => {
    const message = patternProblem(pattern);
    return message === undefined ? [] : [{ at: where, message }];
  });
}

function patternProblem(pattern: string): string | undefined {
  if (countCodePoints(pattern) > SCHEMA_PATTERN_CHARACTERS)
    return `must have patterns of at most ${SCHEMA_PATTERN_CHARACTERS} characters`;
  const read = readPattern(pattern);
  return typeof read === "string" ? `must have patterns ${read}` : undefined;
}

interface Subschema {
  readonly value: Json | undefined;
  readonly path: Segments;
}

/** The schemas that stand right inside a schema. */
function* subschemas(schema: JsonObject): Generator<Subschema> {
  for (const keyword of SCHEMA_KEYWORDS) yield { value: schema[keyword], path: [keyword] };
  for (const keyword of SCHEMA_LIST_KEYWORDS) {
    const list = schema[keyword];
    if (Array.isArray(list)) yield* list.map((value: Json, i) => ({ value, path: [keyword, i] }));
  }
  for (const keyword of SCHEMA_MAP_KEYWORDS) {
    const map = schema[keyword];
    if (isJsonObject(map))
      yield* Object.entries(map).map(([key, value]) => ({ value, path: [keyword, key] }));
  }
}

export function isSchema(value: Json | undefined): value is Target {
  return typeof value === "boolean" || isJsonObject(value);
}

function pointerOf(at: Segments): string {
  return at
    .map((segment) => `/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

function resolveUri(reference: string, base: string): string | undefined {
  try {
    const url = new URL(reference, base);
    return url.href.replace(/#.*$/s, "");
  } catch {
    return undefined;
  }
}
