import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import { generateText, streamText } from "ai";
import { describe, expect, it } from "vitest";
import { demoModel } from "../../src/agent/demo-model.ts";
import { assess, readLoanRequest } from "../../src/agent/loan-request.ts";
import { approvalInWords } from "../../src/agent/underwriter.ts";
import { TURN_CANCELLED } from "../../src/core/settlement.ts";
import { callerTool } from "./model-contexts.ts";

type Output = LanguageModelV4ToolResultPart["output"];
/** What each offered tool returns; a tool that is not here is not offered. */
type Tools = Readonly<Record<string, (input: unknown) => Output>>;

interface Made {
  readonly toolName: string;
  readonly input: unknown;
  readonly said: string;
}

const APP_1008 = "Pre-approve APP-1008: income 5000, debt 2350";
const QUESTION = "APP-1008 has a 47% debt-to-income ratio. Approve?";

function user(text: string): LanguageModelV4Message {
  return { role: "user", content: [{ type: "text", text }] };
}

function declared(tools: Tools): LanguageModelV4FunctionTool[] {
  return Object.keys(tools).map((name) => ({
    type: "function",
    name,
    inputSchema: { type: "object" },
  }));
}

/** Plays a turn to its end: runs each call by its tool, as the harness would. */
async function converse(start: string | LanguageModelV4Prompt, tools: Tools = {}) {
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

function json(value: Extract<Output, { type: "json" }>["value"]): Output {
  return { type: "json", value };
}

/** The human tools, with an underwriter whose task ends as given. */
function underwriter(task: Readonly<Record<string, string | { [name: string]: string }>>): Tools {
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

function answeredBy(answer: { [name: string]: string }): Tools {
  return underwriter({ status: "answered", answer, answeredBy: "dana@lender.example" });
}

const sends: Tools = { send_email: () => json({ status: "sent", to: "kofi@applicants.example" }) };

describe("the policy", () => {
  it.each([
    [5000, 1800, "approve", "36%"],
    [5000, 1802, "refer", "36.04%"],
    [51, 18.36, "approve", "36%"],
    [5000, 2350, "refer", "47%"],
    [5000, 2500, "refer", "50%"],
    [5000, 2501, "decline", "50.02%"],
    [3000, 1000, "approve", "33.3%"],
    [5000, 0, "approve", "0%"],
    [1, 1_000_000, "decline", "100000000%"],
  ])("judges income %d and debt %d as %s, at %s", (income, debt, verdict, ratio) => {
    expect(assess(income, debt)).toEqual({ verdict, ratio });
  });

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

describe("reading a message", () => {
  it.each([
    ["income 5000, debt 2350"],
    ["Debt: 2350; income: 5000."],
    ["INCOME 5,000.00 DEBT 2,350.00"],
    ["monthly income of $5,000 and monthly debt payments of $2,350"],
    ["income (monthly): € 5.000,00, debt (monthly): € 2.350,00"],
    ["5000 income, 2350 debt"],
    ["5000 income 2350 debt"],
    ["2350 dollars of debt against 5000 dollars of monthly income"],
    ["income 5k and debts of 2.35k"],
    ["income: 5 000\ndebt: 2 350"],
    ['{"applicationId":"APP-1008","income":5000,"debt":2350}'],
    ["income-5000 debt-2350"],
    ["income - 5000, debt - 2350"],
    ["The debt-to-income ratio should be below 36%: income 5000, debt 2350"],
    ["APP-1008 income 5000 debt 2350"],
    ["Application 1008 income 5000, debt 2350"],
    ["USD 5000 income; USD 2350 debt"],
  ])("finds both figures in %j", (text) => {
    expect(readLoanRequest(text)).toMatchObject({ income: 5000, debt: 2350, mixesPeriods: false });
  });

  it.each([
    ["What is the debt-to-income ratio of 47% good for?"],
    ["My income and debt are private."],
    ["APP-1008"],
    [""],
  ])("finds no figures in %j", (text) => {
    expect(readLoanRequest(text)).toMatchObject({ income: undefined, debt: undefined });
  });

  it("finds the application's id", () => {
    expect(readLoanRequest(APP_1008).applicationId).toBe("APP-1008");
    expect(readLoanRequest("LOAN-2 please").applicationId).toBe("LOAN-2");
    expect(readLoanRequest("no id here").applicationId).toBeUndefined();
  });

  it.each([
    ["and send an email", true],
    ["and e-mail the applicant", true],
    ["then mail it", true],
    ["but send no email", false],
    ["don't mail anyone", false],
    ["the applicant is mail@lender.example", false],
    ["use gmail", false],
  ])("sees whether %j wants a mail: %s", (text, wantsMail) => {
    expect(readLoanRequest(text).wantsMail).toBe(wantsMail);
  });

  it("stays quick on a quarter of a million characters of anything", () => {
    for (const filler of ["a", "A", "1", "1,", "-", "a@", "income ", "no ", "5 000 "]) {
      const text = filler.repeat(Math.ceil(250_000 / filler.length));
      const began = performance.now();
      readLoanRequest(text);
      expect(performance.now() - began).toBeLessThan(1_000);
    }
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

describe("between the policy's lines", () => {
  it("asks the underwriter, waits for the task, and approves as answered", async () => {
    const { text, made } = await converse(APP_1008, answeredBy({ option: "approve" }));
    expect(made.map(({ toolName }) => toolName)).toEqual(["ask_person", "await_tasks"]);
    expect(made[0]?.input).toMatchObject({
      question: QUESTION,
      options: [
        { id: "approve", label: "Approve" },
        { id: "deny", label: "Deny" },
      ],
      allowText: true,
    });
    expect(made[0]?.said).toContain("the policy does not cover");
    expect(made[1]?.input).toEqual({ taskIds: ["task_1"] });
    expect(text).toBe(
      "APP-1008 is pre-approved: dana@lender.example approved its 47% debt-to-income ratio.",
    );
  });

  it("declines as answered, with the note", async () => {
    const { text } = await converse(APP_1008, answeredBy({ option: "deny", text: "Too thin." }));
    expect(text).toContain("APP-1008 is declined: dana@lender.example denied");
    expect(text).toContain("Note: “Too thin.”");
  });

  it.each([
    ["Yes, go ahead.", true],
    ["Approved with the co-signer", true],
    ["No objections, fine.", true],
    ["Do not approve this one.", false],
    ["Denied.", false],
    ["No.", false],
    ["Ask for the payslip first.", undefined],
    ["Yes and no.", undefined],
  ])("takes %j as approval: %s", (words, approved) => {
    expect(approvalInWords(words)).toBe(approved);
  });

  it("decides by an answer in words, and by no guess", async () => {
    const yes = await converse(APP_1008, answeredBy({ text: "Approve it." }));
    expect(yes.text).toContain("APP-1008 is pre-approved");
    const unclear = await converse(APP_1008, answeredBy({ text: "Ask for the payslip." }));
    expect(unclear.text).toContain("“Ask for the payslip.”, which neither approves nor denies");
    expect(unclear.text).toContain("No decision is made on APP-1008");
  });

  it.each([
    [
      { status: "declined", answeredBy: "dana", reason: "Not my desk" },
      "dana declined to answer: “Not my desk”",
    ],
    [{ status: "expired" }, "expired without an answer"],
    [{ status: "cancelled", reason: "duplicate" }, "was cancelled: “duplicate”"],
    [{ status: "waiting" }, "did not answer in time"],
  ])("makes no decision where the task is %j, and says why", async (task, reason) => {
    const { text, made } = await converse(APP_1008, underwriter(task));
    expect(made).toHaveLength(2);
    expect(text).toContain(reason);
    expect(text).toContain("No decision is made on APP-1008");
    expect(text).not.toMatch(/is pre-approved|is declined/);
  });

  it("makes no decision where the wait timed out, and does not wait again", async () => {
    const { text, made } = await converse(APP_1008, {
      ...answeredBy({}),
      await_tasks: () => json({ status: "timed_out", tasks: [], pending: ["task_1"] }),
    });
    expect(made).toHaveLength(2);
    expect(text).toContain("did not answer in time");
  });

  it.each([
    ["ask_person", "The underwriter could not be asked: FAILED: too many questions"],
    ["await_tasks", "The underwriter's answer could not be had: FAILED: too many questions"],
  ])("tells a failure of %s as it is", async (toolName, told) => {
    const { text } = await converse(APP_1008, {
      ...answeredBy({ option: "approve" }),
      [toolName]: () => ({ type: "error-text", value: "FAILED: too many questions" }),
    });
    expect(text).toContain(told);
    expect(text).toContain("No decision is made");
  });

  it("asks by a form where there is no ask_person", async () => {
    const { text, made } = await converse(APP_1008, {
      ask_user_question: () => json({ answers: { [QUESTION]: "Deny" } }),
    });
    expect(made[0]?.input).toMatchObject({
      questions: [{ question: QUESTION, header: "Loan", multiSelect: false }],
    });
    expect(text).toContain("APP-1008 is declined");
  });

  it("reads a form's free text and its response in words", async () => {
    const free = await converse(APP_1008, {
      ask_user_question: () => json({ answers: { [QUESTION]: ["yes, approve"] } }),
    });
    expect(free.text).toContain("APP-1008 is pre-approved");
    const response = await converse(APP_1008, {
      ask_user_question: () => json({ answers: {}, response: "Rejected" }),
    });
    expect(response.text).toContain("APP-1008 is declined");
  });

  it("tells a declined form as it is", async () => {
    const { text } = await converse(APP_1008, {
      ask_user_question: () => ({ type: "error-text", value: "Declined by dana: no time" }),
    });
    expect(text).toContain("Declined by dana: no time");
    expect(text).toContain("No decision is made");
  });

  it("refers the case where nobody can be asked", async () => {
    const { text, made } = await converse(APP_1008);
    expect(made).toEqual([]);
    expect(text).toContain("APP-1008 is referred to an underwriter. No decision is made");
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
