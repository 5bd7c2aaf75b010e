/**
 * Owns: how what is wrong with an input is said: where, as a path such as `questions[0].options[1].label` (`""` is the
 * whole), and in words that are bounded and never repeat a received value. A field's name may be repeated, shortened
 * and escaped, since nobody can mend an unknown field that goes unnamed.
 */

import type { z } from "zod";
import {
  REFUSAL_ISSUES,
  REFUSAL_ISSUE_CHARACTERS,
  REFUSAL_NAME_CHARACTERS,
  TOOL_INPUT_ISSUES,
  TOOL_INPUT_ISSUE_CHARACTERS,
} from "./limits.ts";
import type { Issue } from "./refusal.ts";
import { shorten } from "./text.ts";

/** A place in a value: member names and array indices, from the outside in. */
export type Segments = readonly PropertyKey[];

export function issueAt(at: Segments, message: string): Issue {
  return {
    path: shorten(formatPath(at), REFUSAL_ISSUE_CHARACTERS),
    message: shorten(message, REFUSAL_ISSUE_CHARACTERS),
  };
}

export function formatPath(at: Segments): string {
  return at.reduce((path: string, segment) => joinPath(path, formatSegment(segment)), "");
}

/** The same issues, of a value that is found at `path` of a larger one. */
export function issuesBelow(path: string, issues: readonly Issue[]): readonly Issue[] {
  return issues.map((issue) => ({ ...issue, path: joinPath(path, issue.path) }));
}

/** A field's name as it may be shown: on one line, shortened, in quotation marks. */
export function shownName(name: string): string {
  return JSON.stringify(shorten(name, REFUSAL_NAME_CHARACTERS));
}

export function unknownField(at: Segments, name: string): Issue {
  return issueAt(at, `${shownName(name)} is not a known field: leave it out`);
}

/** All that zod found, in the order of the input, at most REFUSAL_ISSUES. */
export function issuesOf(error: z.ZodError): readonly Issue[] {
  const issues: Issue[] = [];
  for (const issue of flattened(error.issues, [])) {
    issues.push(issue);
    if (issues.length === REFUSAL_ISSUES) break;
  }
  return issues;
}

/** The text that a model gets of a bad tool input: few lines, so that it mends them one by one. */
export function modelIssues(issues: readonly Issue[]): string {
  return issues
    .slice(0, TOOL_INPUT_ISSUES)
    .map(({ path, message }) => (path === "" ? message : `${path}: ${message}`))
    .map((line) => shorten(line, TOOL_INPUT_ISSUE_CHARACTERS))
    .join("\n");
}

function joinPath(path: string, rest: string): string {
  if (path === "" || rest === "" || rest.startsWith("[")) return path + rest;
  return `${path}.${rest}`;
}

const PLAIN_NAME = /^[A-Za-z_$][A-Za-z0-9_$-]{0,63}$/;

function formatSegment(segment: PropertyKey): string {
  if (typeof segment === "number") return `[${segment}]`;
  const name = String(segment);
  return PLAIN_NAME.test(name) ? name : `[${shownName(name)}]`;
}

type ZodIssue = z.core.$ZodIssue;

function* flattened(issues: readonly ZodIssue[], base: Segments): Generator<Issue> {
  for (const issue of issues) {
    const at = [...base, ...issue.path];
    if (issue.code === "unrecognized_keys") yield* issue.keys.map((name) => unknownField(at, name));
    else if (issue.code === "invalid_union") yield* flattenedUnion(issue, at);
    else yield issueAt(at, messageOf(issue));
  }
}

/** Of a union only the arm that the input came closest to is told: the one whose first issue lies deepest. */
function* flattenedUnion(union: z.core.$ZodIssueInvalidUnion, at: Segments): Generator<Issue> {
  const closest = union.errors.reduce<readonly ZodIssue[]>(
    (best, arm) => (reach(arm) > reach(best) ? arm : best),
    [],
  );
  if (closest.length > 0) yield* flattened(closest, at);
  else
    yield issueAt(
      at,
      union.errors.length === 0 ? union.message : "does not fit any of the allowed forms",
    );
}

/** How far an arm of a union took an input: a wrong type at its very start is no step at all. */
function reach(arm: readonly ZodIssue[]): number {
  const [first] = arm;
  if (first === undefined) return 0;
  return 2 * first.path.length + (first.code === "invalid_type" ? 0 : 1);
}

const RECEIVED = /^Invalid input: expected (\w+), received (\w+)$/;

/** zod's own words for a wrong type or choice, said as what to do; a schema's own words are kept. */
function messageOf(issue: ZodIssue): string {
  if (issue.code === "invalid_value" && issue.message.startsWith("Invalid option: "))
    return `must be one of ${issue.values.map(String).join(", ")}`;
  const [, expected, received] = RECEIVED.exec(issue.message) ?? [];
  if (issue.code !== "invalid_type" || expected === undefined) return issue.message;
  const article = /^[aeio]/.test(expected) ? "an" : "a";
  return `${received === "undefined" ? "is missing: it " : ""}must be ${article} ${expected}`;
}
