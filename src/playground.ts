/**
 * Owns: the agent `playground`, which drives everything over HTTP by a script that comes with the turn. Development only:
 * it reaches whatever listens on this machine, so it is refused on a host that isn't loopback.
 */

import { scriptModel } from "./agent/script-model.ts";
import { EXTRA_BODY_PLAYGROUND_BYTES } from "./core/limits.ts";
import { type AgentOptions, defineAgent } from "./options.ts";
import { playgroundApprovals, playgroundRules, playgroundTools } from "./playground-tools.ts";

const PLAYGROUND_STEPS = 100_000;

export function playground(): AgentOptions {
  return defineAgent({
    model: scriptModel,
    system: "You play the script that comes with the turn.",
    tools: playgroundTools(),
    toolRules: playgroundRules,
    approvals: playgroundApprovals,
    humanInput: true,
    userQuestions: true,
    maxSteps: PLAYGROUND_STEPS,
    extraBodyBytes: EXTRA_BODY_PLAYGROUND_BYTES,
  });
}

export function isPlayground(env: Readonly<Record<string, unknown>>): boolean {
  return env["PLAYGROUND"] === "1" || env["PLAYGROUND"] === 1;
}

/** A refusal of every request to a playground that stands where others can reach it. */
export function refuseExposedPlayground(
  request: Request,
  env: Readonly<Record<string, unknown>>,
): Response | undefined {
  if (!isPlayground(env) || isLoopback(new URL(request.url).hostname)) return undefined;
  const problem = {
    type: "about:blank",
    title: "Holdpoint is not configured",
    status: 503,
    detail:
      "PLAYGROUND=1 is for development on this machine only: call it by localhost, or remove the variable.",
    code: "not_configured",
  };
  return new Response(JSON.stringify(problem), {
    status: 503,
    headers: { "content-type": "application/problem+json" },
  });
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" || hostname === "[::1]" || /^127(\.[0-9]{1,3}){3}$/.test(hostname)
  );
}
