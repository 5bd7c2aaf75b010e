/** Owns: what the fuzz sends as forms: of the answer page, and of Slack's clicks. */

import * as fc from "fast-check";
import { mutatedDoc, ODD_NAMES, oddDoc, textOf } from "../../arbitrary-json.ts";
import { type Body, CHUNKS, jsonBodies, optional } from "./body.ts";
import type { Pair } from "./places.ts";
import { REFS } from "./world.ts";

const FIELD_NAMES =
  "option options text value action reason q0 q0_other response input nonce q9".split(" ");
const FIELD_VALUES = [
  ..."approve deny decline answer 0 1 7 Well. 1e400 {{nonce}} ".split(" "),
  "<script>alert(1)</script>",
  '{"what":"less"}',
  "\u0000",
  "half \ud800",
  "x".repeat(70_000),
];
const ODD_FIELDS = fc.array(
  fc.tuple(
    fc.constantFrom(...FIELD_NAMES, ...ODD_NAMES.slice(0, 4)),
    fc.oneof(fc.constantFrom(...FIELD_VALUES), oddDoc(REFS).map(textOf)),
  ),
  { maxLength: 6 },
);
/** The fields of a form as it is really sent, with odd ones beside them. */
const FIELDS: fc.Arbitrary<readonly Pair[]> = fc
  .tuple(
    fc.constantFrom<(readonly Pair[])[]>(
      [["option", "approve"]],
      [["q0", "1"]],
      [["value", "7"]],
      [["action", "approve"]],
      [["action", "deny"]],
      [["action", "decline"]],
      [],
    ),
    fc.oneof(fc.constant<readonly Pair[]>([]), ODD_FIELDS),
    fc.constantFrom("{{nonce}}", "{{nonce}}", "forged"),
  )
  .map(([real, odd, nonce]) => [...real, ...odd, ["nonce", nonce]]);
export const FORM_BODIES: fc.Arbitrary<Body> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({
      form: fc.constantFrom("fields" as const, "parts" as const),
      fields: FIELDS,
      chunks: CHUNKS,
    }),
  },
  { weight: 3, arbitrary: jsonBodies(oddDoc()) },
);

const CLICK = fc.record({
  type: fc.constantFrom("block_actions", "block_actions", "view_submission"),
  user: fc.constantFrom<object[]>({ id: "U0FUZZED" }, { id: "C0FUZZED" }),
  response_url: optional("https://hooks.slack.com.evil.example/", "no url"),
  actions: fc.constantFrom<object[]>(
    [{ action_id: "holdpoint_answer_0", value: "0.{{asked.personLink}}" }],
    [{ action_id: "holdpoint_answer_1", value: "1.{{waiting.formLink}}" }],
    [{ action_id: "holdpoint_answer_approve", value: "approve.{{waiting.approvalLink}}" }],
    [{ action_id: "holdpoint_answer_0", value: "0.{{over.answeredLink}}" }],
    [{ action_id: "holdpoint_answer_0", value: "0.{{asked.expiredLink}}" }],
    [{ action_id: "holdpoint_answer_0", value: "0.{{foreign.link}}" }],
    [{ action_id: "holdpoint_page" }],
  ),
});
export const CLICK_BODIES: fc.Arbitrary<Body> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({
      form: fc.constant("fields" as const),
      fields: mutatedDoc(CLICK, REFS).map((doc): readonly Pair[] => [["payload", textOf(doc)]]),
      chunks: CHUNKS,
    }),
  },
  { weight: 3, arbitrary: FORM_BODIES },
);
