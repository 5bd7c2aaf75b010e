/**
 * Owns: turning a schema document into what the validator runs, and bounding what a run may cost.
 *
 * The validator runs a copy of ours, since of the document itself it would ignore `$dynamicRef`, take the old keyword
 * `id` for `$id` and write into the schema, and since it has no bounds of its own.
 */

import type { Schema } from "@cfworker/json-schema";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import {
  PATTERN_STEPS,
  SCHEMA_ENUM_VALUES_A_STEP,
  SCHEMA_NAMES_A_STEP,
  SCHEMA_PATTERN_NAMES_A_STEP,
  SCHEMA_STEPS,
  SCHEMA_UNIQUE_ITEMS,
} from "./limits.ts";
import {
  ASSERTION_KEYWORDS,
  CHECKED_FORMATS,
  SCHEMA_KEYWORDS,
  SCHEMA_LIST_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
} from "./metaschema.ts";
import { meteredValue } from "./metered-value.ts";
import { type Pattern, readPattern, StepsExhausted } from "./pattern.ts";
import { isSchema, type SchemaDocument, type Target } from "./schema-document.ts";

export interface SchemaProgram {
  readonly root: Schema;
  /** The targets of the program's references, by the names that its `$ref`s have. */
  readonly targets: Record<string, Schema | boolean>;
  /** Tests of the validator's `format`, by names that no schema can give: they have to stand in its table during a run. */
  readonly formats: Readonly<Record<string, (text: string) => boolean>>;
  /** Begins a run over a value, and returns what the validator is given of it: at the end of `steps` it throws StepsExhausted. */
  begin(value: Json, steps: number): Json;
}

/** The document as the validator runs it: known keywords only, references by name, and each schema counted. */
export function programOf({ root, references }: SchemaDocument): SchemaProgram {
  const meter = { left: SCHEMA_STEPS };
  const patterns = new Patterns(meter);
  const referred = new Set(
    [...references.values()].flat().filter((target) => target !== undefined),
  );
  const names = new Map([...referred].map((target, n) => [target, `${n}`] as const));
  const targets: Record<string, Schema | boolean> = {};

  function copy(schema: Target): Schema | boolean {
    // Each counts, or a list of ten thousand of them would cost nothing.
    if (typeof schema === "boolean") return counted(schema ? {} : { $ref: NOTHING }, meter);
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
    const also = [
      ...referencesOf(schema),
      ...boundedUniqueness(node),
      ...shownConst(node),
      ...patterns.takenFrom(node),
    ];
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
    return found.map((target) => {
      const name = target === undefined ? undefined : names.get(target);
      return name === undefined ? NOWHERE : { $ref: name };
    });
  }

  const copied = copy(root) as Schema;
  for (const [target, name] of names) if (typeof target === "boolean") targets[name] = target;
  targets[NOTHING] = false;
  return {
    root: copied,
    targets,
    formats: patterns.formats,
    begin: (value, steps) => {
      meter.left = steps;
      patterns.begin(value);
      return meteredValue(value, meter);
    },
  };
}

/**
 * The patterns of a schema, which the validator would give to RegExp. `pattern` becomes a format, whose test is ours; and
 * `patternProperties` become properties, of those names in the value at hand that match.
 */
class Patterns {
  readonly formats: Record<string, (text: string) => boolean> = {};
  readonly #meter: { left: number };
  readonly #steps = { left: PATTERN_STEPS };
  readonly #read = new Map<string, Pattern | undefined>();
  #value: Json = null;
  #names: readonly string[] | undefined;
  #properties = new Map<Schema, Record<string, Schema | boolean>>();

  constructor(meter: { left: number }) {
    this.#meter = meter;
  }

  begin(value: Json): void {
    this.#steps.left = PATTERN_STEPS;
    this.#value = value;
    this.#names = undefined;
    this.#properties = new Map();
  }

