/**
 * Owns: the entry point for other Workers: what they call by a service binding, whose properties say in which workspace
 * they are and what they may do. Each function is a request to the app's own routes, so that a rule is in one place;
 * what comes back is a value, a refusal too. Does not own: any rule.
 */

import { RpcTarget, WorkerEntrypoint } from "cloudflare:workers";
import { type BindingProps, bindingPropsSchema } from "./binding-props.ts";
import { issuesOf } from "./core/issue.ts";
import type { Authority } from "./core/key.ts";
import { PREFER_WAIT_SECONDS } from "./core/limits.ts";
import type { Issue } from "./core/refusal.ts";
import type {
  HoldpointBinding,
  Listed,
  QuestionCalls,
  Refused,
  Reply,
  SessionCalls,
  TurnCalls,
} from "./binding.ts";
import type { Question } from "./core/question.ts";
import type { TurnView } from "./core/turn-view.ts";
import { vouchFor } from "./inbound/keys.ts";

/** Never looked up: only the path counts. */
const ORIGIN = "https://holdpoint.internal";

/** The app that answers, under these bindings. */
export type Serve = (
  request: Request,
  env: object,
  context: ExecutionContext,
) => Response | Promise<Response>;

type Send = (request: Request) => Promise<Response>;

/** The class that a Worker exports, by a name of its own. */
export type EntrypointClass = new (
  context: ExecutionContext<BindingProps>,
  env: object,
) => WorkerEntrypoint<object, BindingProps> &
  Pick<HoldpointBinding, "turns" | "questions" | "sessions">;

