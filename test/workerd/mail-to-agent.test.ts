import { describe, expect, it } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { deriveSessionKey, sha256Hex } from "../../src/core/ids.ts";
import { call } from "./client.ts";
import { LOANS } from "./mail-agents.ts";
import { arrive, plainMail } from "./post-office.ts";

const KOFI = "kofi@applicants.example";

async function turnsOf(sender: string, root: string): Promise<readonly TurnView[]> {
  const name = `mail:${(await sha256Hex(`${LOANS}\n${sender}\n${root}`)).slice(0, 32)}`;
  const key = await deriveSessionKey({ from: "name", name });
  const response = await call("GET", `/v1/sessions/sess_${key}`);
  if (response.status === 404) return [];
  const { turns } = await response.json<{ turns: TurnView[] }>();
  return turns.toSorted((one, other) => one.createdAt.localeCompare(other.createdAt));
}

describe("a mail to an agent's address", () => {
  it("starts a turn, a reply in the conversation is the next turn of its session, and each is one however often it comes", async () => {
    for (const file of ["agent-first", "agent-first", "agent-reply", "agent-first", "agent-reply"])
      expect(await arrive(file, LOANS.toUpperCase(), KOFI)).toEqual({ replies: [] });
    const turns = await turnsOf(KOFI, "<first.1008@applicants.example>");
    expect(turns).toMatchObject([
      {
        agent: "by-mail",
        input:
          "Subject: A loan for me\n\nPlease pre-approve APP-1008.\n\n> an older mail, quoted\n\nThanks,\nKofi",
        metadata: {
          mailFrom: KOFI,
          mailTo: LOANS,
          mailSubject: "A loan for me",
          mailMessageId: "<first.1008@applicants.example>",
        },
      },
      { input: "And for two years?", metadata: { mailMessageId: "<agent-reply@lender.example>" } },
    ]);
    expect(new Set(turns.map(({ sessionId }) => sessionId)).size).toBe(1);
  });

  it("does not let one enter the conversation of another by naming a mail of it", async () => {
    await arrive("agent-first", LOANS, KOFI);
    const before = await turnsOf(KOFI, "<first.1008@applicants.example>");
    expect(await arrive("agent-reply-of-another", LOANS, "mallory@evil.example")).toEqual({
      replies: [],
    });
    const own = await turnsOf("mallory@evil.example", "<first.1008@applicants.example>");
    expect(own).toMatchObject([{ input: "What did he ask?" }]);
    expect(own[0]?.sessionId).not.toBe(before[0]?.sessionId);
    expect(await turnsOf(KOFI, "<first.1008@applicants.example>")).toHaveLength(before.length);
  });

  it("that says nothing, or too much, starts none, and its sender is told", async () => {
    const headers = { From: KOFI, "Authentication-Results": "mx.cloudflare.net; dmarc=pass" };
    expect(await arrive("agent-empty", LOANS, KOFI)).toMatchObject({
      replies: [{ from: LOANS, text: expect.stringContaining("nothing in your mail") as string }],
    });
    expect(await arrive(plainMail("x".repeat(300_000), headers), LOANS, KOFI)).toMatchObject({
      replies: [{ text: expect.stringContaining("too long") as string }],
    });
  });

  it("names what was attached and can't be read", async () => {
    const body = [
      "--b",
      "Content-Type: text/plain",
      "",
      "My payslips.",
      "--b",
      'Content-Type: application/pdf; name="payslips.pdf"',
      "Content-Disposition: attachment",
      "",
      "%PDF",
      "--b--",
    ].join("\n");
    const mail = plainMail(body, {
      From: KOFI,
      "Authentication-Results": "mx.cloudflare.net; dmarc=pass header.from=applicants.example",
      "Message-ID": "<attached@applicants.example>",
      "Content-Type": 'multipart/mixed; boundary="b"',
    });
    expect(await arrive(mail, LOANS, KOFI)).toEqual({ replies: [] });
    const [turn] = await turnsOf(KOFI, "<attached@applicants.example>");
    expect(turn?.input).toBe(
      "Subject: Re: a question\n\nMy payslips.\n\n[An attachment that can't be read here: payslips.pdf]",
    );
  });

  it("is refused as every other where its sender proves nothing, or a program sent it", async () => {
    for (const file of ["dmarc-fail", "no-authentication-results"])
      expect(await arrive(file, LOANS)).toMatchObject({
        rejected: expect.stringContaining("DMARC") as string,
      });
    expect(await arrive("auto-reply-gmail", LOANS)).toEqual({ replies: [] });
    expect(await turnsOf("dana@lender.example", "<dDk3QmN0b3hXU0pL@mail.example>")).toEqual([]);
  });
});
