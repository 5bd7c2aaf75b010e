/**
 * The page's own Worker: it serves the page, and hands its requests on to Holdpoint with the key, which no browser ever
 * sees. Here your app knows who asks: a key of Holdpoint's opens every chat of its workspace, so this is the place that
 * says whose chat it is, and who answers.
 */

export interface Env {
  readonly ASSETS: { readonly fetch: (request: Request) => Promise<Response> };
  /** Where Holdpoint is, without a slash at its end. */
  readonly HOLDPOINT_URL: string;
  /** A secret: a key with the rights run, read and answer. */
  readonly HOLDPOINT_KEY: string;
}

const CHAT_PATH = /^\/api\/chat(?:\/([\w-]{1,100})(?:\/stream)?)?$/;

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const match = CHAT_PATH.exec(pathname);
    if (match === null) return env.ASSETS.fetch(request);
    const user = userOf(request);
    const body = request.method === "POST" ? await readBody(request) : undefined;
    const chat = match[1] ?? body?.["id"];
    if (user === undefined || typeof chat !== "string" || !mayUse(user, chat))
      return new Response("This chat is not yours.", { status: 403 });
    return fetch(`${env.HOLDPOINT_URL}${pathname.replace("/api", "/v1")}${search}`, {
      method: request.method,
      headers: {
        authorization: `Bearer ${env.HOLDPOINT_KEY}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify({ ...body, answeredBy: user }) }),
      signal: request.signal,
    });
  },
};

/** Put your app's sign-in in its place. */
function userOf(_request: Request): string | undefined {
  return "visitor";
}

/** Put your app's own rule in its place. */
function mayUse(_user: string, _chat: string): boolean {
  return true;
}

async function readBody(request: Request): Promise<Record<string, unknown>> {
  const body: unknown = await request.json().catch(() => undefined);
  return typeof body === "object" && body !== null ? { ...body } : {};
}
