import { describe, expect, it } from "vitest";
import type { Notice } from "../../src/core/channel.ts";
import type { Question } from "../../src/core/question.ts";
import { email, type EmailOptions } from "../../src/outbound/email.ts";

const QUESTION: Question = {
  requestId: "q_0123456789abcdef0123456700000004",
  kind: "person",
  sessionId: "sess_0123456789abcdef01234567",
  status: "waiting",
  question: "May we?",
  allowText: true,
  deliveries: [],
  history: [],
  createdAt: "2026-11-30T09:00:00.000Z",
};

/** What a channel hands to its binding. */
async function sent(options: EmailOptions, notice: Partial<Notice>): Promise<unknown> {
  let taken: unknown;
  const binding = {
    send: (builder: unknown) => {
      taken = builder;
      return Promise.resolve({ messageId: "<1@mail.example>" });
    },
  };
  await email(options).send(
    { id: "1", event: "question.asked", question: QUESTION, ...notice },
    {
      env: { EMAIL: binding, POST: binding },
      workspace: "acme",
      linkSecret: "a secret of tests",
      development: true,
      now: 0,
    },
  );
  return taken;
}

const FROM = { from: "desk@mail.example", to: "dana@lender.example" };

describe("the email channel", () => {
  it.each([
    [{ from: "desk" }, "from"],
    [{ from: "Desk\r\nBcc: all@evil.example <desk@mail.example>" }, "from"],
    [{ from: 'Desk" <desk@mail.example>' }, "from"],
    [{ from: "desk@mail.example\nBcc: all@evil.example" }, "from"],
    [{ from: "desk@mail.example", to: "Dana" }, "to"],
    [{ from: "desk@mail.example", replyTo: "a@b@c" }, "replyTo"],
    [{ from: `${"d".repeat(21)}@mail.example` }, "at most 20 characters"],
    [{ from: "desk@mail.example", replyTo: `${"d".repeat(21)}@mail.example` }, "at most 20"],
  ])("refuses the options %j", (options, words) => {
    expect(() => email(options)).toThrow(words);
  });

  it("takes an address of its own for the replies, and another binding", async () => {
    const options = { ...FROM, replyTo: `${"r".repeat(20)}@reply.example`, binding: "POST" };
    const { replyTo } = (await sent(options, {})) as { replyTo: string };
    expect(replyTo).toMatch(/^r{20}\+[a-z2-7]{42}@reply\.example$/);
    expect(replyTo.indexOf("@")).toBeLessThanOrEqual(64);
  });

  it.each([
    ["one\r\nBcc: all@evil.example", "one Bcc: all@evil.example"],
    ["a\u2028b\u0085c\u0000d", "a b c d"],
    ["\u202eevil\u2066 \u200fشكرا 👩‍👩‍👧", "evil شكرا 👩‍👩‍👧"],
    ["x".repeat(8_000), `${"x".repeat(119)}…`],
  ])("makes one line of the question %j for its subject", async (question, subject) => {
    expect(await sent(FROM, { question: { ...QUESTION, question } })).toMatchObject({ subject });
  });

  it("puts nothing of what was written into a header but the subject", async () => {
    const evil = "x\r\nBcc: all@evil.example";
    const question = { ...QUESTION, question: evil, context: evil, agent: evil };
    const recipient = { name: evil, email: "dana@lender.example" };
    const mail = (await sent(FROM, { question, recipient, reference: { messageId: evil } })) as {
      headers: object;
      to: string;
      from: string;
      replyTo: string;
    };
    expect(mail.headers).toEqual({ "Auto-Submitted": "auto-generated" });
    expect([mail.to, mail.from]).toEqual(["dana@lender.example", "desk@mail.example"]);
    expect(mail.replyTo).toMatch(/^desk\+[a-z2-7]{42}@mail\.example$/);
  });

  it("takes a message id with or without its brackets", async () => {
    for (const messageId of ["1@mail.example", "<1@mail.example>"])
      expect(await sent(FROM, { reference: { messageId } })).toMatchObject({
        subject: "Re: May we?",
        headers: { "In-Reply-To": "<1@mail.example>", References: "<1@mail.example>" },
      });
  });

  it("shows what a model wrote as text, in a page that loads nothing", async () => {
    const evil = "<img src=x onerror=alert(1)>\"'";
    const { html } = (await sent(FROM, {
      question: {
        ...QUESTION,
        question: evil,
        context: `${evil} [x](javascript:alert(1)) ![p](https://evil.example/p.png)`,
        agent: evil,
        options: [{ id: "a", label: evil, description: evil }],
        multiple: false,
        answerUrl: "https://holdpoint.test/a/token",
      },
    })) as { html: string };
    expect(html).not.toMatch(/<(?:img|script|link|iframe|form)\b|javascript:|\son\w+=["']/i);
    expect(html).toContain("&lt;img src=x onerror=alert(1)&gt;");
  });

  it("sends no question to somebody without an address where it has no `to`", async () => {
    const { from } = FROM;
    const error = "no email address";
    await expect(sent({ from }, {})).rejects.toThrow(error);
    await expect(sent({ from }, { recipient: { name: "lead", slack: "C1" } })).rejects.toThrow(
      error,
    );
  });
});
