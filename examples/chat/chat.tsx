/** A chat whose agent stops and asks: `useChat` as it is, on Holdpoint's `/v1/chat`. */

import { useChat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from "ai";
import { useEffect, useRef, useState } from "react";
import { Part } from "./parts.tsx";

export type Message = UIMessage<{ status?: string; eventId?: string }>;

const transport = new DefaultChatTransport<Message>({
  api: "/api/chat",
  // The session has the history: only the message that counts is sent, not all of them each time.
  prepareSendMessagesRequest: ({ id, messages, messageId, trigger, body }) => ({
    body: {
      ...body,
      id,
      trigger,
      messages: [messages.find((message) => message.id === messageId) ?? messages.at(-1)],
    },
  }),
  // Stays while the turn is parked: whoever answers elsewhere, it is seen here.
  prepareReconnectToStreamRequest: ({ api, id }) => ({ api: `${api}/${id}/stream?follow=true` }),
});

export function Chat({ id, messages }: { id: string; messages: Message[] }) {
  const [problem, setProblem] = useState("");
  /** The message that is being answered: it need not be the last. */
  const answered = useRef<string>(undefined);
  const chat = useChat<Message>({
    id,
    messages,
    transport,
    resume: isUnsettled(messages.at(-1)),
    // Answers go out by themselves, once there is one to each question of the message.
    sendAutomaticallyWhen: ({ messages: shown }) => {
      const only = { messages: shown.filter((message) => message.id === answered.current) };
      return (
        lastAssistantMessageIsCompleteWithToolCalls(only) ||
        lastAssistantMessageIsCompleteWithApprovalResponses(only)
      );
    },
    onFinish: ({ message, isAbort }) => {
      answered.current = undefined;
      if (!isAbort && isUnsettled(message)) void chat.resumeStream();
    },
    onError: (error) => setProblem(detailOf(error)),
  });

  const shown = useWhole(chat.messages);

  /**
   * What follows the turn is let go first: while a stream is read, `useChat` sends no answer. Where it was telling a message
   * anew, what was shown of it counts.
   */
  async function say(messageId: string | undefined, give: () => void | PromiseLike<void>) {
    setProblem("");
    await chat.stop();
    chat.setMessages(shown);
    answered.current = messageId;
    await give();
  }

  return (
    <>
      <h1>Loan desk</h1>
      <div role="log" aria-label="Chat">
        {shown.map((message) => (
          <article key={message.id} data-role={message.role}>
            {message.parts.map((part, i) => (
              // Parts have no ids of their own, and are only ever added.
              <Part
                key={i}
                part={part}
                chat={chat}
                isParked={message.metadata?.status === "parked"}
                settle={(give) => say(message.id, give)}
              />
            ))}
          </article>
        ))}
      </div>
      {problem !== "" && <p role="alert">{problem}</p>}
      <form
        action={(form) => {
          const text = String(form.get("text"));
          if (text.trim() !== "") void say(undefined, () => chat.sendMessage({ text }));
        }}
      >
        <label>
          Message <input name="text" autoComplete="off" />
        </label>
        <button type="submit">Send</button>
      </form>
    </>
  );
}

/**
 * The messages as they are shown. A stream that is resumed tells its message from the start: until it has come as far as
 * before, the message stays as it was, and nobody's click or typing meets what is just being put there again.
 */
function useWhole(messages: Message[]): Message[] {
  const before = useRef(messages);
  const whole = messages.map((message) => {
    const was = before.current.find(({ id }) => id === message.id);
    return was !== undefined && message.parts.length < was.parts.length ? was : message;
  });
  useEffect(() => {
    before.current = whole;
  });
  return whole;
}

/** Whether more may come of the message's turn. */
function isUnsettled(message: Message | undefined): boolean {
  const status = message?.metadata?.status;
  return status === "queued" || status === "running" || status === "parked";
}

/** What Holdpoint refuses comes as a problem document. */
function detailOf({ message }: Error): string {
  try {
    return (JSON.parse(message) as { detail: string }).detail;
  } catch {
    return message;
  }
}
