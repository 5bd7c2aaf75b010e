import { describe, expect, it } from "vitest";
import type { HoldpointEnv } from "../../src/env.ts";
import type { Question } from "../../src/core/question.ts";
import { refused } from "../../src/core/refusal.ts";
import { openSession } from "../../src/session/face.ts";
import { answer, call, readTurn, settled } from "./client.ts";
import { DANA, LEAD } from "./mail-agents.ts";
import { arrive, ask, askPerson, handlerWith, plainMail, read, send } from "./post-office.ts";

const APPROVE_OR_DENY = {
  question: "May we?",
  options: [
    { id: "approve", label: "Approve" },
    { id: "deny", label: "Deny" },
  ],
};

async function replyTo(question: Question, text: string): Promise<string | undefined> {
  const { replyTo: address } = await send(question);
  const { replies, rejected } = await arrive(plainMail(text), address);
  expect(rejected).toBeUndefined();
  expect(replies.length).toBeLessThanOrEqual(1);
  return replies[0]?.text;
}

const DECISIONS: readonly (readonly [string, unknown])[] = [
  ["yes", { approved: true }],
  ["Yes, please.", { approved: true }],
  ["APPROVE\n\nDana Weber\nSenior Underwriter", { approved: true }],
  ["Hi,\n\napproved!\n\nBest regards\nDana", { approved: true }],
  ["no", { approved: false }],
  ["Deny\n\nToo much money.", { approved: false, reason: "Too much money." }],
  ["No, not today.", { approved: false, reason: "not today." }],
];

describe("an approval", () => {
  it.each(DECISIONS)("is decided by the words %j", async (text, decision) => {
    const asked = await ask("pay_out", { amount: 5_000 });
    expect(asked.kind).toBe("approval");
    expect(await replyTo(asked, text)).toBeUndefined();
    expect(await read(asked.requestId)).toMatchObject({ status: "answered", answer: decision });
    expect(await settled(asked.turnId ?? "")).toMatchObject({ status: "completed" });
  });

  it.each([
    ["yes\n\nbut only half of it", "says more than yes"],
    ["no problem, go ahead", "has to say yes or no"],
    ["OK", "has to say yes or no"],
    ["> yes", "nothing in your mail but what it quoted"],
  ])("is not decided by the words %j", async (text, why) => {
    const asked = await ask("pay_out", { amount: 5_000 });
    expect(await replyTo(asked, text)).toContain(why);
    expect(await read(asked.requestId)).toMatchObject({ status: "waiting" });
  });

  it("of arguments that no mail shows whole is decided on the page alone", async () => {
    const asked = await ask("pay_out", { note: "x".repeat(20_000) });
    const { text } = await send(asked);
    expect(text).toContain("Answer on the page");
    expect(text).not.toContain("yes");
    expect(await replyTo(asked, "yes")).toContain("answered on its page");
    expect(await read(asked.requestId)).toMatchObject({ status: "waiting" });
  });
});

const SCOPE = {
  question: "Which scope?",
  header: "Scope",
  options: [
    { label: "All, at once", description: "Everything." },
    { label: "Some", description: "A part." },
  ],
};

describe("a form", () => {
  it.each([
    ["1", false, { answers: { "Which scope?": "All, at once" } }],
    [
      "some\n\nThe rest later.",
      false,
      { answers: { "Which scope?": "Some" }, response: "The rest later." },
    ],
    ["All, at once", true, { answers: { "Which scope?": ["All, at once"] } }],
    ["1 and 2", true, { answers: { "Which scope?": ["All, at once", "Some"] } }],
    ["Neither.", false, { answers: { "Which scope?": "Neither." } }],
  ])("of one question is answered by the words %j", async (text, multiSelect, given) => {
    const asked = await ask("ask_user_question", { questions: [{ ...SCOPE, multiSelect }] });
    expect(await replyTo(asked, text)).toBeUndefined();
    expect(await read(asked.requestId)).toMatchObject({ status: "answered", answer: given });
  });

  it("of two questions is answered on its page, which is said", async () => {
    const asked = await ask("ask_user_question", {
      questions: [SCOPE, { ...SCOPE, question: "Which other?" }],
    });
    const explanation = await replyTo(asked, "1");
    expect(explanation).toContain("answered on its page");
    expect(explanation).toMatch(/https:\/\/holdpoint\.test\/a\/[\w-]+/);
  });
});

