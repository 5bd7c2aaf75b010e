import { generateText, streamText } from "ai";
import { describe, expect, it } from "vitest";
import { demoModel } from "../../src/agent/demo-model.ts";
import {
  answeredBy,
  APP_1008,
  converse,
  json,
  type Output,
  sends,
  type Tools,
  underwriter,
} from "./demo-turn.ts";
import { callerTool } from "./model-contexts.ts";

describe("the policy", () => {
  it("approves up to 36% without asking, whatever tools there are", async () => {
    const { text, made } = await converse(
      "Pre-approve APP-7: income 5000, debt 1800",
      answeredBy({}),
    );
    expect(made).toEqual([]);
    expect(text).toContain("APP-7 is pre-approved");
    expect(text).toContain("36%");
  });

  it("declines above 50% without asking", async () => {
    const { text, made } = await converse("income 1000, debt 600", answeredBy({}));
    expect(made).toEqual([]);
    expect(text).toContain("The application is declined");
    expect(text).toContain("60%");
  });
});

describe("a message that can't be judged", () => {
  it.each([
    ["APP-1: income 0, debt 5", "income of 0"],
    ["APP-1: income -5000, debt 5", "income below 0"],
    ["APP-1: income 5000, debt -$5", "debt below 0"],
    ["APP-1: income 5000, debt $-5", "debt below 0"],
    ["APP-1: income 5000", "the debt is missing"],
    ["APP-1: debt 5000", "the income is missing"],
    [`APP-1: income ${"9".repeat(400)}, debt 1`, "can't be right"],
    ["APP-1: annual income 60000, monthly debt 2350", "one figure is of a year"],
  ])("is told so: %s", async (message, reason) => {
    const { text, made } = await converse(message, answeredBy({ option: "approve" }));
    expect(made).toEqual([]);
    expect(text).toContain("APP-1 can't be judged");
    expect(text).toContain(reason);
  });

  it("is told what is needed, where it has neither figures nor an id", async () => {
    expect((await converse("What can you do?")).text).toContain("income 5000, debt 2350");
    expect((await converse("Hello there")).text).toMatch(/^Hello\./);
  });

  it("is told what is needed, where it has an id that can't be looked up here", async () => {
    expect((await converse("Pre-approve APP-1008")).text).toContain(
      "I need the income and the debt of APP-1008",
    );
  });
});

describe("looking up", () => {
  const found: Tools = {
    look_up_application: () =>
      json({
        status: "found",
        applicationId: "APP-1001",
        email: "ada@applicants.example",
        income: 6200,
        debt: 1550,
      }),
  };

  it("happens where the message has an id and no figures", async () => {
    const { text, made } = await converse("Pre-approve APP-1001, please", found);
    expect(made.map(({ toolName, input }) => [toolName, input])).toEqual([
      ["look_up_application", { applicationId: "APP-1001" }],
    ]);
    expect(text).toContain("APP-1001 is pre-approved");
    expect(text).toContain("25%");
  });

  it("does not happen where the message has figures", async () => {
    expect((await converse("APP-1001: income 5000, debt 100", found)).made).toEqual([]);
  });

  it("gives the address that a mail goes to", async () => {
    const { made } = await converse("Pre-approve APP-1001 and mail the applicant", {
      ...found,
      ...sends,
    });
    expect(made[1]?.input).toMatchObject({ to: "ada@applicants.example" });
  });

  it("says so where nothing is on file, and where it fails", async () => {
    const unknown = await converse("Pre-approve APP-9", {
      look_up_application: () => json({ status: "not_found", applicationId: "APP-9" }),
    });
    expect(unknown.text).toContain("no application APP-9 on file");
    const broken = await converse("Pre-approve APP-9", {
      look_up_application: () => ({ type: "error-json", value: { message: "the file is down" } }),
    });
    expect(broken.text).toBe("APP-9 could not be looked up: the file is down");
  });
});

