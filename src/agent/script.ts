/**
 * Owns: the script that a turn brings along for the script model: its form, what is wrong with it, and which entry or
 * failure stands at a place of the turn. Does not own: playing it (`script-model.ts`).
 */

import { APICallError } from "@ai-sdk/provider";
import * as z from "zod";
import { formatPath } from "../core/issue.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { shorten } from "../core/text.ts";

/** A longer wait than this overflows the platform's timer and would end at once. */
const DELAY_MS_MAX = 2_147_483_647;
const MESSAGE_CHARACTERS = 512;

const FORM =
  "An entry is { text?, calls?: [{ toolName, input or inputRaw, toolCallId? }], delayMs?, repeat? } or { fail: { status, times?, retryAfter? }, delayMs? }.";

const delayMs = z.int().min(0).max(DELAY_MS_MAX).optional();
const count = z.int().min(1);

const callSchema = z
  .strictObject({
    toolName: z.string().min(1),
    input: z.custom<Json>().optional(),
    inputRaw: z.string().optional(),
    toolCallId: z.string().min(1).optional(),
  })
  .refine((call) => call.input === undefined || call.inputRaw === undefined, {
    message: "takes input or inputRaw, not both",
  });

const lineSchema = z.strictObject({
  text: z.string().optional(),
  calls: z.array(callSchema).optional(),
  delayMs,
  repeat: count.optional(),
});

const failingSchema = z.strictObject({
  fail: z.strictObject({
    status: z.int().min(400).max(599),
    times: count.optional(),
    /** Seconds, as in the header of this name. */
    retryAfter: z.number().min(0).optional(),
  }),
  delayMs,
});

export type ScriptLine = z.output<typeof lineSchema>;
export type ScriptCall = z.output<typeof callSchema>;
export type ScriptFailure = z.output<typeof failingSchema>;

/** A stretch of model calls that one entry answers, with the failures that stand before it. */
interface Stretch {
  readonly failures: readonly ScriptFailure[];
  /** Undefined past the end of the script. */
  readonly line: ScriptLine | undefined;
  /** The first model call that it answers, and the first one after it. */
  readonly from: number;
  readonly to: number;
}

export type ScriptMove =
  | { readonly kind: "line"; readonly line: ScriptLine }
  | { readonly kind: "failure"; readonly failure: ScriptFailure }
  | { readonly kind: "past-the-end" };

/** What is wrong with a script. In form a provider's 400, so that whoever runs the step sees that trying again is vain. */
export class ScriptError extends APICallError {
  constructor(message: string) {
    super({
      // The form comes last in a message, so that a cut takes it first.
      message: shorten(message, MESSAGE_CHARACTERS),
      url: "script:",
      requestBodyValues: {},
      statusCode: 400,
      isRetryable: false,
    });
    this.name = "ScriptError";
  }
}

/** Scripts read before: a turn of many steps asks for each entry anew, and its script may be a megabyte. */
const stretchesOf = new WeakMap<object, readonly Stretch[]>();

/**
 * What stands at a place: `steps` model calls of the turn have succeeded, and `failures` attempts have failed since.
 * Throws ScriptError where the script is malformed anywhere, so that an author hears of it at the first call.
 */
export function scriptMove(
  extraBody: JsonObject | undefined,
  steps: number,
  failures: number,
): ScriptMove {
  const script = extraBody?.["script"];
  if (script === undefined) return { kind: "past-the-end" };
  if (!Array.isArray(script)) throw new ScriptError(`extraBody.script is a list. ${FORM}`);
  const stretch = knownStretches(script).find((candidate) => steps < candidate.to);
  if (stretch === undefined) return { kind: "past-the-end" };
  // In the midst of a repeated entry nothing stands before the call but the entry itself.
  const failure = steps === stretch.from ? dueFailure(stretch.failures, failures) : undefined;
  if (failure !== undefined) return { kind: "failure", failure };
  return stretch.line === undefined
    ? { kind: "past-the-end" }
    : { kind: "line", line: stretch.line };
}

function dueFailure(
  standing: readonly ScriptFailure[],
  failures: number,
): ScriptFailure | undefined {
  let left = failures;
  for (const failure of standing) {
    const times = failure.fail.times ?? 1;
    if (left < times) return failure;
    left -= times;
  }
  return undefined;
}

function knownStretches(script: readonly unknown[]): readonly Stretch[] {
  const known = stretchesOf.get(script);
  if (known !== undefined) return known;
  const stretches = readStretches(script);
  stretchesOf.set(script, stretches);
  return stretches;
}

function readStretches(script: readonly unknown[]): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let failures: ScriptFailure[] = [];
  let from = 0;
  for (const [index, entry] of script.entries()) {
    if (typeof entry === "object" && entry !== null && "fail" in entry) {
      failures.push(readEntry(failingSchema, entry, index));
      continue;
    }
    const line = readEntry(lineSchema, entry, index);
    const to = from + (line.repeat ?? 1);
    stretches.push({ failures, line, from, to });
    failures = [];
    from = to;
  }
  return [...stretches, { failures, line: undefined, from, to: Number.POSITIVE_INFINITY }];
}

function readEntry<T>(schema: z.ZodType<T>, entry: unknown, index: number): T {
  const read = schema.safeParse(entry);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const path = formatPath(["extraBody", "script", index, ...(issue?.path ?? [])]);
  throw new ScriptError(`${path}: ${issue?.message ?? ""}. ${FORM}`);
}
