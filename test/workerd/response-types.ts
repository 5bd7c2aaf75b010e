/**
 * Proves that what the rooms return is what the schemas of the wire say, each way. It is compiled and never run.
 */

import type * as z from "zod";
import type { ParkedCount } from "../../src/core/inbox.ts";
import type { Metrics } from "../../src/core/metrics.ts";
import type {
  deliverySchema,
  metricsSchema,
  parkedCountsSchema,
  problemSchema,
  ProblemDocument,
  resumptionSchema,
} from "../../src/core/responses.ts";
import type {
  entryViewSchema,
  runViewSchema,
  threadViewSchema,
} from "../../src/core/service-responses.ts";
import type { Turn } from "../../src/core/turn.ts";
import type { TurnResult } from "../../src/core/turn-view.ts";
import type { ShownTurn } from "../../src/core/turn-schema.ts";
import type { entryJson, runJson, threadJson } from "../../src/inbound/service/views.ts";
import type { DeliveryView, Resumption } from "../../src/session/face.ts";

/** Every value of the one is a value of the other, each way; whether a list may be changed aside. */
type Same<One, Other> = [Fixed<One>, Fixed<Other>] extends [Fixed<Other>, Fixed<One>]
  ? true
  : false;
type Fixed<T> = T extends object ? { readonly [Name in keyof T]: Fixed<T[Name]> } : T;

type Result = z.output<typeof resumptionSchema>["resumed"][number]["result"];

export const PROVED: readonly true[] = [
  true satisfies Same<z.output<typeof deliverySchema>, DeliveryView>,
  true satisfies Same<
    Omit<Resumption["failed"][number], never>,
    z.output<typeof resumptionSchema>["failed"][number]
  >,
  true satisfies Same<Result["status"], TurnResult["status"]>,
  true satisfies Same<
    z.output<typeof parkedCountsSchema>["items"][number],
    ParkedCount & { isChanged?: boolean }
  >,
  true satisfies Same<z.output<typeof metricsSchema>, Metrics>,
  true satisfies Same<ShownTurn["status"], Turn["status"]>,
  true satisfies Same<z.output<typeof problemSchema>["code"], ProblemDocument["code"]>,
  true satisfies Same<keyof z.output<typeof threadViewSchema>, keyof ReturnType<typeof threadJson>>,
  true satisfies Same<keyof z.output<typeof entryViewSchema>, keyof ReturnType<typeof entryJson>>,
  true satisfies Same<
    z.output<typeof runViewSchema>["status"],
    ReturnType<typeof runJson>["status"]
  >,
  true satisfies Same<keyof z.output<typeof runViewSchema>, keyof ReturnType<typeof runJson>>,
];
