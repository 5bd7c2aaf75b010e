/// <reference types="node" />
/**
 * Owns: a real HTTP server on loopback for a test: it records what arrives and answers as the test says.
 */

import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  /** Settles when the connection is gone, whoever ended it. */
  readonly closed: Promise<void>;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface Loopback extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
}

/** A body that is a string is sent as it is, anything else as JSON. */
export async function loopback(
  answer: (request: Received) => Answer | Promise<Answer>,
): Promise<Loopback> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url: path = "", headers } = request;
    const closed = new Promise<void>((resolve) => response.once("close", () => resolve()));
    const arrived = { method, path, headers, text: await text(request), closed };
    received.push(arrived);
    const { status = 200, headers: extra = {}, body } = await answer(arrived);
    const isText = typeof body === "string";
    response.writeHead(status, {
      "content-type": isText ? "text/plain" : "application/json",
      ...extra,
    });
    response.end(isText ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