describe("a value", () => {
  it.each([
    [{ type: "boolean" }, "Yes.", true],
    [{ type: "boolean" }, "false", false],
    [{ type: "integer", maximum: 60 }, "48", 48],
    [{ type: "number" }, "-1.5", -1.5],
    [{ type: "string", maxLength: 20 }, "Two lines\nof text", "Two lines\nof text"],
    [{ enum: ["low", "high"] }, "2", "high"],
    [{ enum: [12, 24] }, "24", 24],
  ])("of %j is read from the words %j", async (answerSchema, text, value) => {
    const asked = await ask("ask_value", { answerSchema });
    expect(await replyTo(asked, text)).toBeUndefined();
    expect(await read(asked.requestId)).toMatchObject({ status: "answered", answer: { value } });
  });

  it.each([
    [{ type: "boolean" }, "yes, but", "single word yes or no"],
    [{ type: "number" }, "1,5", "a number alone"],
    [{ type: "integer", maximum: 60 }, "61", "does not fit"],
    [{ enum: ["low", "high"] }, "middle", "1 (low), 2 (high)"],
    [{ enum: ["low", "high"] }, "low\n\nfor now", "says more than the choice"],
    [{ type: "object" }, "{}", "answered on its page"],
  ])("of %j is not read from the words %j", async (answerSchema, text, why) => {
    const asked = await ask("ask_value", { answerSchema });
    expect(await replyTo(asked, text)).toContain(why);
    expect(await read(asked.requestId)).toMatchObject({ status: "waiting" });
  });
});

describe("a choice", () => {
  it.each([
    ["maybe", "1 (Approve), 2 (Deny)"],
    ["approve\ndeny", "takes one choice"],
    ["3", "1 (Approve), 2 (Deny)"],
  ])("is not read from the words %j, and how to write it is said", async (text, why) => {
    const asked = await askPerson({ ...APPROVE_OR_DENY, allowText: false });
    const explanation = await replyTo(asked, text);
    expect(explanation).toContain(why);
    expect(explanation).toContain("Reply with the number or name");
    expect(await read(asked.requestId)).toMatchObject({ status: "waiting" });
  });

  it("whose names are numbers is named by its name, and never by its place", async () => {
    const years = [
      { id: "a", label: "2" },
      { id: "b", label: "1" },
    ];
    const asked = await askPerson({ question: "How many?", options: years, allowText: false });
    expect((await send(asked)).text).not.toContain("1. ");
    expect(await replyTo(asked, "1")).toBeUndefined();
    expect(await read(asked.requestId)).toMatchObject({ answer: { option: "b" } });
  });

  it("can be mended by an answer to the mail that said why", async () => {
    const asked = await askPerson({ ...APPROVE_OR_DENY, allowText: false });
    const { replyTo: address } = await send(asked);
    const { replies } = await arrive(plainMail("maybe"), address);
    expect(replies).toMatchObject([
      {
        from: "desk@mail.example",
        replyTo: address,
        subject: "Re: a question",
        headers: { "Auto-Submitted": "auto-replied" },
      },
    ]);
    expect(await arrive(plainMail("2"), String(replies[0]?.replyTo))).toEqual({ replies: [] });
    expect(await read(asked.requestId)).toMatchObject({ answer: { option: "deny" } });
  });
});

