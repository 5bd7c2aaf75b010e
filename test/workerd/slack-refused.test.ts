import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { env } from "cloudflare:workers";
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { signLink } from "../../src/outbound/sign.ts";
import { buttonsOf, clickOn } from "../fake-slack.ts";
import { call, ORIGIN } from "./client.ts";
import { faults } from "./faults.ts";
import { readQuestion, refusal, send } from "./journey.ts";
import { fakeSlack, interact, messageAt, posted, reachSlack } from "./slack-desk.ts";
import worker from "./worker.ts";

const ASKED = {
  question: "May we?",
  options: [
    { id: "approve", label: "Approve" },
    { id: "deny", label: "Deny" },
  ],
};
const MINUTE = 60_000;

beforeEach(() => reachSlack());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A question that was posted, and a click on it as Slack would send it, with another value. */
async function clicked(question: string, valueOf = (value: string) => value) {
  const asked = await posted("ask_tool", { ...ASKED, question, to: "dana" });
  const button = buttonsOf(messageAt(0)).get("Approve") ?? expect.fail("there is no button");
  const value = valueOf(button.value ?? "");
  return { ...asked, payload: clickOn(messageAt(0), { ...button, value }, "U0DANA") };
}

it("refuses a click without a signature, with a forged one, and one of another time", async () => {
  const { question, payload } = await clicked("Signed?");
  const now = Date.now();
  const refusals = [
    interact(payload, { secret: "another secret" }),
    interact(payload, { headers: { "x-slack-signature": "" } }),
    interact(payload, { headers: { "x-slack-signature": "v0=" } }),
    interact(payload, { headers: { "x-slack-request-timestamp": "" } }),
    interact(payload, {
      headers: { "x-slack-request-timestamp": String(Math.floor(now / 1_000) - 9) },
    }),
    interact(payload, { at: now - 5 * MINUTE - 1_000 }),
    interact(payload, { at: now + 6 * MINUTE }),
  ];
  for (const refused of refusals)
    expect(await refusal(refused)).toMatchObject({ status: 401, code: "invalid_signature" });
  expect(await readQuestion(question.requestId)).toMatchObject({ status: "waiting" });
  const taken = await interact(payload, { at: now - 4 * MINUTE });
  expect(taken.status).toBe(200);
  expect(await readQuestion(question.requestId)).toMatchObject({ status: "answered" });
});

it("takes a button for the one question and recipient that it was made for", async () => {
  const { question: other } = await posted("ask_tool", { ...ASKED, question: "Another?" });
  fakeSlack.clear();
  const { linkSecret, requestId } = {
    linkSecret: "a secret for tests only",
    requestId: other.requestId,
  };
  const link = { workspace: "dev", requestId };
  const forged = await signLink("a secret of somebody else", link);
  const otherWorkspace = await signLink(linkSecret, { ...link, workspace: "other" });
  const otherRecipient = await signLink(linkSecret, { ...link, recipient: "dana" });
  for (const value of [
    `0.${forged}`,
    `0.${otherWorkspace}`,
    `0.${otherRecipient}`,
    "0",
    "",
    `0.${"A".repeat(3_000)}`,
    requestId,
  ]) {
    fakeSlack.clear();
    const { question, payload } = await clicked(`Bound? ${value.slice(-20)}`, () => value);
    expect((await interact(payload)).status).toBe(200);
    expect(fakeSlack.told).toEqual([expect.stringContaining("not yours to answer")]);
    expect(await readQuestion(question.requestId)).toMatchObject({ status: "waiting" });
  }
  expect(await readQuestion(requestId)).toMatchObject({ status: "waiting" });
});

it("says that a button which the question does not have answers nothing", async () => {
  const { question, payload } = await clicked("Which button?", (value) =>
    value.replace("0.", "7."),
  );
  expect((await interact(payload)).status).toBe(200);
  expect(fakeSlack.told).toEqual([expect.stringContaining("does not fit the question")]);
  expect(await readQuestion(question.requestId)).toMatchObject({ status: "waiting" });
});