describe("mail", () => {
  const asks = `${APP_1008}, and send an email to kofi@applicants.example`;

  it("is sent after the decision, and only where the message asks for one", async () => {
    const { text, made } = await converse(asks, { ...answeredBy({ option: "approve" }), ...sends });
    expect(made.map(({ toolName }) => toolName)).toEqual([
      "ask_person",
      "await_tasks",
      "send_email",
    ]);
    expect(made[2]?.input).toMatchObject({ to: "kofi@applicants.example" });
    expect(text).toContain("The mail to kofi@applicants.example was sent.");
    const without = await converse(APP_1008, { ...answeredBy({ option: "approve" }), ...sends });
    expect(without.made.map(({ toolName }) => toolName)).not.toContain("send_email");
  });

  it("tells the applicant the decision, not who made it nor why", async () => {
    const { made } = await converse(asks, {
      ...answeredBy({ option: "deny", text: "His uncle is a crook." }),
      ...sends,
    });
    const letter = JSON.stringify(made[2]?.input);
    expect(letter).toContain("APP-1008 is declined.");
    expect(letter).not.toMatch(/crook|dana/);
  });

  it("goes to an address of the desk's where none is given", async () => {
    const { made } = await converse("APP-7: income 5000, debt 100. Email the applicant.", sends);
    expect(made[0]?.input).toMatchObject({ to: "app-7@applicants.example" });
  });

  it("is told as denied, in the words of the denial", async () => {
    const denials: Output[] = [
      { type: "error-text", value: "NOT EXECUTED. Denied by dana: wrong tone" },
      { type: "text", value: "NOT EXECUTED. Denied by dana: wrong tone" },
      { type: "execution-denied", reason: "Denied by dana: wrong tone" },
    ];
    for (const denial of denials) {
      const { text } = await converse("income 5000, debt 100, send a mail", {
        send_email: () => denial,
      });
      expect(text).toContain("The mail was not sent: NOT EXECUTED. Denied by dana: wrong tone");
    }
  });

  it("is not told as sent where its outcome is unknown", async () => {
    const outputs: Output[] = [
      { type: "error-text", value: "FAILED: interrupted, and its outcome is unknown" },
      { type: "error-json", value: { note: "n", arguments: {}, error: "FAILED: no server" } },
      { type: "json", value: { status: "queued" } },
    ];
    for (const output of outputs) {
      const { text, made } = await converse("income 5000, debt 100, send a mail", {
        send_email: () => output,
      });
      expect(made).toHaveLength(1);
      expect(text).toContain("The mail is not known to be sent:");
    }
  });

  it("is told with the address that it really went to, where a person edited it", async () => {
    const { text } = await converse("income 5000, debt 100, send a mail", {
      send_email: () =>
        json({
          note: "dana changed the arguments",
          arguments: { to: "b@lender.example" },
          result: { status: "sent", to: "b@lender.example" },
        }),
    });
    expect(text).toContain("The mail to b@lender.example was sent.");
  });

  it("is not sent without a decision, and is said to be impossible without the tool", async () => {
    const open = await converse(asks, { ...underwriter({ status: "expired" }), ...sends });
    expect(open.made.map(({ toolName }) => toolName)).not.toContain("send_email");
    expect(open.text).toContain("No mail was sent");
    const toolless = await converse("income 5000, debt 100, send a mail");
    expect(toolless.text).toContain("I can't send mail here");
  });
});

describe("the SDK", () => {
  it("gets the same reply from a stream as from a whole", async () => {
    const tools = { ask_person: callerTool() };
    const model = demoModel();
    const streamed = streamText({ model, tools, prompt: APP_1008 });
    await streamed.consumeStream();
    const generated = await generateText({ model, tools, prompt: APP_1008 });
    expect(await streamed.text).toBe(generated.text);
    const [call] = await streamed.toolCalls;
    expect(call?.input).toEqual(generated.toolCalls[0]?.input);
    expect(generated.toolCalls[0]?.toolName).toBe("ask_person");
  });
});
