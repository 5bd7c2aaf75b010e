import { Webhook } from "standardwebhooks";
import { afterEach, expect, it, vi } from "vitest";
import type { ChannelContext, Notice } from "../../src/core/channel.ts";
import { NOTICE_EVENTS } from "../../src/core/channel.ts";
import type { Question } from "../../src/core/question.ts";
import { DeliveryFailure } from "../../src/outbound/delivery-failure.ts";
import { sendWebhook, webhook, type WebhookDelivery } from "../../src/outbound/webhook.ts";
import { type Answer, loopback } from "../agent/loopback.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const ASKED_AT = Date.UTC(2026, 10, 30, 10, 20);

const QUESTION: Question = {
  requestId: "q_7d0b3fb1d9ae1f2c6f5a5e0b00000002",
  kind: "person",
  sessionId: "sess_7d0b3fb1d9ae1f2c6f5a5e0b",
  status: "waiting",
  question: "Pre-approve APP-1008? Ünïcödé 👍",
  answerUrl: "https://ask.example.com/a/token",
  deliveries: [],
  history: [{ at: new Date(ASKED_AT).toISOString(), event: "question.asked" }],
  createdAt: new Date(ASKED_AT).toISOString(),
};

afterEach(() => vi.useRealTimers());

function delivery(url: string, changes: Partial<WebhookDelivery> = {}): WebhookDelivery {
  return {
    url,
    secret: SECRET,
    id: "notice_1",
    event: "question.asked",
    payload: QUESTION,
    at: ASKED_AT,
    now: Date.now(),
    development: true,
    ...changes,
  };
}

async function failureOf(sending: Promise<unknown>): Promise<DeliveryFailure> {
  const failure = await sending.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(failure instanceof DeliveryFailure)) throw new Error("it did not fail as deliveries do");
  return failure;
}

/** How sending fails where the receiver answers so. */
async function failureAt(answer: Partial<Answer>, now = Date.now()): Promise<DeliveryFailure> {
  await using receiver = await loopback(() => ({ body: "", ...answer }));
  return await failureOf(sendWebhook(delivery(receiver.url, { now })));
}

it("sends what the scheme's own library takes for genuine", async () => {
  await using receiver = await loopback(() => ({ body: "" }));
  await sendWebhook(delivery(`${receiver.url}/hooks?tenant=1`));
  const [{ method, path, headers, text } = expect.fail()] = receiver.received;
  expect({ method, path }).toEqual({ method: "POST", path: "/hooks?tenant=1" });
  expect(headers["content-type"]).toBe("application/json");
  const received = headers as Record<string, string>;
  expect(new Webhook(SECRET).verify(text, received)).toEqual({
    type: "question.asked",
    timestamp: "2026-11-30T10:20:00.000Z",
    data: QUESTION,
  });
  expect(() => new Webhook(OTHER_SECRET).verify(text, received)).toThrow("No matching signature");
  expect(() => new Webhook(SECRET).verify(`${text} `, received)).toThrow("No matching signature");
});

it("sends a later try under the same id, with its own time and the time at which it happened", async () => {
  await using receiver = await loopback(() => ({ body: "" }));
  for (const now of [ASKED_AT, ASKED_AT + 3_600_000])
    await sendWebhook(delivery(receiver.url, { now }));
  const [first = expect.fail(), second = expect.fail()] = receiver.received;
  expect(first.headers["webhook-id"]).toBe("notice_1");
  expect(second.headers["webhook-id"]).toBe("notice_1");
  expect(first.headers["webhook-timestamp"]).toBe(String(ASKED_AT / 1_000));
  expect(second.headers["webhook-timestamp"]).toBe(String(ASKED_AT / 1_000 + 3_600));
  expect(second.text).toBe(first.text);
});

