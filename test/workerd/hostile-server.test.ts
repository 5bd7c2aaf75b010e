import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { type ClientOptions, createClient, HoldpointUnreachable } from "../../src/client.ts";
import { ORIGIN } from "./client.ts";

type Fetch = NonNullable<ClientOptions["fetch"]>;

function clientOf(answer: Fetch) {
  return createClient({ url: ORIGIN, key: "dev-key", retryDelayMs: 1, fetch: answer });
}

async function errorOf(call: () => Promise<unknown>): Promise<Error> {
  const outcome = await (async () => call())().catch((error: unknown) => error);
  return outcome instanceof Error ? outcome : expect.fail("it was accepted");
}

async function all(list: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for await (const item of list) found.push(item);
  return found;
}

it.each([
  "localhost:8787",
  "ask.example.com",
  "",
  "ftp://ask.example.com",
  "file:///etc/passwd",
  "https://user:hunter2@ask.example.com",
  "https://ask.example.com?x=hunter2",
  "https://ask.example.com#hunter2",
])("says at once that %j is no address of a Worker, and repeats nothing of it", async (url) => {
  const error = await errorOf(async () => createClient({ url, key: "dev-key" }));
  expect(error.message).toMatch(/^createClient: url must be an address such as/);
  expect(error.message).not.toContain("hunter2");
});

it.each(["hunter2\nx", "hunter2€", "hunter2 ", "\u0000hunter2", ""])(
  "says at once that %j is no key, and does not show it",
  async (key) => {
    const error = await errorOf(async () => createClient({ url: ORIGIN, key }));
    expect(error.message).toBe("createClient: key must be visible ASCII characters without spaces");
  },
);

it("follows no redirect, which would make another call of it and take the key elsewhere", async () => {
  const modes: string[] = [];
  const moved = clientOf((request) => {
    modes.push(request.redirect);
    return Promise.resolve(
      new Response(null, { status: 302, headers: { location: "https://evil.example/" } }),
    );
  });
  const error = await errorOf(() => moved.turns.start({ input: "go" }));
  expect(error).toBeInstanceOf(HoldpointUnreachable);
  expect(error).toMatchObject({
    status: 302,
    message: "POST /v1/turns: a redirect, which is not followed",
  });
  expect(modes).toEqual(["manual"]);
});

it("goes through no list that is none, and through none without an end", async () => {
  for (const body of [
    null,
    [],
    {},
    { items: {}, nextCursor: null },
    { items: [1] },
    { items: [], nextCursor: 7 },
    { items: [], nextCursor: "same" },
  ]) {
    const garbage = clientOf(() => Promise.resolve(Response.json(body)));
    const error = await errorOf(() => all(garbage.questions.list()));
    expect(error, JSON.stringify(body)).toBeInstanceOf(HoldpointUnreachable);
  }
});

it("takes no document for a problem of Holdpoint's that lacks what one has", async () => {
  const problem = { code: "not_found", status: 404, detail: "No.", instance: "req_1" };
  for (const more of [{ instance: undefined }, { issues: {} }, { issues: [null] }, { code: 1 }]) {
    const proxy = clientOf(() =>
      Promise.resolve(Response.json({ ...problem, ...more }, { status: 404 })),
    );
    const error = await errorOf(() => proxy.questions.get("q_1"));
    expect(error, JSON.stringify(more)).toBeInstanceOf(HoldpointUnreachable);
  }
});

it("follows no page in place of a stream of events", async () => {
  const portal = clientOf(() =>
    Promise.resolve(new Response("<p>Sign in", { headers: { "content-type": "text/html" } })),
  );
  const error = await errorOf(() => all(portal.turns.events("turn_1")));
  expect(error.message).toBe("GET /v1/turns/turn_1/events: no stream of events");
});

it("gives up on an event without an end", async () => {
  const piece = new TextEncoder().encode("x".repeat(1024 * 1024));
  let sent = 0;
  const endless = clientOf(() => {
    const body = new ReadableStream({
      pull: (stream) => {
        sent += 1;
        // Whoever reads on must not do so for ever in a test.
        if (sent > 64) stream.error(new TypeError("enough"));
        else stream.enqueue(piece);
      },
    });
    const headers = { "content-type": "text/event-stream" };
    return Promise.resolve(new Response(body, { headers }));
  });
  const error = await errorOf(() => all(endless.turns.events("turn_1")));
  expect(error.message).toMatch(/buffer/i);
  expect(sent).toBeLessThan(24);
});

it("never reaches another path than the one that a name was put into", async () => {
  const client = clientOf((request) => exports.default.fetch(request));
  for (const dots of [".", ".."]) {
    const start = () => client.turns.start({ agent: "playground", input: "go" }, { session: dots });
    expect(await errorOf(start)).toMatchObject({ code: "invalid_request" });
    expect(await errorOf(() => client.sessions.erase(dots))).toMatchObject({
      code: "invalid_request",
    });
    expect(await errorOf(() => client.turns.get(dots))).toMatchObject({ code: "not_found" });
    const ask = () => client.questions.ask({ question: "Who?", sessionId: dots });
    expect(await errorOf(ask)).toMatchObject({ code: "invalid_request" });
  }
});
