import { env } from "cloudflare:workers";
import { createExecutionContext } from "cloudflare:test";
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, it, vi } from "vitest";
import page from "../../docs/channels.md?raw";
import type { Question } from "../../src/core/question.ts";
import { buttonsOf, clickOn } from "../fake-slack.ts";
import { ORIGIN } from "./client.ts";
import { eventually } from "./desk.ts";
import { hmacHex } from "../hmac.ts";
import { GITHUB_SECRET, SLACK_SECRET, STANDARD_SECRET } from "./hook-senders.ts";
import { accepted } from "./journey.ts";
import { arrive } from "./post-office.ts";
import * as email from "./samples/email.ts";
import receiver from "./samples/receiver.ts";
import * as recipients from "./samples/recipients.ts";
import * as slack from "./samples/slack.ts";
import * as triggers from "./samples/triggers.ts";
import * as webhook from "./samples/webhook.ts";
import { fakeSlack, interact, messageAt, reachSlack } from "./slack-desk.ts";

const SOURCES = import.meta.glob<string>("./samples/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});
const bindings = env as unknown as Readonly<Record<string, unknown>> & {
  readonly WEBHOOK_SECRET: string;
};

afterEach(() => {
  vi.restoreAllMocks();
});

type Sample = typeof slack.default;

/** Sends a request to a sample's own Worker, whose sessions are the sample's too. */
function ask(
  { fetch }: Sample,
  namespace: string,
  request: Request,
  more: Readonly<Record<string, unknown>> = {},
): Response | Promise<Response> {
  const own = { ...bindings, SESSION: bindings[namespace], ...more };
  return fetch(request, own, createExecutionContext());
}

function posting(path: string, body: unknown, headers: Record<string, string> = {}): Request {
  return new Request(`${ORIGIN}${path}`, {
    method: "POST",
    headers: {
      authorization: "Bearer dev-key",
      "content-type": "application/json",
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

async function answered<T>(response: Response | Promise<Response>): Promise<T> {
  return accepted<T>(Promise.resolve(response));
}

interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a sample's Worker sends to other systems, in order. It is read where it is sent: no other object may. */
function sent(): Sent[] {
  const requests: Sent[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init) => {
    const request = new Request(url as string, init as RequestInit);
    const headers = Object.fromEntries(request.headers);
    requests.push({ url: request.url, headers, body: await request.text() });
    return new Response(null, { status: 204 });
  });
  return requests;
}

/** As the page prints a file: less the indent of the list that it may stand in. */
function blocksOf(text: string): readonly string[] {
  return Array.from(text.matchAll(/^( *)```ts\n(.*?)^\1```$/gms), ([, indent = "", block = ""]) =>
    block.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  );
}

it("runs each block of TypeScript that docs/channels.md shows", () => {
  const files = Object.values(SOURCES).map((source) =>
    source.replace("../../../src/holdpoint.ts", "holdpoint"),
  );
  expect(blocksOf(page).toSorted()).toEqual(files.toSorted());
  expect(files).toHaveLength(6);
});

describe("the sample", () => {
  it("of mail takes mail at its addresses, and at no others", async () => {
    const { Session, default: worker } = email;
    expect(Session.name).toBe("Session");
    const refused = { rejected: "There is no such address.", replies: [] };
    const to = "other@mail.example.com";
    expect(await arrive("agent-first", to, undefined, worker.email)).toEqual(refused);
    const loans = "loans@mail.example.com";
    expect(await arrive("agent-empty", loans, undefined, worker.email)).toMatchObject({
      replies: [{ from: loans }],
    });
    expect(env).toHaveProperty("EMAIL");
  });

  it("of recipients asks each member of a group by the channels that reach them", async () => {
    const requests = sent();
    const question = { question: "May we?", to: "underwriters" };
    const asked = await answered<Question>(
      ask(recipients.default, "RECIPIENTS_SAMPLE", posting("/v1/questions", question)),
    );
    expect(asked).toMatchObject({ to: "underwriters", recipients: ["dana", "kim"] });
    await eventually(() =>
      expect(requests.map(({ url }) => url)).toEqual(["https://dana.example.com/holdpoint"]),
    );
    const to = "nobody-known";
    const refused = await ask(
      recipients.default,
      "RECIPIENTS_SAMPLE",
      posting("/v1/questions", { question: "May we?", to }),
    );
    expect(refused.status).toBe(400);
  });

  it("of webhooks tells the recipient's system, and its receiver takes what is genuine alone", async () => {
    const requests = sent();
    const question = { question: "Is it genuine?", to: "underwriter" };
    await answered(ask(webhook.default, "WEBHOOK_SAMPLE", posting("/v1/questions", question)));
    await eventually(() => expect(requests).toHaveLength(1));
    const [told = expect.fail("nothing was sent")] = requests;
    expect(told.url).toBe("https://underwriting.example.com/holdpoint");
    const logged = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const receive = (text: string) =>
      receiver.fetch(new Request(told.url, { method: "POST", headers: told.headers, body: text }), {
        WEBHOOK_SECRET: bindings.WEBHOOK_SECRET,
      });
    expect((await receive(told.body)).status).toBe(204);
    expect(logged).toHaveBeenCalledExactlyOnceWith(
      "question.asked",
      expect.stringMatching(/^q_/),
      question.question,
      expect.stringContaining("https://holdpoint.test/a/"),
    );
    expect((await receive(told.body.replace("genuine", "forged"))).status).toBe(401);
  });

  it("of Slack posts the loan desk's question, and completes its turn by a click", async () => {
    reachSlack();
    const start = { input: "Pre-approve APP-1008: income 5000, debt 2350" };
    const wait = { prefer: "wait=10" };
    const turn = await answered<{ id: string; status: string }>(
      ask(slack.default, "SLACK_SAMPLE", posting("/v1/turns", start, wait)),
    );
    expect(turn.status).toBe("parked");
    await eventually(() => expect(fakeSlack.messages).toHaveLength(1));
    const message = messageAt(0);
    expect(["C0123456789", "D02ABCDEF"]).toContain(message.channel);
    const approve = buttonsOf(message).get("Approve") ?? expect.fail("there is no such button");
    const clicked = await interact(clickOn(message, approve, "U02ABCDEF"), {
      fetch: (request) => ask(slack.default, "SLACK_SAMPLE", request),
    });
    expect(clicked.status).toBe(200);
    const read = new Request(`${ORIGIN}/v1/turns/${turn.id}?wait=10`, {
      headers: { authorization: "Bearer dev-key" },
    });
    expect(await answered(ask(slack.default, "SLACK_SAMPLE", read))).toMatchObject({
      status: "completed",
      text: expect.stringContaining("U02ABCDEF approved its 47% debt-to-income ratio") as string,
    });
    await eventually(() => expect(buttonsOf(messageAt(0)).size).toBe(0));
  });

  it("of triggers starts a turn for each kind of event that it is for", async () => {
    const deliver = (name: string, body: unknown, headers: Record<string, string>) =>
      ask(triggers.default, "TRIGGERS_SAMPLE", posting(`/v1/hooks/${name}`, body, headers), {
        PAYMENTS_SECRET: STANDARD_SECRET,
      });
    const issue = (action: string) => ({
      action,
      issue: { number: 7, title: "A loan", body: null },
      repository: { id: 1 },
    });
    const github = async (id: string, body: object) =>
      deliver("github", body, {
        "x-github-event": "issues",
        "x-github-delivery": id,
        "x-hub-signature-256": `sha256=${await hmacHex(GITHUB_SECRET, JSON.stringify(body))}`,
      });
    expect((await github("docs-1", issue("opened"))).status).toBe(202);
    expect((await github("docs-1", issue("opened"))).status).toBe(200);
    expect((await github("docs-2", issue("closed"))).status).toBe(204);

    const mention = {
      type: "event_callback",
      event_id: "Ev-docs",
      event: { type: "app_mention", channel: "C1", text: "Hello" },
    };
    const time = String(Math.floor(Date.now() / 1_000));
    const signature = await hmacHex(SLACK_SECRET, `v0:${time}:${JSON.stringify(mention)}`);
    const fromSlack = await deliver("slack", mention, {
      "x-slack-request-timestamp": time,
      "x-slack-signature": `v0=${signature}`,
    });
    expect(fromSlack.status).toBe(202);

    const payment = { type: "payment.disputed", data: { id: "p1", amount: 5 } };
    const fromPayments = await deliver("payments", payment, {
      "webhook-id": "docs-payment",
      "webhook-timestamp": time,
      "webhook-signature": new Webhook(STANDARD_SECRET).sign(
        "docs-payment",
        new Date(Number(time) * 1_000),
        JSON.stringify(payment),
      ),
    });
    expect(fromPayments.status).toBe(202);
  });
});
