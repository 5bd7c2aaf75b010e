import { exportJWK } from "jose";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Question } from "../../src/core/question.ts";
import { play } from "./client.ts";
import { requestUnder } from "./configured.ts";
import { AUDIENCE, FakeIssuer } from "./issuer.ts";
import { accepted, ask, awaitTasks, onlyRequest, readQuestion, refusal } from "./journey.ts";

const PLAIN = [{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }, { text: "end" }];

let teams = 0;
let team: FakeIssuer;

beforeEach(() => {
  // An issuer of its own for each test: keys are kept as long as the Worker's isolate lives.
  teams += 1;
  team = new FakeIssuer(`team-${teams}`);
  team.serve();
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function variables(more: object = {}): object {
  const issuer = {
    issuer: team.issuer,
    audience: AUDIENCE,
    workspace: "dev",
    can: ["read", "answer"],
  };
  return { JWT_ISSUERS: JSON.stringify([{ ...issuer, ...more }]) };
}

function read(token: string, header = "cf-access-jwt-assertion"): Promise<Response> {
  const headers = { [header]: header === "authorization" ? `Bearer ${token}` : token };
  return requestUnder(variables(), "GET", "/v1/questions?sessionId=nobody-yet", { headers });
}

async function refusedWith(token: string): Promise<string> {
  const response = await read(token);
  expect(response.headers.get("www-authenticate")).toContain("invalid_token");
  const problem = await refusal(Promise.resolve(response));
  expect(problem).toMatchObject({ status: 401, code: "unauthenticated" });
  expect(problem.detail).not.toContain(token.split(".")[2] || token);
  return problem.detail;
}

it("lets a person in by the header of Access, or by a bearer token of the same issuer", async () => {
  for (const alg of ["RS256", "ES256", "PS384", "EdDSA"]) {
    team = new FakeIssuer(`${alg.toLowerCase()}-team`);
    team.serve();
    const token = await team.sign(await team.newKey("one", alg));
    expect((await read(token)).status, alg).toBe(200);
    expect((await read(token, "authorization")).status, alg).toBe(200);
    expect(team.fetched).toBe(1);
  }
});

it("records a person as who answered, by the email of the token", async () => {
  const requestId = onlyRequest(await play(PLAIN));
  const key = await team.newKey("one");
  const headers = { "cf-access-jwt-assertion": await team.sign(key) };
  const path = `/v1/questions/${requestId}/answer`;
  const answer = { text: "Yes." };
  const asAnother = { answer, answeredBy: "kim@example.com" };
  expect(
    await refusal(requestUnder(variables(), "POST", path, { body: asAnother, headers })),
  ).toMatchObject({ status: 400, issues: [{ path: "answeredBy" }] });
  expect(await readQuestion(requestId)).toMatchObject({ status: "waiting" });
  const answered = await accepted<Question>(
    requestUnder(variables(), "POST", path, { body: { answer }, headers }),
  );
  expect(answered).toMatchObject({ status: "answered", answeredBy: "dana@example.com" });
});

it("still wants to know from a key who answered", async () => {
  const requestId = onlyRequest(await play(PLAIN));
  for (const action of ["answer", "decline"])
    expect(
      await refusal(
        requestUnder({}, "POST", `/v1/questions/${requestId}/${action}`, {
          body: action === "answer" ? { answer: { text: "x" } } : {},
          headers: { authorization: "Bearer dev-key" },
        }),
      ),
    ).toMatchObject({ status: 400, issues: [{ path: "answeredBy", message: "must be given" }] });
});

it("gives a person the rights of the issuer's entry in its workspace, and no more", async () => {
  const turn = await play(PLAIN);
  const headers = { "cf-access-jwt-assertion": await team.sign(await team.newKey("one")) };
  expect(
    await refusal(requestUnder(variables(), "POST", `/v1/turns/${turn.id}/cancel`, { headers })),
  ).toMatchObject({ status: 403 });
  const elsewhere = variables({ workspace: "other" });
  expect(
    await refusal(requestUnder(elsewhere, "GET", `/v1/turns/${turn.id}`, { headers })),
  ).toMatchObject({ status: 404 });
  expect((await requestUnder(variables(), "GET", `/v1/turns/${turn.id}`, { headers })).status).toBe(
    200,
  );
});

it("refuses what nobody signed, and what is signed with the public key as a secret", async () => {
  const key = await team.newKey("one");
  expect(await refusedWith(team.unsigned())).toMatch(/algorithm that is not taken/);
  expect(await refusedWith(await team.signConfused(key))).toMatch(/algorithm that is not taken/);
});

it("refuses a token that another key has signed, whatever it calls itself", async () => {
  await team.newKey("one");
  const stranger = await new FakeIssuer("stranger").newKey("one");
  expect(await refusedWith(await team.sign(stranger))).toMatch(/signature is not its issuer's/);
});

it("refuses a changed token", async () => {
  const key = await team.newKey("one");
  const [head, , signature] = (await team.sign(key)).split(".");
  const [, claims] = (await team.sign(key, { email: "boss@example.com" })).split(".");
  expect(await refusedWith(`${head}.${claims}.${signature}`)).toMatch(/signature/);
  expect(await refusedWith("abc.def.ghi")).toMatch(/can't be read/);
  expect(await refusedWith(`${"x".repeat(9_000)}`)).toMatch(/too long/);
});

it.each([
  ["expired", { exp: 1_000_000_000 }, /has expired/],
  ["not valid yet", { nbf: 32_000_000_000 }, /not valid yet/],
  ["valid for ever", { exp: undefined }, /until when/],
  ["for another audience", { aud: ["another"] }, /another audience/],
  ["for no audience", { aud: undefined }, /another audience/],
  ["from another issuer", { iss: "https://evil.cloudflareaccess.com" }, /issuer that is not taken/],
  ["of a service", { email: undefined, common_name: "service" }, /names no person/],
  ["of an email that is none", { email: 7 }, /names no person/],
  ["of several emails", { email: ["dana@example.com"] }, /names no person/],
  ["of a name that a key has", { email: "app" }, /names no person/],
  ["of an email with a second line", { email: "dana@example.com\nfor kim" }, /names no person/],
  ["of an email that turns round", { email: "dana@\u202eexample.com" }, /names no person/],
  ["of an email that nobody verified", { email_verified: false }, /not verified/],
  ["of an email that nobody verified, as a text", { email_verified: "false" }, /not verified/],
  ["of an email of which it is not known", { email_verified: null }, /not verified/],
])("refuses a token that is %s, and says so", async (_what, claims, words) => {
  expect(await refusedWith(await team.sign(await team.newKey("one"), claims))).toMatch(words);
});

it("takes an issuer's word that an email is verified, as a text too", async () => {
  const key = await team.newKey("one");
  for (const verified of [true, "true", undefined]) {
    const token = await team.sign(key, { email_verified: verified });
    expect((await read(token)).status).toBe(200);
  }
});

it("asks nobody but the issuer for keys, whatever a token's header says", async () => {
  const stranger = await new FakeIssuer("stranger-by-header").newKey("one");
  const jwk = await exportJWK(stranger.pair.publicKey);
  await team.newKey("one");
  for (const more of [
    { jku: "https://evil.example/keys" },
    { x5u: "https://evil.example/keys" },
    { jwk },
    { kid: "../../one" },
    { kid: ["one"] },
  ])
    await refusedWith(await team.sign(stranger, {}, more));
  expect(team.fetched).toBe(1);
});

it("bears with an issuer whose clock is a little ahead", async () => {
  const seconds = Math.floor(Date.now() / 1_000);
  const key = await team.newKey("one");
  expect((await read(await team.sign(key, { nbf: seconds + 20, exp: seconds + 620 }))).status).toBe(
    200,
  );
});

it("knows an issuer's new key once it may ask again, and the old one as long as it is published", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const old = await team.newKey("old");
  expect((await read(await team.sign(old))).status).toBe(200);
  const fresh = await team.newKey("fresh");
  // A kid that nobody knows does not make the Worker ask each time that it comes.
  expect(await refusedWith(await team.sign(fresh))).toMatch(/key that its issuer does not have/);
  expect(team.fetched).toBe(1);
  vi.setSystemTime(Date.now() + 31_000);
  expect((await read(await team.sign(fresh))).status).toBe(200);
  expect((await read(await team.sign(old))).status).toBe(200);
  expect(team.fetched).toBe(2);
  team.withdraw(old);
  vi.setSystemTime(Date.now() + 11 * 60_000);
  expect((await read(await team.sign(fresh))).status).toBe(200);
  expect(await refusedWith(await team.sign(old))).toMatch(/key that its issuer does not have/);
});

it("says that it is the issuer's server where that does not answer, and asks again the next time", async () => {
  const token = await team.sign(await team.newKey("one"));
  for (const failure of [
    () => new Response("no", { status: 500 }),
    () => new Response("<html>"),
    () => Response.json({ keys: "none" }),
    () => {
      throw new TypeError("no network");
    },
  ]) {
    team.failure = failure;
    const response = await read(token);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await refusal(Promise.resolve(response))).toMatchObject({
      status: 503,
      code: "unavailable",
    });
  }
  team.failure = undefined;
  expect((await read(token)).status).toBe(200);
});

it("does not let the word for a person stand in for a wrong key, and takes a right key beside it", async () => {
  const token = await team.sign(await team.newKey("one"));
  const both = (authorization: string) =>
    requestUnder(variables(), "GET", "/v1/questions?sessionId=nobody-yet", {
      headers: { authorization, "cf-access-jwt-assertion": token },
    });
  expect((await both("Bearer wrong")).status).toBe(401);
  expect((await both("Bearer dev-key")).status).toBe(200);
});

it("does not let another origin's page call for its visitor", async () => {
  const token = await team.sign(await team.newKey("one"));
  const from = (origin: string, more: object = {}) =>
    requestUnder({ ...variables(), ...more }, "GET", "/v1/questions?sessionId=nobody-yet", {
      headers: { origin, "cf-access-jwt-assertion": token },
    });
  expect(await refusal(from("https://evil.example"))).toMatchObject({ status: 403 });
  expect(await refusal(from("null"))).toMatchObject({ status: 403 });
  expect((await from("https://holdpoint.test")).status).toBe(200);
  const open = { CORS_ORIGINS: "https://desk.example" };
  expect((await from("https://desk.example", open)).status).toBe(200);
});

it("takes no token where no issuer is configured", async () => {
  const token = await team.sign(await team.newKey("one"));
  const headers = { "cf-access-jwt-assertion": token };
  expect((await requestUnder({}, "GET", "/v1/questions", { headers })).status).toBe(401);
  expect(team.fetched).toBe(0);
});

it("takes people alone where no key is configured", async () => {
  const token = await team.sign(await team.newKey("one"));
  const alone = { ...variables(), API_KEYS: undefined };
  const headers = { "cf-access-jwt-assertion": token };
  const path = "/v1/questions?sessionId=nobody-yet";
  expect((await requestUnder(alone, "GET", path, { headers })).status).toBe(200);
  expect((await requestUnder(alone, "GET", path)).status).toBe(401);
});

it.each([
  [{ issuer: "http://x.cloudflareaccess.com" }, "issuer"],
  [{ issuer: "https://id.example.com" }, "jwks"],
  [{ can: [] }, "can"],
  [{ workspace: "Dev" }, "workspace"],
])("says which part of an issuer's entry is wrong: %o", async (more, field) => {
  const problem = await refusal(requestUnder(variables(more), "GET", "/v1/questions"));
  expect(problem).toMatchObject({ status: 503, code: "not_configured" });
  expect(problem.detail).toContain(`JWT_ISSUERS.0.${field}`);
});