it("takes any 2xx for received", async () => {
  for (const status of [200, 201, 202, 204]) {
    await using receiver = await loopback(() => ({ status, body: "" }));
    await sendWebhook(delivery(receiver.url));
    expect(receiver.received).toHaveLength(1);
  }
});

it("says which status a receiver answered with, and that a later try may help", async () => {
  for (const status of [400, 401, 404, 429, 500, 503]) {
    const failure = await failureAt({ status });
    expect(failure.message).toBe(`the receiver answered with HTTP ${status}`);
    expect(failure.retryable).toBe(true);
    expect(failure.retryAfterMs).toBeUndefined();
  }
});

it("tries no more where the receiver is gone", async () => {
  expect(await failureAt({ status: 410 })).toMatchObject({
    message: "the receiver wants no more webhooks (HTTP 410)",
    retryable: false,
  });
});

it("keeps a receiver's Retry-After, in seconds or as a date", async () => {
  const after = async (header: string) =>
    (await failureAt({ status: 503, headers: { "retry-after": header } }, ASKED_AT)).retryAfterMs;
  expect(await after("120")).toBe(120_000);
  expect(await after("Mon, 30 Nov 2026 10:21:00 GMT")).toBe(60_000);
  for (const useless of ["Mon, 30 Nov 2026 10:19:00 GMT", "0", "-1", "soon"])
    expect(await after(useless), useless).toBeUndefined();
});

it("follows no redirect", async () => {
  await using elsewhere = await loopback(() => ({ body: "" }));
  for (const status of [301, 302, 303, 307, 308]) {
    const failure = await failureAt({ status, headers: { location: elsewhere.url } });
    expect(failure.message).toContain(`redirects (HTTP ${status})`);
    expect(failure.retryable).toBe(true);
  }
  expect(elsewhere.received).toEqual([]);
});

it("reads nothing of what a receiver writes", async () => {
  let cancelled = false;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
    cancel: () => {
      cancelled = true;
    },
  });
  const fetched = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response(endless));
  await sendWebhook(delivery("https://example.com/hooks")).finally(() => fetched.mockRestore());
  expect(cancelled).toBe(true);
});

