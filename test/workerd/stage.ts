/**
 * Owns: what a test moves while a turn runs: gates at which the tests' tools stand still, and the policy that an approval
 * rule reads. Tests and objects share one isolate, so this module is the same on both sides.
 */

import type { ApprovalDecision } from "../../src/agent/agent.ts";

interface Gate {
  readonly reached: PromiseWithResolvers<void>;
  readonly opened: PromiseWithResolvers<void>;
}

class Stage {
  readonly #gates = new Map<string, Gate>();
  /** What the approval rule of `guarded` says; throws where it is an error. */
  policy: ApprovalDecision | Error = true;

  /** A tool stands here until the test opens the gate. */
  async stopAt(gate: string): Promise<void> {
    const { reached, opened } = this.#gate(gate);
    reached.resolve();
    await opened.promise;
  }

  /** Resolves once a tool stands at the gate. */
  reached(gate: string): Promise<void> {
    return this.#gate(gate).reached.promise;
  }

  open(gate: string): void {
    this.#gate(gate).opened.resolve();
  }

  decide(): ApprovalDecision {
    if (this.policy instanceof Error) throw this.policy;
    return this.policy;
  }

  #gate(name: string): Gate {
    const gate = this.#gates.get(name) ?? { reached: Promise.withResolvers(), opened: Promise.withResolvers() };
    this.#gates.set(name, gate);
    return gate;
  }
}

export const stage = new Stage();
