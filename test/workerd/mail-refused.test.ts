import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { MAIL_BYTES, MAIL_TEXT_CHARACTERS } from "../../src/core/limits.ts";
import type { Question } from "../../src/core/question.ts";
import type { Bounce } from "../../src/inbound/mail-door.ts";
import { readConfig } from "../../src/env.ts";
import { SessionUnavailable } from "../../src/session/face.ts";
import { signMailToken } from "../../src/outbound/mail-token.ts";
import { DANA, LOANS } from "./mail-agents.ts";
import { MAIL_CASES } from "./mail-cases.ts";
import {
  arrive,
  askPerson,
  bytesOf,
  handlerWith,
  MAIL_FILES,
  plainMail,
  read,
  send,
} from "./post-office.ts";

const CHOICE = {
  question: "May we pre-approve APP-1008?",
  options: [
    { id: "approve", label: "Approve" },
    { id: "deny", label: "Deny" },
  ],
};

const PROGRAMS = [
  "auto-reply-gmail",
  "auto-reply-exchange",
  "auto-reply-precedence",
  "auto-reply-x",
  "mailing-list",
  "read-receipt",
];

const UNPROVEN = [
  "dmarc-fail",
  "dmarc-none",
  "no-authentication-results",
  "two-authentication-results-forged-below",
  "two-authentication-results-foreign-above",
  "foreign-authentication-results",
  "dmarc-in-comment",
  "dmarc-of-other-domain",
  "dmarc-in-quoted-mailfrom",
  "dmarc-in-unclosed-comment",
];

const OTHERS = ["sender-other", "sender-name-is-address"];
const SEVERAL = ["sender-two", "sender-group", "sender-twice"];
const BOUNCES = ["bounce", "bounce-delayed"];
const AGENT = ["agent-first", "agent-reply", "agent-reply-of-another", "agent-empty"];

it("knows what becomes of each mail in the folder", () => {
  const known = [...PROGRAMS, ...UNPROVEN, ...OTHERS, ...SEVERAL, ...BOUNCES, ...AGENT];
  expect(MAIL_FILES.toSorted()).toEqual([...known, ...Object.keys(MAIL_CASES)].toSorted());
});

async function arriveAtNew(file: string, from?: string) {
  const asked = await askPerson(CHOICE);
  const { replyTo } = await send(asked);
  const outcome = await arrive(file, replyTo, from);
  return { outcome, question: await read(asked.requestId) };
}

describe("a mail that nobody answers for", () => {
  it.each(PROGRAMS)(
    "answers nothing and is not answered, since a program sent it: %s",
    async (file) => {
      const { outcome, question } = await arriveAtNew(file);
      expect(outcome).toEqual({ replies: [] });
      expect(question.status).toBe("waiting");
    },
  );

  it.each(BOUNCES)(
    "answers nothing and is not answered, since it is a bounce: %s",
    async (file) => {
      const { outcome, question } = await arriveAtNew(file, "");
      expect(outcome).toEqual({ replies: [] });
      expect(question.status).toBe("waiting");
    },
  );

  it("is told to the engine where it says that a mail of ours could not be delivered", async () => {
    const asked = await askPerson(CHOICE);
    const { replyTo } = await send(asked);
    const bounced: Bounce[] = [];
    const handler = handlerWith({
      bounced: (_, bounce) => {
        bounced.push(bounce);
        return Promise.resolve();
      },
    });
    for (const file of ["bounce", "bounce-delayed", "read-receipt", "auto-reply-gmail"])
      expect(await arrive(file, replyTo, "", handler)).toEqual({ replies: [] });
    expect(bounced).toEqual([
      {
        workspace: "dev",
        requestId: asked.requestId,
        recipient: "underwriter",
        reason: "550 5.1.1 <dana@lender.example>: Recipient address rejected: User unknown",
      },
    ]);
  });

  it("marks the delivery that came back as failed, with what the other server said", async () => {
    const asked = await askPerson(CHOICE);
    const deliveries = async () => (await read(asked.requestId)).deliveries;
    await vi.waitFor(async () =>
      expect(await deliveries()).toMatchObject([{ channel: "email", status: "sent" }]),
    );
    const { replyTo } = await send(asked);
    expect(await arrive("bounce", replyTo, "")).toEqual({ replies: [] });
    expect(await deliveries()).toMatchObject([
      {
        channel: "email",
        recipient: "underwriter",
        status: "failed",
        error: "550 5.1.1 <dana@lender.example>: Recipient address rejected: User unknown",
      },
    ]);
  });

  it.each(["", "<>"])("is a bounce where its envelope is from %j", async (from) => {
    const { outcome, question } = await arriveAtNew("plain-no-quote", from);
    expect(outcome).toEqual({ replies: [] });
    expect(question.status).toBe("waiting");
  });

  it.each(UNPROVEN)("is refused to its server, and is not answered: %s", async (file) => {
    const { outcome, question } = await arriveAtNew(file);
    expect(outcome).toEqual({ rejected: expect.stringContaining("DMARC") as string, replies: [] });
    expect(question.status).toBe("waiting");
  });

  it.each(SEVERAL)("is refused where it is not from one address: %s", async (file) => {
    const { outcome, question } = await arriveAtNew(file);
    expect(outcome).toEqual({
      rejected: expect.stringContaining("one address") as string,
      replies: [],
    });
    expect(question.status).toBe("waiting");
  });
});

