/**
 * Owns: results for the whole batch of calls that a parked turn waits for: their shape, and that they cover exactly what
 * is open, each item in its own category. An approval settles no call, and a result allows none.
 */

import * as z from "zod";
import { reasonSchema } from "./answer.ts";
import { partsSchema } from "./input.ts";
import { isJsonObject, type Json } from "./json.ts";
import { BATCH_RESULTS, CALL_ID_CHARACTERS, FAILURE_MESSAGE_CHARACTERS } from "./limits.ts";
import type { Coverage, Issue } from "./refusal.ts";
import { strippedText } from "./text.ts";

const callId = z.string().min(1).max(CALL_ID_CHARACTERS);
const json = z.custom<Json>((value) => value !== undefined, "must be given");

export const approvalResultSchema = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("approve") }),
  z.strictObject({
    action: z.literal("deny"),
    reason: reasonSchema,
  }),
]);
export const callResultSchema = z.discriminatedUnion("status", [
  z.strictObject({ status: z.literal("returned"), value: json }),
  z.strictObject({
    status: z.literal("failed"),
    message: strippedText({ max: FAILURE_MESSAGE_CHARACTERS }),
  }),
]);

export type ApprovalResult = z.output<typeof approvalResultSchema>;
export type CallResult = z.output<typeof callResultSchema>;

/** A map that keeps every key it is given, `__proto__` too, which an object schema would drop in silence. */
function mapOf<T>(schema: z.ZodType<T>) {
  return z
    .custom<Readonly<Record<string, unknown>>>(isJsonObject, "must be a map from ids to results")
    .transform((value, context): ReadonlyMap<string, T> => {
      const given = Object.entries(value);
      // Counted first: a long list of wrong results would cost an issue each.
      if (given.length > BATCH_RESULTS) {
        context.addIssue(`must hold at most ${BATCH_RESULTS} results`);
        return z.NEVER;
      }
      const results = new Map<string, T>();
      for (const [id, result] of given) {
        if (!callId.safeParse(id).success)
          context.addIssue(`an id takes 1 to ${CALL_ID_CHARACTERS} characters`);
        const parsed = schema.safeParse(result);
        if (parsed.success) results.set(id, parsed.data);
        else
          for (const issue of parsed.error.issues)
            context.addIssue({ ...issue, path: [id, ...issue.path] });
      }
      return results;
    });
}

export const batchSchema = z
  .strictObject({
    approvals: mapOf(approvalResultSchema),
    calls: mapOf(callResultSchema),
    input: z.strictObject({ content: partsSchema }).optional(),
  })
  .transform(({ approvals, calls, input }) => ({
    approvals,
    calls,
    ...(input !== undefined && { context: input.content }),
  }))
  .refine(
    ({ approvals, calls }) => approvals.size + calls.size <= BATCH_RESULTS,
    `at most ${BATCH_RESULTS} results`,
  )
  .refine(
    ({ approvals, calls }) => ![...approvals.keys()].some((id) => calls.has(id)),
    "an id stands in both maps",
  );

export interface Batch {
  readonly approvals: ReadonlyMap<string, ApprovalResult>;
  readonly calls: ReadonlyMap<string, CallResult>;
  /** Said beside the results: context for the model, never an answer. */
  readonly context?: z.output<typeof partsSchema>;
}

/** Where the results differ from what is open: the first category that does, approvals before calls. */
export function coverageMismatch(
  batch: Batch,
  open: { readonly approvals: readonly string[]; readonly calls: readonly string[] },
): Coverage | undefined {
  for (const field of ["approvals", "calls"] as const) {
    const given = new Set(batch[field].keys());
    const wanted = new Set(open[field]);
    const missing = [...wanted].filter((id) => !given.has(id)).sort();
    const unexpected = [...given].filter((id) => !wanted.has(id)).sort();
    if (missing.length > 0 || unexpected.length > 0) return { field, missing, unexpected };
  }
  return undefined;
}

export function coverageIssues({ field, missing, unexpected }: Coverage): Issue[] {
  return [
    ...missing.map((id) => ({ path: `${field}.${id}`, message: "is open and has no result here" })),
    ...unexpected.map((id) => ({
      path: `${field}.${id}`,
      message: `is not among the open ${field}`,
    })),
  ];
}
