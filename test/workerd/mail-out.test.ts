import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { call } from "./client.ts";
import { DANA, deskMail, LEAD } from "./mail-agents.ts";
import {
  arrive,
  ask,
  askPerson,
  handlerWith,
  PEOPLE,
  plainMail,
  read,
  send,
} from "./post-office.ts";

const CHOICE = {
  question: "May we?",
  options: [
    { id: "approve", label: "Approve", description: "At 47 %." },
    { id: "de.ny", label: "Deny <b>now</b>" },
  ],
  context: "The ratio is **47 %**.<script>alert(1)</script>",
};

it("mails a question to its recipient, with its links, and an address of its own for the reply", async () => {
  const asked = await askPerson(CHOICE);
  const sent = await send(asked);
  expect(sent).toMatchObject({
    from: { name: "Loan Desk", email: "desk@mail.example" },
    to: DANA,
    subject: "May we?",
    headers: { "Auto-Submitted": "auto-generated" },
    reference: { messageId: expect.stringMatching(/^<.+@.+>$/) as string },
  });
  expect(sent.replyTo).toMatch(/^desk\+[a-z2-7]{42}@mail\.example$/);
  expect(sent.text).toContain(`1. Approve: At 47 %.\n   ${asked.answerUrl}?option=approve`);
  expect(sent.text).toContain(`2. Deny <b>now</b>\n   ${asked.answerUrl}?option=de.ny`);
  expect(sent.html).toContain("<strong>47 %</strong>");
  expect(sent.html).toContain(
    `href="${asked.answerUrl}?option=de.ny">Deny &lt;b&gt;now&lt;/b&gt;</a>`,
  );
  expect(sent.html).not.toMatch(/<script|<b>now/);
});

it("gives a link that has its option chosen on the page, and answers nothing by being opened", async () => {
  const asked = await askPerson(CHOICE);
  const { text } = await send(asked);
  const url = /https:\S+\?option=de\.ny/.exec(text)?.[0] ?? "";
  const page = await (await call("GET", url.replace("https://holdpoint.test", ""))).text();
  expect(page).toMatch(/<input [^>]*value="de\.ny"[^>]* checked/);
  expect(page).not.toMatch(/<input [^>]*value="approve"[^>]* checked/);
  expect(await read(asked.requestId)).toMatchObject({ status: "waiting" });
});

it("gives such links for a form of one question too", async () => {
  const option = (label: string) => ({ label, description: "d" });
  const asked = await ask("ask_user_question", {
    questions: [{ question: "Which?", header: "Which", options: [option("A"), option("B")] }],
  });
  const { text } = await send(asked);
  const url = /https:\S+\?q0=1/.exec(text)?.[0] ?? "";
  const page = await (await call("GET", url.replace("https://holdpoint.test", ""))).text();
  expect(page).toMatch(/<input [^>]*value="1"[^>]* checked/);
});

it("shows an approval's call whole, and asks for yes or no", async () => {
  const asked = await ask("pay_out", { amount: 5_000, to: "\u202eevil" });
  const { subject, text, html } = await send(asked);
  expect(subject).toBe("Run pay_out?");
  expect(text).toContain('pay_out would be given:\n{\n  "amount": 5000,\n  "to": "\\u202eevil"\n}');
  expect(text).toContain("Reply with the single word yes to approve");
  expect(html).toContain("\\u202eevil");
});

it("puts later mails of a question below the first, and gives each recipient an own address", async () => {
  const asked = await askPerson(CHOICE);
  const first = await send(asked);
  const reminder = await send(asked, {
    event: "question.reminded",
    ...(first.reference !== undefined && { reference: first.reference }),
  });
  const { messageId } = first.reference ?? {};
  expect(reminder).toMatchObject({
    subject: "Re: May we?",
    headers: { "In-Reply-To": messageId, References: messageId },
    reference: { messageId },
    replyTo: first.replyTo,
  });
  expect(reminder.text).toMatch(/^A reminder, since no answer came yet\./);
  const escalated = await send(asked, {
    event: "question.escalated",
    ...(PEOPLE["lead"] !== undefined && { recipient: PEOPLE["lead"] }),
  });
  expect(escalated).toMatchObject({ to: LEAD, subject: "Passed on to you: May we?" });
  expect(escalated.replyTo).not.toBe(first.replyTo);
});

it("tells how a question ended, but not the one who ended it", async () => {
  const asked = await askPerson(CHOICE);
  const { reference } = await send(asked);
  const answered = await call("POST", `/v1/questions/${asked.requestId}/answer`, {
    answer: { option: "approve" },
    answeredBy: LEAD,
  });
  const question = await answered.json<typeof asked>();
  const about = {
    event: "question.answered",
    ...(reference !== undefined && { reference }),
  } as const;
  const told = await send(question, about);
  expect(told.text).toMatch(/It was answered by lead@lender\.example on .* UTC, through the API\./);
  expect(told.text).not.toContain("https");
  const own = await send({ ...question, answeredBy: DANA }, about);
  expect(own).toEqual({ reference });
});

it("explains in the author's language what came to nothing", async () => {
  const { replyTo } = await send(await askPerson({ ...CHOICE, allowText: false }));
  const handler = handlerWith({ look: { language: "de" } });
  const { replies } = await arrive(plainMail("vielleicht"), replyTo, DANA, handler);
  expect(replies).toHaveLength(1);
  const { text } = replies[0] as { readonly text: string };
  expect(text).toMatch(
    /^Ihre E-Mail wurde nicht gespeichert\.\n\nDie erste Zeile muss eines davon nennen: 1 \(Approve\)/,
  );
  expect(text).toMatch(
    /Antworten Sie mit der Nummer oder dem Namen Ihrer Wahl .* Schreiben Sie es über alles andere/,
  );
  expect(text).toContain("Oder auf der Seite antworten: https://holdpoint.test/a/");
});

it("fails, in words, where it can't send", async () => {
  const question = await askPerson(CHOICE);
  const context = {
    env: { ...env },
    workspace: "dev",
    linkSecret: "a secret for tests only",
    development: true,
    now: 0,
  };
  const notice = { id: "1", event: "question.asked", question } as const;
  const { linkSecret: _, ...noSecret } = context;
  await expect(deskMail.send(notice, noSecret)).rejects.toThrow("LINK_SECRET is not set");
  await expect(deskMail.send(notice, { ...context, env: {} })).rejects.toThrow(
    "no send_email binding called EMAIL",
  );
});
