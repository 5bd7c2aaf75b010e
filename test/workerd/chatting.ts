/**
 * Owns: a chat as its page has it: the AI SDK's own client, of which `useChat` is the React side, on our routes. Each chunk
 * is checked by the SDK's schema on its way.
 */

import {
  AbstractChat,
  type ChatInit,
  type ChatState,
  type ChatStatus,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from "ai";
import { exports } from "cloudflare:workers";
import { vi } from "vitest";
import type { ChatMetadata } from "../../src/inbound/chat-chunks.ts";
import { call, ORIGIN } from "./client.ts";
import { accepted, ask, awaitTasks } from "./journey.ts";

export type Message = UIMessage<ChatMetadata>;
export type Part = Message["parts"][number];

class PageState implements ChatState<Message> {
  status: ChatStatus = "ready";
  error: Error | undefined;
  messages: Message[] = [];
  pushMessage = (message: Message) => void this.messages.push(message);
  popMessage = () => void this.messages.pop();
  replaceMessage = (index: number, message: Message) => void (this.messages[index] = message);
  snapshot = <T>(thing: T): T => structuredClone(thing);
}

export class Page extends AbstractChat<Message> {
  /** Method and path of each request, in order. */
  readonly requests: string[];
  /** The body of each message that was sent. */
  readonly sent: Record<string, unknown>[];

  constructor({ follow = false, isSparing = false, key = "dev-key", ...init }: PageOptions = {}) {
    const requests: string[] = [];
    const sent: Record<string, unknown>[] = [];
    const transport = new DefaultChatTransport<Message>({
      api: `${ORIGIN}/v1/chat`,
      headers: { authorization: `Bearer ${key}` },
      fetch: (input, request) => {
        const url = new URL(String(input));
        requests.push(`${request?.method} ${url.pathname}`);
        if (typeof request?.body === "string") sent.push(JSON.parse(request.body));
        return exports.default.fetch(new Request(url, request as RequestInit));
      },
      ...(isSparing && {
        prepareSendMessagesRequest: ({ id, messages, trigger, body }) => ({
          body: { ...body, id, trigger, messages: messages.slice(-1) },
        }),
      }),
      ...(follow && {
        prepareReconnectToStreamRequest: ({ api, id }) => ({
          api: `${api}/${id}/stream?follow=true`,
        }),
      }),
    });
    super({
      id: `chat-${crypto.randomUUID()}`,
      sendAutomaticallyWhen: (options) =>
        lastAssistantMessageIsCompleteWithToolCalls(options) ||
        lastAssistantMessageIsCompleteWithApprovalResponses(options),
      ...init,
      transport,
      state: new PageState(),
    });
    this.requests = requests;
    this.sent = sent;
  }

  /** Says something to an agent that plays a script. */
  say(text: string, script: unknown, more: object = {}): Promise<void> {
    return this.sendMessage(
      { text },
      { body: { agent: "playground", extraBody: { script }, ...more } },
    );
  }

  /** The parts of the last message, beginnings of steps aside. */
  get parts(): readonly Part[] {
    return (this.lastMessage?.parts ?? []).filter(({ type }) => type !== "step-start");
  }

  part<T extends object>(shape: T): Part & T {
    const found = this.parts.find((part) =>
      Object.entries(shape).every(([name, value]) => (part as never)[name] === value),
    );
    if (found === undefined)
      throw new Error(`there is no such part: ${JSON.stringify(this.parts)}`);
    return found as Part & T;
  }

  get text(): string {
    return this.parts.map((part) => (part.type === "text" ? part.text : "")).join("|");
  }

  /** Until nothing is under way and the message's turn has this status. */
  rests(status: ChatMetadata["status"]): Promise<void> {
    return vi.waitFor(
      () => {
        const state = `${this.status} ${this.lastMessage?.metadata?.status}`;
        if (state !== `ready ${status}`) throw new Error(`${state}: ${this.error}`);
      },
      { timeout: 20_000, interval: 10 },
    );
  }
}

export interface PageOptions extends Pick<
  ChatInit<Message>,
  "id" | "onToolCall" | "sendAutomaticallyWhen"
> {
  readonly follow?: boolean;
  /** Whether it sends the last message alone, and not all of them each time. */
  readonly isSparing?: boolean;
  readonly key?: string;
}

const OPTIONS = [
  { id: "yes", label: "Yes" },
  { id: "no", label: "No" },
];
export const QUESTION = { question: "Go on?", options: OPTIONS, context: "**Why**" };
export const JOURNEY = [
  { text: "Asking.", calls: [ask(QUESTION)] },
  { text: "Waiting.", calls: [awaitTasks(["$task:1"])] },
  { text: "It is done." },
];

/** A page whose turn asks, and waits. */
export async function parked(page = new Page(), script: unknown = JOURNEY): Promise<Page> {
  await page.say("Do it.", script);
  await page.rests("parked");
  return page;
}

export function questionOf(page: Page): string {
  return page.part({ type: "tool-question", state: "input-available" } as const).toolCallId;
}

/** What a page that loads is given. */
export function load(id: string): Promise<{ messages: Message[] }> {
  return accepted(call("GET", `/v1/chat/${id}`));
}

export function give(page: Page, toolCallId: string, output: unknown) {
  return page.addToolOutput({ tool: "question" as never, toolCallId, output: output as never });
}
