/**
 * Owns: what holds for every request, whatever it is: who is told what, in which form, and that a refusal changes nothing.
 */

import { expect } from "vitest";
import { PROBLEMS } from "../../../src/core/problem.ts";
import { SERVICE_STATUS } from "../../../src/core/service.ts";
import { expectDocumented } from "../documented.ts";
import type { Exchange } from "./exchange.ts";
import { MARKERS } from "./world.ts";

/** Of a refusal: what it says of an input is bounded, and names of the input are shown in part. */
const REFUSAL_BYTES = 64 * 1_024;
/** Of what an accepted request writes before it is answered. */
const ROWS = 64;

const STATUS_OF_PAGES = [200, 400, 403, 404, 405, 409, 410, 413, 415, 422, 429];

/** `isQuiet`: nothing else is under way in the sessions, such as telling an inbox, that would write beside the request. */
export async function provesSound(done: Exchange, isQuiet: boolean): Promise<void> {
  const { status, answered, text, plan } = done;
  const method = done.plan.method;
  expect(answered.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
  // A form comes back with what was typed, which is escaped.
  const typed = isPage(done) ? 8 * done.bytes.length : 0;
  expect(text.length).toBeLessThan(status < 400 ? 4_000_000 : REFUSAL_BYTES + typed);
  expect(text).not.toMatch(/\n\s+at .+:\d+|a secret for tests only|Bearer dev-key/);
  if (status >= 500) proveNotConfigured(done);
  if (method === "HEAD") expect(text).toBe("");
  else if (isPage(done)) provePage(done);
  else if (status >= 400) proveRefusal(done);
  if (method !== "HEAD") {
    const { url, answered: headers } = done;
    const body = text === "" ? null : text;
    await expectDocumented(method, url.href, new Response(body, { status, headers }));
  }
  if (isQuiet) proveUnchanged(done);
  proveKept(done);
  if (/^\/(?:api\/)?v1\//.test(done.url.pathname))
    expect(answered.get("cache-control"), plan.path).toBe("no-store");
}

function isPage({ url }: Exchange): boolean {
  return url.pathname.startsWith("/a/");
}

/** A binding or a secret that is missing is said with its name, and is no error of ours. */
function proveNotConfigured({ status, text, plan }: Exchange): void {
  expect(status).toBe(503);
  if (plan.method !== "HEAD") expect(text).toMatch(/INBOX|[A-Z]+_SECRET/);
}

function proveRefusal({ status, answered, text, url }: Exchange): void {
  if (url.pathname.startsWith("/api/")) {
    expect(answered.get("content-type")).toBe("application/json");
    const { error } = JSON.parse(text) as {
      readonly error: { readonly code: keyof typeof SERVICE_STATUS };
    };
    expect(Object.keys(error)).toEqual(["code", "message", "details", "request_id"]);
    expect(error).toMatchObject({
      message: expect.any(String),
      request_id: answered.get("x-request-id"),
    });
    expect(SERVICE_STATUS[error.code]).toBe(status);
    return;
  }
  expect(answered.get("content-type")).toBe("application/problem+json");
  const problem = JSON.parse(text) as {
    readonly code: keyof typeof PROBLEMS;
    readonly issues?: unknown;
  };
  expect(problem).toEqual({
    type: "about:blank",
    title: expect.any(String),
    status,
    detail: expect.any(String),
    code: expect.any(String),
    instance: answered.get("x-request-id"),
    ...(problem.issues !== undefined && { issues: expect.any(Array) }),
  });
  expect(PROBLEMS[problem.code].status).toBe(status);
  if (status === 405) expect(answered.get("allow")).toMatch(/^[A-Z]+(?:, [A-Z]+)*$/);
  if (status === 401) expect(answered.get("www-authenticate")).toMatch(/^(?:Bearer|Signature)/);
}

function provePage({ status, answered, text }: Exchange): void {
  expect(STATUS_OF_PAGES).toContain(status);
  expect(answered.get("content-type")).toBe("text/html; charset=utf-8");
  expect(answered.get("content-security-policy")).toMatch(/^default-src 'none'/);
  expect(answered.get("referrer-policy")).toBe("no-referrer");
  expect(answered.get("cache-control")).toBe("no-store");
  expect(answered.get("x-content-type-options")).toBe("nosniff");
  expect(text).not.toMatch(/<script|javascript:|\son[a-z]+=/i);
}

const DOOR = new Set([401, 403, 405, 413, 415]);

/** A refused request writes nothing, nor does one that only reads; what is refused at the door wakes nobody. */
function proveUnchanged({ status, plan, rows, url }: Exchange): void {
  const written = [...rows.values()].reduce((sum, each) => sum + each, 0);
  const reads = plan.method === "GET" || plan.method === "HEAD" || plan.method === "OPTIONS";
  if (status >= 400 || reads) expect(Object.fromEntries(rows)).toEqual(nothing(rows));
  else expect(written).toBeLessThan(ROWS);
  const isOpen = url.pathname.startsWith("/a/") && status !== 404;
  if (DOOR.has(status) && !isOpen) expect([...rows.keys()]).toEqual([]);
}

function nothing(rows: Exchange["rows"]): object {
  return Object.fromEntries(Array.from(rows.keys(), (name) => [name, 0]));
}

/** What is in one workspace is never told to a caller from another, nor to one without a key. */
function proveKept({ headers, url, text }: Exchange): void {
  const key = headers.get("authorization")?.trim();
  if (url.pathname.startsWith("/a/")) return;
  if (key !== "Bearer dev-key" && key !== "Bearer reader") expect(text).not.toContain(MARKERS.dev);
  if (key !== "Bearer other") expect(text).not.toContain(MARKERS.other);
}
