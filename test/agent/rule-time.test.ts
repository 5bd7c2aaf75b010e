import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Agent, ToolRule } from "../../src/agent/agent.ts";
import { RuleTimedOut, withinRuleTime } from "../../src/agent/rule-time.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const NEVER = () => new Promise<boolean>(() => undefined);

/** How the rule of a tool with this rule ends after so long; undefined where it has not ended. */
async function endedAfter(ms: number, toolRule: ToolRule, rule = NEVER): Promise<unknown> {
  const agent = { toolRules: { pay: toolRule } } as unknown as Agent;
  let end: unknown;
  withinRuleTime("approval rule", agent, "pay", rule).then(
    (value) => (end = value),
    (error: unknown) => (end = error),
  );
  await vi.advanceTimersByTimeAsync(ms);
  return end;
}

it.each([
  { limit: 30_000, toolRule: {} },
  { limit: 20, toolRule: { timeoutMs: 20 } },
  { limit: 30_000, toolRule: { timeoutMs: 300_000 } },
])("gives a rule $limit ms where its tool says $toolRule", async ({ limit, toolRule }) => {
  expect(await endedAfter(limit - 1, toolRule)).toBeUndefined();
  const end = await endedAfter(limit, toolRule);
  expect(end).toBeInstanceOf(RuleTimedOut);
  expect(end).toMatchObject({
    failure: {
      code: "rule_timeout",
      message: `the approval rule of pay did not end within ${limit} ms`,
      retryable: true,
    },
  });
});
