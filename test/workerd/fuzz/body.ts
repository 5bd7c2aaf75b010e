/** Owns: a body of the fuzz, and JSON as one: of any type, cut in pieces, or spoilt on its way. */

import * as fc from "fast-check";
import { type Doc, textOf } from "../../arbitrary-json.ts";
import type { Pair } from "./places.ts";

export type Body =
  | {
      readonly form: "text";
      readonly text: string;
      readonly type: string;
      readonly spoilt: Spoilt;
      readonly chunks: number;
    }
  | { readonly form: "fields" | "parts"; readonly fields: readonly Pair[]; readonly chunks: number }
  | { readonly form: "filler"; readonly bytes: number; readonly chunks: number };

/** What becomes of a text on its way to bytes. */
export type Spoilt = "no" | "bom" | "latin" | "surrogate" | "cut" | "twice" | "utf-16" | "nul";

const TYPES = fc.oneof(
  { weight: 20, arbitrary: fc.constant("application/json") },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ..."text/plain application/x-www-form-urlencoded multipart/form-data application/jsonp ;".split(
        " ",
      ),
      "application/json; charset=utf-8",
      "Application/JSON;x",
      "application/json; charset=utf-16",
      "multipart/form-data; boundary=x",
      "application/json, text/html",
    ),
  },
);
const SPOILT: fc.Arbitrary<Spoilt> = fc.oneof(
  { weight: 20, arbitrary: fc.constant<Spoilt>("no") },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Spoilt[]>(
      ...(["bom", "latin", "surrogate", "cut", "twice", "utf-16", "nul"] as const),
    ),
  },
);
/** 0: in one piece. */
export const CHUNKS = fc.constantFrom(0, 0, 0, 1, 3);
const MEBIBYTE = 1_024 * 1_024;

export function jsonBodies(doc: fc.Arbitrary<Doc>): fc.Arbitrary<Body> {
  const text = fc.record({
    form: fc.constant("text" as const),
    text: doc.map(textOf),
    type: TYPES,
    spoilt: SPOILT,
    chunks: CHUNKS,
  });
  const filler = fc.record({
    form: fc.constant("filler" as const),
    bytes: fc.constantFrom(0, 1, 2 * MEBIBYTE, 2 * MEBIBYTE + 1, 5 * MEBIBYTE),
    chunks: CHUNKS,
  });
  return fc.oneof({ weight: 60, arbitrary: text }, { weight: 1, arbitrary: filler });
}

/** Mostly left out: what stands in every body is one more thing that may be wrong with it. */
export function optional<T>(...values: T[]): fc.Arbitrary<T | undefined> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...values) },
  );
}
