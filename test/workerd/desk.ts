/**
 * Owns: what the tests of recipients and deliveries share: a question of the desk, what the mailbox took, and the answer
 * page behind a link that was sent.
 */

import { expect, vi } from "vitest";
import type { Question } from "../../src/core/question.ts";
import { call, play } from "./client.ts";
import { mailbox, type Sent } from "./desk-agents.ts";
import { questionsOf, readQuestion, send } from "./journey.ts";

export const HOUR = 3_600_000;

export function passTime(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

/** Waits, with a deadline: a chore is done beside the request that wrote it. */
export function eventually(check: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 5_000, interval: 5 });
}

/** A question of the desk, once it was brought to those whom it is for. */
export async function askedOf(question: object): Promise<Question> {
  const input = { question: "Approve?", ...question };
  const script = [{ calls: [{ toolName: "ask_tool", input }] }, { text: "end" }];
  const turn = await play(script, { agent: "desk" });
  const [asked = expect.fail("nothing was asked")] = await questionsOf(turn.sessionId);
  return asked;
}

/** Waits until so many notices were sent, and are noted as sent. */
export async function sentTo(requestId: string, ...short: readonly string[]): Promise<Question> {
  await eventually(() => expect(mailbox.short).toEqual(short));
  let question = await readQuestion(requestId);
  await eventually(async () => {
    question = await readQuestion(requestId);
    expect(question.deliveries.map(({ status }) => status)).not.toContain("pending");
  });
  return question;
}

export function linkOf({ question }: Sent): string {
  return new URL(question.answerUrl ?? expect.fail("there is no link")).pathname;
}

export async function page(link: string): Promise<{ status: number; text: string }> {
  const response = await call("GET", link);
  return { status: response.status, text: await response.text() };
}

/** Answers by a link, as the page's form does. */
export async function answerBy(link: string, fields: Record<string, string>): Promise<Response> {
  return sendForm(link, { nonce: nonceOf(await page(link)), ...fields });
}

export function nonceOf({ text }: { readonly text: string }): string {
  return /name="nonce" value="([^"]+)"/.exec(text)?.[1] ?? expect.fail("the page has no form");
}

export function sendForm(link: string, fields: Record<string, string>): Promise<Response> {
  return send("POST", link, new URLSearchParams(fields), {
    "content-type": "application/x-www-form-urlencoded",
  });
}

/** What happened to a question, and how many hours after it was asked. */
export function happened({ history, createdAt }: Question): readonly string[] {
  return history.map(({ event, at, to }) => {
    const hours = (Date.parse(at) - Date.parse(createdAt)) / HOUR;
    return `${event.slice("question.".length)} ${hours}${to === undefined ? "" : ` ${to}`}`;
  });
}

export async function happenedTo(requestId: string): Promise<readonly string[]> {
  return happened(await readQuestion(requestId));
}