it.each(OTHERS)("takes no answer of one who was not asked: %s", async (file) => {
  const { outcome, question } = await arriveAtNew(file);
  expect(outcome).toMatchObject({ replies: [{ headers: { "Auto-Submitted": "auto-replied" } }] });
  expect(question.status).toBe("waiting");
});

describe("an address", () => {
  const { LINK_SECRET } = env as unknown as { LINK_SECRET: string };
  const noSuch = { rejected: "There is no such address.", replies: [] };
  const to = (token: string) => `desk+${token}@mail.example`;

  async function tokenOf(question: Question): Promise<string> {
    return /\+([a-z2-7]{42})@/.exec((await send(question)).replyTo)?.[1] ?? "";
  }

  it("with a token of ours, of which one character is another, is none", async () => {
    const asked = await askPerson(CHOICE);
    const token = await tokenOf(asked);
    for (let at = 0; at < token.length; at += 1) {
      const other = token.charAt(at) === "a" ? "b" : "a";
      const forged = token.slice(0, at) + other + token.slice(at + 1);
      expect(await arrive("plain-no-quote", to(forged)), `character ${at}`).toEqual(noSuch);
    }
    expect(await read(asked.requestId)).toMatchObject({ status: "waiting" });
  });

  it("with the proof of one question and the number of another is none", async () => {
    const one = await askPerson(CHOICE);
    const other = await askPerson(CHOICE);
    const [first, second] = [await tokenOf(one), await tokenOf(other)];
    expect(await arrive("plain-no-quote", to(first.slice(0, 26) + second.slice(26)))).toEqual(
      noSuch,
    );
  });

  it("whose token was made for another workspace, recipient or secret is none", async () => {
    const { requestId } = await askPerson(CHOICE);
    const link = { workspace: "dev", requestId, recipient: "underwriter" };
    for (const [secret, forged] of [
      [LINK_SECRET, { ...link, workspace: "elsewhere" }],
      [LINK_SECRET, { ...link, recipient: "mallory" }],
      ["another secret of tests", link],
    ] as const)
      expect(await arrive("plain-no-quote", to(await signMailToken(secret, forged)))).toEqual(
        noSuch,
      );
  });

  it("whose token was made for a recipient who was not asked answers nothing", async () => {
    const { requestId } = await askPerson(CHOICE);
    const link = { workspace: "dev", requestId, recipient: "lead" };
    const outcome = await arrive("plain-no-quote", to(await signMailToken(LINK_SECRET, link)));
    expect(outcome).toMatchObject({
      replies: [{ text: expect.stringContaining("may not") as string }],
    });
    expect(await read(requestId)).toMatchObject({ status: "waiting" });
  });

  it("without a token, or with something else in its place, is none", async () => {
    for (const address of [
      "desk@mail.example",
      "desk+@mail.example",
      "desk+hello@mail.example",
      `desk+${"a".repeat(42)}@mail.example`,
      `desk+${"a".repeat(500)}@mail.example`,
      "not an address",
      "",
    ])
      expect(await arrive("plain-no-quote", address), address).toEqual(noSuch);
  });
});

