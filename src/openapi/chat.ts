/** Owns: what is written down of the routes of chats. Their messages and chunks are the AI SDK's own. */

import { chatStreamQuerySchema } from "../core/requests.ts";
import { IDS } from "./examples.ts";
import type { Operation } from "./operation.ts";

const MESSAGE = {
  type: "text/event-stream",
  example: `data: {"type":"start","messageId":"${IDS.turn}"}\n\ndata: [DONE]\n\n`,
};

export const CHAT_OPERATIONS: readonly Operation[] = [
  {
    route: "POST /v1/chat",
    id: "chat",
    tag: "Chats",
    summary:
      "What `useChat` of the AI SDK sends: a message of the user, or answers on one of the assistant",
    description:
      "A message of the user starts a turn, one for each message id. On a message of the assistant, outputs of parts whose questions wait are their answers; the key needs the right `answer` for them. What else stands in the history counts for nothing.",
    right: "run and read",
    body: {
      schema: "Chat",
      examples: {
        message: {
          id: "chat-1",
          trigger: "submit-message",
          messages: [
            { id: "m1", role: "user", parts: [{ type: "text", text: "Pre-approve APP-1008" }] },
          ],
        },
      },
    },
    answers: { 200: { says: "The message as it comes, as a UI message stream.", text: MESSAGE } },
    refuses: [
      "not_found",
      "session_busy",
      "session_full",
      "idempotency_key_reused",
      "invalid_answer",
      "invalid_result",
      "results_incomplete",
    ],
  },
  {
    route: "GET /v1/chat/{chat}",
    id: "readChat",
    tag: "Chats",
    summary: "The session as messages, for a page that loads",
    right: "read",
    answers: {
      200: {
        says: "UI messages of the AI SDK, the oldest first.",
        schema: "ChatMessages",
        examples: {
          messages: {
            messages: [
              {
                id: `${IDS.turn}:input`,
                role: "user",
                parts: [{ type: "text", text: "Pre-approve APP-1008" }],
              },
            ],
          },
        },
      },
    },
    refuses: ["invalid_request", "not_found"],
  },
  {
    route: "GET /v1/chat/{chat}/stream",
    id: "resumeChat",
    tag: "Chats",
    summary: "What goes on in the chat",
    right: "read",
    query: chatStreamQuerySchema,
    answers: {
      200: { says: "The message as it comes.", text: MESSAGE },
      204: { says: "Nothing goes on." },
    },
    refuses: ["not_found"],
  },
];
