/**
 * Owns: reading a batch of results. It is bounded by the size of its canonical JSON, which also tells one request from
 * another.
 */

import { type Batch, batchSchema } from "../core/batch.ts";
import { canonicalJson } from "../core/json.ts";
import { utf8Exceeds } from "../core/json-bounds.ts";
import { BATCH_BYTES } from "../core/limits.ts";
import { readJson } from "./body.ts";
import type { CallerContext } from "./door.ts";
import { Problem } from "./problem.ts";

export async function readBatch(
  context: CallerContext,
): Promise<{ readonly batch: Batch; readonly canonical: string }> {
  const { value, parsed } = await readJson(context, batchSchema);
  const canonical = canonicalJson(value);
  if (utf8Exceeds(canonical, BATCH_BYTES))
    throw new Problem(
      "payload_too_large",
      `A batch holds at most ${BATCH_BYTES} bytes of canonical JSON.`,
    );
  return { batch: parsed, canonical };
}
