/**
 * Owns: what each chore does. Each is safe to do again: a child that is there is found, a settled task stays as it is,
 * and an author's own code is told once more, as it was promised: at least once.
 */

import type { Agent } from "../agent/agent.ts";
import type { Chore } from "../core/chore.ts";
import { turnResult } from "../core/turn-view.ts";
import { callBackTurn } from "./callbacks.ts";
import { cancelChildTurn, type OpenSibling, startChildTurn } from "./children.ts";
import type { Told } from "./chores.ts";
import { deliver, type DeliverPorts } from "./delivering.ts";
import type { SessionStore } from "./store.ts";

export interface PerformPorts extends DeliverPorts {
  readonly openSibling: OpenSibling;
  readonly agent: (name: string | undefined) => Agent | undefined;
}

/** Undefined where nothing is left of the chore. */
export async function performChore(
  store: SessionStore,
  ports: PerformPorts,
  { n, content, ...chore }: Chore,
): Promise<Told | undefined> {
  switch (content.kind) {
    case "deliver":
      return deliver(store, ports, { n, content, ...chore });
    case "callback":
      await callBackTurn(ports, store, n, content);
      return undefined;
    case "result": {
      const view = ports.turnView(content.turn);
      await ports.agent(view.agent)?.onResult?.(turnResult(view), view);
      return undefined;
    }
    case "startChild":
      await startChildTurn(store, ports.openSibling, content.item);
      return undefined;
    case "cancelChild":
      await cancelChildTurn(store, ports.openSibling, content.item);
      return undefined;
    case "tellParent":
      await ports
        .openSibling(content.parent.session)
        .settleChild(content.parent.item, content.output);
      return undefined;
  }
}
