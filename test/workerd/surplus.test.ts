import { expect, it } from "vitest";
import { call, messages, play } from "./client.ts";

it("leaves no more calls open in one step than a batch of results may settle", async () => {
  const calls = Array.from({ length: 130 }, () => ({ toolName: "client_tool", input: {} }));
  const turn = await play([{ calls }, { text: "Done." }]);
  expect(turn.pending?.calls).toHaveLength(128);
  const results = Object.fromEntries(
    (turn.pending?.calls ?? []).map(({ toolCallId }) => [
      toolCallId,
      { status: "returned", value: 1 },
    ]),
  );
  const response = await call("POST", `/v1/turns/${turn.id}/results`, {
    approvals: {},
    calls: results,
  });
  expect(response.status).toBe(200);
  const text = JSON.stringify(await messages(turn.sessionId));
  expect(text.split("at most 128 calls open").length - 1).toBe(2);
});

it("refuses a number that no JSON can hold, and changes nothing", async () => {
  const headers = { authorization: "Bearer dev-key", "content-type": "application/json" };
  const turn = await play([{ calls: [{ toolName: "client_tool", input: {}, toolCallId: "c" }] }]);
  const request = new Request(`http://holdpoint.test/v1/turns/${turn.id}/results`, {
    method: "POST",
    headers,
    body: '{"approvals":{},"calls":{"c":{"status":"returned","value":1e400}}}',
  });
  const { exports } = await import("cloudflare:workers");
  const response = await exports.default.fetch(request);
  expect(await response.json()).toMatchObject({ status: 400, code: "invalid_request" });
});
