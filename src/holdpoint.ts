/**
 * The library's face: what a user may import, and nothing else.
 */

export type { ApprovalContext, ApprovalDecision, ApprovalRule, ToolRule } from "./agent/agent.ts";
export type { ModelContext, ModelSource } from "./agent/model-context.ts";
export { resolveModel } from "./agent/models.ts";
export { type AskResult, harnessToolContext, type ToolContext } from "./agent/tool-context.ts";
export { type AgentOptions, createHarness, defineAgent, type HarnessOptions } from "./harness.ts";
