import { abortAllDurableObjects } from "cloudflare:test";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Question } from "../../src/core/question.ts";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, call, fireAlarm, play, readTurn, settled } from "./client.ts";
import { faults } from "./faults.ts";
import {
  accepted,
  begin,
  FORM_ANSWER,
  FORM_CALL,
  onlyRequest,
  post,
  readQuestion,
  refusal,
} from "./journey.ts";

const HOUR = 3_600_000;
const URL_OF_CALLER = "https://caller.example/hook";
const CALLBACK = { callback: { url: URL_OF_CALLER } };
/** As `wrangler.toml` gives it to the Worker. */
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const CYCLE = [{ calls: [FORM_CALL] }, { text: "end" }];

interface Told {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: TurnView & Question;
}

const told: Told[] = [];
/** What the caller's system answers with. */
let status = 204;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init) => {
    const request = new Request(url as string, init as RequestInit);
    expect(request.url).toBe(URL_OF_CALLER);
    const headers = Object.fromEntries(request.headers);
    const body = new Webhook(SECRET).verify(await request.text(), headers) as Omit<Told, "id">;
    if (status < 300) told.push({ id: headers["webhook-id"] ?? "", ...body });
    return new Response(null, { status });
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  faults.crashAfter(0);
  told.length = 0;
  status = 204;
});

function eventually(check: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 5_000, interval: 5 });
}

async function toldOf(...types: readonly string[]): Promise<void> {
  await eventually(() => expect(told.map(({ type }) => type)).toEqual(types));
}

interface Listed {
  readonly items: readonly {
    readonly id: string;
    readonly status: string;
    readonly tries: number;
    readonly error?: string;
  }[];
  readonly nextCursor: string | null;
}

function deliveries(sessionId: string, query = ""): Promise<Listed> {
  return accepted(call("GET", `/v1/deliveries?sessionId=${sessionId}${query}`));
}

