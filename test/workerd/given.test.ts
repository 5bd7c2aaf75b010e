import { evictDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { play, stubOf } from "./client.ts";
import { accepted, ask, awaitTasks, start } from "./journey.ts";
import { poison, reply } from "./poison-agents.ts";
import type { TurnView } from "../../src/core/turn-view.ts";

const SAID = { type: "text", text: "Said." };

/** Starts a turn of the model that answers what it is told to, beside whatever is parked. */
function talk(answer: object, options: object = {}): Promise<TurnView> {
  poison.answer = () => answer;
  const headers = { prefer: "wait=10" };
  return accepted(start([], { agent: "garbage", headers, whenBusy: "parallel", ...options }));
}

it("gives the model back each part that it said as it said it, in this life of its object and in the next", async () => {
  const signed = { anthropic: { signature: "EqQBCkYIBhgCKkA+/=", nested: [1, { n: null }] } };
  const redacted = { anthropic: { redactedData: "eyJhIjoxfQ==" } };
  const turn = await talk(
    reply([
      { type: "reasoning", text: "Hm. \u2028", providerMetadata: signed },
      { type: "reasoning", text: "", providerMetadata: redacted },
      { type: "text", text: " kept, spaces too \n", providerMetadata: { openai: { itemId: "m" } } },
      {
        type: "file",
        mediaType: "application/octet-stream",
        data: { type: "data", data: new Uint8Array([0, 255, 128, 10]) },
        providerMetadata: { google: { thoughtSignature: "c2ln" } },
      },
      {
        type: "tool-call",
        toolCallId: "t",
        toolName: "charge",
        input: '{"what":"pay"}',
        providerMetadata: { google: { thoughtSignature: "dG9vbA==" } },
      },
    ]),
  );
  expect(turn).toMatchObject({ status: "completed", text: "end" });
  const said = () => poison.given.find(({ role }) => role === "assistant")?.content;
  const first = said();
  expect(first).toMatchObject([
    { type: "reasoning", text: "Hm. \u2028", providerOptions: signed },
    { type: "reasoning", text: "", providerOptions: redacted },
    { type: "text", text: " kept, spaces too \n", providerOptions: { openai: { itemId: "m" } } },
    {
      type: "file",
      mediaType: "application/octet-stream",
      providerOptions: { google: { thoughtSignature: "c2ln" } },
    },
    {
      type: "tool-call",
      toolCallId: "t",
      input: { what: "pay" },
      providerOptions: { google: { thoughtSignature: "dG9vbA==" } },
    },
  ]);
  expect(JSON.stringify(first)).toContain("AP+ACg==");
  await evictDurableObject(stubOf(turn.sessionId));
  await talk(reply([SAID]), { session: turn.sessionId });
  expect(said()).toEqual(first);
});

it("gives the model back what a provider's own tool was asked and what it found", async () => {
  const metadata = { anthropic: { caller: { type: "direct" } } };
  const found = { url: "https://example.com/", at: "2026-11-30T00:00:00.000Z", pages: [1, null] };
  const own = { toolCallId: "p", toolName: "web_search" };
  const turn = await talk(
    reply([
      {
        type: "tool-call",
        ...own,
        input: '{"query":"rates"}',
        providerExecuted: true,
        dynamic: true,
        providerMetadata: metadata,
      },
      { type: "tool-result", ...own, result: found, dynamic: true, providerMetadata: metadata },
      SAID,
      { type: "tool-call", toolCallId: "t", toolName: "charge", input: '{"what":"pay"}' },
    ]),
  );
  expect(turn).toMatchObject({ status: "completed", text: "end" });
  const said = poison.given.find(({ role }) => role === "assistant")?.content;
  expect(said).toMatchObject([
    {
      type: "tool-call",
      ...own,
      input: { query: "rates" },
      providerExecuted: true,
      providerOptions: metadata,
    },
    {
      type: "tool-result",
      ...own,
      output: { type: "json", value: found },
      providerOptions: metadata,
    },
    SAID,
    { type: "tool-call", toolCallId: "t" },
  ]);
});

it("tells the model of a turn beside a parked one which questions are open, and that no message answers them", async () => {
  const parked = await play([
    { calls: [ask({ question: "May we?" })] },
    { calls: [awaitTasks(["$task:1"])] },
  ]);
  const input = "Yes, do it.";
  const chat = await talk(reply([SAID]), { session: parked.sessionId, input });
  expect(chat.status).toBe("completed");
  const [system, ...others] = poison.given;
  expect(system?.content).toContain("- task_1: May we?");
  expect(system?.content).toContain("The user's message is no answer to them");
  // The parked turn's own messages wait with it: a call without its result would be none of a conversation.
  expect(others).toMatchObject([{ role: "user", content: [{ type: "text", text: input }] }]);
});
