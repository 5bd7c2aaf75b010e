/**
 * Owns: the example's page as it is deployed: built, and served by its own Worker, which hands its requests on to a
 * development server with the key.
 */

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import worker, { type Env } from "../../../examples/chat/worker.ts";
import { environment } from "../../process/dev-server.ts";

const REPOSITORY = join(import.meta.dirname, "../../..");

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
};

export interface ChatPage extends AsyncDisposable {
  readonly origin: string;
  /** Breaks off all answers that are under way. */
  breakOff(): void;
}

/** Builds the page into a folder, and serves it. `failed` hears of what could not be handed on. */
export async function serveChatPage(
  holdpoint: string,
  folder: string,
  failed: (error: unknown) => void,
): Promise<ChatPage> {
  const args = ["vite", "build", "examples/chat", "--outDir", folder, "--emptyOutDir"];
  await promisify(execFile)("npx", args, { cwd: REPOSITORY, env: environment(tmpdir()) });
  const env: Env = {
    ASSETS: { fetch: (request) => readAsset(folder, new URL(request.url).pathname) },
    HOLDPOINT_URL: holdpoint,
    HOLDPOINT_KEY: "dev-key",
  };
  const open = new Set<ServerResponse>();
  const server = createServer((incoming, outgoing) => {
    open.add(outgoing);
    outgoing.once("close", () => open.delete(outgoing));
    void relay(env, incoming, outgoing, failed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    breakOff: () => {
      for (const outgoing of open) outgoing.destroy();
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readAsset(folder: string, pathname: string): Promise<Response> {
  const file = join(folder, pathname === "/" ? "index.html" : pathname);
  const bytes = await readFile(file).catch(() => undefined);
  if (bytes === undefined) return new Response(null, { status: 404 });
  return new Response(bytes, { headers: { "content-type": TYPES[extname(file)] ?? "" } });
}

/** As it comes: a chat's answer is a stream that may stay open for long. */
async function relay(
  env: Env,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  failed: (error: unknown) => void,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  const { method = "GET" } = incoming;
  const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method,
    signal: gone.signal,
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  try {
    const response = await worker.fetch(request, env);
    outgoing.writeHead(response.status, {
      "content-type": response.headers.get("content-type") ?? "text/plain",
    });
    if (response.body === null) outgoing.end();
    else await pipeline(Readable.fromWeb(response.body as never), outgoing);
  } catch (error) {
    // Else the page let go of it.
    if (!gone.signal.aborted) failed(error);
    outgoing.destroy();
  }
}
