/**
 * Owns: a turn of the demo model in a test: its tools return what the test says, and its calls are run to the end.
 */

import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import { demoModel } from "../../src/agent/demo-model.ts";

export type Output = LanguageModelV4ToolResultPart["output"];
/** What each offered tool returns; a tool that is not here is not offered. */
export type Tools = Readonly<Record<string, (input: unknown) => Output>>;

export interface Made {
  readonly toolName: string;
  readonly input: unknown;
  readonly said: string;
}

export const APP_1008 = "Pre-approve APP-1008: income 5000, debt 2350";
export const QUESTION = "APP-1008 has a 47% debt-to-income ratio. Approve?";

export function user(text: string): LanguageModelV4Message {
  return { role: "user", content: [{ type: "text", text }] };
}

export function declared(tools: Tools): LanguageModelV4FunctionTool[] {
  return Object.keys(tools).map((name) => ({
    type: "function",
    name,
    inputSchema: { type: "object" },
  }));
}

/** Plays a turn to its end: runs each call by its tool, as the harness would. */
export async function converse(start: string | LanguageModelV4Prompt, tools: Tools = {}) {
  const prompt: LanguageModelV4Prompt = typeof start === "string" ? [user(start)] : [...start];
  const made: Made[] = [];
  for (let step = 0; step < 10; step += 1) {
    const { content } = await demoModel().doGenerate({ prompt, tools: declared(tools) });
    const said = content.map((part) => (part.type === "text" ? part.text : "")).join("");
    const call = content.find((part) => part.type === "tool-call");
    if (call === undefined) {
      prompt.push({ role: "assistant", content: [{ type: "text", text: said }] });
      return { text: said, made, prompt };
    }
    const { toolCallId, toolName } = call;
    const input: unknown = JSON.parse(call.input);
    made.push({ toolName, input, said });
    const output = tools[toolName]?.(input) ?? { type: "error-text", value: "no such tool" };
    prompt.push(
      {
        role: "assistant",
        content: [
          { type: "text", text: said },
          { type: "tool-call", toolCallId, toolName, input },
        ],
      },
      { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] },
    );
  }
  throw new Error("the model goes on without end");
}

export function json(value: Extract<Output, { type: "json" }>["value"]): Output {
  return { type: "json", value };
}

/** The human tools, with an underwriter whose task ends as given. */
export function underwriter(
  task: Readonly<Record<string, string | { [name: string]: string }>>,
): Tools {
  return {
    ask_person: () => json({ status: "asked", taskId: "task_1" }),
    await_tasks: () =>
      json({
        status: "satisfied",
        tasks: [{ taskId: "task_1", kind: "input", question: QUESTION, ...task }],
        pending: [],
      }),
  };
}

export function answeredBy(answer: { [name: string]: string }): Tools {
  return underwriter({ status: "answered", answer, answeredBy: "dana@lender.example" });
}

export const sends: Tools = {
  send_email: () => json({ status: "sent", to: "kofi@applicants.example" }),
};
