import { exports } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import {
  type Client,
  type ClientOptions,
  createClient,
  HoldpointProblem,
  HoldpointUnreachable,
  type SessionEvent,
} from "../../src/client.ts";
import { ORIGIN } from "./client.ts";
import { FORM_ANSWER, FORM_CALL } from "./journey.ts";
import { durable } from "./reading.ts";

const ASKING = [
  { text: "Asking.", calls: [{ toolName: "ask_person", input: { question: "May we?" } }] },
  { calls: [{ toolName: "await_tasks", input: { taskIds: ["$task:1"] } }] },
  { text: "Done." },
];

type Fetch = NonNullable<ClientOptions["fetch"]>;
const worker: Fetch = (request) => exports.default.fetch(request);

function clientOver(fetch: Fetch, options: Partial<ClientOptions> = {}): Client {
  return createClient({ url: ORIGIN, key: "dev-key", retryDelayMs: 1, fetch, ...options });
}

const client = clientOver(worker);

function playing(script: unknown) {
  return { agent: "playground", input: "go", extraBody: { script: script as never } };
}

async function refusalOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => expect.fail("it was accepted"),
    (error: unknown) => error,
  );
}

/** A client to which the answer of its first request is lost, once the Worker has done what it asks. */
function losingFirstAnswer() {
  let sent = 0;
  const lossy = clientOver(async (request) => {
    const response = await worker(request);
    sent += 1;
    if (sent === 1) throw new TypeError("the connection broke");
    return response;
  });
  return { lossy, sent: () => sent };
}

it("makes one turn of a start whose answer was lost, twice", async () => {
  const keys: (string | null)[] = [];
  const lossy = clientOver(async (request) => {
    keys.push(request.headers.get("idempotency-key"));
    const response = await worker(request);
    if (keys.length === 1) throw new TypeError("the connection broke");
    if (keys.length > 2) return response;
    const broken = new ReadableStream({ pull: (stream) => stream.error(new Error("cut")) });
    return new Response(broken, response);
  });
  const turn = await lossy.turns.start(playing([]), { session: "client-lost" });
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
  const { turns } = await client.sessions.get("client-lost");
  expect(turns.map(({ id }) => id)).toEqual([turn.id]);
});

it("asks one question where the answer to its asking was lost", async () => {
  const { lossy } = losingFirstAnswer();
  const asked = await lossy.questions.ask({ question: "Once?", sessionId: "client-ask" });
  const found: string[] = [];
  for await (const question of client.questions.list({ sessionId: "client-ask", limit: 1 }))
    found.push(question.requestId);
  expect(found).toEqual([asked.requestId]);
});

it("settles once by results whose answer was lost", async () => {
  const { lossy, sent } = losingFirstAnswer();
  const script = [{ calls: [{ ...FORM_CALL, toolCallId: "f1" }] }, { text: "Done." }];
  const turn = await client.turns.start(playing(script), { waitSeconds: 20 });
  const calls = { f1: { status: "returned", value: FORM_ANSWER } } as const;
  await lossy.turns.settle(turn.id, { approvals: {}, calls });
  expect(sent()).toBe(2);
  expect(await client.turns.wait(turn.id)).toMatchObject({ status: "completed", runs: [{}, {}] });
});

it("does not tell parked turns to go on again where that may have arrived", async () => {
  let sent = 0;
  const lossy = clientOver(async (request) => {
    sent += 1;
    await worker(request);
    throw new TypeError("the connection broke");
  });
  const error = await refusalOf(lossy.turns.resumeParked());
  expect(error).toBeInstanceOf(HoldpointUnreachable);
  expect(sent).toBe(1);
});

function answering(status: number, headers: Record<string, string> = {}): Response {
  const problem = {
    type: "about:blank",
    title: "Not now",
    status,
    detail: "Come again.",
    code: status === 503 ? "unavailable" : "internal",
    instance: "req_1",
  };
  return Response.json(problem, {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
  });
}

it("waits as long as Retry-After says, and tries again", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    let sent = 0;
    const busy = clientOver(() => {
      sent += 1;
      return Promise.resolve(
        sent < 3 ? answering(503, { "retry-after": "7" }) : Response.json({ requestId: "q_1" }),
      );
    });
    const read = busy.questions.get("q_1");
    await vi.advanceTimersByTimeAsync(6_999);
    expect(sent).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toBe(2);
    await vi.advanceTimersByTimeAsync(7_000);
    expect(await read).toEqual({ requestId: "q_1" });
  } finally {
    vi.useRealTimers();
  }
});

it("gives up after so many tries, with the problem document; and at once where nothing will change", async () => {
  let sent = 0;
  const failing = clientOver(
    () => {
      sent += 1;
      return Promise.resolve(answering(500));
    },
    { tries: 3 },
  );
  expect(await refusalOf(failing.questions.get("q_1"))).toMatchObject({
    name: "HoldpointProblem",
    code: "internal",
    status: 500,
    problem: { detail: "Come again.", instance: "req_1" },
  });
  expect(sent).toBe(3);
  const proxy = clientOver(() => Promise.resolve(new Response("<html>", { status: 404 })));
  const error = await refusalOf(proxy.turns.get("turn_1"));
  expect(error).toBeInstanceOf(HoldpointUnreachable);
  expect(error).toMatchObject({ status: 404 });
});

