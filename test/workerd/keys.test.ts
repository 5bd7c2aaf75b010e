import { expect, it } from "vitest";
import { sha256Hex } from "../../src/core/ids.ts";
import { call, play } from "./client.ts";
import { accepted, answering, ask, awaitTasks, begin, onlyRequest, refusal } from "./journey.ts";
import { requestUnder } from "./configured.ts";

function configured(
  variables: object,
  path: string,
  authorization?: string,
  method = "GET",
): Promise<Response> {
  const headers = authorization === undefined ? {} : { authorization };
  return requestUnder(variables, method, path, { headers });
}

const PARKING = [{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }, { text: "end" }];
const OTHER = { authorization: "Bearer other" };
const READER = { authorization: "Bearer reader" };

it("asks for a key on every path below /v1, there or not", async () => {
  for (const [method, path] of [
    ["GET", "/v1/turns/x"],
    ["POST", "/v1/turns"],
    ["GET", "/v1/questions"],
    ["DELETE", "/v1/questions"],
    ["GET", "/v1/nothing"],
  ] as const)
    for (const authorization of [
      "",
      "Bearer",
      "Bearer ",
      "Bearer wrong",
      "Basic dev-key",
      "dev-key",
      "Bearer dev-key x",
    ]) {
      const response = await call(method, path, undefined, { authorization });
      expect(
        response.headers.get("www-authenticate"),
        `${method} ${path} ${authorization}`,
      ).toMatch(/^Bearer/);
      expect(await refusal(Promise.resolve(response))).toMatchObject({
        status: 401,
        code: "unauthenticated",
      });
    }
});

it("takes a key whatever the case of its scheme", async () => {
  expect(
    (
      await call("GET", "/v1/questions?sessionId=x", undefined, {
        authorization: "bearer  dev-key",
      })
    ).status,
  ).toBe(200);
});

it("refuses what a key has no right to, and changes nothing", async () => {
  const turn = await play(PARKING);
  const requestId = onlyRequest(turn);
  for (const [path, body] of [
    ["/v1/turns", { input: "x" }],
    [`/v1/sessions/${turn.sessionId}/turns`, { input: "x" }],
    [`/v1/turns/${turn.id}/cancel`, undefined],
    [`/v1/turns/${turn.id}/results`, { approvals: {}, calls: {} }],
    [`/v1/questions/${requestId}/answer`, { answer: { text: "x" }, answeredBy: "x" }],
    [`/v1/questions/${requestId}/decline`, { answeredBy: "x" }],
    [`/v1/questions/${requestId}/cancel`, undefined],
    [`/v1/questions/${requestId}/assign`, { to: "kim" }],
    [`/v1/questions/${requestId}/deliver`, undefined],
    [`/v1/deliveries/${requestId.replace("q_", "delivery_")}/retry`, undefined],
  ] as const)
    expect(await refusal(call("POST", path, body, READER)), path).toMatchObject({
      status: 403,
      code: "forbidden",
    });
  const read = await accepted<typeof turn>(call("GET", `/v1/turns/${turn.id}`, undefined, READER));
  const { answerUrl: _, ...wait } = turn.waitingFor?.[0] ?? { kind: "question" };
  expect(read).toEqual({ ...turn, waitingFor: [wait] });
});

it("shows no link to a key that may not answer", async () => {
  const turn = await play(PARKING);
  const question = await accepted(
    call("GET", `/v1/questions/${onlyRequest(turn)}`, undefined, READER),
  );
  expect(question).not.toHaveProperty("answerUrl");
  const list = await accepted<{ items: object[] }>(
    call("GET", `/v1/questions?sessionId=${turn.sessionId}`, undefined, READER),
  );
  expect(list.items).toEqual([question]);
});

it("lets a key that may only answer answer, and nothing else", async () => {
  const turn = await play(PARKING);
  const keys = [{ id: "desk", sha256: await sha256Hex("desk"), workspace: "dev", can: ["answer"] }];
  const variables = { API_KEYS: JSON.stringify(keys) };
  const requestId = onlyRequest(turn);
  expect(
    await refusal(configured(variables, `/v1/questions/${requestId}`, "Bearer desk")),
  ).toMatchObject({ status: 403 });
  expect(
    await refusal(
      configured(variables, `/v1/questions/${requestId}/cancel`, "Bearer desk", "POST"),
    ),
  ).toMatchObject({ status: 403 });
  // The right is there, so what is missing is told.
  expect(
    await refusal(
      configured(variables, `/v1/questions/${requestId}/answer`, "Bearer desk", "POST"),
    ),
  ).toMatchObject({ status: 400 });
});

