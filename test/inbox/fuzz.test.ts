import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { casesOf } from "../replayable.ts";
import { fuzz } from "../workerd/fuzz/run.ts";

/** The lists are one part of the app; the other parts are fuzzed where no inbox is told beside them. */
const CASES = Math.ceil(casesOf(env as never, 2_000) / 5);

it(
  `keeps its promises in ${CASES} cases where the sessions tell an inbox`,
  {
    timeout: 1_800_000,
  },
  async () => {
    expect(await fuzz(CASES, { isQuiet: false })).toBeGreaterThanOrEqual(CASES);
  },
);
