import { createExecutionContext } from "cloudflare:test";
import { expect, it } from "vitest";
import { scriptModel } from "../../src/agent/script-model.ts";
import { createHarness } from "../../src/harness.ts";
import { githubSignature } from "../../src/inbound/webhook-signatures.ts";
import { ORIGIN } from "./client.ts";
import { hmacHex } from "../hmac.ts";
import { deliver, github, GITHUB_SECRET, slack, standard } from "./hook-senders.ts";
import { refusal, send } from "./journey.ts";

const BODY_BYTES = 2 * 1_024 * 1_024;

it("refuses what is not signed, signed by another, or changed on its way", async () => {
  const body = JSON.stringify({ say: "go" });
  const signature = `sha256=${await hmacHex(GITHUB_SECRET, body)}`;
  const headers = { "x-github-delivery": "forged", "x-github-event": "issues" };
  const others = [
    [body, {}],
    [body, { "x-hub-signature-256": `sha256=${await hmacHex("another secret", body)}` }],
    [body, { "x-hub-signature-256": signature.slice("sha256=".length) }],
    [`${body} `, { "x-hub-signature-256": signature }],
    ["no JSON", { "x-hub-signature-256": signature }],
  ] as const;
  for (const [sent, extra] of others) {
    const response = await deliver("github", sent, { ...headers, ...extra });
    expect(response.headers.get("www-authenticate")).toBe("Signature");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const problem = await refusal(Promise.resolve(response));
    expect(problem).toMatchObject({ status: 401, code: "invalid_signature" });
    expect(JSON.stringify(problem)).not.toContain(signature.slice(-16));
  }
  // None of them used the id up.
  expect(
    (await deliver("github", body, { ...headers, "x-hub-signature-256": signature })).status,
  ).toBe(202);
});

it("refuses a delivery whose time is more than 5 minutes away, genuine or not", async () => {
  for (const apart of [-302_000, 302_000]) {
    const at = Date.now() + apart;
    for (const late of [standard("msg_late", { say: "go" }, at), slack({ event_id: "late" }, at)])
      expect(await refusal(late)).toMatchObject({
        status: 401,
        code: "invalid_signature",
        detail: "The timestamp is more than 5 minutes from now.",
      });
  }
  const at = Date.now() - 200_000;
  expect((await standard("msg_late", { say: "go" }, at)).status).toBe(202);
  expect((await slack({ event_id: "late" }, at)).status).toBe(202);
});

it("names the secret that is missing or can't be one, and shows none", async () => {
  for (const [name, detail] of [
    ["forgotten", "Set the secret FORGOTTEN_SECRET: what arrives here is known by it."],
    ["blank", "Set the secret BLANK_SECRET: what arrives here is known by it."],
    [
      "mistaken",
      "The secret GITHUB_SECRET must be whsec_ and the base64 of 16 to 64 random bytes.",
    ],
  ] as const)
    expect(await refusal(github("none", { say: "go" }, { name }))).toMatchObject({
      status: 503,
      code: "not_configured",
      detail,
    });
});

it("bounds a body before it is verified", async () => {
  const [head, tail] = ['{"say":"go","pad":"', '"}'] as const;
  const body = `${head}${"x".repeat(BODY_BYTES - head.length - tail.length)}${tail}`;
  expect(body).toHaveLength(BODY_BYTES);
  expect((await github("large", null, { body })).status).toBe(202);
  expect(await refusal(github("larger", null, { body: `${body} ` }))).toMatchObject({
    status: 413,
    code: "payload_too_large",
  });
});

it("refuses a genuine body that is no JSON, as every door does", async () => {
  for (const body of [
    "no JSON",
    "[".repeat(65) + "]".repeat(65),
    '{"say":1e999}',
    new Uint8Array([0x22, 0xff, 0x22]),
  ])
    expect(await refusal(github("bad", null, { body }))).toMatchObject({
      status: 400,
      code: "invalid_request",
    });
  const body = "say=go";
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    "x-hub-signature-256": `sha256=${await hmacHex(GITHUB_SECRET, body)}`,
  };
  expect(await refusal(deliver("github", body, headers))).toMatchObject({ status: 415 });
});

