import { expect, it } from "vitest";
import { type Loopback, loopback } from "../agent/loopback.ts";
import { BOT_TOKEN, buttonsOf, clickOn, FakeSlack, signedForm } from "../fake-slack.ts";
import { startApp } from "./app.ts";
import { clientOf } from "./client.ts";
import { temporaryFolder } from "./dev-server.ts";
import { until } from "./until.ts";

const SIGNING_SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const REQUEST = "Pre-approve APP-1008: income 5000, debt 2350";

/** The fake on loopback. What it knows is addressed as Slack's own. */
function slackOnLoopback(slack: FakeSlack): Promise<Loopback> {
  return loopback(async ({ path, headers, text }) => {
    const answer = await slack.fetch(`https://slack.com${path}`, {
      method: "POST",
      headers: headers as Record<string, string>,
      body: text,
    });
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: await answer.text(),
    };
  });
}

async function interact(url: string, payload: object, at = Date.now()): Promise<Response> {
  const form = await signedForm(payload, { secret: SIGNING_SECRET, at });
  return fetch(`${url}/v1/slack/interactions`, { method: "POST", ...form });
}

it("posts a question of the app that ships in Slack, takes a click there for its answer, and shows there how one ended elsewhere", async () => {
  const slack = new FakeSlack();
  await using reached = await slackOnLoopback(slack);
  await using folder = await temporaryFolder();
  await using app = await startApp({
    folder: folder.path,
    variables: {
      SLACK_BOT_TOKEN: BOT_TOKEN,
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
      SLACK_CHANNEL: "#underwriting",
      SLACK_API_URL: `${reached.url}/api`,
    },
  });
  const client = clientOf(app.url);

  const clicked = await client.start({ input: REQUEST });
  const message = await until("the question is posted", () => slack.messages[0]);
  const approve = buttonsOf(message).get("Approve") ?? expect.fail("there is no button");
  const click = clickOn(message, approve, "U0DANA");
  const tenMinutes = 10 * 60 * 1_000;
  expect((await interact(app.url, click, Date.now() - tenMinutes)).status).toBe(401);
  const heard = await interact(app.url, click);
  expect([heard.status, await heard.text()]).toEqual([200, ""]);
  expect(await client.settled(clicked.id)).toMatchObject({
    status: "completed",
    text: expect.stringContaining("U0DANA approved") as string,
  });
  await until("its message shows how it ended", () =>
    slack.messages[0] !== undefined && !buttonsOf(slack.messages[0]).has("Approve")
      ? true
      : undefined,
  );

  const elsewhere = await client.start({ input: REQUEST });
  await until("the other is posted", () => slack.messages[1]);
  await client.answer(elsewhere.waitingFor?.[0]?.requestId ?? "", { option: "deny" });
  await until("its message shows the answer of the API", () =>
    slack.messages[1] !== undefined && !buttonsOf(slack.messages[1]).has("Approve")
      ? true
      : undefined,
  );
  expect(slack.calls).toEqual([
    "chat.postMessage",
    "chat.update",
    "chat.postMessage",
    "chat.update",
  ]);
  expect(JSON.stringify(slack.messages[1]?.blocks)).toContain("dana");
}, 120_000);
