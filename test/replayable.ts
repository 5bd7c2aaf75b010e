/**
 * Owns: how a property is run, and how one that fails is told so that it can be run again: by its seed, and by the path to
 * the very case.
 */

import * as fc from "fast-check";

/** The seed where none is asked for: the same commit is judged the same way each time. */
const SEED = 20_261_102;

/** A body that is too long for a door is too long for a terminal. */
const REPORT_CHARACTERS = 4_000;

/** From the environment: FC_SEED, FC_PATH, FUZZ_CASES. */
export type FuzzVariables = Readonly<Record<string, unknown>>;

/** How many cases are asked for; `usual` where nothing else is. */
export function casesOf(variables: FuzzVariables, usual: number): number {
  const asked = Number(variables["FUZZ_CASES"] ?? usual);
  return Number.isInteger(asked) && asked > 0 ? asked : usual;
}

export async function holds(
  variables: FuzzVariables,
  cases: number,
  property: fc.IRawProperty<unknown>,
): Promise<void> {
  const seed = Number(variables["FC_SEED"] ?? SEED);
  const path = variables["FC_PATH"];
  const details = await fc.check(property, {
    seed,
    numRuns: cases,
    ...(typeof path === "string" && { path }),
  });
  if (!details.failed) return;
  const replay = `FC_SEED=${details.seed} FC_PATH=${details.counterexamplePath ?? ""}`;
  const report = fc.defaultReportMessage(details) ?? "";
  throw new Error(`To run this case again: ${replay}\n${report.slice(0, REPORT_CHARACTERS)}`, {
    cause: details.errorInstance,
  });
}
