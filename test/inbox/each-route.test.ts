import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { createClient, type Question } from "../../src/client.ts";
import { ALL_OPERATIONS } from "../../src/openapi/document.ts";
import { IDS } from "../../src/openapi/examples.ts";
import { fetchDocumented, ORIGIN } from "../workerd/client.ts";
import { operationOf } from "../workerd/documented.ts";
import { signedForm } from "../fake-slack.ts";
import { hmacHex } from "../hmac.ts";
import { GITHUB_SECRET } from "../workerd/hook-senders.ts";

const { SLACK_SIGNING_SECRET } = env as unknown as Record<"SLACK_SIGNING_SECRET", string>;
const ASKING = [
  { calls: [{ toolName: "ask_person", input: { question: "May we?" } }] },
  { calls: [{ toolName: "await_tasks", input: { taskIds: ["$task:1"] } }] },
  { text: "Done." },
];
const CALLING = [{ calls: [{ toolName: "client_tool", input: {}, toolCallId: "c1" }] }];

/** Sends a request, and notes which operation took it and with which status. */
function watched() {
  const taken = new Map<string, Set<number>>();
  async function send(request: Request): Promise<Response> {
    const { method, url } = request;
    const response = await fetchDocumented(request);
    const id = operationOf(method, url)?.operationId;
    if (id !== undefined) taken.set(id, (taken.get(id) ?? new Set<number>()).add(response.status));
    return response;
  }
  const client = createClient({ url: ORIGIN, key: "dev-key", fetch: send });
  /** JSON on a route that the client has not. */
  async function call<T>(method: string, path: string, body?: unknown, headers = {}): Promise<T> {
    const init = {
      method,
      headers: { authorization: "Bearer dev-key", "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    return (await send(new Request(`${ORIGIN}${path}`, init))).json();
  }
  const isTaken = (id: string, ok: boolean) =>
    [...(taken.get(id) ?? [])].some((status) => status < 400 === ok);
  return { send, client, call, isTaken };
}

type Watched = ReturnType<typeof watched>;

it("answers each route as the document of the API says, by the client where it has one", async () => {
  const all = watched();
  await turns(all);
  await questions(all);
  await others(all);
  await chat(all);
  await service(all);
  await unkeyed(all);
  const missing = ALL_OPERATIONS.filter(({ id }) => !all.isTaken(id, true));
  expect(missing.map(({ id }) => id)).toEqual([]);
});

it("refuses on each route as the document of the API says", async () => {
  const { send, isTaken } = watched();
  for (const { route, body, right, surface } of ALL_OPERATIONS) {
    const [method = "", pattern = ""] = route.split(" ");
    const path = pattern.replaceAll(
      /\{(\w+)\}/g,
      (_, name: string) => (IDS as Readonly<Record<string, string>>)[name] ?? "none",
    );
    const example = Object.values(body?.examples ?? {})[0];
    for (const key of ["dev-key", "no key of ours"])
      await send(
        new Request(`${ORIGIN}${path}`, {
          method,
          headers: {
            ...(right !== undefined && { authorization: `Bearer ${key}` }),
            ...(surface === "service" && { "idempotency-key": "refused" }),
            "content-type": body?.type ?? "application/json",
          },
          ...(example !== undefined && { body: JSON.stringify(example) }),
        }),
      );
  }
  const missing = ALL_OPERATIONS.filter(({ id }) => !isTaken(id, false));
  expect(missing.map(({ id }) => id)).toEqual(["readHealth"]);
});

async function turns({ client }: Watched): Promise<void> {
  const playing = (script: unknown) =>
    ({ agent: "playground", input: "go", extraBody: { script: script as never } }) as const;
  const parked = await client.turns.start(playing(ASKING), { waitSeconds: 20 });
  await client.turns.get(parked.id);
  await client.sessions.get(parked.sessionId);
  const reading = new AbortController();
  const types: string[] = [];
  for await (const { type } of client.turns.events(parked.id)) {
    types.push(type);
    if (type === "turn.parked") break;
  }
  for await (const event of client.sessions.events(parked.sessionId, { signal: reading.signal }))
    if (event.type === "turn.parked") break;
  expect(types).toContain("question.asked");
  await client.turns.cancel(parked.id, { reason: "Enough." });
  await client.sessions.messages(parked.sessionId);
  await vi.waitFor(async () => {
    const found: string[] = [];
    for await (const { id } of client.turns.list({ status: "cancelled", limit: 1 })) found.push(id);
    expect(found).toContain(parked.id);
  });

  const session = "each-route";
  const calling = await client.turns.start(playing(CALLING), { session, waitSeconds: 20 });
  const results = { approvals: {}, calls: { c1: { status: "returned", value: {} } } } as const;
  await client.turns.settle(calling.id, results);
  expect(await client.turns.wait(calling.id)).toMatchObject({ status: "completed" });
  const failing = await client.turns.start(playing([{ fail: { status: 400 } }]), { session });
  expect(await client.turns.wait(failing.id)).toMatchObject({ status: "failed" });
  await client.turns.retry(failing.id);
  await client.turns.wait(failing.id);
  await client.sessions.erase(session);
}

async function questions({ client, send }: Watched): Promise<void> {
  const ask = (key: string): Promise<Question> =>
    client.questions.ask({ question: "Go on?", sessionId: "each-question", key });
  const [first, second, third] = await Promise.all([ask("1"), ask("2"), ask("3")]);
  const { requestId } = first;
  expect(await client.questions.get(requestId)).toEqual(first);
  await client.questions.deliver(requestId);
  await client.questions.answer(requestId, { answer: { text: "Yes." }, answeredBy: "dana" });
  await client.questions.decline(second.requestId, { answeredBy: "dana", reason: "No." });
  await client.questions.cancel(third.requestId);
  const open = await ask("4");
  const waiting = await client.questions.list({ sessionId: "each-question" }).page();
  expect(waiting.items.map((item) => item.requestId)).toEqual([open.requestId]);

  const path = new URL(open.answerUrl ?? "").pathname;
  const page = await send(new Request(`${ORIGIN}${path}`));
  const nonce = /name="nonce" value="([^"]*)"/.exec(await page.text())?.[1] ?? "";
  const body = new URLSearchParams({ nonce, text: "Yes." });
  await send(new Request(`${ORIGIN}${path}`, { method: "POST", body }));
  expect(await client.questions.get(open.requestId)).toMatchObject({ answeredVia: "page" });
}

