/**
 * Owns: where the fuzz sends its requests: paths with ids of every kind, right and wrong ones, queries, and headers.
 */

import * as fc from "fast-check";
import { REFS, TWISTS } from "./world.ts";

export type Pair = readonly [name: string, value: string];

/** The words of the world with these names. */
function meant(names: string): readonly string[] {
  return names.split(" ").map((name) => `{{${name}}}`);
}

const SESSIONS = [
  ...meant("waiting.id asked.id over.id foreign.id asked.session"),
  ..."nobody-yet sess_short __proto__ ~:@.".split(" "),
  `sess_${"0".repeat(24)}`,
  "x".repeat(128),
];

/** What a parameter of a path may name, by what stands before it. Most can be done with what waits. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  "turns/:id": meant(
    "waiting.turn waiting.turn waiting.turn asked.turn over.turn over.failed over.cancelled foreign.turn",
  ),
  "questions/:id": meant(
    "waiting.form waiting.approval asked.person asked.value over.answered foreign.question",
  ),
  "threads/:id": meant("waiting.thread asked.thread over.thread foreign.thread"),
  "runs/:id": meant(
    "waiting.run waiting.run waiting.run asked.run over.run over.failedRun over.cancelledRun foreign.run",
  ),
  "inbox/:entry": meant("waiting.entry asked.entry over.entry foreign.entry"),
  "sessions/:session": SESSIONS,
  "chat/:id": SESSIONS,
  "deliveries/:id": meant("waiting.delivery asked.delivery foreign.delivery"),
  "a/:token": meant(
    "waiting.formLink waiting.approvalLink asked.personLink asked.valueLink asked.expiredLink over.answeredLink foreign.link",
  ),
  "hooks/:name": "steady-github steady-standard steady-slack forgotten none".split(" "),
};

const ODD_SEGMENTS = [
  ..."% %ZZ %00 %2F %2e%2e ..%2f.. %c3%28 %F0%9F%98%80 %ed%a0%80 + * 0 -1 turn_ ;x=1 a?b a#b".split(
    " ",
  ),
  ..."__proto__ constructor null undefined".split(" "),
  `turn_${"0".repeat(32)}`,
  `turn_${"F".repeat(32)}`,
  `q_${"f".repeat(32)}`,
  "x".repeat(5_000),
];

/** A word of the world is twisted once it is spelled out. */
function twisted(words: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...words), fc.constantFrom(...Object.keys(TWISTS)))
    .map(([word, twist]) =>
      word.startsWith("{{") ? word.replace("}}", `|${twist}}}`) : (TWISTS[twist]?.(word) ?? word),
    );
}

function segments(words: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...words) },
    { weight: 2, arbitrary: twisted(words) },
    { weight: 2, arbitrary: fc.constantFrom(...REFS) },
    { weight: 2, arbitrary: fc.constantFrom(...ODD_SEGMENTS) },
  );
}

/** What each part of a path may be. Throws where a parameter is one that nothing is known of: the fuzz needs words for it. */
function wordsOf(pattern: string): readonly (readonly string[])[] {
  return pattern.split("/").map((part, at, all) => {
    if (!part.startsWith(":")) return [part];
    const place = `${all[at - 1]}/${part}`;
    const words = PARAMETERS[place];
    if (words === undefined) throw new Error(`places.ts does not say what ${place} may name`);
    return words;
  });
}

/** Each path to something that is there, in the workspace whose things the fuzz knows. */
export function pathsToWhatIsThere(pattern: string): readonly string[] {
  return wordsOf(pattern)
    .map((words) => [...new Set(words)].filter((word) => words.length === 1 || isThere(word)))
    .reduce<string[]>(
      (starts, words) => starts.flatMap((start) => words.map((word) => `${start}/${word}`)),
      [""],
    )
    .map((path) => path.slice(1));
}

function isThere(word: string): boolean {
  return word.startsWith("{{") && !word.startsWith("{{foreign.") && !word.endsWith(".session}}");
}

