import type { Telemetry } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { expect, it } from "vitest";
import { runStep } from "../../src/agent/step.ts";
import { toolboxOf } from "../../src/agent/tools.ts";
import { agentsByEnvironment, type AgentOptions } from "../../src/options.ts";
import { modelContext } from "./model-contexts.ts";

const SECRET = "nothing that a span may hold";

interface Told {
  readonly functionId?: string;
  readonly recordInputs?: boolean;
  readonly recordOutputs?: boolean;
  readonly runtimeContext?: object;
}

/** What the SDK tells an integration of one step. */
async function told(telemetry: AgentOptions["telemetry"] = {}): Promise<readonly Told[]> {
  const events: Told[] = [];
  const integration: Telemetry = {
    onStart: (event) => {
      events.push(event as Told);
    },
    onEnd: (event) => {
      events.push(event as Told);
    },
  };
  const model = new MockLanguageModelV4({
    doGenerate: {
      content: [{ type: "text", text: SECRET }],
      finishReason: { unified: "stop", raw: "stop" },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    },
  });
  const agents = agentsByEnvironment({
    model,
    system: "Answer.",
    telemetry: { integrations: integration, ...telemetry },
  });
  const agent = agents({}).get("default") ?? expect.fail("there is no agent");
  const outcome = await runStep({
    agent,
    toolbox: await toolboxOf(agent, true),
    deferred: true,
    notes: [],
    messages: [{ role: "user", content: SECRET }],
    context: modelContext(),
    ids: { sessionId: "sess_1", turnId: "turn_1" },
    usedCallIds: new Set(),
    signal: new AbortController().signal,
    stream: { isRead: false, onText: () => undefined },
  });
  expect(outcome.ok).toBe(true);
  return events;
}

it("tells the SDK's integrations of a model call, by its agent, session and turn", async () => {
  const events = await told();
  expect(events).toHaveLength(2);
  for (const event of events)
    expect(event).toMatchObject({
      functionId: "default",
      runtimeContext: { sessionId: "sess_1", turnId: "turn_1" },
    });
});

it("asks them to leave out what was said, unless the author wants it", async () => {
  for (const event of await told())
    expect(event).toMatchObject({ recordInputs: false, recordOutputs: false });
  for (const event of await told({ recordInputs: true, recordOutputs: true }))
    expect(event).toMatchObject({ recordInputs: true, recordOutputs: true });
});
