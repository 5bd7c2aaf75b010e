/**
 * Owns: what the fuzz sends in bodies: for each route what it takes, which is changed in a few places, and forms.
 */

import * as fc from "fast-check";
import { mutatedDoc, oddDoc } from "../../arbitrary-json.ts";
import { FORM, FORM_ANSWER } from "../journey.ts";
import { type Body, jsonBodies, optional } from "./body.ts";
import { CHAT } from "./chat-bodies.ts";
import { CLICK_BODIES, FORM_BODIES } from "./forms.ts";
import { REFS } from "./world.ts";

const SCRIPTS = [
  [],
  [{ text: "end" }],
  [{ calls: [{ toolName: "ask_user_question", input: FORM }] }],
  [{ calls: [{ toolName: "client_tool", inputRaw: '{"a":1,"a":1e400}' }] }],
  [{ calls: [{ toolName: "no_tool" }, { toolName: "list_tasks", input: null }] }, { text: "end" }],
  [{ calls: [{ toolName: "boom", input: { message: "x" } }], text: "t" }],
];
const SCHEMAS = [
  true,
  { type: "integer" },
  { type: "object", properties: { a: { $ref: "#" } }, required: ["a"] },
  { enum: [1, "a", null] },
  { pattern: "^(a+)+$", maxLength: 300 },
  { $ref: "https://example.com/elsewhere" },
];
const PARTS = [
  [{ type: "text", text: "Hello." }],
  [
    { type: "json", value: { a: [1, null] } },
    { type: "url", url: "https://example.com/x" },
  ],
];
const METADATA = [{ team: "loans" }, {}, { a: "b", c: "d" }];
const AGENTS =
  "playground playground playground playground retrying brief shaped nobody constructor".split(" ");

/** Of these none is called: what goes on by itself would write beside the requests that follow. */
const CALLBACKS = ["http://127.0.0.1/x", "https://localhost/", "no url", "https://[::1]/"].map(
  (url) => ({ url }),
);

const START = fc.record({
  input: fc.constantFrom<unknown[]>("Go.", "approve", ...PARTS),
  agent: fc.constantFrom(...AGENTS),
  extraBody: fc.constantFrom<object[]>(...SCRIPTS).map((script) => ({ script })),
  metadata: optional<object>(...METADATA),
  whenBusy: optional("queue", "reject", "parallel"),
  deferred: optional(true, false),
  output: optional<object>(...SCHEMAS.map((schema) => ({ schema }))),
  inputType: optional("loan", "note"),
  callback: optional<object>(...CALLBACKS),
});

const APPROVE = { "c-approve": { action: "approve" } };
const RETURNED = {
  "c-form": { status: "returned", value: FORM_ANSWER },
  "c-client": { status: "returned", value: { done: true } },
};
const FAILED = {
  "c-form": { status: "failed", message: "No." },
  "c-client": { status: "failed", message: "No." },
};
const BATCH = fc.record({
  approvals: fc.constantFrom<object[]>(
    APPROVE,
    APPROVE,
    { "c-approve": { action: "deny", reason: "No." } },
    { "c-client": { action: "approve" } },
    {},
  ),
  calls: fc.constantFrom<object[]>(
    RETURNED,
    RETURNED,
    FAILED,
    { "c-form": { status: "returned", value: { answers: {} } } },
    {},
  ),
  input: optional<object>({ content: PARTS[0] }),
});

const ANSWERS = [
  { option: "approve" },
  { option: "deny", text: "Too much." },
  { text: "Well." },
  { value: 7 },
  FORM_ANSWER,
  { response: "None." },
  { approved: true },
  { approved: true, input: { what: "less" } },
  { approved: false, reason: "No." },
];
const ANSWER = fc.record({
  answer: fc.constantFrom<object[]>(...ANSWERS),
  answeredBy: fc.constantFrom("dana", "dana@example.com", "😀"),
});