it("tells refusals apart by their codes, with all that the problem document says", async () => {
  const asked = await client.questions.ask({
    question: "Which?",
    options: [
      { id: "a", label: "A" },
      { id: "b", label: "B" },
    ],
  });
  const { requestId } = asked;
  const wrong = { answer: { option: "c" }, answeredBy: "dana" };
  const invalid = await refusalOf(client.questions.answer(requestId, wrong));
  if (!(invalid instanceof HoldpointProblem)) throw invalid;
  const { problem } = invalid;
  // The union knows the status of each code.
  const status: 422 | undefined = problem.code === "invalid_answer" ? problem.status : undefined;
  expect(status).toBe(422);
  expect(problem.issues).toMatchObject([{ path: "option" }]);

  await client.questions.answer(requestId, { answer: { option: "a" }, answeredBy: "dana" });
  const late = client.questions.answer(requestId, { answer: { option: "b" }, answeredBy: "eve" });
  expect(await refusalOf(late)).toMatchObject({
    code: "already_answered",
    message: expect.stringMatching(/^already_answered: Answered by dana at /) as string,
  });
  const unkeyed = createClient({ url: ORIGIN, key: "wrong", fetch: worker });
  expect(await refusalOf(unkeyed.turns.get("turn_1"))).toMatchObject({ code: "unauthenticated" });
});

it("tells a turn's events without a gap or a repeat over cuts of the connection and an absence of the Worker, to its end", async () => {
  const turn = await client.turns.start(playing(ASKING), { waitSeconds: 20 });
  let connections = 0;
  const cutAndAway: Fetch = async (request) => {
    connections += 1;
    if (connections === 2) return answering(503);
    const response = await worker(request);
    if (response.body === null || connections > 3) return response;
    // Each of the first connections breaks off behind its second piece.
    let pieces = 0;
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform: (piece, stream) => {
        pieces += 1;
        if (pieces > 2) stream.error(new Error("cut"));
        else stream.enqueue(piece);
      },
    });
    return new Response(response.body.pipeThrough(cut), response);
  };
  const cutting = clientOver(cutAndAway, { tries: 1 });
  const told: SessionEvent[] = [];
  for await (const event of cutting.turns.events(turn.id)) {
    told.push(event);
    if (event.type === "turn.parked") {
      const requestId = turn.waitingFor?.[0]?.requestId ?? "";
      await client.questions.answer(requestId, { answer: { text: "Yes." }, answeredBy: "dana" });
    }
  }
  expect(connections).toBeGreaterThan(3);
  const whole: SessionEvent[] = [];
  for await (const event of client.turns.events(turn.id)) whole.push(event);
  const ids = (events: readonly SessionEvent[]) =>
    durable(events).map(({ id, type }) => [id, type]);
  expect(ids(told)).toEqual(ids(whole));
  expect(told.at(-1)).toMatchObject({ type: "turn.completed", text: "Done." });
  const after = durable(whole).at(-2)?.id;
  const rest: SessionEvent[] = [];
  for await (const event of client.turns.events(turn.id, { after })) rest.push(event);
  expect(rest.map(({ type }) => type)).toEqual(["turn.completed"]);
}, 30_000);

it("ends whatever it does when the caller gives up", async () => {
  const turn = await client.turns.start(playing(ASKING), { waitSeconds: 20 });
  const reason = new Error("enough");
  const already = AbortSignal.abort(reason);
  expect(await refusalOf(client.turns.get(turn.id, { signal: already }))).toBe(reason);

  const reading = new AbortController();
  const follow = async () => {
    for await (const { type } of client.turns.events(turn.id, { signal: reading.signal }))
      if (type === "turn.parked") reading.abort(reason);
  };
  expect(await refusalOf(follow())).toBe(reason);

  const waiting = new AbortController();
  const down = clientOver(
    () => {
      waiting.abort(reason);
      return Promise.resolve(answering(503, { "retry-after": "30" }));
    },
    { tries: 9 },
  );
  expect(await refusalOf(down.turns.wait(turn.id, { signal: waiting.signal }))).toBe(reason);
});

it("goes through a list page by page", async () => {
  const asked: string[] = [];
  for (const key of ["1", "2", "3", "4", "5"])
    asked.push(
      (await client.questions.ask({ question: key, key, sessionId: "client-pages" })).requestId,
    );
  let pages = 0;
  const counting = clientOver((request) => {
    pages += 1;
    return worker(request);
  });
  const list = counting.questions.list({ sessionId: "client-pages", limit: 2 });
  const found: string[] = [];
  for await (const { requestId } of list) found.push(requestId);
  expect(found).toEqual(asked);
  expect(pages).toBe(3);
  const { items, nextCursor } = await list.page();
  expect(items.map(({ requestId }) => requestId)).toEqual(asked.slice(0, 2));
  expect(nextCursor).not.toBeNull();
});
