/**
 * Owns: the same turn on Cloudflare's `agents`: a chat agent whose model calls a tool without `execute`, which is how its
 * documentation lets a person answer (docs/human-in-the-loop.md, "Client-Side Tool Execution"). A turn is started from the
 * server as docs/server-driven-messages.md says; the answer is written into the tool's part of the message, which is what
 * its own client's `addToolOutput` does, and the conversation goes on by the same documented call. What is stored is read
 * from `messages`. It is spared the WebSocket that its own client keeps, with its frames and its stream to resume.
 */

import { AIChatAgent } from "@cloudflare/ai-chat";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { getAgentByName } from "agents";
import {
  convertToModelMessages,
  jsonSchema,
  type LanguageModel,
  streamText,
  tool,
  type UIMessage,
} from "ai";
import { Hono } from "hono";
import { countedRoute, countRequests, countsOf } from "../../counting.ts";
import { FORM } from "../../question.ts";

interface Bindings extends Cloudflare.Env {
  readonly CHAT: DurableObjectNamespace<Chat>;
}

type ToolPart = Extract<UIMessage["parts"][number], { toolCallId: string }>;

export class Chat extends AIChatAgent<Bindings> {
  constructor(state: DurableObjectState, env: Bindings) {
    countsOf("Chat", state, env);
    super(state, env);
  }

  override async onChatMessage(): Promise<Response> {
    const result = streamText({
      model: scripted,
      messages: await convertToModelMessages(this.messages),
      tools: {
        ask_user_question: tool({
          description: "Ask the user, and go on with the answer.",
          inputSchema: jsonSchema({ type: "object" }),
        }),
      },
    });
    return result.toUIMessageStreamResponse();
  }

  async start(): Promise<string> {
    await this.saveMessages((messages) => [
      ...messages,
      { id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text: "go" }] },
    ]);
    const asked = this.messages.at(-1)?.parts.find(isAsked);
    if (asked === undefined) throw new Error("no question was asked");
    return asked.toolCallId;
  }

  async answer(question: string, output: unknown): Promise<void> {
    await this.saveMessages((messages) =>
      messages.map((message) => {
        if (!message.parts.some((part) => isAsked(part) && part.toolCallId === question))
          return message;
        const parts = message.parts.map((part) =>
          isAsked(part) && part.toolCallId === question
            ? { ...part, state: "output-available", output }
            : part,
        );
        return { ...message, parts } as UIMessage;
      }),
    );
  }

  read(): string {
    const last = this.messages.at(-1);
    return last?.parts.some((part) => part.type === "text") === true ? "completed" : "parked";
  }
}

countRequests("Chat", Chat.prototype, ["start", "answer", "read", "alarm"]);

function isAsked(part: UIMessage["parts"][number]): part is ToolPart {
  return "toolCallId" in part && part.state === "input-available";
}

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** Asks after what a person said, and ends after an answer. */
const scripted: Exclude<LanguageModel, string> = {
  specificationVersion: "v4",
  provider: "bench",
  modelId: "scripted",
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error("only streamed here")),
  doStream: async ({ prompt }) => {
    const isAnswered = prompt.at(-1)?.role === "tool";
    const said: LanguageModelV4StreamPart[] = isAnswered
      ? [
          { type: "text-start", id: "text" },
          { type: "text-delta", id: "text", delta: "Understood." },
          { type: "text-end", id: "text" },
        ]
      : [
          {
            type: "tool-call",
            toolCallId: crypto.randomUUID(),
            toolName: "ask_user_question",
            input: JSON.stringify(FORM),
          },
        ];
    const finishReason = { unified: isAnswered ? "stop" : "tool-calls", raw: undefined } as const;
    return {
      stream: ReadableStream.from<LanguageModelV4StreamPart>([
        { type: "stream-start", warnings: [] },
        ...said,
        { type: "finish", finishReason, usage: USAGE },
      ]),
    };
  },
};

const app = new Hono<{ Bindings: Bindings }>();

app.post("/sessions/:session/turns", async (context) => {
  const agent = await getAgentByName(context.env.CHAT, context.req.param("session"));
  return context.json({ question: await agent.start() });
});

app.post("/sessions/:session/questions/:question/answer", async (context) => {
  const { answer } = await context.req.json<{ answer: unknown }>();
  const agent = await getAgentByName(context.env.CHAT, context.req.param("session"));
  await agent.answer(context.req.param("question"), answer);
  return context.json({ status: "answered" });
});

app.get("/sessions/:session", async (context) => {
  const agent = await getAgentByName(context.env.CHAT, context.req.param("session"));
  return context.json({ status: await agent.read() });
});

app.get("/healthz", (context) => context.json({ status: "ok" }));
app.get("/counts", () => countedRoute());

export default app;