export function createEntrypoint(serve: Serve): EntrypointClass {
  return class Entrypoint
    extends WorkerEntrypoint<object, BindingProps>
    implements Pick<HoldpointBinding, "turns" | "questions" | "sessions">
  {
    get turns(): Turns {
      return new Turns(callsBy(this.#send));
    }

    get questions(): Questions {
      return new Questions(callsBy(this.#send));
    }

    get sessions(): Sessions {
      return new Sessions(callsBy(this.#send));
    }

    /** Any route, as over HTTP but for the key: streams of events, too. */
    override fetch(request: Request): Promise<Response> {
      return this.#send(new Request(request));
    }

    readonly #send: Send = async (request) => {
      const authority = authorityOf(this.ctx.props);
      if ("refused" in authority) return authority.refused;
      vouchFor(request, authority);
      return serve(request, this.env, this.ctx);
    };
  };
}

function authorityOf(props: unknown): Authority | { readonly refused: Response } {
  const parsed = bindingPropsSchema.safeParse(props);
  if (parsed.success) {
    const { workspace, can, id } = parsed.data;
    return { id: `binding:${id}`, workspace, can, isBound: true };
  }
  const detail =
    'A binding to Holdpoint says its workspace: props = { workspace = "acme" } in its [[services]] entry.';
  const body = { code: "not_configured", detail, issues: issuesOf(parsed.error) };
  return { refused: Response.json(body, { status: 503 }) };
}

/** A request to a route below `/v1`, and what came of it as a value. */
type Call = <T>(
  method: string,
  path: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
) => Promise<Reply<T>>;

function callsBy(send: Send): Call {
  return async (method, path, body, headers = {}) => {
    const request = requestOf(`${ORIGIN}/v1/${path}`, method, body, headers);
    if (request === undefined) return { ok: false, refusal: UNSENDABLE };
    const response = await send(request);
    if (!response.ok) return { ok: false, refusal: await refusedBy(response) };
    return { ok: true, value: response.status === 204 ? null : await response.json() } as never;
  };
}

const UNSENDABLE: Refused = {
  code: "invalid_request",
  status: 400,
  detail: "A call takes JSON, and visible ASCII characters for idempotencyKey.",
};

/** Undefined for what no request can hold: a BigInt, say, or a line feed in a header. */
function requestOf(
  url: string,
  method: string,
  body: object | undefined,
  headers: Readonly<Record<string, string>>,
): Request | undefined {
  try {
    return new Request(url, {
      method,
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch {
    return undefined;
  }
}

interface ProblemBody {
  readonly code: string;
  readonly detail: string;
  readonly instance?: string;
  readonly issues?: readonly Issue[];
}

async function refusedBy(response: Response): Promise<Refused> {
  const { code, detail, instance, issues } = await response.json<ProblemBody>();
  const retryAfter = response.headers.get("retry-after");
  return {
    code,
    status: response.status,
    detail,
    ...(instance !== undefined && { requestId: instance }),
    ...(issues !== undefined && { issues }),
    ...(retryAfter !== null && { retryAfterSeconds: Number(retryAfter) }),
  };
}

class Turns extends RpcTarget implements TurnCalls {
  readonly #call: Call;

  constructor(call: Call) {
    super();
    this.#call = call;
  }

  start(
    ...[{ sessionId, ...body }, options = {}]: Parameters<TurnCalls["start"]>
  ): Promise<Reply<TurnView>> {
    const path = sessionId === undefined ? "turns" : `sessions/${part(sessionId)}/turns`;
    const { idempotencyKey, waitSeconds } = options;
    return this.#call("POST", path, body, {
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      ...(waitSeconds !== undefined && { prefer: `wait=${waitSeconds}` }),
    });
  }

  get(turnId: string): Promise<Reply<TurnView>> {
    return this.#call("GET", `turns/${part(turnId)}`);
  }

  async wait(turnId: string): Promise<Reply<TurnView>> {
    for (;;) {
      const path = `turns/${part(turnId)}?wait=${PREFER_WAIT_SECONDS}`;
      const read = await this.#call<TurnView>("GET", path);
      if (!read.ok || !UNDER_WAY.has(read.value.status)) return read;
    }
  }

  list(...[query = {}]: Parameters<TurnCalls["list"]>): Promise<Reply<Listed<TurnView>>> {
    return this.#call("GET", `turns?${queryOf(query)}`);
  }

  cancel(turnId: string, reason?: string): Promise<Reply<TurnView>> {
    return this.#call("POST", `turns/${part(turnId)}/cancel`, { reason });
  }

  retry(turnId: string): Promise<Reply<TurnView>> {
    return this.#call("POST", `turns/${part(turnId)}/retry`);
  }

  results(...[turnId, batch]: Parameters<TurnCalls["results"]>): Promise<Reply<TurnView>> {
    return this.#call("POST", `turns/${part(turnId)}/results`, batch);
  }
}

const UNDER_WAY: ReadonlySet<string> = new Set(["queued", "running"]);

class Questions extends RpcTarget implements QuestionCalls {
  readonly #call: Call;

  constructor(call: Call) {
    super();
    this.#call = call;
  }

  ask(
    ...[body, { idempotencyKey } = {}]: Parameters<QuestionCalls["ask"]>
  ): Promise<Reply<Question>> {
    const headers = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
    return this.#call("POST", "questions", body, headers);
  }

  get(requestId: string): Promise<Reply<Question>> {
    return this.#call("GET", `questions/${part(requestId)}`);
  }

  list(...[query = {}]: Parameters<QuestionCalls["list"]>): Promise<Reply<Listed<Question>>> {
    return this.#call("GET", `questions?${queryOf(query)}`);
  }

  answer(...[requestId, answer]: Parameters<QuestionCalls["answer"]>): Promise<Reply<Question>> {
    return this.#post(requestId, "answer", answer);
  }

  decline(...[requestId, decline]: Parameters<QuestionCalls["decline"]>): Promise<Reply<Question>> {
    return this.#post(requestId, "decline", decline);
  }

  cancel(requestId: string, reason?: string): Promise<Reply<Question>> {
    return this.#post(requestId, "cancel", { reason });
  }

  assign(requestId: string, to: string): Promise<Reply<Question>> {
    return this.#post(requestId, "assign", { to });
  }

  deliver(requestId: string): Promise<Reply<Question>> {
    return this.#post(requestId, "deliver", {});
  }

  #post(requestId: string, action: string, body: object): Promise<Reply<Question>> {
    return this.#call("POST", `questions/${part(requestId)}/${action}`, body);
  }
}

class Sessions extends RpcTarget implements SessionCalls {
  readonly #call: Call;

  constructor(call: Call) {
    super();
    this.#call = call;
  }

  get(sessionId: string): ReturnType<SessionCalls["get"]> {
    return this.#call("GET", `sessions/${part(sessionId)}`);
  }

  messages(sessionId: string): ReturnType<SessionCalls["messages"]> {
    return this.#call("GET", `sessions/${part(sessionId)}/messages`);
  }

  erase(sessionId: string): Promise<Reply<null>> {
    return this.#call("DELETE", `sessions/${part(sessionId)}`);
  }
}

/** An address drops `.` and `..` and then is another's: with a slash behind them they name nothing, and are refused. */
function part(id: string): string {
  return /^\.{1,2}$/.test(id) ? `${id}%2F` : encodeURIComponent(id.toWellFormed());
}

function queryOf(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
}
