import type { KnownBlock } from "@slack/types";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type ChannelContext, NOTICE_EVENTS, type Notice } from "../../src/core/channel.ts";
import { SLACK_RESPONSE_UNITS, SLACK_SECTION_UNITS } from "../../src/core/limits.ts";
import type { Question } from "../../src/core/question.ts";
import { slackButtons } from "../../src/core/slack-form.ts";
import { slack, type SlackOptions } from "../../src/outbound/slack.ts";
import { askingMessage, endedMessage, followUpMessage } from "../../src/pages/slack-message.ts";
import { BOT_TOKEN, buttonsOf, FakeSlack, wordsOf } from "../fake-slack.ts";
import { APPROVAL, CHOICE, FORM, JSON_VALUE, MULTIPLE, OPEN } from "../pages/questions.ts";

const fake = new FakeSlack();
beforeEach(() => {
  fake.clear();
  vi.spyOn(globalThis, "fetch").mockImplementation(fake.fetch);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const OPTIONS: SlackOptions = { token: BOT_TOKEN, channel: "#underwriting" };
const CONTEXT: ChannelContext = {
  env: {},
  workspace: "acme",
  linkSecret: "a secret of tests",
  development: false,
  now: 0,
};

function sent(
  notice: Partial<Notice>,
  options: SlackOptions = OPTIONS,
  context: Partial<ChannelContext> = {},
): Promise<unknown> {
  const whole = { id: "1", event: "question.asked", question: CHOICE, ...notice } as const;
  return slack(options).send(whole, { ...CONTEXT, ...context });
}

const LINKED = { answerUrl: `https://holdpoint.test/a/${"t".repeat(500)}` };
const HOSTILE =
  "<!channel> <@U0KIM> <https://evil.example|Approve> &lt;!here&gt; ```\n@here #general \u202e";

/** Questions of every kind, with as much and as hostile a text as each may have. */
const QUESTIONS: readonly Question[] = [APPROVAL, CHOICE, FORM, JSON_VALUE, MULTIPLE, OPEN].flatMap(
  (question) =>
    ["", HOSTILE, HOSTILE.repeat(100), "&".repeat(8_192), "😀".repeat(4_000)].map((text) => {
      const longer = (words: string, max: number) =>
        Array.from(words + text)
          .slice(0, max)
          .join("");
      return {
        ...question,
        ...LINKED,
        question: longer(question.question, 8_192),
        context: longer("Why. ", 65_536),
        agent: longer("loans", 200),
        ...(question.options !== undefined && {
          options: question.options.map((option) => ({
            id: option.id,
            label: longer(option.label, 256),
            description: longer("It means. ", 4_096),
          })),
        }),
        ...(question.kind === "approval" && {
          toolName: longer("tool", 128),
          arguments: { text, more: [text] },
        }),
      };
    }),
);

describe("a message in Slack", () => {
  it("is taken by Slack whatever is asked and whatever happened, and has no markup of a model's", async () => {
    for (const question of QUESTIONS)
      for (const event of NOTICE_EVENTS) {
        const ended = /answered|declined|cancelled|expired/.exec(event)?.[0];
        const settled = { status: ended as Question["status"], answeredBy: HOSTILE };
        const asked = ended === undefined ? question : { ...question, ...settled };
        for (const reference of [undefined, { channel: "C0DESK", ts: "1764500000.000001" }]) {
          fake.clear();
          if (reference !== undefined && ended !== undefined)
            await sent({ recipient: { name: "desk", slack: "C0DESK" } });
          await sent({
            event,
            question: asked,
            recipient: { name: "desk", slack: "C0DESK" },
            ...(reference !== undefined && {
              reference: { ...reference, ts: fake.messages[0]?.ts ?? "1" },
            }),
          });
          for (const message of fake.messages) {
            const all = `${message.text}\n${wordsOf(message)}`;
            // Our own mentions are of members alone, and none was made here.
            expect(all).not.toMatch(/<[@!#h]|&(?!amp;|lt;|gt;)/);
            // The end of a call's code is ours alone.
            for (const { text } of message.blocks)
              if (text?.text.startsWith("```\n") === true)
                expect(text.text.match(/`+/g)).toEqual(["```", "```"]);
          }
        }
      }
  });

  it("is made of blocks of Slack's own types", () => {
    const valueOf = (key: string) => key;
    const event = "question.asked";
    const blocks: readonly KnownBlock[] = [
      ...askingMessage({ event, question: { ...CHOICE, ...LINKED }, valueOf }).blocks,
      ...followUpMessage({ event, question: CHOICE }).blocks,
      ...endedMessage(CHOICE, "answered", { showsAnswer: true }).blocks,
    ] as KnownBlock[];
    expect(new Set(blocks.map(({ type }) => type))).toEqual(
      new Set(["context", "section", "actions"]),
    );
  });

  it("has buttons for what is shown whole, and else the page's alone", () => {
    const shown = (question: Question) => {
      const message = askingMessage({ event: "question.asked", question, valueOf: (key) => key });
      return [...buttonsOf(message as never).keys()];
    };
    expect(shown({ ...CHOICE, ...LINKED })).toEqual(["Approve", "Deny", "Answer on the page"]);
    const context = "&".repeat(SLACK_SECTION_UNITS / "&amp;".length);
    expect(shown({ ...CHOICE, context })).toEqual(["Approve", "Deny"]);
    expect(shown({ ...CHOICE, context: `${context}&`, ...LINKED })).toEqual(["Answer on the page"]);
    expect(shown({ ...CHOICE, context: `${context}&` })).toEqual([]);
  });

  it("shows what stands out in a context as Slack does", async () => {
    await sent({ question: { ...CHOICE, context: "The ratio is **47 %**, **not <36> %**." } });
    const [message = expect.fail("nothing was posted")] = fake.messages;
    expect(wordsOf(message)).toContain("The ratio is *47 %*, *not &lt;36&gt; %*.");
  });

  it("speaks German where the author chose it", async () => {
    await sent({ question: { ...APPROVAL, ...LINKED, arguments: { amount: 5 } } }, OPTIONS, {
      look: { language: "de" },
    });
    const [message = expect.fail("nothing was posted")] = fake.messages;
    expect([...buttonsOf(message).keys()]).toEqual([
      "Freigeben",
      "Ablehnen",
      "Auf der Seite antworten",
    ]);
    expect(wordsOf(message)).toContain("bittet um Ihre Freigabe:");
  });
});

describe("the buttons of a question", () => {
  it("answer by what the question takes", () => {
    expect(slackButtons(CHOICE).map(({ answer }) => answer)).toEqual([
      { option: "approve" },
      { option: "deny" },
    ]);
    expect(slackButtons(APPROVAL).map(({ answer }) => answer)).toEqual([
      { approved: true },
      { approved: false },
    ]);
    const options = Array.from({ length: 5 }, (_, n) => ({ id: `${n}`, label: `${n}` }));
    expect(slackButtons({ ...CHOICE, options })).toHaveLength(5);
    expect(slackButtons({ ...CHOICE, options: [...options, { id: "6", label: "6" }] })).toEqual([]);
    for (const question of [OPEN, MULTIPLE, JSON_VALUE]) expect(slackButtons(question)).toEqual([]);
  });
});

describe("the Slack channel", () => {
  it.each([
    [{ token: "xoxb 1" }, "token"],
    [{ token: "xoxb-1\r\nx: y" }, "token"],
    [{ channel: "" }, "channel"],
    [{ channel: "under writing" }, "channel"],
    [{ api: "http://slack.example/api" }, "api"],
    [{ api: "https://slack.com/api/" }, "api"],
    [{ api: "slack.com" }, "api"],
  ])("refuses the options %j", (options, words) => {
    expect(() => slack(options)).toThrow(`slack: ${words}`);
  });

  it("reads no further than an answer of Slack's can go", async () => {
    const piece = new TextEncoder().encode(" ".repeat(64 * 1024));
    let read = 0;
    let isLetGo = false;
    const endless = new ReadableStream({
      pull: (stream) => {
        read += piece.length;
        // Whoever reads on must not do so for ever in a test.
        if (read > 64 * 1024 * 1024) stream.close();
        else stream.enqueue(piece);
      },
      cancel: () => {
        isLetGo = true;
      },
    });
    vi.mocked(globalThis.fetch).mockResolvedValue(new Response(endless));
    await expect(sent({})).rejects.toMatchObject({ retryable: true });
    expect(isLetGo).toBe(true);
    expect(read).toBeLessThan(2 * SLACK_RESPONSE_UNITS);
  });

  it.each([
    [[200, { ok: false, error: "channel_not_found" }], "channel_not_found", true],
    [[200, { ok: false, error: "msg_too_long" }], "msg_too_long", false],
    [[200, { ok: false, error: "<b>a secret</b>" }], "Slack refused it", true],
    [[200, { ok: true }], "what is not its API's", true],
    [[200, "<html>"], "what is not its API's", true],
    [[200, { ok: true, channel: "C".repeat(129), ts: "1" }], "what is not its API's", true],
    [[200, { ok: true, channel: "C0DESK", ts: "1".repeat(129) }], "not its API's", true],
    [[503, "down"], "Slack answered with HTTP 503", true],
    [[302, "", { location: "http://127.0.0.1/" }], "Slack answered with HTTP 302", true],
  ] as const)(
    "fails in its own words where Slack answers %j",
    async (failure, error, retryable) => {
      fake.failures.push(failure as never);
      await expect(sent({})).rejects.toMatchObject({
        message: expect.stringContaining(error) as string,
        retryable,
      });
      expect(fake.calls).toHaveLength(1);
    },
  );

  it("waits as long as Slack asks for, and says nothing of what the network said", async () => {
    fake.failures.push([429, { ok: false, error: "ratelimited" }, { "retry-after": "30" }]);
    await expect(sent({})).rejects.toMatchObject({ retryable: true, retryAfterMs: 30_000 });
    vi.mocked(globalThis.fetch).mockRejectedValue(new Error(`connect ${BOT_TOKEN}`));
    await expect(sent({})).rejects.toThrow(/^Slack could not be reached$/);
  });

  it("says what is missing to reach somebody", async () => {
    const { channel: _, ...noChannel } = OPTIONS;
    await expect(sent({}, noChannel)).rejects.toMatchObject({ retryable: false });
    const { linkSecret: __, ...noSecret } = CONTEXT;
    const notice = { id: "1", event: "question.asked", question: CHOICE } as const;
    await expect(slack(OPTIONS).send(notice, noSecret)).rejects.toThrow("LINK_SECRET");
    await expect(sent({ question: OPEN })).rejects.toThrow("PUBLIC_URL");
    await expect(sent({}, { channel: "C0DESK" })).rejects.toThrow("SLACK_BOT_TOKEN");
    expect(await sent({}, { channel: "C0DESK" }, { env: { SLACK_BOT_TOKEN: BOT_TOKEN } })).toEqual({
      channel: "C0DESK",
      ts: expect.stringMatching(/^\d+\.\d+$/) as string,
    });
  });
});