export function paths(pattern: string): fc.Arbitrary<string> {
  const parts = wordsOf(pattern).map((words, at) =>
    pattern.split("/")[at]?.startsWith(":") === true
      ? segments(words)
      : fc.constant(words[0] ?? ""),
  );
  const whole = fc.tuple(...parts).map((all) => all.join("/"));
  return fc.oneof(
    { weight: 40, arbitrary: whole },
    { weight: 1, arbitrary: whole.map((text) => `${text}/`) },
    { weight: 1, arbitrary: whole.map((text) => text.replace("/", "//")) },
    { weight: 1, arbitrary: whole.map((text) => text.toUpperCase()) },
    { weight: 1, arbitrary: whole.map((text) => `${text}/${"x/".repeat(200)}`) },
  );
}

/** Paths to nowhere in particular. */
export const STRAY_PATHS = fc.oneof(
  fc.constantFrom(
    ..."/ /v1 /v1/ /v1//turns /api/v1 /api/v2/x /a/ /a/x/y /healthz/ /V1/turns /v1/* /.env /a/%ZZ".split(
      " ",
    ),
    ..."/v1/turns/../turns /v1/%74urns /v1/turns/x/cancel/y".split(" "),
    `/v1/${"x".repeat(20_000)}`,
    `/api/v1/${"%F0%9F%98%80".repeat(500)}`,
  ),
  fc.webPath(),
);

const QUERY_NAMES =
  "wait status agent olderThan limit cursor sessionId kind to by option options more follow __proto__ ".split(
    " ",
  );
const QUERY_VALUES = [
  ..."all waiting answered parked playground 4h 0ms 999999999d 0 1 100 101 -1 1.5 1e1 % null ".split(
    " ",
  ),
  ..."approval person tool version approve underwriter MA MTIzIHFfMA".split(" "),
  "' OR 1=1 --",
  " ",
  "\u0000",
  "\ud800",
  "x".repeat(3_000),
  ...SESSIONS,
  ...meant("asked.cursor over.runsCursor asked.person over.failedRun"),
];

/** A parked turn is waited for, so nothing here asks to wait. */
export const QUERIES: fc.Arbitrary<readonly Pair[]> = fc
  .array(fc.tuple(fc.constantFrom(...QUERY_NAMES), fc.constantFrom(...QUERY_VALUES)), {
    maxLength: 4,
  })
  .map((pairs) => pairs.filter(([name, value]) => name !== "wait" || !/^[1-9]\d*$/.test(value)));

const ODD_KEYS = [
  "",
  "Bearer",
  "Bearer dev-key x",
  "Basic ZGV2LWtleQ==",
  "dev-key",
  "Bearer DEV-KEY",
  "Bearer dev-key, Bearer other",
  `Bearer ${"k".repeat(600)}`,
];
const KEYS = fc.oneof(
  { weight: 24, arbitrary: fc.constant("Bearer dev-key") },
  { weight: 3, arbitrary: fc.constant("Bearer other") },
  { weight: 2, arbitrary: fc.constant("Bearer reader") },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_KEYS) },
);

function header(name: string, ...values: string[]): fc.Arbitrary<Pair> {
  return fc.tuple(fc.constant(name), fc.constantFrom(...values));
}

const ODD_HEADERS = fc.oneof(
  header("idempotency-key", "one", "two", "a b", "", "x".repeat(513), "{{asked.person}}", "é"),
  header("prefer", "wait=0", "wait=-5", "respond-async", 'wait="0"', "wait=99999999999", ",;"),
  header("x-workspace-id", "dev", "other", "", "DEV"),
  header("origin", "https://holdpoint.test", "https://evil.example", "null", "not a url"),
  header("sec-fetch-site", "same-origin", "cross-site", ""),
  header("content-length", "0", "-1", "1e99", "abc", "99999999999"),
  header("content-encoding", "gzip", "br", "identity"),
  header("accept", "text/html", "*/*;q=0", "x".repeat(9_000)),
  header("last-event-id", "0", "-1", "1e9", "{{asked.person}}"),
  header("x-http-method-override", "DELETE"),
  header("x-request-id", "req_1"),
  header("cookie", "a=b; __Host-x=1"),
  header("range", "bytes=0-1"),
  header("if-match", "*"),
);

/** Odd headers, and mostly a key that opens. */
export const HEADERS: fc.Arbitrary<readonly Pair[]> = fc
  .tuple(KEYS, fc.array(ODD_HEADERS, { maxLength: 2 }))
  .map(([key, odd]) => (key === "" ? odd : [["authorization", key], ...odd]));

export const METHODS = "GET HEAD POST PUT PATCH DELETE OPTIONS".split(" ");
