/**
 * Owns: the Worker's HTTP surface as one app: which doors there are, and what every request gets on its way in and out.
 */

import { Hono } from "hono";
import { SessionUnavailable } from "../session/face.ts";
import type { Caller, Door } from "./door.ts";
import { authenticate } from "./keys.ts";
import { Problem, problemResponse } from "./problem.ts";
import { questionRoutes } from "./questions.ts";
import { turnRoutes } from "./turns.ts";

export function createApp(door: Door): Hono<Caller> {
  const app = new Hono<Caller>();

  app.use(async (context, next) => {
    context.set("requestId", `req_${crypto.randomUUID().replaceAll("-", "")}`);
    await next();
    context.header("x-request-id", context.get("requestId"));
  });
  app.use("/v1/*", async (context, next) => {
    await next();
    context.header("cache-control", "no-store");
  });

  app.get("/healthz", (context) => context.json({ status: "ok" }));
  app.use("/v1/*", authenticate(door));
  app.route("/v1", turnRoutes(door));
  app.route("/v1", questionRoutes(door));

  app.notFound((context) => {
    const allowed = methodsAt(app, context.req.path);
    return problemResponse(
      context,
      allowed.length === 0
        ? new Problem("not_found", "There is nothing at this path.")
        : new Problem("method_not_allowed", `This path takes ${allowed.join(", ")}.`, {
            headers: { allow: allowed.join(", ") },
          }),
    );
  });

  app.onError((error, context) => {
    if (error instanceof Problem) return problemResponse(context, error);
    if (error instanceof SessionUnavailable)
      return problemResponse(
        context,
        new Problem("unavailable", "The session did not answer. Send the request again, with the same Idempotency-Key.", {
          headers: { "retry-after": "1" },
        }),
      );
    if (error.name === "ConfigurationError") return problemResponse(context, new Problem("not_configured", error.message));
    door.report(error, context.get("requestId"));
    return problemResponse(context, new Problem("internal", "Something went wrong on our side. Quote the request's id when you report it."));
  });

  return app;
}

/** The methods that some route takes at a path, for `Allow`. */
function methodsAt(app: Hono<Caller>, path: string): string[] {
  const methods = new Set<string>();
  for (const route of app.routes) {
    if (route.method === "ALL") continue;
    const pattern = route.path.replaceAll(/:[A-Za-z]+/g, "[^/]+");
    if (new RegExp(`^${pattern}$`).test(path)) methods.add(route.method);
  }
  return [...methods];
}