it("gives up after ten seconds without an answer, and lets the connection go", async () => {
  const arrived = Promise.withResolvers<void>();
  await using receiver = await loopback(() => {
    arrived.resolve();
    return new Promise<Answer>(() => undefined);
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const sending = failureOf(sendWebhook(delivery(receiver.url)));
  await arrived.promise;
  let failed = false;
  void sending.finally(() => {
    failed = true;
  });
  await vi.advanceTimersByTimeAsync(9_999);
  expect(failed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await sending).toMatchObject({
    message: "the receiver did not answer within 10 s",
    retryable: true,
  });
  await receiver.received[0]?.closed;
});

it("says that nobody listens, and no word of the address", async () => {
  const { url } = await (async () => {
    await using receiver = await loopback(() => ({ body: "" }));
    return receiver;
  })();
  const failure = await failureOf(sendWebhook(delivery(`${url}/hooks/secret-path`)));
  expect(failure).toMatchObject({
    message: "the receiver could not be reached",
    retryable: true,
  });
  expect(failure.cause).toBeUndefined();
});

it("sends nothing to an address that it may not call", async () => {
  await using receiver = await loopback(() => ({ body: "" }));
  for (const changes of [
    { development: false },
    { url: "http://169.254.169.254/latest", development: true },
    { url: receiver.url.replace("127.0.0.1", "0x7f.1"), development: false },
  ]) {
    const failure = await failureOf(sendWebhook(delivery(receiver.url, changes)));
    expect(failure.message).toMatch(/^the webhook's address must /);
    expect(failure.retryable).toBe(false);
  }
  expect(receiver.received).toEqual([]);
});

it("sends nothing without a secret that can sign, and never shows it", async () => {
  await using receiver = await loopback(() => ({ body: "" }));
  for (const secret of ["", "whsec_", "hunter2", "whsec_c2hvcnQ=", "whsec_&".padEnd(40, "x")]) {
    const failure = await failureOf(sendWebhook(delivery(receiver.url, { secret })));
    expect(failure.message).toMatch(/^the webhook's secret must be whsec_ and the base64 of/);
    if (secret.length > 6) expect(failure.message).not.toContain(secret);
  }
  expect(receiver.received).toEqual([]);
});

const CONTEXT: ChannelContext = {
  env: { WEBHOOK_SECRET: SECRET },
  workspace: "dev",
  development: true,
  now: ASKED_AT + 60_000,
};

function notice(changes: Partial<Notice> = {}): Notice {
  return { id: "notice_7", event: "question.asked", question: QUESTION, ...changes };
}

it("tells a recipient at the recipient's own address, everybody else at the default one", async () => {
  await using receiver = await loopback(() => ({ body: "" }));
  const { send } = webhook({ url: `${receiver.url}/default` });
  const dana = { name: "dana", webhook: `${receiver.url}/dana` };
  await send(notice({ recipient: dana }), CONTEXT);
  await send(notice({ recipient: { name: "lee" } }), CONTEXT);
  await send(notice(), CONTEXT);
  expect(receiver.received.map(({ path }) => path)).toEqual(["/dana", "/default", "/default"]);
  const [{ headers, text } = expect.fail()] = receiver.received;
  expect(headers["webhook-id"]).toBe("notice_7");
  expect(JSON.parse(text)).toEqual({
    type: "question.asked",
    timestamp: "2026-11-30T10:20:00.000Z",
    data: QUESTION,
  });
});

it("signs with its own secret where it has one, else with WEBHOOK_SECRET", async () => {
  await using receiver = await loopback(() => ({ body: "" }));
  const context = { ...CONTEXT, now: Date.now() };
  await webhook({ url: receiver.url, secret: OTHER_SECRET }).send(notice(), context);
  await webhook({ url: receiver.url }).send(notice(), context);
  const [own = expect.fail(), configured = expect.fail()] = receiver.received;
  new Webhook(OTHER_SECRET).verify(own.text, own.headers as Record<string, string>);
  new Webhook(SECRET).verify(configured.text, configured.headers as Record<string, string>);
  expect(receiver.received).toHaveLength(2);
});

it("names the secret that is missing", async () => {
  for (const env of [{}, { WEBHOOK_SECRET: "" }])
    expect(
      await failureOf(webhook({ url: "http://localhost" }).send(notice(), { ...CONTEXT, env })),
    ).toMatchObject({ message: expect.stringMatching(/^WEBHOOK_SECRET is not set/) });
});

it("fails for good where there is no address to send to", async () => {
  const { send } = webhook();
  const recipient = { name: "dana", email: "dana@example.com" };
  for (const [changes, whose] of [
    [{}, "the question is addressed to nobody"],
    [{ recipient }, "its recipient has no webhook"],
  ] as const) {
    const failure = await failureOf(send(notice(changes), CONTEXT));
    expect(failure.message).toBe(`${whose}, and webhook() has no url`);
    expect(failure.retryable).toBe(false);
  }
});

it("tells of what its options say, by default of everything", () => {
  expect(webhook()).toMatchObject({ name: "webhook", events: NOTICE_EVENTS });
  const events = ["question.answered"] as const;
  expect(webhook({ events }).events).toEqual(events);
});

it("names the option that is wrong, and never shows a secret", () => {
  expect(() => webhook({ url: "http://10.0.0.1" })).toThrow("webhook: url must lead to the public");
  expect(() => webhook({ secret: "hunter2" })).toThrow(
    /^webhook: secret must be whsec_(?!.*hunter2)/,
  );
  // @ts-expect-error there is no such event
  expect(() => webhook({ events: ["question.asked", "nothing"] })).toThrow(
    "webhook: events must be some of question.asked, question.reminded",
  );
});