const ASK = fc.record({
  question: fc.constantFrom("Go on?", "Go on?", "Go on?", undefined),
  questions: optional(FORM.questions),
  options: optional([
    { id: "yes", label: "Yes" },
    { id: "no", label: "No", description: "Never." },
  ]),
  multiple: optional(true, false),
  allowText: optional(true, false),
  context: optional("# Why\n\n* [x](https://example.com)"),
  to: optional("underwriter"),
  answerSchema: optional<unknown>(...SCHEMAS),
  sessionId: optional("{{asked.id}}", "{{foreign.id}}", "{{asked.session}}", "asking"),
  key: optional("many", "one"),
  callback: optional<object>(...CALLBACKS),
  remind: optional(["4h", "1d"], ["0s"]),
  escalate: optional([{ after: "2d", to: "underwriter" }]),
  expire: optional<object>({ after: "5d", then: "timeout" }, { after: "5d", then: { answer: {} } }),
});

const MESSAGE = fc.record({
  agent_id: fc.constantFrom(...AGENTS),
  kind: optional("message"),
  delivery: optional("steer", "next_run"),
  payload: fc.constantFrom<object[]>(
    ...PARTS.map((content) => ({ content })),
    ...SCRIPTS.map((script) => ({ content: [{ type: "json", value: { script } }] })),
  ),
  options: optional<object>(...METADATA.map((labels) => ({ labels }))),
});
const THREAD = fc
  .tuple(MESSAGE, optional("{{asked.id}}", "{{foreign.id}}", "fuzzed-thread"))
  .map(([message, session]) => ({ ...message, session_id: session }));

const REASON = fc.record({ reason: optional("Because.") });

/** What a route takes. A route with a body has to be here. */
const TAKEN: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  "POST /v1/turns": START,
  "POST /v1/sessions/:session/turns": START,
  "POST /v1/turns/:id/cancel": REASON,
  "POST /v1/turns/:id/retry": fc.constant({}),
  "POST /v1/turns/:id/results": BATCH,
  "POST /v1/chat": CHAT,
  "POST /v1/questions": ASK,
  "POST /v1/questions/:id/answer": ANSWER,
  "POST /v1/questions/:id/decline": fc.record({
    reason: optional("No."),
    answeredBy: fc.constant("dana"),
  }),
  "POST /v1/questions/:id/cancel": REASON,
  "POST /v1/questions/:id/assign": fc.record({ to: fc.constantFrom("underwriter", "nobody") }),
  "POST /v1/questions/:id/deliver": fc.constant({}),
  "POST /v1/deliveries/:id/retry": fc.constant({}),
  "POST /v1/resume": fc.record({
    sessionId: optional("{{asked.id}}", "{{foreign.id}}"),
    limit: optional(1, 100),
    extraBody: optional({ a: 1 }),
  }),
  "POST /v1/inbox/rebuild": fc.record({ fromShards: optional(1, 3) }),
  "POST /v1/hooks/:name": fc.record({
    say: optional<unknown>("go", 7, ""),
    event_id: fc.constantFrom("Ev-fuzzed", undefined),
    type: optional("url_verification", "event_callback"),
    challenge: optional<unknown>("c", 7),
  }),
  "POST /api/v1/threads": THREAD,
  "POST /api/v1/threads/:id/inbox": MESSAGE,
  "POST /api/v1/runs/:id/resume": BATCH,
  "POST /api/v1/runs/:id/interrupt": fc.constant({}),
};

/** Bodies that a route takes as they are. */
export function takenBodies(method: string, pattern: string, count: number): readonly Body[] {
  const taken = TAKEN[`${method} ${pattern}`];
  return taken === undefined
    ? []
    : fc.sample(taken, { numRuns: count, seed: 1 }).map((body) => ({
        form: "text",
        text: JSON.stringify(body),
        type: "application/json",
        spoilt: "no",
        chunks: 0,
      }));
}

/** Throws where a route takes a body that nothing is known of. */
export function bodies(method: string, pattern: string): fc.Arbitrary<Body | undefined> {
  if (pattern === "/a/:token") return FORM_BODIES;
  if (pattern === "/v1/slack/interactions") return CLICK_BODIES;
  const taken = TAKEN[`${method} ${pattern}`];
  if (taken !== undefined)
    return fc.oneof(
      { weight: 40, arbitrary: jsonBodies(mutatedDoc(taken, REFS)) },
      { weight: 1, arbitrary: fc.constant(undefined) },
    );
  if (method !== "GET" && method !== "DELETE")
    throw new Error(`bodies.ts does not say what ${method} ${pattern} takes`);
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: jsonBodies(oddDoc(REFS)) },
  );
}
