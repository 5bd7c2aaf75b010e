/**
 * Owns: sending one planned request to the Worker, and what came of it: the response, which sessions' objects the Worker
 * asked, and how many rows each of them wrote meanwhile, by the platform's own counter.
 */

import { env } from "cloudflare:workers";
import { createExecutionContext } from "cloudflare:test";
import { Webhook } from "standardwebhooks";
import { signNonce } from "../../../src/outbound/sign.ts";
import { ORIGIN, stubOf } from "../client.ts";
import { hmacHex } from "../../hmac.ts";
import { GITHUB_SECRET, SLACK_SECRET, STANDARD_SECRET } from "../hook-senders.ts";
import type { Session } from "../worker.ts";
import worker from "../worker.ts";
import type { Body } from "./body.ts";
import type { Pair } from "./places.ts";
import type { Plan } from "./plans.ts";
import { LINK_SECRET, type World } from "./world.ts";

export interface Exchange {
  readonly plan: Plan;
  readonly url: URL;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly status: number;
  readonly answered: Headers;
  readonly text: string;
  /** Rows that were written by each object that was asked, by its name. */
  readonly rows: ReadonlyMap<string, number>;
}

/** More than any answer here takes: who sends more does not stop by itself. */
const ANSWER_BYTES = 8 * 1_024 * 1_024;

const { SESSION } = env as unknown as { readonly SESSION: DurableObjectNamespace<Session> };

/** Rows before the first call, of each object that the request under way has asked. */
let asked = new Map<string, Promise<number>>();

/** The namespace as it is, but for a note of who was asked. */
const watched = {
  getByName: (name: string) => {
    const stub = SESSION.getByName(name);
    return new Proxy(stub, {
      get: (target, method) => {
        const remote = Reflect.get(target, method) as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          const before = asked.get(name) ?? SESSION.getByName(name).rowsWritten();
          asked.set(name, Promise.resolve(before));
          await before;
          return Reflect.apply(remote, target, args);
        };
      },
    });
  },
};
const bindings = { ...env, SESSION: watched };

/** `variables`: a configuration other than the tests' own. */
export async function exchange(
  world: World,
  plan: Plan,
  variables: object = {},
): Promise<Exchange> {
  const request = await requestOf(world, plan);
  const { url, headers, bytes } = request;
  asked = new Map();
  const response = await worker.fetch(
    request.made(),
    { ...bindings, ...variables },
    createExecutionContext(),
  );
  const text = await readText(response);
  const rows = new Map<string, number>();
  for (const [name, before] of asked)
    rows.set(name, (await SESSION.getByName(name).rowsWritten()) - (await before));
  return {
    plan,
    url,
    headers,
    bytes,
    status: response.status,
    answered: response.headers,
    text,
    rows,
  };
}

