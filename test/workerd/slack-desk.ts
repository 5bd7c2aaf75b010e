/**
 * Owns: what the tests of Slack share: the Slack that the Worker reaches, a question that was posted there, and clicks that
 * come back, signed as Slack signs them.
 */

import { exports } from "cloudflare:workers";
import { expect, vi } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import type { Question } from "../../src/core/question.ts";
import { buttonsOf, clickOn, type FakeMessage, FakeSlack, signedForm } from "../fake-slack.ts";
import { ORIGIN, play } from "./client.ts";
import { eventually } from "./desk.ts";
import { SLACK_SECRET } from "./hook-senders.ts";
import { questionsOf, readQuestion } from "./journey.ts";

export const CHOICE = {
  question: "May we <b>pay</b> & go on?",
  options: [
    { id: "approve", label: "Approve", description: "At 47 %." },
    { id: "deny", label: "Deny" },
  ],
};

export const fakeSlack = new FakeSlack();

/** The Worker reaches the fake, and nothing else, until all mocks are restored. */
export function reachSlack(): void {
  fakeSlack.clear();
  vi.spyOn(globalThis, "fetch").mockImplementation(fakeSlack.fetch);
}

/** A question of the agent, once every delivery of it has arrived. */
export async function posted(
  toolName: string,
  input: JsonObject,
  messages = 1,
): Promise<{ readonly question: Question; readonly sessionId: string }> {
  const turn = await play([{ calls: [{ toolName, input }] }, { text: "Done." }], {
    agent: "in-slack",
  });
  const [asked = expect.fail("nothing was asked")] = await questionsOf(turn.sessionId);
  await eventually(() => expect(fakeSlack.messages).toHaveLength(messages));
  return { question: await deliveredAs(asked.requestId, "sent"), sessionId: turn.sessionId };
}

/** The question once each of its deliveries has come so far. */
export async function deliveredAs(requestId: string, status: string): Promise<Question> {
  let question = await readQuestion(requestId);
  await eventually(async () => {
    question = await readQuestion(requestId);
    expect(new Set(question.deliveries.map((each) => each.status))).toEqual(new Set([status]));
  });
  return question;
}

export function messageAt(place: number): FakeMessage {
  return fakeSlack.messages[place] ?? expect.fail(`nothing was posted at ${place}`);
}

export interface Signing {
  readonly at?: number;
  readonly secret?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Another Worker than the tests' own. */
  readonly fetch?: (request: Request) => Response | Promise<Response>;
}

/** A form as Slack sends it. */
export async function interact(
  payload: unknown,
  {
    at = Date.now(),
    secret = SLACK_SECRET,
    headers = {},
    fetch = (request) => exports.default.fetch(request),
  }: Signing = {},
): Promise<Response> {
  const form = await signedForm(payload, { secret, at });
  return fetch(
    new Request(`${ORIGIN}/v1/slack/interactions`, {
      method: "POST",
      headers: { ...form.headers, ...headers },
      body: form.body,
    }),
  );
}

/** Somebody clicks the button that says so. Slack is content with an empty 200, and nothing else. */
export async function click(message: FakeMessage, label: string, user: string): Promise<void> {
  const button = buttonsOf(message).get(label) ?? expect.fail(`there is no button ${label}`);
  const response = await interact(clickOn(message, button, user));
  expect([response.status, await response.text()]).toEqual([200, ""]);
}