describe("an answer", () => {
  it("goes to the turn that waits for it", async () => {
    const asked = await askPerson(APPROVE_OR_DENY);
    await replyTo(asked, "1");
    expect(await settled(asked.turnId ?? "")).toMatchObject({ status: "completed", text: "Done." });
  });

  it("is taken at an address whose case a server changed", async () => {
    const asked = await askPerson(APPROVE_OR_DENY);
    const { replyTo: address } = await send(asked);
    expect(await arrive(plainMail("1"), address.toUpperCase())).toEqual({ replies: [] });
    expect(await read(asked.requestId)).toMatchObject({ answer: { option: "approve" } });
  });

  it("that comes twice is taken once, and nothing is said of it", async () => {
    const asked = await askPerson(APPROVE_OR_DENY);
    expect(await replyTo(asked, "1")).toBeUndefined();
    expect(await replyTo(asked, "approve")).toBeUndefined();
  });

  it("that comes after another is told who answered, and when", async () => {
    const asked = await askPerson(APPROVE_OR_DENY);
    await answer(asked.requestId, { option: "deny" });
    expect(await replyTo(asked, "1")).toMatch(/had ended .* Answered by dana at 20\d\d-/s);
    expect(await read(asked.requestId)).toMatchObject({
      answer: { option: "deny" },
      answeredBy: "dana",
    });
  });

  it("that can't be read after the end is told of the end, not of how to write it", async () => {
    const asked = await askPerson({ ...APPROVE_OR_DENY, allowText: false });
    await call("POST", `/v1/questions/${asked.requestId}/cancel`, { reason: "not needed" });
    expect(await replyTo(asked, "maybe")).toMatch(/had ended .* Cancelled at/s);
  });

  it("that comes after its question expired is told so", async () => {
    const asked = await askPerson(APPROVE_OR_DENY);
    const { replyTo: address } = await send(asked);
    const handler = handlerWith({
      openSession: (bindings, workspace, key) => ({
        ...openSession((bindings as HoldpointEnv).SESSION, workspace, key, {}),
        settleQuestion: () =>
          Promise.resolve(
            refused({ code: "expired", detail: "Expired at 2026-11-30T10:00:00.000Z." }),
          ),
      }),
    });
    expect(await arrive(plainMail("1"), address, DANA, handler)).toMatchObject({
      replies: [
        { text: expect.stringContaining("Expired at 2026-11-30T10:00:00.000Z.") as string },
      ],
    });
  });

  it("of somebody else is not taken, and says nothing of the question", async () => {
    const asked = await askPerson(APPROVE_OR_DENY);
    const { replyTo: address } = await send(asked);
    const { replies } = await arrive(plainMail("1", { From: LEAD }), address);
    expect(replies).toMatchObject([{ text: expect.stringContaining("may not answer") as string }]);
    expect(String(replies[0]?.text)).not.toMatch(/May we|Approve|dana|https/);
    expect(await read(asked.requestId)).toMatchObject({ status: "waiting" });
  });

  it("to a question for nobody in particular is taken from the channel's own address alone", async () => {
    const asked = await ask("pay_out", {});
    const { to, replyTo: address } = await send(asked);
    expect(to).toBe(DANA);
    expect(await arrive(plainMail("yes", { From: LEAD }), address)).toMatchObject({
      replies: [{ text: expect.stringContaining("may not answer") as string }],
    });
    expect(await arrive(plainMail("yes"), address)).toEqual({ replies: [] });
    expect(await read(asked.requestId)).toMatchObject({ answeredBy: DANA });
  });

  it("to a question for one without an address is taken from the channel's own", async () => {
    const asked = await askPerson(APPROVE_OR_DENY, "nobody");
    const sent = await send(asked, { recipient: { name: "nobody" } });
    expect(sent.to).toBe(DANA);
    expect(await arrive(plainMail("1"), sent.replyTo)).toEqual({ replies: [] });
    expect(await read(asked.requestId)).toMatchObject({ status: "answered" });
  });
});

it("explains ten times an hour to one sender at one address, and no more", async () => {
  const asked = await askPerson({ ...APPROVE_OR_DENY, allowText: false });
  const { replyTo: address } = await send(asked);
  let told = 0;
  for (let mails = 0; mails < 12; mails += 1)
    told += (await arrive(plainMail("maybe"), address)).replies.length;
  expect(told).toBe(10);
  expect(await arrive(plainMail("1"), address)).toEqual({ replies: [] });
  expect(await readTurn(asked.turnId ?? "")).not.toMatchObject({ status: "parked" });
});
