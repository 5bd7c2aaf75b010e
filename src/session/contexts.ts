/**
 * Owns: what an approval rule and a tool's code are told of the call that they serve, and what a tool may do in it.
 */

import type { Agent, ApprovalContext } from "../agent/agent.ts";
import type { ToolContext } from "../agent/tool-context.ts";
import { formatId, formatSessionId } from "../core/ids.ts";
import type { Turn } from "../core/turn.ts";
import { askFromTool } from "./asking.ts";
import { runChild, startChild } from "./children.ts";
import type { CallPlace } from "./draft.ts";
import type { DriverPorts } from "./driver.ts";
import type { SessionStore } from "./store.ts";

export interface ContextSource {
  readonly store: SessionStore;
  readonly ports: DriverPorts;
}

export function approvalContext(
  { store, ports }: ContextSource,
  turn: Turn,
  agent: Agent,
): ApprovalContext {
  return {
    sessionId: formatSessionId(store.key),
    turnId: formatId("turn", store.key, turn.n),
    agent: agent.name,
    extraBody: turn.started.extraBody,
    env: ports.env,
  };
}

export function toolContext(
  source: ContextSource,
  turn: Turn,
  agent: Agent,
  place: CallPlace,
  toolName: string,
  signal: AbortSignal,
): ToolContext {
  const { store, ports } = source;
  const base = approvalContext(source, turn, agent);
  const idempotencyKey = `${base.turnId}.${place.step}.${place.index}`;
  let children = 0;
  return {
    ...base,
    idempotencyKey,
    run: async (request) => {
      proveThere(store, turn.n);
      children += 1;
      const parentCall = `${idempotencyKey}.${children}`;
      if (request.deferred !== true)
        return runChild(ports.openSibling, parentCall, request, signal);
      if (turn.started.deferred === false)
        throw new Error("this turn can't wait for a child that may park: run it without deferred");
      return startChild(store, place, toolName, parentCall, request);
    },
    // A turn that can't wait has nobody to ask, from a tool's code either.
    ...(agent.humanInput !== undefined &&
      turn.started.deferred !== false && {
        ask: async (question, options) => {
          proveThere(store, turn.n);
          return askFromTool(store, place, question, options?.key);
        },
      }),
  };
}

/** A tool may outlive its session: what it asks or starts then would belong to nothing. */
function proveThere(store: SessionStore, turn: number): void {
  if (store.turn(turn) === undefined) throw new Error("the session was erased");
}
