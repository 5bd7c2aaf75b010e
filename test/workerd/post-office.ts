/**
 * Owns: mail on its way between the tests and the Worker: what the email channel sends, through the platform's own
 * binding; and mails that arrive at the Worker's `email()`, as their bytes are.
 */

import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { Notice, NoticeEvent, Recipient } from "../../src/core/channel.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { Question } from "../../src/core/question.ts";
import { type HoldpointEnv, readConfig } from "../../src/env.ts";
import { createMailHandler, type MailHandler } from "../../src/inbound/email.ts";
import type { MailDoor } from "../../src/inbound/mail-door.ts";
import { openSession } from "../../src/session/face.ts";
import { call, play } from "./client.ts";
import { DANA, deskMail, LEAD } from "./mail-agents.ts";
import worker from "./worker.ts";

export interface SentMail {
  readonly from: unknown;
  readonly to: string;
  readonly replyTo: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly reference: JsonObject | undefined;
}

export const PEOPLE: Readonly<Record<string, Recipient>> = {
  underwriter: { name: "underwriter", email: DANA },
  lead: { name: "lead", email: LEAD },
};

interface Sending {
  readonly event?: NoticeEvent;
  readonly recipient?: Recipient;
  readonly reference?: JsonObject;
}

/** Sends a question by the channel, and shows what the platform's binding took. */
export async function send(question: Question, options: Sending = {}): Promise<SentMail> {
  const { EMAIL, LINK_SECRET } = env as unknown as { EMAIL: SendEmail; LINK_SECRET: string };
  let taken: unknown;
  const recorded = {
    send: (builder: EmailMessageBuilder) => {
      taken = builder;
      return EMAIL.send(builder);
    },
  };
  const { event = "question.asked", ...rest } = options;
  const recipient = question.to === undefined ? undefined : PEOPLE[question.to];
  const notice: Notice = {
    id: `${question.requestId} ${event}`,
    event,
    question,
    ...(recipient !== undefined && { recipient }),
    ...rest,
  };
  const reference = await deskMail.send(notice, {
    env: { ...env, EMAIL: recorded },
    workspace: "dev",
    linkSecret: LINK_SECRET,
    development: true,
    now: Date.now(),
  });
  return { ...(taken as SentMail), reference };
}

const FILES = import.meta.glob<string>("../fixtures/mail/*.eml", {
  query: "?inline",
  import: "default",
  eager: true,
});

/** The names of all mails that are there. */
export const MAIL_FILES = Object.keys(FILES).map((path) => /([^/]+)\.eml$/.exec(path)?.[1] ?? "");

export function mailBytes(name: string): Uint8Array<ArrayBuffer> {
  const url = FILES[`../fixtures/mail/${name}.eml`];
  if (url === undefined) throw new Error(`there is no mail ${name}`);
  return Uint8Array.from(atob(url.slice(url.indexOf(",") + 1)), (byte) => byte.charCodeAt(0));
}

/** What a person writes in a program that quotes nothing. */
export function plainMail(
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  const all = {
    "Authentication-Results": "mx.cloudflare.net; dmarc=pass header.from=lender.example",
    From: `Dana Weber <${DANA}>`,
    Subject: "Re: a question",
    "Message-ID": `<${crypto.randomUUID()}@lender.example>`,
    "MIME-Version": "1.0",
    "Content-Type": "text/plain; charset=utf-8",
    ...headers,
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return bytesOf(`${head.join("")}\r\n${text.replaceAll("\n", "\r\n")}\r\n`);
}

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new TextEncoder().encode(text));
}

export interface Outcome {
  /** With which words the mail was refused to the server that brought it. */
  readonly rejected?: string;
  /** What its sender was told by mail. */
  readonly replies: readonly EmailReplyMessageBuilder[];
}

/** The handler with a part of it that the tests' Worker does not have. */
export function handlerWith(parts: Partial<MailDoor>): MailHandler {
  return createMailHandler({
    config: readConfig,
    openSession: (bindings, workspace, key) =>
      openSession((bindings as HoldpointEnv).SESSION, workspace, key, {}),
    workspaces: () => ["default", "dev"],
    agents: () => ["by-mail"],
    recipients: () => new Map([["underwriter", DANA]]),
    mailbox: () => undefined,
    now: () => Date.now(),
    look: {},
    report: (defect) => {
      throw defect;
    },
    ...parts,
  });
}

/** A mail arrives. `from` is its envelope's. */
export async function arrive(
  mail: Uint8Array<ArrayBuffer> | string,
  to: string,
  from: string = DANA,
  handler: MailHandler | typeof worker.email = worker.email,
): Promise<Outcome> {
  const bytes = typeof mail === "string" ? mailBytes(mail) : mail;
  let rejected: string | undefined;
  const replies: EmailReplyMessageBuilder[] = [];
  const message: Pick<ForwardableEmailMessage, "from" | "to" | "raw" | "rawSize" | "setReject"> = {
    from,
    to,
    raw: new Blob([bytes]).stream(),
    rawSize: bytes.length,
    setReject: (reason) => {
      rejected = reason;
    },
  };
  const reply = (builder: EmailReplyMessageBuilder) => {
    replies.push(builder);
    return Promise.resolve({ messageId: "<reply@mail.example>" });
  };
  await handler({ ...message, reply } as ForwardableEmailMessage, env);
  return { ...(rejected !== undefined && { rejected }), replies };
}

/** Asks by an agent's turn, and shows the question as its recipient may see it. */
export async function ask(toolName: string, input: JsonObject): Promise<Question> {
  const calls = [{ toolName, input }];
  const script =
    toolName === "ask_person" || toolName === "ask_value"
      ? [
          { calls },
          { calls: [{ toolName: "await_tasks", input: { taskIds: ["$task:1"] } }] },
          { text: "Done." },
        ]
      : [{ calls }, { text: "Done." }];
  const turn = await play(script, { agent: "by-mail" });
  const requestId = turn.waitingFor?.[0]?.requestId;
  expect(requestId, JSON.stringify(turn)).toBeDefined();
  return read(requestId ?? "");
}

export function askPerson(question: object, to = "underwriter"): Promise<Question> {
  return ask("ask_person", { ...question, to });
}

export async function read(requestId: string): Promise<Question> {
  return (await call("GET", `/v1/questions/${requestId}`)).json();
}
