/**
 * Owns: JSON as careless and hostile callers write it, for the fuzz tests: documents that hold what no JSON value can
 * (members twice, numbers without bounds, text that is no JSON at all), and valid ones that are changed in a few places.
 */

import * as fc from "fast-check";
import { isFiniteJson, nestsDeeperThan } from "../src/core/json.ts";
import { JSON_NESTING_LEVELS } from "../src/core/limits.ts";

/** A document as it is written. A member may come twice, and `raw` may be anything. */
export type Doc =
  | { readonly raw: string }
  | { readonly items: readonly Doc[] }
  | { readonly members: readonly Member[] };
type Member = readonly [string, Doc];

export function docOf(value: unknown): Doc {
  if (Array.isArray(value)) return { items: value.map(docOf) };
  if (typeof value !== "object" || value === null) return { raw: JSON.stringify(value) ?? "null" };
  return { members: Object.entries(value).map(([name, member]) => [name, docOf(member)]) };
}

export function textOf(doc: Doc): string {
  if ("raw" in doc) return doc.raw;
  if ("items" in doc) return `[${doc.items.map(textOf).join(",")}]`;
  return `{${doc.members.map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`).join(",")}}`;
}

/** Names that mean something to a JavaScript engine, to our paths, or to nobody. */
export const ODD_NAMES = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "then",
  "toJSON",
  "length",
  "0",
  "",
  " ",
  "\u0000",
  "\ud800",
  "a.b",
  "[0]",
  "$ref",
  "😀",
  "n".repeat(1_000),
];

const ODD_TEXTS = [
  ...ODD_NAMES,
  "x".repeat(70_000),
  "漢".repeat(3_000),
  "<script>alert(1)</script>",
  "[a](javascript:alert(1)) ![b](//c)",
  "'; DROP TABLE journal; --",
  "%",
  "\r\nX-Injected: yes",
  "\u2028\u2029\ufeff\u0085",
  "e\u0301\u202e",
  "half \udc00",
  "NaN",
  "1e400",
  "approve",
  "task_1",
];

const ODD_RAWS = [
  "1e400",
  "-1e400",
  "-0",
  "0.1e1",
  "1e-400",
  "9007199254740993",
  "123456789012345678901234567890",
  "NaN",
  "Infinity",
  "undefined",
  "01",
  ".5",
  "+1",
  "'x'",
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '"\\x41"',
  '"\t"',
  '"unended',
  "",
  "null",
  "true",
  "false",
  "0",
  "-1",
  "1.5",
  "[]",
  "{}",
  '{"":{}}',
  '{"__proto__":{"approved":true}}',
  '{"a":1,"a":2}',
  "[,]",
  "[1,]",
  "//",
  "/**/1",
];

const DEEP = fc
  .constantFrom(62, 63, 64, 65, 20_000, 100_000)
  .chain((levels) =>
    fc.constantFrom(
      { raw: `${"[".repeat(levels)}${"]".repeat(levels)}` },
      { raw: `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}` },
      { raw: "[".repeat(levels) },
    ),
  );

const WIDE = fc
  .constantFrom(33, 129, 1_001, 20_000)
  .map((length) => ({ raw: `[${Array.from({ length }, () => "0").join(",")}]` }));

/** What stands where something else was expected. `refs` are texts that mean something to the world under test. */
export function oddDoc(refs: readonly string[] = []): fc.Arbitrary<Doc> {
  const text = fc.constantFrom(...ODD_TEXTS, ...refs).map(docOf);
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...ODD_RAWS).map((raw) => ({ raw })) },
    { weight: 6, arbitrary: text },
    { weight: 4, arbitrary: fc.string({ unit: "binary", maxLength: 20 }).map(docOf) },
    { weight: 2, arbitrary: fc.double().map(docOf) },
    { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }).map(docOf) },
    { weight: 2, arbitrary: DEEP },
    { weight: 1, arbitrary: WIDE },
  );
}

const OPERATIONS = ["replace", "remove", "add", "repeat", "rename", "wrap", "quote"] as const;

interface Mutation {
  readonly at: number;
  readonly operation: (typeof OPERATIONS)[number];
  readonly name: string;
  readonly doc: Doc;
}

/** A valid value, changed in a few places or in none. */
export function mutatedDoc(
  valid: fc.Arbitrary<unknown>,
  refs: readonly string[] = [],
): fc.Arbitrary<Doc> {
  const mutation: fc.Arbitrary<Mutation> = fc.record({
    at: fc.nat(10_000),
    operation: fc.constantFrom(...OPERATIONS),
    name: fc.constantFrom(...ODD_NAMES),
    doc: oddDoc(refs),
  });
  return fc
    .tuple(
      valid,
      fc.oneof(
        { weight: 2, arbitrary: fc.constant([]) },
        { weight: 3, arbitrary: fc.array(mutation, { maxLength: 3, size: "max" }) },
      ),
    )
    .map(([value, mutations]) => mutations.reduce(mutated, docOf(value)));
}

function mutated(doc: Doc, { at, operation, name, doc: odd }: Mutation): Doc {
  return changedAt(doc, at % countOf(doc), (place) => {
    switch (operation) {
      case "replace":
        return odd;
      case "wrap":
        return { items: [place] };
      case "quote":
        return docOf(textOf(place));
      case "remove":
        return "raw" in place ? { raw: "null" } : without(place, at);
      case "add":
        return "members" in place ? { members: [...place.members, [name, odd]] } : odd;
      case "repeat":
        return repeated(place, at, odd);
      case "rename":
        return "members" in place ? renamed(place.members, at, name) : odd;
    }
  });
}

function without(place: Exclude<Doc, { raw: string }>, at: number): Doc {
  if ("items" in place) return { items: place.items.toSpliced(at % (place.items.length || 1), 1) };
  return { members: place.members.toSpliced(at % (place.members.length || 1), 1) };
}

/** The same member once more, with another value: of two with one name the last one counts. */
function repeated(place: Doc, at: number, odd: Doc): Doc {
  if ("items" in place) return { items: [...place.items, ...place.items] };
  const member = "members" in place ? place.members[at % (place.members.length || 1)] : undefined;
  if (member === undefined || !("members" in place)) return odd;
  return { members: [...place.members, [member[0], odd]] };
}

function renamed(members: readonly Member[], at: number, name: string): Doc {
  const place = at % (members.length || 1);
  return { members: members.map((member, n) => (n === place ? [name, member[1]] : member)) };
}

/** Of how many places a document consists: itself, and what is in it. */
function countOf(doc: Doc): number {
  return childrenOf(doc).reduce((count, child) => count + countOf(child), 1);
}

function childrenOf(doc: Doc): readonly Doc[] {
  if ("raw" in doc) return [];
  return "items" in doc ? doc.items : doc.members.map(([, member]) => member);
}

function changedAt(doc: Doc, place: number, change: (doc: Doc) => Doc): Doc {
  if (place === 0) return change(doc);
  let before = 1;
  const children = childrenOf(doc).map((child) => {
    const own = place - before;
    const count = countOf(child);
    before += count;
    return own >= 0 && own < count ? changedAt(child, own, change) : child;
  });
  if ("items" in doc) return { items: children };
  if ("members" in doc)
    return { members: doc.members.map(([name, member], n) => [name, children[n] ?? member]) };
  return doc;
}

/** What a door makes of a document; undefined where it does not get in. */
export function parsedJson(text: string): unknown {
  if (nestsDeeperThan(text, JSON_NESTING_LEVELS)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isFiniteJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A value as it gets in at a door: a valid one, changed in a few places, or anything. */
export function oddValue(valid: fc.Arbitrary<unknown> = fc.jsonValue()): fc.Arbitrary<unknown> {
  return fc.oneof(mutatedDoc(valid), oddDoc()).map((doc) => parsedJson(textOf(doc)));
}
