/**
 * Owns: running JSON Schema's own test suite of 2020-12 as schemas are used here: the schema is checked when a question is
 * asked, and the value when it is answered. Does not own: which of its tests fail, and why (`json-schema-suite-known.ts`).
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { checkJsonSchema, validateBySchema } from "../../src/core/json-schema.ts";
import { DIALECT } from "../../src/core/metaschema.ts";

const SUITE = join(import.meta.dirname, "../fixtures/json-schema-test-suite/draft2020-12");

const suiteFileSchema = z.array(
  z.object({
    description: z.string(),
    schema: z.unknown(),
    tests: z.array(z.object({ description: z.string(), data: z.unknown(), valid: z.boolean() })),
  }),
);
type Group = z.output<typeof suiteFileSchema>[number];

/** `refused`: nobody could have been asked by this schema. `undecided`: the value was refused without being judged. */
export type Verdict = "right" | "wrong" | "refused" | "undecided";

export interface SuiteResult {
  readonly file: string;
  readonly group: string;
  readonly test: string;
  readonly verdict: Verdict;
}

export function runSuite(): readonly SuiteResult[] {
  const files = readdirSync(SUITE, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".json"))
    .sort()
    .flatMap((file) =>
      suiteFileSchema
        .parse(JSON.parse(readFileSync(join(SUITE, file), "utf8")))
        .flatMap((group) => resultsOf(file, group)),
    );
}

function resultsOf(file: string, { description, schema, tests }: Group): readonly SuiteResult[] {
  const judge = judgeOf(schema);
  return tests.map(({ description: test, data, valid }) => {
    const found = judge(data);
    const verdict = typeof found === "string" ? found : found === valid ? "right" : "wrong";
    return { file, group: description, test, verdict };
  });
}

type Judge = (data: unknown) => boolean | "refused" | "undecided";

function judgeOf(schema: unknown): Judge {
  // What the suite asks of the metaschema, whether its data is a schema, is asked here of the check of schemas.
  if (isMetaschema(schema)) return (data) => checkJsonSchema(data).length === 0;
  if (checkJsonSchema(schema).length > 0) return () => "refused";
  return (data) => {
    const issues = validateBySchema(schema, data);
    if (issues.some(({ message }) => UNJUDGED.test(message))) return "undecided";
    return issues.length === 0;
  };
}

/** What is said of a value that was not judged by its schema. */
const UNJUDGED = /^(?:can't be checked|takes too long)/;

function isMetaschema(schema: unknown): boolean {
  return (
    typeof schema === "object" && schema !== null && "$ref" in schema && schema.$ref === DIALECT
  );
}