it.each([
  ["no click", { type: "view_submission", user: { id: "U0DANA" } }],
  [
    "a click on nothing of ours",
    { type: "block_actions", user: { id: "U0DANA" }, actions: [{ action_id: "x", value: "0.x" }] },
  ],
  ["a click without actions", { type: "block_actions", user: { id: "U0DANA" } }],
])("takes what is %s, and does nothing", async (_, payload) => {
  expect((await interact(payload)).status).toBe(200);
  expect(fakeSlack.calls).toEqual([]);
});

it.each([
  ["no object", 7],
  ["nobody's", { type: "block_actions" }],
  ["a channel's", { type: "block_actions", user: { id: "C0DESK" } }],
])("refuses a genuine payload that is %s", async (_, payload) => {
  expect(await refusal(interact(payload))).toMatchObject({ status: 400, code: "invalid_request" });
});

it("tells the one who clicked at Slack's own address alone", async () => {
  const { payload } = await clicked("Told?", () => "0.forged");
  const spied = vi.mocked(globalThis.fetch);
  for (const response_url of [
    "https://evil.example/actions",
    "https://hooks.slack.com.evil.example/",
    "http://127.0.0.1:9/",
    "https://hooks.slack.com@evil.example/",
    undefined,
  ]) {
    spied.mockClear();
    expect((await interact({ ...payload, response_url })).status).toBe(200);
    expect(spied).not.toHaveBeenCalled();
  }
});

it("notes what Slack does not let it tell, and keeps the answer", async () => {
  const { payload } = await clicked("Not told?", () => "0.forged");
  faults.defects.length = 0;
  vi.mocked(globalThis.fetch).mockImplementation(() => Promise.reject(new Error("down")));
  expect((await interact(payload)).status).toBe(200);
  await vi.waitFor(() => expect(faults.defects).toHaveLength(1));
  faults.defects.length = 0;
});

it("refuses another body than a form, and another method", async () => {
  const { payload } = await clicked("A form?");
  const json = { "content-type": "application/json" };
  expect(await refusal(interact(payload, { headers: json }))).toMatchObject({ status: 415 });
  expect(await refusal(call("GET", "/v1/slack/interactions"))).toMatchObject({ status: 405 });
  expect(
    await refusal(send("POST", "/v1/slack/interactions", "x".repeat(2_097_153))),
  ).toMatchObject({
    status: 413,
  });
});

it("answers before Slack gives up, and records behind that", async () => {
  const { question, payload } = await clicked("Slow?");
  const { promise: gate, resolve: open } = Promise.withResolvers<undefined>();
  const { SESSION } = env as unknown as { readonly SESSION: DurableObjectNamespace };
  const slow = {
    getByName: (name: string) =>
      new Proxy(SESSION.getByName(name), {
        get:
          (target, method) =>
          async (...args: unknown[]) => {
            if (method === "settleQuestion") await gate;
            return Reflect.apply(Reflect.get(target, method) as () => unknown, target, args);
          },
      }),
  };
  const context = createExecutionContext();
  // Each look of `waitFor` lets a little of the faked time pass.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let status: number | undefined;
  void interact(payload, {
    fetch: (request) => worker.fetch(request, { ...env, SESSION: slow }, context),
  }).then((response) => (status = response.status));
  await vi.waitFor(() => expect(status).toBe(200), { timeout: 30_000, interval: 50 });
  vi.useRealTimers();
  expect(await readQuestion(question.requestId)).toMatchObject({ status: "waiting" });
  open(undefined);
  await waitOnExecutionContext(context);
  expect(await readQuestion(question.requestId)).toMatchObject({ status: "answered" });
});

it("says which secret is missing", async () => {
  const request = () => new Request(`${ORIGIN}/v1/slack/interactions`, { method: "POST" });
  const bindings = { ...env, SLACK_SIGNING_SECRET: undefined };
  const response = worker.fetch(request(), bindings, createExecutionContext());
  expect(await refusal(Promise.resolve(response))).toMatchObject({
    status: 503,
    code: "not_configured",
    detail: expect.stringContaining("SLACK_SIGNING_SECRET") as string,
  });
});
