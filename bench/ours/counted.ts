/**
 * Owns: the app that ships with its objects watched, and a door to one shard of the inbox alone.
 */

import app, { Inbox as ShippedInbox, Session as ShippedSession } from "../../src/index.ts";
import type { InboxReport } from "../../src/core/inbox.ts";
import { countedRoute, countRequests, countsOf } from "../counting.ts";

export class Session extends ShippedSession {
  constructor(state: DurableObjectState, env: unknown) {
    countsOf("Session", state, env);
    super(state, env);
  }
}

export class Inbox extends ShippedInbox {
  constructor(state: DurableObjectState, env: unknown) {
    countsOf("Inbox", state, env);
    super(state, env as never);
  }
}

// What a cycle calls: nothing in the objects calls these themselves.
countRequests("Session", Session.prototype, ["start", "readTurn", "settleQuestion", "alarm"]);
countRequests("Inbox", Inbox.prototype, ["tell"]);

interface Bindings extends Readonly<Record<string, unknown>> {
  readonly INBOX: DurableObjectNamespace<ShippedInbox>;
}

export default {
  async fetch(request: Request, env: Bindings, context: ExecutionContext): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/counts") return countedRoute();
    if (pathname !== "/tell") return app.fetch(request as never, env, context);
    const report = await request.json<InboxReport>();
    const shard = env.INBOX.getByName("bench/1/0") as unknown as {
      tell(told: InboxReport): Promise<void>;
    };
    await shard.tell(report);
    return Response.json({ status: "told" });
  },
};
