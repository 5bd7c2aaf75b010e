/** Owns: what the fuzz sends to a chat, before it is changed in a few places. */

import * as fc from "fast-check";

function optional<T>(...values: T[]): fc.Arbitrary<T | undefined> {
  return fc.constantFrom(undefined, undefined, undefined, ...values);
}

/** As a chat's page sends it: something said, or answers on the parts of what it shows. */
const CHAT_PARTS = [
  [{ type: "text", text: "Hello." }],
  [
    { type: "text", text: "Hello." },
    { type: "file", mediaType: "text/plain", url: "data:,x" },
  ],
  [
    {
      type: "tool-question",
      toolCallId: "{{asked.person}}",
      state: "output-available",
      output: { answer: { option: "approve" } },
    },
    { type: "tool-question", toolCallId: "{{asked.value}}", state: "output-error", errorText: "" },
  ],
  [
    {
      type: "tool-guarded",
      toolCallId: "{{waiting.turn}}:c-approve",
      state: "approval-responded",
      approval: { id: "{{waiting.approval}}", approved: false, reason: "No." },
    },
    {
      type: "tool-client_tool",
      toolCallId: "{{waiting.turn}}:c-client",
      state: "output-available",
      output: { done: true },
    },
  ],
];
export const CHAT = fc.record({
  id: fc.constantFrom(
    "{{asked.session}}",
    "{{waiting.id}}",
    "{{over.id}}",
    "{{foreign.id}}",
    "new",
  ),
  messages: fc
    .record({
      id: fc.constantFrom("{{asked.turn}}", "{{waiting.turn}}", "{{over.turn}}", "m1", "m2"),
      role: fc.constantFrom("user", "assistant", "assistant", "system"),
      metadata: optional<object>({ eventId: "3.0" }, { eventId: "999.0" }, { eventId: 7 }),
      parts: fc.constantFrom<object[][]>(...CHAT_PARTS),
    })
    .map((message) => [message]),
  trigger: fc.constantFrom("submit-message", "submit-message", undefined, "regenerate-message"),
  messageId: optional("{{asked.turn}}", "m1"),
  answeredBy: optional("dana", ""),
  agent: optional("playground", "retrying", "nobody"),
  whenBusy: optional("queue", "reject", "parallel"),
  extraBody: optional<object>({ script: [] }, { script: [{ text: "end" }] }),
});
