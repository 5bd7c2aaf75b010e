/**
 * Owns: what the log says of a request: which route, by whom, about which session and turn, and how it ended. Never what
 * it said: a path is shown as its route, since it may hold a link's token or a caller's own name for a session.
 */

import { matchedRoutes } from "hono/route";
import { formatSessionId } from "../core/ids.ts";
import type { Authority } from "../core/key.ts";
import type { CallerContext } from "./door.ts";

const ID = /(turn|run|q|entry|delivery)_([0-9a-f]{24})[0-9a-f]{8}|(?:sess|thread)_([0-9a-f]{24})/;
const NAMED: Readonly<Record<string, string>> = { turn: "turnId", run: "runId", q: "questionId" };

export function requestLine(context: CallerContext, ms: number): object {
  const caller = context.get("key") as Authority | undefined;
  const { method, path } = context.req;
  const about = path.startsWith("/a/") ? "" : (context.res.headers.get("location") ?? path);
  const [id, kind = "", key, sessionKey = key] = ID.exec(about) ?? [];
  const name = NAMED[kind];
  const route = matchedRoutes(context).findLast((matched) => matched.method !== "ALL");
  return {
    event: "holdpoint.request",
    requestId: context.get("requestId"),
    method,
    ...(route !== undefined && { route: route.path }),
    status: context.res.status,
    ms,
    ...(caller !== undefined && { workspace: caller.workspace }),
    ...(caller !== undefined && caller.person === undefined && { keyId: caller.id }),
    ...(sessionKey !== undefined && { sessionId: formatSessionId(sessionKey) }),
    ...(name !== undefined && { [name]: id }),
  };
}