describe("a mail that is too large", () => {
  const tooLarge = { rejected: expect.stringContaining("too large") as string, replies: [] };
  const attached = (characters: number) =>
    plainMail(
      `--b\nContent-Type: text/plain\n\n1\n--b\nContent-Type: image/png\n\n${"x".repeat(characters)}\n--b--`,
      { "Content-Type": "multipart/mixed; boundary=b" },
    );

  it("is refused, and one that is as large as may be is read", async () => {
    const asked = await askPerson(CHOICE);
    const { replyTo } = await send(asked);
    const fitting = attached(MAIL_BYTES - attached(0).length);
    expect(fitting.length).toBe(MAIL_BYTES);
    expect(await arrive(attached(MAIL_BYTES - attached(0).length + 1), replyTo)).toEqual(tooLarge);
    expect(await read(asked.requestId)).toMatchObject({ status: "waiting" });
    expect(await arrive(fitting, replyTo)).toEqual({ replies: [] });
    expect(await read(asked.requestId)).toMatchObject({ answer: { option: "approve" } });
  });

  it.each(["text/plain", "text/html"])(
    "is refused where its %s is too long to be read",
    async (type) => {
      const asked = await askPerson(CHOICE);
      const { replyTo } = await send(asked);
      const long = (characters: number) =>
        plainMail(`1<br>\n\n> ${"x".repeat(characters)}`, { "Content-Type": type });
      expect(await arrive(long(MAIL_TEXT_CHARACTERS), replyTo)).toEqual(tooLarge);
      expect(await read(asked.requestId)).toMatchObject({ status: "waiting" });
      expect(await arrive(long(MAIL_TEXT_CHARACTERS - 20), replyTo)).toEqual({ replies: [] });
      expect(await read(asked.requestId)).toMatchObject({ status: "answered" });
    },
  );
});

it("is tried again by its server where the session can't be reached, since it throws", async () => {
  const { replyTo } = await send(await askPerson(CHOICE));
  const handler = handlerWith({
    openSession: () => {
      throw new SessionUnavailable("the session did not answer");
    },
  });
  await expect(arrive("plain-no-quote", replyTo, DANA, handler)).rejects.toThrow(
    SessionUnavailable,
  );
});

it("takes none where nobody is named whose word about senders is believed", async () => {
  const { replyTo } = await send(await askPerson(CHOICE));
  const { mailAuthservId: _, ...config } = readConfig(env);
  const handler = handlerWith({ config: () => config });
  expect(await arrive("plain-no-quote", replyTo, DANA, handler)).toEqual({
    rejected: expect.stringContaining("MAIL_AUTHSERV_ID is not set") as string,
    replies: [],
  });
});

it("refuses what is no mail", async () => {
  const { replyTo } = await send(await askPerson(CHOICE));
  const nested = Array.from({ length: 30 }, (_, depth) => {
    const boundary = `b${depth}`;
    return `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n--${boundary}\r\n`;
  });
  const bytes = bytesOf(`From: ${DANA}\r\n${nested.join("")}`);
  expect(await arrive(bytes, replyTo)).toEqual({
    rejected: "The mail could not be read.",
    replies: [],
  });
  expect(await arrive(new Uint8Array(0), LOANS)).toMatchObject({
    rejected: expect.any(String) as string,
  });
});
