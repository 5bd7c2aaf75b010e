import * as fc from "fast-check";
import { expect, it } from "vitest";
import { scriptMove, ScriptError } from "../../src/agent/script.ts";
import { oddValue } from "../arbitrary-json.ts";
import { casesOf, holds } from "../replayable.ts";

it("refuses any script that is none, in its own words", async () => {
  const script = fc.constant([
    { text: "a", calls: [{ toolName: "b", input: {} }], repeat: 2 },
    { fail: { status: 429, times: 2 } },
  ]);
  await holds(
    process.env,
    Math.ceil(casesOf(process.env, 2_000) / 4),
    fc.property(oddValue(script), fc.nat(5), fc.nat(5), (value, steps, failures) => {
      try {
        scriptMove({ script: value as never }, steps, failures);
      } catch (error) {
        expect(error).toBeInstanceOf(ScriptError);
      }
    }),
  );
});
