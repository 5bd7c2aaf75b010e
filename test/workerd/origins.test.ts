import { expect, it } from "vitest";
import { requestUnder } from "./configured.ts";

const DESK = "https://desk.example";
const OPEN = { CORS_ORIGINS: `${DESK}, http://localhost:5173` };
const PREFLIGHT = {
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization,content-type,idempotency-key",
};

function names(response: Response, header: string): readonly string[] {
  return (response.headers.get(header) ?? "").toLowerCase().split(/,\s*/);
}

it("says nothing of origins where none is configured", async () => {
  for (const [method, headers] of [
    ["GET", { authorization: "Bearer dev-key" }],
    ["OPTIONS", PREFLIGHT],
  ] as const) {
    const response = await requestUnder({}, method, "/v1/questions?sessionId=nobody-yet", {
      headers: { origin: DESK, ...headers },
    });
    expect([...response.headers.keys()].filter((name) => name.startsWith("access-"))).toEqual([]);
  }
});

it("lets a configured origin's page ask beforehand, without a key", async () => {
  for (const path of ["/v1/turns", "/v1/questions/x/answer", "/api/v1/threads"]) {
    const response = await requestUnder(OPEN, "OPTIONS", path, {
      headers: { origin: DESK, ...PREFLIGHT },
    });
    expect(response.status, path).toBe(204);
    expect(response.headers.get("access-control-allow-origin")).toBe(DESK);
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
    expect(response.headers.get("access-control-max-age")).toBe("600");
    expect(names(response, "access-control-allow-methods")).toContain("post");
    for (const name of ["authorization", "idempotency-key", "last-event-id"])
      expect(names(response, "access-control-allow-headers")).toContain(name);
    expect(names(response, "vary")).toContain("origin");
  }
});

it("lets a configured origin's page read what it is told, refusals too", async () => {
  for (const [authorization, status] of [
    ["Bearer dev-key", 200],
    ["Bearer wrong", 401],
  ] as const) {
    const response = await requestUnder(OPEN, "GET", "/v1/questions?sessionId=nobody-yet", {
      headers: { origin: "http://localhost:5173", authorization },
    });
    expect(response.status).toBe(status);
    expect(response.headers.get("access-control-allow-origin")).toBe("http://localhost:5173");
    expect(names(response, "access-control-expose-headers")).toContain("retry-after");
    expect(names(response, "vary")).toContain("origin");
  }
});

it("gives no other origin leave, however much it looks like one, and keeps caches from mixing them up", async () => {
  for (const origin of [
    "https://evil.example",
    `${DESK}.evil.example`,
    `${DESK}:8443`,
    "http://desk.example",
    "https://DESK.example",
    "null",
  ])
    for (const [method, headers] of [
      ["GET", { authorization: "Bearer dev-key" }],
      ["OPTIONS", PREFLIGHT],
    ] as const) {
      const response = await requestUnder(OPEN, method, "/v1/questions?sessionId=nobody-yet", {
        headers: { origin, ...headers },
      });
      expect(response.headers.get("access-control-allow-origin"), origin).toBeNull();
      expect(names(response, "vary")).toContain("origin");
    }
});

it("speaks of origins on the API alone, never on the answer page", async () => {
  for (const path of ["/healthz", "/a/x"]) {
    const response = await requestUnder(OPEN, "GET", path, { headers: { origin: DESK } });
    expect(response.headers.get("access-control-allow-origin"), path).toBeNull();
  }
});

it("takes exact origins alone", async () => {
  for (const CORS_ORIGINS of [
    "*",
    "https://*.example",
    "desk.example",
    `${DESK}/`,
    `${DESK} https://x.example/path`,
  ]) {
    const response = await requestUnder({ CORS_ORIGINS }, "GET", "/v1/questions");
    expect(response.status, CORS_ORIGINS).toBe(503);
    expect(await response.text()).toContain("CORS_ORIGINS");
  }
});
