/**
 * Owns: a request to the Worker under another configuration than the tests' own.
 */

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { ORIGIN } from "./client.ts";
import worker from "./worker.ts";

export async function requestUnder(
  variables: object,
  method: string,
  path: string,
  {
    body,
    headers = {},
  }: { readonly body?: unknown; readonly headers?: Record<string, string> } = {},
): Promise<Response> {
  const context = createExecutionContext();
  const request = new Request(`${ORIGIN}${path}`, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const response = await worker.fetch(request, { ...env, ...variables }, context);
  await waitOnExecutionContext(context);
  return response;
}
