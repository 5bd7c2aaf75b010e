import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Agent, ApprovalContext } from "../../src/agent/agent.ts";
import { preparedMessages } from "../../src/agent/prepared-messages.ts";
import { RULE_TIMEOUT_MS } from "../../src/core/limits.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it("waits for prepareMessages as long as for a rule, and then says that it hung", async () => {
  const agent = { prepareMessages: () => new Promise(() => undefined) } as unknown as Agent;
  let end: unknown;
  preparedMessages(agent, [{ role: "user", content: "go" }], {} as ApprovalContext).catch(
    (error: unknown) => (end = error),
  );
  await vi.advanceTimersByTimeAsync(RULE_TIMEOUT_MS - 1);
  expect(end).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(end).toEqual(new Error("prepareMessages did not end within 30000 ms"));
});
