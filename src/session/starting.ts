/**
 * Owns: whether a turn may start in a session now, and its start; a request that comes again finds the turn it started.
 */

import type { Agent, InputType } from "../agent/agent.ts";
import type { ParentTask } from "../core/chore.ts";
import type { Input } from "../core/input.ts";
import type { JsonObject } from "../core/json.ts";
import { issuesBelow } from "../core/issue.ts";
import { validateBySchema } from "../core/json-schema.ts";
import type { Callback } from "../core/life.ts";
import { QUEUED_TURNS } from "../core/limits.ts";
import type { OutputRequest } from "../core/output.ts";
import { accepted, type Issue, type Outcome, type Refusal, refused } from "../core/refusal.ts";
import { findIdempotent, readFirstTurn } from "../journal/journal.ts";
import type { SessionStore } from "./store.ts";

export interface StartRequest {
  readonly agent: string;
  readonly input: Input;
  readonly extraBody?: JsonObject;
  readonly deferred?: false;
  readonly inputType?: string;
  readonly output?: OutputRequest;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly delivery?: "steer" | "next_run";
  readonly sessionName?: string;
  /** Where the caller wants to be told what becomes of it. */
  readonly callback?: Callback;
  /** The task of another session that the turn's end settles. */
  readonly parent?: ParentTask;
  /** The caller named the session by its id, so it must be there. */
  readonly mustExist: boolean;
  /** The session's key was made for this very request, so what is there already was started by an earlier try of it. */
  readonly fresh: boolean;
  /** What to do where a turn of the session is not settled: wait behind it, go beside it while it is parked, or refuse. */
  readonly whenBusy: "queue" | "reject" | "parallel";
  /** `key` is the hash of key, route and Idempotency-Key; `digest` that of the request. */
  readonly idempotency?: { readonly key: string; readonly digest: string };
  /** Whoever starts it comes with so many sockets to read its events as they come, from the first. */
  readonly listeners?: number;
  /** Milliseconds to wait until the turn is settled or parked. */
  readonly waitMs: number;
}

/** A turn's number, and whether an earlier request under the same Idempotency-Key started it. */
export interface Started {
  readonly n: number;
  readonly replayed: boolean;
}

export function startTurn(
  store: SessionStore,
  agents: ReadonlyMap<string, Agent>,
  request: StartRequest,
): Outcome<Started> {
  if (request.mustExist && !store.exists) return refused(sessionNotFound());
  const known = store.exists ? startedBefore(store, request) : undefined;
  if (known !== undefined)
    return store.started(known)?.requestDigest === request.idempotency?.digest
      ? accepted({ n: known, replayed: true })
      : refused(KEY_REUSED);
  const refusal = refusalOf(store, agents, request);
  if (refusal !== undefined) return refused(refusal);
  const { agent, input, inputType, extraBody, deferred, metadata, delivery, idempotency } = request;
  const output = request.output ?? inputTypeOf(agents, request)?.output;
  const sessionName = request.sessionName ?? nameOf(store);
  const n = store.transact((draft) =>
    draft.start(
      {
        queued: mustWait(store, request),
        ...(request.whenBusy === "parallel" && { beside: true as const }),
        agent,
        input,
        ...(inputType !== undefined && { inputType }),
        ...(output !== undefined && { output }),
        ...(extraBody !== undefined && { extraBody }),
        ...(deferred !== undefined && { deferred }),
        ...(metadata !== undefined && { metadata: { ...metadata } }),
        ...(delivery !== undefined && { delivery }),
        ...(sessionName !== undefined && { sessionName }),
        ...(request.callback !== undefined && { callback: { ...request.callback } }),
        ...(request.parent !== undefined && { parent: { ...request.parent } }),
        ...(idempotency !== undefined && { requestDigest: idempotency.digest }),
      },
      // A session that was made for the request begins with it: its first turn is found without an index.
      request.fresh ? null : (idempotency?.key ?? null),
    ),
  );
  return accepted({ n, replayed: false });
}

/** A session that has a name was begun by it: the turn that it began with knows it. */
function nameOf(store: SessionStore): string | undefined {
  const first = store.exists ? readFirstTurn(store.database) : undefined;
  return first === undefined ? undefined : store.started(first)?.sessionName;
}

/** A turn that goes beside others waits only for those that are not parked. */
function mustWait({ openTurns }: SessionStore, { whenBusy }: StartRequest): boolean {
  return whenBusy === "parallel"
    ? openTurns.some((turn) => turn.status !== "parked")
    : openTurns.length > 0;
}

function startedBefore(
  store: SessionStore,
  { fresh, idempotency }: StartRequest,
): number | undefined {
  if (fresh) return readFirstTurn(store.database);
  return idempotency === undefined
    ? undefined
    : findIdempotent(store.database, idempotency.key)?.turn;
}

function refusalOf(
  store: SessionStore,
  agents: ReadonlyMap<string, Agent>,
  request: StartRequest,
): Refusal | undefined {
  const { whenBusy } = request;
  const issues = issuesOf(agents, request);
  if (issues.length > 0)
    return { code: "invalid_request", detail: "The turn can't be started like this.", issues };
  const open = store.openTurns.length;
  if (open > 0 && whenBusy === "reject")
    return { code: "session_busy", detail: "A turn of the session is not settled yet." };
  if (open > QUEUED_TURNS)
    return { code: "session_full", detail: `${QUEUED_TURNS} turns wait in the session already.` };
  return undefined;
}

/** What is wrong with a request that only its agent can tell. */
function issuesOf(agents: ReadonlyMap<string, Agent>, request: StartRequest): readonly Issue[] {
  const agent = agents.get(request.agent);
  if (agent === undefined)
    return [{ path: "agent", message: `must be one of ${[...agents.keys()].join(", ")}` }];
  const { inputType, input } = request;
  if (inputType === undefined) return [];
  const type = inputTypeOf(agents, request);
  const names = Object.keys(agent.inputTypes);
  if (type === undefined)
    return [
      {
        path: "inputType",
        message:
          names.length === 0
            ? `agent ${agent.name} has no input types`
            : `must be one of ${names.join(", ")}`,
      },
    ];
  const [part] = typeof input === "string" ? [] : input;
  return part?.type === "json"
    ? issuesBelow("input", validateBySchema(type.schema, part.value))
    : [{ path: "input", message: "must be JSON" }];
}

function inputTypeOf(
  agents: ReadonlyMap<string, Agent>,
  { agent, inputType }: StartRequest,
): InputType | undefined {
  const types = agents.get(agent)?.inputTypes ?? {};
  return inputType !== undefined && Object.hasOwn(types, inputType) ? types[inputType] : undefined;
}

export const KEY_REUSED: Refusal = {
  code: "idempotency_key_reused",
  detail: "This Idempotency-Key came with another request before. Use a new key for a new request.",
};

export function turnNotFound(): Refusal {
  return { code: "not_found", detail: "There is no such turn." };
}

export function sessionNotFound(): Refusal {
  return { code: "not_found", detail: "There is no such session." };
}
