/**
 * Owns: how long an author's own rule about a call may take: its approval rule, and the check of its input. One that
 * hangs fails the attempt, in words that name it. Does not own: the time-out of the tool itself (`tools.ts`).
 */

import { withinTime } from "../core/deadline.ts";
import type { Failure } from "../core/event.ts";
import { RULE_TIMEOUT_MS } from "../core/limits.ts";
import type { Agent } from "./agent.ts";

/** The world's trouble and no defect of ours: the attempt is made again. */
export class RuleTimedOut extends Error {
  override readonly name = "RuleTimedOut";

  get failure(): Failure {
    return { code: "rule_timeout", message: this.message, retryable: true };
  }
}

/** What the rule says. Rejects with RuleTimedOut where it does not say it in time; a tool's own time-out may be shorter. */
export function withinRuleTime<T>(
  what: "approval rule" | "input check",
  agent: Agent,
  toolName: string,
  rule: () => T | PromiseLike<T>,
): Promise<T> {
  const timeoutMs = Math.min(RULE_TIMEOUT_MS, agent.toolRules[toolName]?.timeoutMs ?? Infinity);
  const late = () =>
    new RuleTimedOut(`the ${what} of ${toolName} did not end within ${timeoutMs} ms`);
  return withinTime(timeoutMs, late, rule);
}
