/**
 * Owns: what the validator's errors say to a caller. The validator's own words repeat received values, and names at full
 * length, so each keyword has words here; only what comes from the schema itself is taken over. Its words are those of
 * the pinned version, and a test holds them.
 */

import type { OutputUnit } from "@cfworker/json-schema";
import { shownName } from "./issue.ts";
import { PATTERN_FORMAT } from "./schema-program.ts";

/** Far more than is ever shown: a large value can be wrong in each of its items. */
const ERRORS_READ = 20_000;

/** Without those errors that only say that something inside them is wrong, since that is in the list too. */
export function leafErrors(all: readonly OutputUnit[]): readonly OutputUnit[] {
  const errors = all.slice(0, ERRORS_READ);
  const wholes = new Set(errors.filter(({ keyword }) => WHOLES.has(keyword)).map(insideOf));
  const prefixes = [...wholes];
  return errors.filter(
    ({ keyword, keywordLocation }) =>
      !CONTAINERS.has(keyword) && !prefixes.some((prefix) => keywordLocation.startsWith(prefix)),
  );
}

const CONTAINERS: ReadonlySet<string> = new Set([
  "$ref",
  "allOf",
  "if",
  "dependentSchemas",
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "prefixItems",
  "items",
  "unevaluatedItems",
]);

/** Keywords that say more themselves than the errors inside them, of which there is one for each item or name. */
const WHOLES: ReadonlySet<string> = new Set(["contains", "minContains", "propertyNames"]);

/** `minContains` speaks for the errors inside `contains`. */
function insideOf({ keywordLocation }: OutputUnit): string {
  return `${keywordLocation.replace(/minContains$/, "contains")}/`;
}

export function messageOfError({ keyword, error }: OutputUnit): string {
  switch (keyword) {
    case "false":
      return "is not allowed";
    case "type":
      return `must be of type ${part(error, /Expected "(.*)"\.$/s).replaceAll('", "', " or ")}`;
    case "const":
      return `must be ${part(error, /does not match (.*)\.$/s)}`;
    case "enum":
      return `must be one of ${part(error, /any of (.*)\.$/s)}`;
    case "required":
    case "dependentRequired":
      return `must have the property ${shownName(part(error, /(?:required property|not have) "(.*)"\.$/s))}`;
    case "minimum":
      return `must be at least ${lastNumber(error)}`;
    case "maximum":
      return `must be at most ${lastNumber(error)}`;
    case "exclusiveMinimum":
      return `must be more than ${lastNumber(error)}`;
    case "exclusiveMaximum":
      return `must be less than ${lastNumber(error)}`;
    case "multipleOf":
      return `must be a multiple of ${lastNumber(error)}`;
    case "minLength":
      return `must be at least ${lengthBound(error)} characters`;
    case "maxLength":
      return `must be at most ${lengthBound(error)} characters`;
    case "minItems":
      return `must have at least ${lengthBound(error)} items`;
    case "maxItems":
      return `must have at most ${lengthBound(error)} items`;
    case "minProperties":
      return `must have at least ${part(error, /(\d+) properties/)} properties`;
    case "maxProperties":
      return `must have at most ${part(error, /(\d+) properties/)} properties`;
    case "format":
      if (part(error, /format "(.*)"\.$/s).startsWith(PATTERN_FORMAT))
        return "must match the pattern of its schema";
      return `must have the format ${part(error, /format "(.*)"\.$/s)}`;
    case "uniqueItems":
      return "must not hold the same item twice";
    case "propertyNames":
      return "must not have a property of such a name";
    case "contains":
      return "must hold an item of the form that its schema asks for";
    case "minContains":
      return "must hold more items of the form that its schema asks for";
    case "maxContains":
      return "must hold fewer items of the form that its schema asks for";
    case "anyOf":
      return "must fit at least one of the allowed forms";
    case "oneOf":
      return "must fit exactly one of the allowed forms";
    case "not":
      return "must not be of the form that its schema excludes";
    default:
      return "does not fit its schema";
  }
}

function part(error: string, pattern: RegExp): string {
  return pattern.exec(error)?.[1] ?? "what its schema says";
}

/** `3 is less than 5.` begins with the received value, and ends with the schema's own. */
function lastNumber(error: string): string {
  return part(error, /(\S+)\.$/);
}

function lengthBound(error: string): string {
  return part(error, /[<>] (\S+)\)\.$/);
}
