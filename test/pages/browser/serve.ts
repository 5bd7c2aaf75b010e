/** Serves an app on loopback, for a real browser. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface App {
  readonly fetch: (request: Request) => Response | Promise<Response>;
}

export interface Served {
  readonly origin: string;
  /** Method and path of each request, in order. */
  readonly requests: string[];
  readonly close: () => Promise<void>;
}

export async function serve(app: App): Promise<Served> {
  const requests: string[] = [];
  const server = createServer((incoming, outgoing) => {
    requests.push(`${incoming.method} ${incoming.url}`);
    void relay(app, incoming, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function relay(app: App, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
  const { method = "GET" } = incoming;
  const hasBody = method !== "GET" && method !== "HEAD";
  const response = await app.fetch(
    new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method,
      headers,
      ...(hasBody && { body: Buffer.concat(chunks) }),
    }),
  );
  // The browser is to let go of the connection, so that the server can close.
  outgoing.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    connection: "close",
  });
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}