it("tells the caller of a turn each time that it rests, signed, with the turn and its links", async () => {
  const { id } = await begin(CYCLE, CALLBACK);
  const parked = await settled(id);
  await toldOf("turn.parked");
  expect(told[0]?.data).toEqual({
    ...parked,
    waitingFor: [
      {
        ...parked.waitingFor?.[0],
        answerUrl: expect.stringMatching(/^https:\/\/holdpoint\.test\/a\//),
      },
    ],
  });
  await answer(onlyRequest(parked), FORM_ANSWER);
  const completed = await settled(id);
  await toldOf("turn.parked", "turn.completed");
  expect(told[1]?.data).toEqual(completed);
  expect(told[1]?.timestamp).toBe(completed.updatedAt);
  expect(new Set(told.map((each) => each.id)).size).toBe(2);
  expect(await deliveries(parked.sessionId, "&status=all")).toEqual({
    items: [],
    nextCursor: null,
  });
});

it("tells of a turn that failed or was cancelled, in a named session too", async () => {
  const failing = { agent: "brief", session: "callback-failing", ...CALLBACK };
  const failed = await begin([{ fail: { status: 400 } }], failing);
  await settled(failed.id);
  await toldOf("turn.failed");
  const waiting = await begin(CYCLE, CALLBACK);
  await settled(waiting.id);
  await accepted(post(`/v1/turns/${waiting.id}/cancel`));
  await toldOf("turn.failed", "turn.parked", "turn.cancelled");
});

it("tells the system that asked a question of all that happens to it, and how it ended", async () => {
  const asked = await accepted<Question>(
    post("/v1/questions", {
      question: "Approve?",
      remind: ["1h"],
      escalate: [{ after: "2h", to: "lead" }],
      expire: { after: "5h" },
      ...CALLBACK,
    }),
  );
  expect(asked.deliveries).toEqual([]);
  for (const _ of [1, 2]) {
    vi.setSystemTime(Date.now() + HOUR);
    await fireAlarm(asked.sessionId);
  }
  await toldOf("question.reminded", "question.escalated");
  expect(told[0]?.data.answerUrl).toBe(asked.answerUrl?.replace("http://", "https://"));
  await accepted(post(`/v1/questions/${asked.requestId}/assign`, { to: "kim" }));
  const answered = await answer(asked.requestId, { text: "Yes." });
  await toldOf("question.reminded", "question.escalated", "question.assigned", "question.answered");
  const { deliveries: _now, ...shown } = answered;
  expect(told[3]?.data).toMatchObject(shown);
  expect(told[3]?.data).not.toHaveProperty("answerUrl");
  expect(new Set(told.map(({ id }) => id)).size).toBe(4);
  await eventually(async () =>
    expect((await readQuestion(asked.requestId)).deliveries).toEqual([
      { channel: "callback", status: "sent", tries: 1 },
    ]),
  );
});

it("tells of an expiry by the alarm alone", async () => {
  const body = { question: "q", expire: { after: "1s" }, ...CALLBACK };
  const { sessionId } = await accepted<Question>(post("/v1/questions", body));
  vi.setSystemTime(Date.now() + 1_000);
  await fireAlarm(sessionId);
  await toldOf("question.expired");
  expect(told[0]?.data).toMatchObject({ status: "expired" });
});

it("tries twelve times, lists what is dead, and sends it again when it is asked to", async () => {
  status = 500;
  const { id, sessionId } = await begin([{ text: "end" }], CALLBACK);
  await settled(id);
  const tries = async () => (await deliveries(sessionId, "&status=all")).items[0]?.tries;
  await eventually(async () => expect(await tries()).toBe(1));
  expect((await deliveries(sessionId)).items).toEqual([]);
  for (let n = 2; n <= 12; n += 1) {
    vi.setSystemTime(Date.now() + HOUR);
    await fireAlarm(sessionId);
    await eventually(async () => expect(await tries()).toBe(n));
  }
  expect(await fireAlarm(sessionId)).toBe(false);
  const [dead, ...others] = (await deliveries(sessionId)).items;
  expect(others).toEqual([]);
  expect(dead).toEqual({
    id: expect.stringMatching(/^delivery_[0-9a-f]{32}$/),
    turnId: id,
    channel: "callback",
    event: "turn.completed",
    status: "failed",
    tries: 12,
    error: "the receiver answered with HTTP 500",
  });
  status = 204;
  const retried = await accepted(post(`/v1/deliveries/${dead?.id}/retry`));
  expect(retried).toMatchObject({ id: dead?.id, status: "pending", tries: 0 });
  await toldOf("turn.completed");
  await eventually(async () =>
    expect((await deliveries(sessionId, "&status=all")).items).toEqual([]),
  );
  expect((await refusal(post(`/v1/deliveries/${dead?.id}/retry`))).status).toBe(404);
});

it("keeps each event of a question in order while its system is away", async () => {
  status = 503;
  const asked = await accepted<Question>(
    post("/v1/questions", { question: "q", remind: ["1h"], ...CALLBACK }),
  );
  vi.setSystemTime(Date.now() + HOUR);
  await fireAlarm(asked.sessionId);
  await eventually(async () =>
    expect((await readQuestion(asked.requestId)).deliveries[0]?.tries).toBe(1),
  );
  expect((await readQuestion(asked.requestId)).deliveries).toMatchObject([
    { channel: "callback", event: "question.reminded", status: "pending" },
  ]);
  status = 204;
  vi.setSystemTime(Date.now() + HOUR);
  await answer(asked.requestId, { text: "Yes." });
  // A reminder of a question that is answered helps nobody: only the answer is told.
  await toldOf("question.answered");
});

it("is told again, with the same id, where the object dies before it could note it", async () => {
  const { id, sessionId } = await begin([{ text: "end" }], CALLBACK);
  await settled(id);
  await toldOf("turn.completed");
  status = 500;
  const again = await begin([{ text: "end" }], { session: sessionId, ...CALLBACK });
  await settled(again.id);
  await eventually(async () =>
    expect((await deliveries(sessionId, "&status=all")).items[0]?.tries).toBe(1),
  );
  await abortAllDurableObjects();
  status = 204;
  vi.setSystemTime(Date.now() + HOUR);
  await fireAlarm(sessionId);
  await toldOf("turn.completed", "turn.completed");
  expect(told[1]?.data.id).toBe(again.id);
});

it("is told although the object died right after each commit of the turn", async () => {
  const session = "callback-crashed";
  const start = { agent: "retrying", session, headers: { "idempotency-key": "one" }, ...CALLBACK };
  for (let at = 1; at <= 2; at += 1) {
    faults.crashAfter(at);
    const body = { ...start, headers: { "idempotency-key": `${at}` } };
    const { id, sessionId } = await begin([{ text: "end" }], body).catch(() =>
      begin([{ text: "end" }], body),
    );
    await fireAlarm(sessionId).catch(() => false);
    await fireAlarm(sessionId).catch(() => false);
    await eventually(async () => expect((await readTurn(id)).status).toBe("completed"));
    expect(faults.crashed, `no crash at commit ${at}`).toBe(true);
    await eventually(() => expect(told.at(-1)?.data.id).toBe(id));
  }
  expect(told.map(({ type }) => type)).toEqual(["turn.completed", "turn.completed"]);
});

it("lists what failed of a question beside a turn's, page by page", async () => {
  status = 410;
  const session = "callback-listed";
  for (const n of [1, 2, 3]) {
    const { id } = await begin([{ text: `${n}` }], { session, ...CALLBACK });
    await settled(id);
  }
  await eventually(async () => expect((await deliveries(session)).items).toHaveLength(3));
  const first = await deliveries(session, "&limit=2");
  expect(first.items).toHaveLength(2);
  const rest = await deliveries(session, `&limit=2&cursor=${first.nextCursor}`);
  expect(rest).toMatchObject({ items: [{ status: "failed" }], nextCursor: null });
  expect((await deliveries("callback-nobody")).items).toEqual([]);
  const unknown = "sess_0123456789abcdef01234567";
  expect(await refusal(call("GET", `/v1/deliveries?sessionId=${unknown}`))).toMatchObject({
    status: 404,
  });
  expect(await refusal(call("GET", "/v1/deliveries?status=sent"))).toMatchObject({
    status: 400,
    issues: [{ path: "sessionId" }],
  });
  // Here no inbox is bound, which alone knows all sessions.
  expect(await refusal(call("GET", "/v1/deliveries"))).toMatchObject({ status: 503 });
  for (const cursor of ["x", `delivery_${"0".repeat(32)}`])
    expect(
      await refusal(call("GET", `/v1/deliveries?sessionId=${session}&cursor=${cursor}`)),
    ).toMatchObject({ status: 400, code: "invalid_cursor" });
});

it.each([
  "http://caller.example/hook",
  "https://localhost/hook",
  "https://10.0.0.1/hook",
  "https://user@caller.example/",
  "caller.example",
  "",
])("refuses an address to which no webhook may go: %j", async (url) => {
  for (const [path, body] of [
    ["/v1/turns", { input: "go" }],
    ["/v1/questions", { question: "q" }],
  ] as const) {
    const problem = await refusal(post(path, { ...body, callback: { url } }));
    expect(problem).toMatchObject({ status: 400, issues: [{ path: "callback.url" }] });
    if (url !== "") expect(JSON.stringify(problem)).not.toContain(url);
  }
});

it("shows no address of a callback on any surface", async () => {
  const asked = await accepted<Question>(post("/v1/questions", { question: "q", ...CALLBACK }));
  const turn = await play([{ text: "end" }]);
  const started = await begin([{ text: "end" }], { session: turn.sessionId, ...CALLBACK });
  await settled(started.id);
  for (const path of [
    `/v1/questions/${asked.requestId}`,
    `/v1/turns/${started.id}`,
    `/v1/sessions/${turn.sessionId}`,
    `/v1/sessions/${turn.sessionId}/messages`,
  ])
    expect(await (await call("GET", path)).text()).not.toContain("caller.example");
});
