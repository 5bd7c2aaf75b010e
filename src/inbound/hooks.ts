/**
 * Owns: `POST /v1/hooks/{name}`: a delivery is bounded, verified as bytes, and parsed only then; its event starts at most
 * one turn, however often and from however many sides it comes. No API key: the signature says who sends, the trigger
 * says for which workspace.
 */

import { Hono } from "hono";
import { parseSessionReference, SESSION_NAME_FORM } from "../core/ids.ts";
import { type Input, inputSchema } from "../core/input.ts";
import { issuesOf } from "../core/issue.ts";
import { jsonOf } from "./body.ts";
import type { Caller, CallerContext, Door } from "./door.ts";
import { genuineBytes } from "./genuine.ts";
import { requestKey } from "./idempotency.ts";
import { Problem, problemOf } from "./problem.ts";
import { freshTarget, type SessionTarget, targetOf } from "./sessions.ts";
import type { Trigger, TriggerRequest } from "./trigger.ts";

export function hookRoutes(door: Door): Hono<Caller> {
  const app = new Hono<Caller>();

  app.post("/hooks/:name", async (context) => {
    const name = context.req.param("name");
    const trigger = door.triggers.get(name);
    if (trigger === undefined) throw new Problem("not_found", "There is no trigger of this name.");
    const { verify } = trigger;
    const body = jsonOf(context, await genuineBytes(context, door.now(), verify));
    const challenge = verify.challenge?.(body);
    if (challenge !== undefined) return context.json({ challenge });
    const { headers } = context.req.raw;
    const eventId = verify.eventId(headers, body);
    if (!eventId) throw new Problem("invalid_request", "The event has no id.");
    const request: TriggerRequest = { headers, eventId };
    const input = await inputOf(name, trigger, body, request);
    if (input === undefined) return context.body(null, 204);
    const session = await trigger.session?.(body, request);
    return startTurn(context, door, { name, trigger, eventId, input, session });
  });

  // Before the doors that need a key: whoever tries another method is told of the method, not of a key.
  app.all("/hooks/:name", () => {
    throw new Problem("method_not_allowed", "This path takes POST.", {
      headers: { allow: "POST" },
    });
  });

  return app;
}

/** What the trigger's own code makes of an event. What is no input is its author's mistake, and no sender's. */
async function inputOf(
  name: string,
  trigger: Trigger,
  body: unknown,
  request: TriggerRequest,
): Promise<Input | undefined> {
  const made = await trigger.input(body, request);
  if (made === undefined) return undefined;
  const input = inputSchema.safeParse(made);
  if (input.success) return input.data;
  const issues = issuesOf(input.error).map(({ path, message }) => `${path} ${message}`.trim());
  throw new TypeError(`triggers.${name}.input returned what is no input: ${issues.join("; ")}`);
}

interface TriggeredTurn {
  readonly name: string;
  readonly trigger: Trigger;
  readonly eventId: string;
  readonly input: Input;
  readonly session: string | undefined;
}

async function startTurn(
  context: CallerContext,
  door: Door,
  { name, trigger, eventId, input, session }: TriggeredTurn,
): Promise<Response> {
  const route = `POST /v1/hooks/${name}`;
  const keyId = `trigger:${name}`;
  const target =
    session === undefined
      ? await freshTarget(keyId, route, eventId)
      : await namedTarget(name, session);
  const key = await requestKey(keyId, route, eventId);
  const started = await door.openSession(context.env, trigger.workspace, target.key).start({
    agent: trigger.agent ?? door.defaultAgent(context.env),
    input,
    mustExist: target.mustExist,
    fresh: target.fresh,
    whenBusy: "queue",
    waitMs: 0,
    ...(target.name !== undefined && { sessionName: target.name }),
    // The event is the request, whatever is in it: a body that comes again in another form is no other one.
    idempotency: { key, digest: key },
  });
  if (!started.ok) throw problemOf(started.refusal);
  const { turn, replayed } = started.value;
  // The sender holds no key, so it is told the ids alone.
  return context.json({ turnId: turn.id, sessionId: turn.sessionId }, replayed ? 200 : 202);
}

async function namedTarget(name: string, session: string): Promise<SessionTarget> {
  if (parseSessionReference(session) === undefined)
    throw new TypeError(
      `triggers.${name}.session returned what names no session: ${SESSION_NAME_FORM}`,
    );
  return targetOf(session);
}