/** Waits until nothing goes on in a session that an accepted request has set going. */
export async function atRest(object: string): Promise<void> {
  const [workspace, key] = object.split("/");
  const stub = stubOf(`sess_${key}`, workspace) as unknown as Resting;
  for (;;) {
    const read = await stub.readSession(100);
    const busy = read.ok ? read.value.turns.find(({ status }) => status === "running") : undefined;
    if (busy === undefined) return;
    if (busy.nextRetryAt === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
    else await stub.cancelTurn(Number.parseInt(busy.id.slice(-8), 16), undefined);
  }
}

interface Resting {
  readSession(limit: number): Promise<Read>;
  cancelTurn(n: number, reason: string | undefined): Promise<unknown>;
}

type Read =
  | {
      readonly ok: true;
      readonly value: {
        readonly turns: readonly { id: string; status: string; nextRetryAt?: string }[];
      };
    }
  | { readonly ok: false };

interface Made {
  readonly url: URL;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly made: () => Request;
}

async function requestOf(world: World, plan: Plan): Promise<Made> {
  const query = plan.query.map((pair) => pair.map((part) => encoded(world.spell(part))).join("="));
  const address = `${ORIGIN}${world.spell(plan.path)}${query.length > 0 ? `?${query.join("&")}` : ""}`;
  const url = new URL(address);
  const headers = new Headers();
  for (const [name, value] of plan.headers) headers.append(name, world.spell(value));
  const { body } = plan;
  const token = url.pathname.split("/")[2] ?? "";
  const nonce = await signNonce(LINK_SECRET, token, Date.now());
  const spell = (text: string) => world.spell(text).replaceAll("{{nonce}}", nonce);
  const bytes = body === undefined ? new Uint8Array(0) : await bytesOf(body, spell, headers);
  await sign(plan, headers, bytes);
  const sent = body === undefined ? undefined : streamOf(bytes, body.chunks);
  const { method } = plan;
  const init = { method, headers, ...(sent !== undefined && { body: sent }) };
  return { url, headers, bytes, made: () => new Request(address, init) };
}

/** Half of a surrogate pair can't be written into an address: a browser sends the replacement character. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

async function bytesOf(
  body: Body,
  spell: (text: string) => string,
  headers: Headers,
): Promise<Uint8Array> {
  switch (body.form) {
    case "filler":
      headers.set("content-type", "application/json");
      return new Uint8Array(body.bytes).fill(0x20);
    case "text":
      headers.set("content-type", body.type);
      return spoilt(spell(body.text), body.spoilt);
    case "fields":
      headers.set("content-type", "application/x-www-form-urlencoded");
      return utf8(body.fields.map(([name, value]) => fieldOf([name, spell(value)])).join("&"));
    case "parts": {
      const form = new FormData();
      for (const [name, value] of body.fields) form.append(name, spell(value));
      const multipart = new Response(form);
      headers.set("content-type", multipart.headers.get("content-type") ?? "");
      return new Uint8Array(await multipart.arrayBuffer());
    }
  }
}

function fieldOf(pair: Pair): string {
  return pair.map(encoded).join("=");
}

function spoilt(text: string, how: Extract<Body, { form: "text" }>["spoilt"]): Uint8Array {
  const bytes = utf8(text);
  const middle = Math.floor(bytes.length / 2);
  const split = (...between: number[]) =>
    Uint8Array.of(...bytes.subarray(0, middle), ...between, ...bytes.subarray(middle));
  switch (how) {
    case "no":
      return bytes;
    case "bom":
      return utf8(`\ufeff${text}`);
    case "latin":
      return Uint8Array.from(text.slice(0, 10_000), (character) => character.charCodeAt(0) & 0xff);
    case "surrogate":
      return bytes.length > 10_000 ? bytes : split(0xed, 0xa0, 0x80);
    case "cut":
      return bytes.subarray(0, middle);
    case "twice":
      return utf8(text + text);
    case "utf-16":
      return new Uint8Array(Uint16Array.from(text, (unit) => unit.charCodeAt(0)).buffer);
    case "nul":
      return bytes.length > 10_000 ? bytes : split(0);
  }
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** In one piece, or as a stream whose length nobody says beforehand. */
function streamOf(bytes: Uint8Array, chunks: number): BodyInit {
  if (chunks === 0) return bytes;
  const size = Math.max(1, Math.ceil(bytes.length / chunks));
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
}

async function sign(plan: Plan, headers: Headers, bytes: Uint8Array): Promise<void> {
  const body = new TextDecoder().decode(bytes);
  const now = new Date();
  const time = String(Math.floor(now.getTime() / 1_000));
  switch (plan.signature) {
    case undefined:
      return;
    case "broken":
      headers.set("x-hub-signature-256", `sha256=${"0".repeat(64)}`);
      headers.set("x-slack-signature", "v0=");
      headers.set("webhook-signature", "v1,AAAA v1a,x");
      return;
    case "github":
      headers.set("x-github-delivery", "fuzzed");
      headers.set("x-github-event", "issues");
      headers.set("x-hub-signature-256", `sha256=${await hmacHex(GITHUB_SECRET, bytes)}`);
      return;
    case "standard":
      headers.set("webhook-id", "msg_fuzzed");
      headers.set("webhook-timestamp", time);
      headers.set("webhook-signature", new Webhook(STANDARD_SECRET).sign("msg_fuzzed", now, body));
      return;
    case "slack":
      headers.set("x-slack-request-timestamp", time);
      headers.set(
        "x-slack-signature",
        `v0=${await hmacHex(SLACK_SECRET, utf8(`v0:${time}:${body}`))}`,
      );
      return;
  }
}

/** A stream of events does not end while its turn is open: what is there at once is enough. */
async function readText(response: Response): Promise<string> {
  if (response.body === null) return "";
  if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) {
    await response.body.cancel();
    return "";
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length > ANSWER_BYTES) throw new Error(`an answer of ${bytes.length} bytes`);
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}
