/**
 * Owns: `GET /v1/metrics`: the figures of a workspace, as JSON, or as text for whoever scrapes them.
 */

import { Hono } from "hono";
import { OVERDUE_AFTER_MS } from "../core/limits.ts";
import { prometheusText } from "../core/metrics.ts";
import type { Caller, Door } from "./door.ts";
import { needsOneOf } from "./keys.ts";
import { inboxOf } from "./lists.ts";

const PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

export function metricRoutes(door: Door): Hono<Caller> {
  const app = new Hono<Caller>();

  app.get("/metrics", needsOneOf("read", "admin"), async (context) => {
    const now = door.now();
    const metrics = await inboxOf(context, door).metrics(now, now - OVERDUE_AFTER_MS);
    context.header("vary", "accept", { append: true });
    return wantsText(context.req.header("accept"))
      ? context.body(prometheusText(metrics), 200, { "content-type": PROMETHEUS })
      : context.json(metrics);
  });

  return app;
}

/** Who scrapes asks for text, among other things; JSON is for whoever says nothing or asks for it. */
function wantsText(accept = ""): boolean {
  return (
    /\btext\/plain\b|\bapplication\/openmetrics-text\b/i.test(accept) &&
    !/\bapplication\/json\b/i.test(accept)
  );
}