  /** Takes a node's patterns out of it; what it returns stands beside the node in their place. */
  takenFrom(node: Schema): Schema[] {
    const { pattern, patternProperties } = node;
    delete node.pattern;
    delete node.patternProperties;
    const asked = Object.entries(patternProperties ?? {});
    if (asked.some(([source]) => this.#patternOf(source) === undefined)) return [NOWHERE];
    if (asked.length > 0) this.#shareProperties(node, node.properties ?? {}, asked);
    if (typeof pattern !== "string") return [];
    const read = this.#patternOf(pattern);
    if (read === undefined) return [NOWHERE];
    const format = `${PATTERN_FORMAT}${pattern}`;
    this.formats[format] = (text) => read.matches(text, this.#steps);
    return [{ format }];
  }

  #shareProperties(
    node: Schema,
    own: Record<string, Schema | boolean>,
    asked: readonly (readonly [string, Schema | boolean])[],
  ): void {
    const merged = (): Record<string, Schema | boolean> => {
      const names = this.#namesOfValue();
      this.#meter.left -= (names.length * asked.length) / SCHEMA_NAMES_A_STEP;
      const found = new Map<string, (Schema | boolean)[]>();
      for (const [name, schema] of Object.entries(own)) found.set(name, [schema]);
      for (const [source, schema] of asked)
        for (const name of names)
          if (this.#patternOf(source)?.matches(name, this.#steps) === true)
            found.set(name, [...(found.get(name) ?? []), schema]);
      return Object.fromEntries(
        Array.from(found, ([name, schemas]) => [name, { allOf: schemas as Schema[] }]),
      );
    };
    Object.defineProperty(node, "properties", {
      get: () => {
        const known = this.#properties.get(node) ?? merged();
        this.#properties.set(node, known);
        // The validator looks for each of them, in each object.
        this.#meter.left -= Object.keys(known).length / SCHEMA_PATTERN_NAMES_A_STEP;
        return known;
      },
    });
  }

  #patternOf(source: string): Pattern | undefined {
    if (!this.#read.has(source)) {
      const read = readPattern(source);
      this.#read.set(source, typeof read === "string" ? undefined : read);
    }
    return this.#read.get(source);
  }

  #namesOfValue(): readonly string[] {
    this.#names ??= [...namesIn(this.#value)];
    return this.#names;
  }
}

/** Begins the name of a format that stands for a pattern; no format that a schema may name has a space. */
export const PATTERN_FORMAT = "pattern ";

/** The name of the schema that no value fits. */
const NOTHING = "nothing";

/** A name that isn't there makes the validator throw: what can't be checked must not pass. */
const NOWHERE: Schema = { $ref: "nowhere" };

function namesIn(value: Json, names = new Set<string>()): Set<string> {
  if (typeof value !== "object" || value === null) return names;
  for (const [name, member] of Object.entries(value)) {
    if (!Array.isArray(value)) names.add(name);
    namesIn(member as Json, names);
  }
  return names;
}

/**
 * A recursive schema can make work grow by a power with each level of a value, and the validator has no budget. It reads
 * every keyword that it knows of each schema that it enters, so a keyword that we don't pass on counts its entries.
 */
function counted(node: Schema, meter: { left: number }): Schema {
  const steps =
    1 +
    Math.floor((node.enum?.length ?? 0) / SCHEMA_ENUM_VALUES_A_STEP) +
    Math.floor(namesKnownTo(node) / SCHEMA_NAMES_A_STEP);
  return Object.defineProperty(node, "$recursiveRef", {
    get: () => {
      if (meter.left < steps) throw new StepsExhausted();
      meter.left -= steps;
      return undefined;
    },
  });
}

/** The names that the validator looks for in each object, whether they are there or not. */
function namesKnownTo(node: Schema): number {
  const { dependentRequired = {}, dependentSchemas = {}, required = [] } = node;
  const properties = Object.getOwnPropertyDescriptor(node, "properties")?.value as
    | object
    | undefined;
  return (
    required.length +
    Object.keys(properties ?? {}).length +
    Object.keys(dependentSchemas).length +
    Object.values(dependentRequired).flat().length +
    Object.keys(dependentRequired).length
  );
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