it("knows nothing of another workspace, by id or by name", async () => {
  const turn = await play(PARKING, { session: "shared-name" });
  const requestId = onlyRequest(turn);
  for (const [method, path, body] of [
    ["GET", `/v1/turns/${turn.id}`, undefined],
    ["POST", `/v1/turns/${turn.id}/cancel`, undefined],
    ["POST", `/v1/turns/${turn.id}/results`, { approvals: {}, calls: {} }],
    ["GET", `/v1/sessions/${turn.sessionId}`, undefined],
    ["GET", "/v1/sessions/shared-name", undefined],
    ["GET", `/v1/sessions/${turn.sessionId}/messages`, undefined],
    ["POST", `/v1/sessions/${turn.sessionId}/turns`, { input: "x" }],
    ["GET", `/v1/questions?sessionId=${turn.sessionId}`, undefined],
    ["GET", `/v1/questions/${requestId}`, undefined],
    ["POST", `/v1/questions/${requestId}/answer`, { answer: { text: "x" }, answeredBy: "x" }],
    ["POST", `/v1/questions/${requestId}/decline`, { answeredBy: "x" }],
    ["POST", `/v1/questions/${requestId}/cancel`, undefined],
    ["POST", `/v1/questions/${requestId}/assign`, { to: "kim" }],
    ["POST", `/v1/questions/${requestId}/deliver`, undefined],
    ["GET", `/v1/deliveries?sessionId=${turn.sessionId}`, undefined],
    ["POST", `/v1/deliveries/${requestId.replace("q_", "delivery_")}/retry`, undefined],
  ] as const)
    expect(await refusal(call(method, path, body, OTHER)), path).toMatchObject({
      status: 404,
      code: "not_found",
    });
  const theirs = await begin([{ text: "theirs" }], { session: "shared-name", headers: OTHER });
  expect(theirs.sessionId).toBe(turn.sessionId);
  expect(theirs.status).toBe("running");
  expect(await accepted(answering(requestId, { text: "x" }))).toMatchObject({ status: "answered" });
});

it("is closed where no keys are configured, and says how to mend it", async () => {
  for (const variables of [{ API_KEYS: undefined }, { API_KEYS: "[]" }]) {
    const problem = await refusal(configured(variables, "/v1/turns/x", "Bearer dev-key"));
    expect(problem).toMatchObject({ status: 503, code: "not_configured" });
    expect(problem.detail).toContain("API_KEYS");
    const health = await configured(variables, "/healthz");
    expect(health.status).toBe(200);
    expect(await health.json()).toEqual({ status: "ok" });
  }
});

it("is closed where the configuration can't be read, and names the variable without its value", async () => {
  const short = { id: "x", sha256: "secret-secret", workspace: "dev", can: ["read"] };
  for (const API_KEYS of ["no json: secret-secret", "{}", JSON.stringify([short])]) {
    const problem = await refusal(configured({ API_KEYS }, "/v1/turns/x", "Bearer dev-key"));
    expect(problem).toMatchObject({ status: 503, code: "not_configured" });
    expect(problem.detail).toContain("API_KEYS");
    expect(problem.detail).not.toContain("secret-secret");
    expect((await configured({ API_KEYS }, "/healthz")).status).toBe(200);
  }
});

it("takes links from the configured address, else the caller's, and makes none without a secret", async () => {
  const turn = await play(PARKING);
  const path = `/v1/questions/${onlyRequest(turn)}`;
  const withUrl = await configured(
    { PUBLIC_URL: "https://ask.example.com/" },
    path,
    "Bearer dev-key",
  );
  expect(await withUrl.json()).toMatchObject({
    answerUrl: expect.stringMatching(/^https:\/\/ask\.example\.com\/a\/[^/]+$/),
  });
  const unset = await configured({ PUBLIC_URL: undefined }, path, "Bearer dev-key");
  expect(await unset.json()).toMatchObject({
    answerUrl: expect.stringMatching(/^http:\/\/holdpoint\.test\/a\/[^/]+$/),
  });
  const without = await configured({ LINK_SECRET: undefined }, path, "Bearer dev-key");
  expect(await without.json()).not.toHaveProperty("answerUrl");
});

it("takes two keys under one id while one replaces the other, and what is idempotent is so for both", async () => {
  const key = async (secret: string) => ({
    id: "app",
    sha256: await sha256Hex(secret),
    workspace: "dev",
    can: ["run", "read"],
  });
  const both = JSON.stringify([await key("old"), await key("new")]);
  const startWith = async (secret: string, API_KEYS: string) =>
    requestUnder({ API_KEYS }, "POST", "/v1/turns", {
      body: { agent: "playground", input: "go", extraBody: { script: [{ text: "end" }] } },
      headers: { authorization: `Bearer ${secret}`, "idempotency-key": "once" },
    });
  const first = await accepted<{ id: string }>(startWith("old", both));
  const again = await startWith("new", both);
  expect(again.status).toBe(200);
  expect(await again.json()).toMatchObject({ id: first.id });
  const replaced = JSON.stringify([await key("new")]);
  expect((await startWith("old", replaced)).status).toBe(401);
  expect((await startWith("new", replaced)).status).toBe(200);
});
