/**
 * Owns: reading what a caller sends, bounded before it is parsed, and parsed by a schema before anything sees it.
 */

import type { z } from "zod";
import { issuesOf } from "../core/issue.ts";
import { isFiniteJson, nestsDeeperThan } from "../core/json.ts";
import {
  IDEMPOTENCY_KEY_CHARACTERS,
  JSON_NESTING_LEVELS,
  PREFER_WAIT_SECONDS,
  REQUEST_BODY_BYTES,
} from "../core/limits.ts";
import { readBounded } from "./bounded-body.ts";
import type { CallerContext } from "./door.ts";
import { Problem } from "./problem.ts";

export async function readBody<T>(context: CallerContext, schema: z.ZodType<T>): Promise<T> {
  return (await readJson(context, schema)).parsed;
}

/** The body as it came, and as the schema made it. */
export async function readJson<T>(
  context: CallerContext,
  schema: z.ZodType<T>,
): Promise<{ readonly value: unknown; readonly parsed: T }> {
  const value = jsonOf(context, await readBytes(context));
  return { value, parsed: parsed(schema, value, "body") };
}

/** The body as it came, bounded. */
export async function readBytes(context: CallerContext): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readBounded(context.req.raw);
  if (bytes === undefined)
    throw new Problem("payload_too_large", `A body holds at most ${REQUEST_BODY_BYTES} bytes.`);
  return bytes;
}

/** The JSON of a body that was read; an empty one is `{}`. */
export function jsonOf(context: CallerContext, bytes: Uint8Array): unknown {
  const text = textOf(bytes);
  const type = context.req.header("content-type");
  if ((text !== "" || type !== undefined) && !isJsonType(type))
    throw new Problem("unsupported_media_type", "Send JSON, with Content-Type: application/json.");
  return text === "" ? {} : parseJson(text);
}

export function readQuery<T>(context: CallerContext, schema: z.ZodType<T>): T {
  for (const [name, values] of Object.entries(context.req.queries()))
    if (values.length > 1)
      throw new Problem("invalid_request", "The query is not valid.", {
        issues: [{ path: name, message: "was given more than once" }],
      });
  return parsed(schema, context.req.query(), "query");
}

/** Undefined where the header is not sent. */
export function readIdempotencyKey(context: CallerContext): string | undefined {
  const key = context.req.header("idempotency-key");
  if (key === undefined) return undefined;
  if (!/^[!-~]+$/.test(key) || key.length > IDEMPOTENCY_KEY_CHARACTERS)
    throw new Problem(
      "invalid_request",
      `Idempotency-Key takes 1 to ${IDEMPOTENCY_KEY_CHARACTERS} visible ASCII characters without spaces.`,
      { issues: [{ path: "Idempotency-Key", message: "is not valid" }] },
    );
  return key;
}

/** The seconds of `Prefer: wait=N`, at most the limit; 0 where the caller does not ask to wait. */
export function readPreferWait(context: CallerContext): number {
  const match = /(?:^|[,;\s])wait\s*=\s*"?([0-9]{1,9})"?(?:$|[,;\s])/i.exec(
    context.req.header("prefer") ?? "",
  );
  return match?.[1] === undefined ? 0 : Math.min(Number(match[1]), PREFER_WAIT_SECONDS);
}

function isJsonType(type: string | undefined): boolean {
  const essence = type?.split(";")[0]?.trim().toLowerCase();
  return essence === "application/json";
}

/** A body is UTF-8. */
export function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new Problem("invalid_request", "The body is not UTF-8.");
  }
}

/** Bounded in its depth and its numbers. */
export function parseJson(text: string): unknown {
  // Bounded first: a parser takes any depth, what comes after it does not.
  if (nestsDeeperThan(text, JSON_NESTING_LEVELS))
    throw new Problem(
      "invalid_request",
      `The body nests deeper than ${JSON_NESTING_LEVELS} levels.`,
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem("invalid_request", "The body is no JSON.");
  }
  // What a parser reads as infinite is written as null: taken, it would be lost in silence.
  if (!isFiniteJson(value))
    throw new Problem("invalid_request", "The body has a number that is too large.");
  return value;
}

/** What the schema makes of a part of the request, which is called `what`. */
export function parsed<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Problem("invalid_request", `The ${what} is not valid.`, {
    issues: issuesOf(result.error),
  });
}
