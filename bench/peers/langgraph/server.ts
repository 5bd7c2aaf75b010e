/**
 * Owns: the same turn on LangGraph JS with its SQLite checkpointer, behind Node's HTTP server: a graph of a model and a
 * person, who is asked by `interrupt` and answers by `Command({ resume })`, with a thread for each session, as its
 * documentation says (LangGraph, "Interrupts" and "Persistence"). The model's node is a function, so no model is bound.
 */

import { createServer, type IncomingMessage } from "node:http";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import {
  Command,
  END,
  interrupt,
  isInterrupted,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { FORM } from "../../question.ts";

type State = typeof MessagesAnnotation.State;

function model({ messages }: State): { messages: BaseMessage[] } {
  if (messages.at(-1)?.getType() === "tool") return { messages: [new AIMessage("Understood.")] };
  const call = { id: crypto.randomUUID(), name: "ask_user_question", args: FORM };
  return { messages: [new AIMessage({ content: "", tool_calls: [call] })] };
}

function callsOf({ messages }: State): NonNullable<AIMessage["tool_calls"]> {
  const last = messages.at(-1);
  return last instanceof AIMessage ? (last.tool_calls ?? []) : [];
}

function person(state: State): { messages: BaseMessage[] } {
  const messages = callsOf(state).map(({ id = "", args }) => {
    const answer: unknown = interrupt(args);
    return new ToolMessage({ tool_call_id: id, content: JSON.stringify(answer) });
  });
  return { messages };
}

const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", model)
  .addNode("person", person)
  .addEdge(START, "model")
  .addConditionalEdges("model", (state) => (callsOf(state).length > 0 ? "person" : END))
  .addEdge("person", "model")
  .compile({ checkpointer: SqliteSaver.fromConnString(process.argv[2] ?? "langgraph.sqlite") });

const server = createServer((request, response) => {
  respond(request).then(
    (body) => response.end(JSON.stringify(body)),
    (error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    },
  );
});

async function respond(request: IncomingMessage): Promise<unknown> {
  const [, thread = "", action] = (request.url ?? "").split("/");
  const config = { configurable: { thread_id: thread } };
  switch (action) {
    case "start": {
      const state = await graph.invoke({ messages: [new HumanMessage("go")] }, config);
      return { status: isInterrupted(state) ? "parked" : "completed" };
    }
    case "answer": {
      const { answer } = JSON.parse(await textOf(request)) as { answer: unknown };
      await graph.invoke(new Command({ resume: answer }), config);
      return { status: "answered" };
    }
    case "read": {
      const { next } = await graph.getState(config);
      return { status: next.length > 0 ? "parked" : "completed" };
    }
    default:
      return { status: "ok" };
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += String(chunk);
  return text;
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.(typeof address === "object" ? address?.port : undefined);
});
