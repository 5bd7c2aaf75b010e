import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { HoldpointBinding, Reply, TurnStart } from "../../src/binding.ts";
import type { TurnView } from "../../src/core/turn-view.ts";
import { type DevServer, startDevServer, temporaryFolder } from "./dev-server.ts";

const REPOSITORY = join(import.meta.dirname, "../..");
const BOTH = [
  "-c",
  "test/fixtures/bound/wrangler.toml",
  "-c",
  "test/fixtures/bound/holdpoint.toml",
];
const ASKING: TurnStart = {
  agent: "playground",
  input: "go",
  extraBody: {
    script: [
      { calls: [{ toolName: "ask_person", input: { question: "Go on?" } }] },
      { calls: [{ toolName: "await_tasks", input: { taskIds: ["$task:1"] } }] },
      { text: "end" },
    ],
  },
};
const FORM = {
  questions: [
    {
      question: "Which?",
      header: "Which",
      options: [
        { label: "One", description: "The first." },
        { label: "Two", description: "The second." },
      ],
    },
  ],
};

const cleanUp = new AsyncDisposableStack();
let server: DevServer;

/** Two Workers in one runtime: the one that is called over HTTP calls the other by its bindings. */
beforeAll(async () => {
  // Left beside its configuration by a server that is killed.
  cleanUp.defer(() =>
    rm(join(REPOSITORY, "test/fixtures/bound/.wrangler"), { recursive: true, force: true }),
  );
  const folder = cleanUp.use(await temporaryFolder());
  const start = { command: "npm", args: ["run", "dev", "--", ...BOTH], cwd: REPOSITORY };
  server = cleanUp.use(await startDevServer({ folder: folder.path, start }));
});

afterAll(() => cleanUp.disposeAsync());

/** The binding of that name, as the Worker that has it sees it. */
function bound(binding: string): HoldpointBinding {
  const group = (calls: string) =>
    new Proxy(
      {},
      {
        get:
          (_target, name) =>
          async (...args: unknown[]) => {
            const body = JSON.stringify({ binding, calls, name, args });
            const response = await fetch(`${server.url}/call`, { method: "POST", body });
            if (!response.ok) throw new Error(await response.text());
            return response.json();
          },
      },
    );
  return {
    turns: group("turns"),
    questions: group("questions"),
    sessions: group("sessions"),
  } as unknown as HoldpointBinding;
}

const BOUND = bound("HOLDPOINT");
const READER = bound("READER");
const NOBODY = bound("NOBODY");

function onlyRequest({ waitingFor = [] }: TurnView): string {
  expect(waitingFor).toHaveLength(1);
  return waitingFor[0]?.requestId ?? expect.fail("it waits for no question");
}

function valueOf<T>(reply: Reply<T>): T {
  return reply.ok ? reply.value : expect.fail(`refused: ${JSON.stringify(reply.refusal)}`);
}

function refusalOf(reply: Reply<unknown>): object {
  return reply.ok ? expect.fail("it was accepted") : reply.refusal;
}

