import { describe, expect, it } from "vitest";
import { approvalInWords } from "../../src/agent/underwriter.ts";
import { answeredBy, APP_1008, converse, json, QUESTION, underwriter } from "./demo-turn.ts";

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

describe("approvalInWords", () => {
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
});
