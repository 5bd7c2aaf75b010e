import { describe, expect, it } from "vitest";
import { demoModel } from "../../src/agent/demo-model.ts";
import { TURN_CANCELLED } from "../../src/core/settlement.ts";
import { answeredBy, APP_1008, converse, declared, user } from "./demo-turn.ts";

describe("a longer conversation", () => {
  it("answers thanks politely, and does not decide again", async () => {
    const first = await converse(APP_1008, answeredBy({ option: "approve" }));
    const second = await converse(
      [...first.prompt, user("Thanks!")],
      answeredBy({ option: "deny" }),
    );
    expect(second.made).toEqual([]);
    expect(second.text).toContain("You are welcome");
  });

  it("asks anew for the same application in the next turn", async () => {
    const first = await converse(APP_1008, answeredBy({ option: "approve" }));
    const second = await converse(
      [...first.prompt, user(APP_1008)],
      answeredBy({ option: "deny" }),
    );
    expect(second.made.map(({ toolName }) => toolName)).toEqual(["ask_person", "await_tasks"]);
    expect(second.text).toContain("APP-1008 is declined");
  });

  it("gives each call an id that the conversation has not had", async () => {
    const first = await converse(APP_1008, answeredBy({ option: "approve" }));
    const { prompt } = await converse(
      [...first.prompt, user(APP_1008)],
      answeredBy({ option: "deny" }),
    );
    const ids = prompt.flatMap((message) =>
      message.role === "assistant"
        ? message.content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []))
        : [],
    );
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(4);
  });

  it("keeps to the request where a further message stands beside the answers", async () => {
    const tools = answeredBy({ option: "approve" });
    const { prompt } = await converse(APP_1008, tools);
    for (const context of [
      "Please be quick.",
      "The co-signer's income is 2000.",
      "APP-1008 is urgent.",
    ]) {
      const { text, made } = await converse([...prompt.slice(0, -1), user(context)], tools);
      expect(made).toEqual([]);
      expect(text).toContain("APP-1008 is pre-approved: dana@lender.example approved its 47%");
    }
  });

  it("begins anew where that message names another application", async () => {
    const { prompt } = await converse(APP_1008, answeredBy({ option: "approve" }));
    const { text } = await converse([
      ...prompt.slice(0, -1),
      user("And APP-2: income 100, debt 90?"),
    ]);
    expect(text).toContain("APP-2 is declined");
    const bare = await converse([...prompt.slice(0, -1), user("And APP-2?")]);
    expect(bare.text).toContain("I need the income and the debt of APP-2");
  });

  it("takes nothing from a turn that was cancelled", async () => {
    const { prompt } = await converse(APP_1008, {
      ...answeredBy({}),
      await_tasks: () => ({ type: "error-text", value: String(TURN_CANCELLED.value) }),
    });
    const { text, made } = await converse(
      [...prompt.slice(0, -1), user(APP_1008)],
      answeredBy({ option: "approve" }),
    );
    expect(made.map(({ toolName }) => toolName)).toEqual(["ask_person", "await_tasks"]);
    expect(text).toContain("APP-1008 is pre-approved");
    const thanks = await converse([...prompt.slice(0, -1), user("Thanks anyway")]);
    expect(thanks.text).toContain("You are welcome");
  });

  it("reads results that came as text or content", async () => {
    const { text } = await converse(APP_1008, {
      ask_person: () => ({ type: "text", value: '{"status":"asked","taskId":"task_1"}' }),
      await_tasks: () => ({
        type: "content",
        value: [
          {
            type: "text",
            text: JSON.stringify({
              status: "satisfied",
              tasks: [
                {
                  taskId: "task_1",
                  kind: "input",
                  status: "answered",
                  answer: { option: "approve" },
                  answeredBy: "dana",
                },
              ],
            }),
          },
        ],
      }),
    });
    expect(text).toContain("dana approved");
  });

  it("offers no tool where the caller forbids them", async () => {
    const { content } = await demoModel().doGenerate({
      prompt: [user(APP_1008)],
      tools: declared(answeredBy({})),
      toolChoice: { type: "none" },
    });
    expect(content.some((part) => part.type === "tool-call")).toBe(false);
  });
});
