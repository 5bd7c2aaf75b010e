import { expect, it } from "vitest";
import { call, play } from "./client.ts";
import { ask, awaitTasks, begin, refusal, send, start } from "./journey.ts";

const PARKING = [{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }, { text: "end" }];

function raw(body: string): Promise<Response> {
  return send("POST", "/v1/turns", body, { "content-type": "application/json" });
}

it("refuses a query that does not fit", async () => {
  const turn = await play(PARKING);
  const list = `/v1/questions?sessionId=${turn.sessionId}`;
  for (const path of [
    `/v1/turns/${turn.id}?wait=x`,
    `/v1/turns/${turn.id}?wait=-1`,
    `/v1/turns/${turn.id}?wait=1.5`,
    `/v1/turns/${turn.id}?wait=`,
    `/v1/turns/${turn.id}?more=1`,
    `${list}&limit=0`,
    `${list}&limit=101`,
    `${list}&limit=-1`,
    `${list}&limit=1e1`,
    `${list}&limit=`,
    `${list}&limit=9999999999`,
    `${list}&status=open`,
    `${list}&kind=question`,
    `${list}&more=1`,
    "/v1/questions?sessionId=",
    "/v1/questions?sessionId=with%20space",
    `/v1/questions?sessionId=${"x".repeat(129)}`,
  ])
    expect(await refusal(call("GET", path)), path).toMatchObject({
      status: 400,
      code: "invalid_request",
    });
});

it("refuses a session's name that is none", async () => {
  for (const name of [
    "with%20space",
    "a%2Fb",
    "%00",
    "na%C3%AFve",
    "%F0%9F%98%80",
    "x".repeat(129),
    "a+b",
    "a%25b",
  ]) {
    expect(await refusal(start([], { session: name })), name).toMatchObject({
      status: 400,
      code: "invalid_request",
    });
    expect(await refusal(call("GET", `/v1/sessions/${name}`)), name).toMatchObject({ status: 400 });
  }
  for (const name of [
    "x".repeat(128),
    "a.b_c~d:e@f-g",
    "sess_short",
    `sess_${"A".repeat(24)}`,
    "%7Etilde",
    "__proto__",
  ]) {
    const turn = await begin([], { session: name });
    expect(turn.sessionName, name).toBe(decodeURIComponent(name));
  }
});

it("knows nothing at a broken path", async () => {
  for (const path of [
    "/v1",
    "/v1/",
    "/v1/turns/",
    "/v1/turns/%ZZ",
    "/v1/turns/x/y/z",
    "/v1//turns",
    "/v1/sessions",
    "/v1/nothing",
    "/",
    "/v2/turns",
    "/favicon.ico",
  ])
    expect(await refusal(call("GET", path)), path).toMatchObject({
      status: 404,
      code: "not_found",
    });
});

it("says which methods a path takes", async () => {
  const id = `turn_${"0".repeat(32)}`;
  const question = `q_${"0".repeat(32)}`;
  for (const [method, path, allow] of [
    ["PUT", `/v1/turns/${id}`, "GET"],
    ["GET", `/v1/turns/${id}/cancel`, "POST"],
    ["DELETE", `/v1/turns/${id}/results`, "POST"],
    ["PATCH", `/v1/questions/${question}`, "GET"],
    ["GET", `/v1/questions/${question}/answer`, "POST"],
    ["OPTIONS", `/v1/questions/${question}/decline`, "POST"],
    ["PUT", "/v1/sessions/x/messages", "GET"],
    ["POST", "/healthz", "GET"],
  ] as const) {
    const response = await call(method, path);
    expect(response.headers.get("allow"), path).toBe(allow);
    expect(await refusal(Promise.resolve(response)), path).toMatchObject({
      status: 405,
      code: "method_not_allowed",
    });
  }
});

it("is healthy without a key, and says nothing more", async () => {
  const response = await send("GET", "/healthz", undefined, { authorization: "" });
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ status: "ok" });
  const head = await send("HEAD", "/healthz", undefined, {});
  expect(head.status).toBe(200);
});

it("gives each response an id and forbids to store it, refused or not", async () => {
  const responses = [
    await call("GET", "/v1/questions?sessionId=x"),
    await call("GET", "/v1/turns/x"),
    await raw("{"),
    await call("GET", "/v1/turns/x", undefined, { authorization: "" }),
  ];
  const ids = responses.map(({ headers }) => headers.get("x-request-id"));
  expect(new Set(ids).size).toBe(responses.length);
  for (const { headers } of responses) {
    expect(headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
    expect(headers.get("cache-control")).toBe("no-store");
  }
});
