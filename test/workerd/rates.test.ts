import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { play } from "./client.ts";
import { requestUnder } from "./configured.ts";
import {
  accepted,
  ask,
  awaitTasks,
  FORM_ANSWER,
  FORM_CALL,
  onlyRequest,
  refusal,
} from "./journey.ts";

/** The runtime's own limiter: three calls a minute for each key. Bound under another name, so that no other test meets it. */
const { THREE_A_MINUTE } = env as unknown as { readonly THREE_A_MINUTE: RateLimit };
const LIMITED = { RATE_LIMIT: THREE_A_MINUTE };
const PARKING = [{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }, { text: "end" }];

function as(key: string): { readonly headers: Record<string, string> } {
  return { headers: { authorization: `Bearer ${key}` } };
}

/** Calls until a call is refused. A window may end between two calls, never two of them. */
async function untilLimited(call: () => Promise<Response>): Promise<Response> {
  expect((await call()).status).not.toBe(429);
  for (let more = 0; more < 6; more += 1) {
    const response = await call();
    if (response.status === 429) return response;
  }
  return expect.fail("it was never limited");
}

it("refuses a key beyond its rate, says when to come again, and takes nobody else's calls away", async () => {
  const read = (key: string) =>
    requestUnder(LIMITED, "GET", "/v1/questions?sessionId=nobody-yet", as(key));
  const response = await untilLimited(() => read("reader"));
  expect(response.headers.get("retry-after")).toBe("10");
  expect(await refusal(Promise.resolve(response))).toMatchObject({
    status: 429,
    code: "rate_limited",
  });
  expect((await read("other")).status).toBe(200);
});

it("says it on the Service's wire in its own words", async () => {
  const response = await untilLimited(() =>
    requestUnder(LIMITED, "GET", "/api/v1/runs/run_x", as("runner")),
  );
  expect(response.headers.get("retry-after")).toBe("10");
  expect(await response.json()).toMatchObject({ error: { code: "rate_limited" } });
});

it("takes an answer, a decline and the results of a batch at whatever rate", async () => {
  const answered = onlyRequest(await play(PARKING));
  const declined = onlyRequest(await play(PARKING));
  const batch = await play([{ calls: [{ ...FORM_CALL, toolCallId: "c-form" }] }, { text: "end" }]);
  await untilLimited(() => requestUnder(LIMITED, "GET", "/v1/turns/none", as("dev-key")));
  for (const [path, body] of [
    [`/v1/questions/${answered}/answer`, { answer: { text: "Yes." }, answeredBy: "dana" }],
    [`/v1/questions/${declined}/decline`, { answeredBy: "dana" }],
    [
      `/v1/turns/${batch.id}/results`,
      { approvals: {}, calls: { "c-form": { status: "returned", value: FORM_ANSWER } } },
    ],
  ] as const)
    await accepted(requestUnder(LIMITED, "POST", path, { body, ...as("dev-key") }));
});

it("does not count who has no key", async () => {
  for (let call = 0; call < 8; call += 1)
    expect((await requestUnder(LIMITED, "GET", "/v1/questions", as("nobody"))).status).toBe(401);
});
