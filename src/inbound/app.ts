/**
 * Owns: the Worker's HTTP surface as one app: which doors there are, and what every request gets on its way in and out.
 */

import { Hono, type MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { CORS_AGE_SECONDS } from "../core/limits.ts";
import { answerDoor } from "./answer-door.ts";
import { answerPageRoutes } from "./answer-page.ts";
import { chatRoutes } from "./chat.ts";
import { deliveryRoutes } from "./deliveries.ts";
import type { Caller, CallerContext, Door } from "./door.ts";
import { hookRoutes } from "./hooks.ts";
import { authenticate, limitRate } from "./keys.ts";
import { listRoutes } from "./lists.ts";
import { metricRoutes } from "./metrics.ts";
import { asProblem, Problem, problemResponse } from "./problem.ts";
import { questionRoutes } from "./questions.ts";
import { requestLine } from "./request-line.ts";
import { resumeRoutes } from "./resume.ts";
import { envelopeResponse, unknownRoute } from "./service/envelope.ts";
import { serviceRoutes } from "./service/routes.ts";
import { slackRoutes } from "./slack.ts";
import { turnRoutes } from "./turns.ts";
import { watchdogRoutes } from "./watchdog.ts";

export function createApp(door: Door): Hono<Caller> {
  const app = new Hono<Caller>();

  // Headers are set before there is a response: set on one that is made, each makes another.
  app.use(async (context, next) => {
    const requestId = `req_${crypto.randomUUID().replaceAll("-", "")}`;
    context.set("requestId", requestId);
    context.header("x-request-id", requestId);
    const began = Date.now();
    await next();
    door.log(context.env, () => requestLine(context, Date.now() - began));
  });
  for (const surface of ["/v1/*", "/api/v1/*"])
    app.use(surface, async (context, next) => {
      context.header("cache-control", "no-store");
      await next();
    });

  for (const surface of ["/v1/*", "/api/v1/*"]) app.use(surface, forOrigins(door));

  app.get("/healthz", (context) => context.json({ status: "ok" }));
  // What needs no key comes before what asks for one.
  app.route("/v1", hookRoutes(door));
  app.route("/v1", slackRoutes(door));
  const [authenticated, limited] = [authenticate(door), limitRate(door)];
  for (const surface of ["/v1/*", "/api/v1/*"]) app.use(surface, authenticated, limited);
  app.route("/v1", turnRoutes(door));
  app.route("/v1", chatRoutes(door));
  app.route("/v1", questionRoutes(door));
  app.route("/v1", listRoutes(door));
  app.route("/v1", deliveryRoutes(door));
  app.route("/v1", resumeRoutes(door));
  app.route("/v1", watchdogRoutes(door));
  app.route("/v1", metricRoutes(door));
  app.route("/api/v1", serviceRoutes(door));
  app.route("/", answerPageRoutes(answerDoor(door)));

  app.notFound((context) => {
    if (isService(context)) return unknownRoute(context);
    const allowed = methodsAt(app, context.req.path);
    if (allowed.length === 0)
      return problemResponse(
        context,
        new Problem(
          "not_found",
          "There is nothing at this path. The routes of the API are in docs/http.md.",
        ),
      );
    const headers = { allow: allowed.join(", ") };
    const detail = `This path takes ${headers.allow}.`;
    return problemResponse(context, new Problem("method_not_allowed", detail, { headers }));
  });

  app.onError((error, context) => {
    const problem = asProblem(error);
    if (problem.code === "internal") door.report(error, context.get("requestId"));
    return isService(context)
      ? envelopeResponse(context, problem)
      : problemResponse(context, problem);
  });

  return app;
}

/** Pages of other origins may call from a browser only where they are configured; else nothing here speaks of origins. */
function forOrigins(door: Door): MiddlewareHandler<Caller> {
  const open = cors({
    origin: (origin, context: CallerContext) =>
      door.config(context.env).corsOrigins.includes(origin) ? origin : undefined,
    allowMethods: ["GET", "HEAD", "POST", "DELETE"],
    allowHeaders: ["authorization", "content-type", "idempotency-key", "last-event-id", "prefer"],
    exposeHeaders: ["location", "preference-applied", "retry-after", "x-request-id"],
    maxAge: CORS_AGE_SECONDS,
  });
  return (context, next) =>
    door.config(context.env).corsOrigins.length === 0 ? next() : open(context, next);
}

function isService(context: CallerContext): boolean {
  return context.req.path.startsWith("/api/");
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
