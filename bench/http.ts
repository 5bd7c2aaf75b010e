/**
 * Owns: the calls of the load driver: HTTP over connections that are kept, the same for all that is measured.
 */

import { Pool } from "undici";

export const CONNECTIONS = 32;

export interface Client {
  call<T>(
    method: "GET" | "POST",
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<T>;
  close(): Promise<void>;
}

export function openClient(origin: string, headers: Readonly<Record<string, string>> = {}): Client {
  const pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1 });
  return {
    async call<T>(
      method: "GET" | "POST",
      path: string,
      body?: unknown,
      more: Readonly<Record<string, string>> = {},
    ) {
      const { statusCode, body: answer } = await pool.request({
        method,
        path,
        headers: {
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
          ...more,
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await answer.text();
      if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${text}`);
      return JSON.parse(text) as T;
    },
    close: () => pool.close(),
  };
}
