/**
 * Owns: whether a call may run, needs a person's yes, or may not run at all, by the agent's rules as they are now.
 * Asked when the model makes the call, and again at the moment of running: a present refusal beats an earlier yes.
 */

import type { Json } from "../core/json.ts";
import { REASON_CHARACTERS } from "../core/limits.ts";
import { shorten } from "../core/text.ts";
import type { Agent, ApprovalContext, ApprovalDecision } from "./agent.ts";
import { RuleTimedOut, withinRuleTime } from "./rule-time.ts";
import { messageOf } from "./tools.ts";

export type Approval =
  | { readonly decision: "free" }
  | { readonly decision: "required"; readonly approval: { readonly reason?: string } }
  | { readonly decision: "forbidden"; readonly reason: string };

/** Rejects with RuleTimedOut where the agent's rule does not decide in time. */
export async function decideApproval(
  agent: Agent,
  toolName: string,
  input: Json,
  deferred: boolean,
  context: ApprovalContext,
): Promise<Approval> {
  const rule = agent.approvals[toolName];
  if (rule === undefined || rule === "never") return { decision: "free" };
  let decided: ApprovalDecision;
  try {
    decided =
      rule === "always" ||
      (await withinRuleTime("approval rule", agent, toolName, () => rule(input, context)));
  } catch (error) {
    if (error instanceof RuleTimedOut) throw error;
    // Closed by default: a rule that can't be read allows nothing.
    return forbidden(`the approval rule failed: ${messageOf(error)}`);
  }
  if (typeof decided === "object" && "forbidden" in decided) return forbidden(decided.reason);
  const required = typeof decided === "object" ? decided.required : decided;
  if (!required) return { decision: "free" };
  if (!deferred) return forbidden("it needs a person's approval, and this turn can't wait for one");
  const reason = typeof decided === "object" ? decided.reason : undefined;
  return {
    decision: "required",
    approval: reason === undefined ? {} : { reason: shorten(reason, REASON_CHARACTERS) },
  };
}

function forbidden(reason: string): Approval {
  return { decision: "forbidden", reason };
}
