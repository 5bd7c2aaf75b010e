/**
 * Owns: what each chore does. Each is safe to do again: a child that is there is found, a settled task stays as it is,
 * and an author's own code is told once more, as it was promised: at least once.
 */

import type { Agent } from "../agent/agent.ts";
import type { Chore } from "../core/chore.ts";
import type { Question } from "../core/question.ts";
import { turnResult, type TurnView } from "../core/turn-view.ts";
import { readTask } from "../journal/tasks.ts";
import { cancelChildTurn, type OpenSibling, startChildTurn } from "./children.ts";
import type { SessionStore } from "./store.ts";

export interface PerformPorts {
  readonly openSibling: OpenSibling;
  /** The agent of that name; of questions that no turn asked, the default one. */
  readonly agent: (name: string | undefined) => Agent | undefined;
  readonly env: Readonly<Record<string, unknown>>;
  readonly turnView: (n: number) => TurnView;
  /** A question as it leaves the session: with its link. */
  readonly questionToSend: (n: number) => Promise<Question>;
}

export async function performChore(
  store: SessionStore,
  ports: PerformPorts,
  { content }: Chore,
): Promise<void> {
  switch (content.kind) {
    case "deliver":
      await deliver(store, ports, content.question);
      return;
    case "result": {
      const view = ports.turnView(content.turn);
      await ports.agent(view.agent)?.onResult?.(turnResult(view), view);
      return;
    }
    case "startChild":
      await startChildTurn(store, ports.openSibling, content.item);
      return;
    case "cancelChild":
      await cancelChildTurn(store, ports.openSibling, content.item);
      return;
    case "tellParent":
      await ports
        .openSibling(content.parent.session)
        .settleChild(content.parent.item, content.output);
  }
}

async function deliver(store: SessionStore, ports: PerformPorts, n: number): Promise<void> {
  const record = readTask(store.database, n);
  // What was settled meanwhile needs nobody any more.
  if (record === undefined || record.settlement !== undefined) return;
  const question = await ports.questionToSend(n);
  await ports.agent(record.agent)?.humanInput?.deliver?.(question, { env: ports.env });
}