it("refuses an event without an id", async () => {
  for (const nameless of [
    github(undefined, { say: "go" }),
    github("", { say: "go" }),
    slack({ type: "event_callback" }),
    slack([]),
  ])
    expect(await refusal(nameless)).toMatchObject({
      status: 400,
      code: "invalid_request",
      detail: "The event has no id.",
    });
});

it("keeps a mistake of a trigger's own code to itself, and does not use the id up", async () => {
  for (const event of [
    "no object",
    { say: " " },
    { say: 7 },
    { say: "x".repeat(262_145) },
    { say: "go", session: "owner/name#7" },
    { say: "go", session: "" },
  ]) {
    const problem = await refusal(standard("msg_mistake", event));
    expect(problem).toMatchObject({ status: 500, code: "internal" });
    expect(problem.detail).not.toContain("triggers.");
  }
  expect((await standard("msg_mistake", { say: "go" })).status).toBe(202);
});

it("reports such a mistake to the log, by the option's name", async () => {
  const agent = { model: scriptModel, system: "You play a script." };
  const verify = githubSignature("GITHUB_SECRET");
  const body = JSON.stringify({ say: "a secret word" });
  const reported: string[] = [];
  for (const wrong of [
    { input: () => " " },
    { input: () => "go", session: () => "owner/name#7" },
  ]) {
    const { worker } = createHarness(
      { ...agent, triggers: { own: { verify, ...wrong } } },
      { report: (defect) => reported.push(String(defect)) },
    );
    const request = new Request(`${ORIGIN}/v1/hooks/own`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-hub-signature-256": `sha256=${await hmacHex(GITHUB_SECRET, body)}`,
        "x-github-delivery": "reported",
      },
      body,
    });
    const response = await worker.fetch(request, { GITHUB_SECRET }, createExecutionContext());
    expect(response.status).toBe(500);
  }
  expect(reported).toEqual([
    "TypeError: triggers.own.input returned what is no input: must not be blank",
    "TypeError: triggers.own.session returned what names no session: 1 to 128 of A-Z a-z 0-9 . _ ~ : @ -, but not . or ..",
  ]);
});

it("finds a session by its id only in its own workspace", async () => {
  const session = `sess_${"0".repeat(24)}`;
  expect(await refusal(standard("msg_by_id", { say: "go", session }))).toMatchObject({
    status: 404,
    code: "not_found",
  });
});

it("has no trigger that is not declared, and takes nothing but POST", async () => {
  for (const name of ["nobody", "__proto__", "constructor", "github%20"])
    expect(await refusal(github("x", {}, { name })), name).toMatchObject({
      status: 404,
      code: "not_found",
    });
  for (const method of ["GET", "PUT", "DELETE"]) {
    const response = await send(method, "/v1/hooks/github", undefined, { authorization: "" });
    expect(response.headers.get("allow")).toBe("POST");
    expect(await refusal(Promise.resolve(response))).toMatchObject({
      status: 405,
      code: "method_not_allowed",
    });
  }
});

it("declares triggers beside one agent too, and checks them when the harness is made", () => {
  const agent = { model: scriptModel, system: "You play a script." };
  const verify = githubSignature("GITHUB_SECRET");
  const own = { verify, input: () => "go" };
  createHarness({ ...agent, triggers: { own } });
  expect(() => createHarness({ ...agent, triggers: { own: { ...own, agent: "x" } } })).toThrow(
    "createHarness: triggers.own.agent: must be one of default",
  );
  expect(() => createHarness({ agents: () => ({ x: agent }), triggers: { "a b": own } })).toThrow(
    "createHarness: triggers: a name must be",
  );
});