it("starts a turn, answers its question, and waits for its end", async () => {
  const parked = valueOf(await BOUND.turns.start(ASKING, { waitSeconds: 10 }));
  expect(parked.status).toBe("parked");
  const requestId = onlyRequest(parked);
  expect(valueOf(await BOUND.turns.get(parked.id))).toEqual(parked);
  const asked = valueOf(await BOUND.questions.get(requestId));
  expect(asked.answerUrl).toMatch(/^https:\/\/holdpoint\.test\/a\//);
  const answer = { answer: { text: "Yes." }, answeredBy: "dana" };
  const answered = valueOf(await BOUND.questions.answer(requestId, answer));
  expect(answered).toMatchObject({ status: "answered", answeredBy: "dana" });
  expect(valueOf(await BOUND.turns.wait(parked.id))).toMatchObject({
    status: "completed",
    text: "end",
  });
  const session = valueOf(await BOUND.sessions.get(parked.sessionId));
  expect(session.turns.map(({ id }) => id)).toEqual([parked.id]);
  const { messages } = valueOf(await BOUND.sessions.messages(parked.sessionId));
  expect(messages.length).toBeGreaterThan(3);
});

it("returns a refusal as a value, with the code and words that HTTP has", async () => {
  const wrong = await BOUND.turns.start({ input: "", agent: "playground" });
  expect(refusalOf(wrong)).toEqual({
    code: "invalid_request",
    status: 400,
    detail: "The body is not valid.",
    issues: [{ path: "input", message: "must not be blank" }],
    requestId: expect.stringMatching(/^req_/),
  });
  for (const reply of [
    await BOUND.turns.get("turn_x"),
    await BOUND.turns.wait("turn_x"),
    await BOUND.turns.cancel("turn_x"),
    await BOUND.turns.retry("turn_x"),
    await BOUND.questions.get("../turns/x?y#z"),
    await BOUND.questions.cancel("q_x"),
    await BOUND.questions.assign("q_x", "kim"),
    await BOUND.questions.deliver("q_x"),
    await BOUND.sessions.get("sess_0123456789abcdef01234567"),
  ])
    expect(refusalOf(reply)).toMatchObject({ code: "not_found", status: 404 });
  const { id } = valueOf(await BOUND.turns.start(ASKING, { waitSeconds: 10 }));
  const requestId = onlyRequest(valueOf(await BOUND.turns.get(id)));
  const decline = { answeredBy: "dana", reason: "No." };
  expect(valueOf(await BOUND.questions.decline(requestId, decline)).status).toBe("declined");
  const late = { answer: { text: "x" }, answeredBy: "kim" };
  expect(refusalOf(await BOUND.questions.answer(requestId, late))).toMatchObject({
    code: "declined",
    status: 409,
  });
});

it("refuses as a value what no request can hold, and lets no id become another path", async () => {
  for (const idempotencyKey of ["a\nb", "key-€", "\u0000"])
    expect(refusalOf(await BOUND.turns.start(ASKING, { idempotencyKey }))).toMatchObject({
      code: "invalid_request",
      status: 400,
    });
  for (const sessionId of [".", ".."]) {
    expect(refusalOf(await BOUND.turns.start({ ...ASKING, sessionId }))).toMatchObject({
      code: "invalid_request",
      issues: [{ path: "session" }],
    });
    expect(refusalOf(await BOUND.turns.get(sessionId))).toMatchObject({ code: "not_found" });
  }
  for (const id of ["\ud800", "a/../../b", "%2e%2e"])
    expect(refusalOf(await BOUND.questions.get(id))).toMatchObject({ code: "not_found" });
});

it("takes the results of a batch, asks without an agent, cancels and lists", async () => {
  const form = { toolName: "ask_user_question", input: FORM, toolCallId: "c-form" };
  const script = [{ calls: [form] }, { text: "end" }];
  const turn = valueOf(
    await BOUND.turns.start({ ...ASKING, extraBody: { script } }, { waitSeconds: 10 }),
  );
  const batch = {
    approvals: {},
    calls: { "c-form": { status: "returned", value: { answers: { "Which?": "One" } } } },
  };
  valueOf(await BOUND.turns.results(turn.id, batch));
  expect(valueOf(await BOUND.turns.wait(turn.id)).status).toBe("completed");
  const once = { idempotencyKey: "bound-once" };
  const asked = valueOf(await BOUND.questions.ask({ question: "May we?" }, once));
  expect(valueOf(await BOUND.questions.ask({ question: "May we?" }, once)).requestId).toBe(
    asked.requestId,
  );
  const { sessionId } = asked;
  const listed = valueOf(await BOUND.questions.list({ sessionId }));
  expect(listed.items.map(({ requestId }) => requestId)).toEqual([asked.requestId]);
  expect(valueOf(await BOUND.questions.cancel(asked.requestId, "Not now.")).status).toBe(
    "cancelled",
  );
  const all = valueOf(await BOUND.turns.list({ status: "all", limit: "100" }));
  expect(Array.isArray(all.items)).toBe(true);
});

it("is in the workspace that the binding names, with the rights that it names", async () => {
  const turn = valueOf(await BOUND.turns.start(ASKING, { waitSeconds: 10 }));
  expect(refusalOf(await READER.turns.get(turn.id))).toMatchObject({ status: 404 });
  expect(refusalOf(await READER.turns.start(ASKING))).toMatchObject({ code: "forbidden" });
  expect(refusalOf(await BOUND.sessions.erase(turn.sessionId))).toMatchObject({
    code: "forbidden",
  });
});

it("refuses a binding that names no workspace, and says what is missing", async () => {
  expect(refusalOf(await NOBODY.turns.get("turn_x"))).toMatchObject({
    code: "not_configured",
    status: 503,
    detail: expect.stringContaining("workspace"),
  });
});

it("serves any route to a binding, a stream of events too, whatever key comes along", async () => {
  const turn = valueOf(await BOUND.turns.start({ ...ASKING, extraBody: { script: [] } }));
  await BOUND.turns.wait(turn.id);
  const events = await fetch(`${server.url}/v1/turns/${turn.id}/events`, {
    headers: { authorization: "Bearer wrong" },
  });
  expect(events.headers.get("content-type")).toBe("text/event-stream");
  expect(await events.text()).toContain("event: turn.completed");
});

it("is called as the documentation shows", async () => {
  const response = await fetch(`${server.url}/sample`, {
    method: "POST",
    body: "Pre-approve APP-1008: income 5000, debt 2350",
  });
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    id: expect.stringMatching(/^turn_/),
    status: "parked",
  });
});

it("offers nothing but its functions", async () => {
  for (const name of ["call", "constructor", "then"]) {
    const body = JSON.stringify({ binding: "HOLDPOINT", calls: "turns", name, args: ["x"] });
    const response = await fetch(`${server.url}/call`, { method: "POST", body });
    expect(response.status, name).toBe(500);
  }
});