async function others({ client }: Watched): Promise<void> {
  const turn = await client.turns.start(
    {
      agent: "desk",
      input: "go",
      extraBody: { script: [{ calls: [{ toolName: "pay", input: { amount: 5 } }] }] as never },
    },
    { session: "each-delivery", waitSeconds: 20 },
  );
  const requestId = turn.waitingFor?.[0]?.requestId ?? "";
  await client.questions.assign(requestId, "kim");
  await vi.waitFor(async () => {
    const { items } = await client.deliveries
      .list({ sessionId: "each-delivery", status: "all" })
      .page();
    expect(items).not.toEqual([]);
    await client.deliveries.retry(items[0]?.id ?? "");
  });
  await client.turns.resumeParked({ limit: 1 });
  await client.turns.countParked({ by: "tool" });
  await client.inbox.overdue();
  await client.inbox.metrics();
  await client.inbox.rebuild();
}

async function chat({ call, send }: Watched): Promise<void> {
  const headers = { authorization: "Bearer dev-key", "content-type": "application/json" };
  const message = { id: "m1", role: "user", parts: [{ type: "text", text: "go" }] };
  const body = JSON.stringify({
    id: "each-chat",
    agent: "playground",
    messages: [message],
    extraBody: { script: [{ text: "Done." }] },
  });
  const told = await send(new Request(`${ORIGIN}/v1/chat`, { method: "POST", headers, body }));
  expect(await told.text()).toContain('"status":"completed"');
  const { messages } = await call<{ messages: readonly object[] }>("GET", "/v1/chat/each-chat");
  expect(messages).toHaveLength(2);
  const after = await send(new Request(`${ORIGIN}/v1/chat/each-chat/stream`, { headers }));
  expect(after.status).toBe(204);
}

interface Started {
  readonly thread: { readonly id: string };
  readonly entry: { readonly id: string };
  readonly run: { readonly id: string };
}

async function service({ call }: Watched): Promise<void> {
  const open = (script: unknown) => ({
    agent_id: "playground",
    payload: { content: [{ type: "json", value: { script } }] },
  });
  const started = await call<Started>("POST", "/api/v1/threads", open(CALLING));
  const thread = `/api/v1/threads/${started.thread.id}`;
  const run = `/api/v1/runs/${started.run.id}`;
  await call("GET", thread);
  await call("GET", `${thread}/inbox/${started.entry.id}`);
  await vi.waitFor(async () => expect(await call("GET", run)).toMatchObject({ status: "waiting" }));
  await call("GET", `${thread}/runs?limit=1`);
  const batch = { approvals: {}, calls: { c1: { status: "returned", value: {} } } };
  await call("POST", `${run}/resume`, batch, { "idempotency-key": "each-route" });
  const slow = open([{ text: "Late.", delayMs: 60_000 }]);
  const sent = await call<Started>("POST", `${thread}/inbox`, slow);
  await vi.waitFor(async () => {
    const { assigned_run_id: id } = await call<{ assigned_run_id: string }>(
      "GET",
      `${thread}/inbox/${sent.entry.id}`,
    );
    expect(await call("POST", `/api/v1/runs/${id}/interrupt`, {})).toMatchObject({
      status: "cancelled",
    });
  });
}

async function unkeyed({ call, send }: Watched): Promise<void> {
  await send(new Request(`${ORIGIN}/healthz`));
  const event = { say: "Look." };
  const headers = {
    "x-github-event": "issues",
    "x-github-delivery": "each-route",
    "x-hub-signature-256": `sha256=${await hmacHex(GITHUB_SECRET, JSON.stringify(event))}`,
  };
  await call("POST", "/v1/hooks/github", event, headers);
  const opened = { type: "block_actions", user: { id: "U0DANA" } };
  const click = await signedForm(opened, { secret: SLACK_SIGNING_SECRET });
  await send(new Request(`${ORIGIN}/v1/slack/interactions`, { method: "POST", ...click }));
}
