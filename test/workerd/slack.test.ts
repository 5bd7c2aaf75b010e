import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { buttonsOf, wordsOf } from "../fake-slack.ts";
import { fireAlarm, play, settled } from "./client.ts";
import { answerBy, eventually } from "./desk.ts";
import { answering, post, questionsOf, readQuestion } from "./journey.ts";
import {
  CHOICE,
  click,
  deliveredAs,
  fakeSlack,
  messageAt,
  posted,
  reachSlack,
} from "./slack-desk.ts";

beforeEach(() => reachSlack());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a question in Slack", () => {
  it("is posted with a button for each option and a link to its page, and parks its turn until a click", async () => {
    const script = [
      { calls: [{ toolName: "ask_person", input: { ...CHOICE, to: "dana" } }] },
      { calls: [{ toolName: "await_tasks", input: { taskIds: ["$task:1"] } }] },
      { text: "Done." },
    ];
    const turn = await play(script, { agent: "in-slack" });
    expect(turn.status).toBe("parked");
    const [asked = expect.fail("nothing was asked")] = await questionsOf(turn.sessionId);
    await deliveredAs(asked.requestId, "sent");
    const message = messageAt(0);
    expect(message).toMatchObject({
      channel: "D0DANA",
      text: "The agent in-slack asks you: May we &lt;b&gt;pay&lt;/b&gt; &amp; go on?",
      unfurl_links: false,
      unfurl_media: false,
    });
    expect(wordsOf(message)).toContain("• Approve: At 47 %.\n• Deny");
    expect([...buttonsOf(message).keys()]).toEqual(["Approve", "Deny", "Answer on the page"]);
    expect(buttonsOf(message).get("Answer on the page")?.url).toBe(asked.answerUrl);

    await click(message, "Approve", "U0DANA");
    expect(await settled(turn.id)).toMatchObject({
      status: "completed",
      text: "Done.",
    });
    const answered = await deliveredAs(asked.requestId, "sent");
    expect(answered).toMatchObject({
      status: "answered",
      answer: { option: "approve" },
      answeredBy: "U0DANA",
      answeredVia: "slack",
      deliveries: [{ channel: "slack", recipient: "dana", status: "sent" }],
    });
    await eventually(() => expect(fakeSlack.calls).toEqual(["chat.postMessage", "chat.update"]));
    const updated = messageAt(0);
    expect(buttonsOf(updated).size).toBe(0);
    expect(wordsOf(updated)).toMatch(/\*Approve\*\nIt was answered by <@U0DANA> on .*, in Slack\./);
    expect(fakeSlack.told).toEqual([]);
  });

  it("goes to the channel where it is for nobody in particular, and anybody there may answer", async () => {
    const { question } = await posted("ask_tool", CHOICE);
    expect(messageAt(0).channel).toBe("C0UNDERWRITING");
    await click(messageAt(0), "Deny", "U0SOMEBODY");
    expect(await readQuestion(question.requestId)).toMatchObject({
      answer: { option: "deny" },
      answeredBy: "U0SOMEBODY",
    });
  });

  it("takes an approval by a button, shows the call whole, and says so where the call is denied", async () => {
    const { question } = await posted("pay_out", { amount: 5_000, to: "<!channel> ``` \u202e" });
    const words = wordsOf(messageAt(0));
    expect(words).toContain('"amount": 5000');
    expect(words).toContain('"&lt;!channel&gt; \\u0060\\u0060\\u0060 \\u202e"');
    await click(messageAt(0), "Deny", "U0DANA");
    expect(await readQuestion(question.requestId)).toMatchObject({ answer: { approved: false } });
    await eventually(() => expect(wordsOf(messageAt(0))).toContain("*Denied*"));
  });

  it.each([
    [
      "a form of one question",
      "ask_user_question",
      {
        questions: [
          {
            question: "Which?",
            header: "Which",
            options: [
              { label: "A", description: "a" },
              { label: "B", description: "b" },
            ],
          },
        ],
      },
      "B",
      { answers: { "Which?": "B" } },
    ],
    [
      "a yes or no",
      "ask_tool",
      { question: "Is it?", answerSchema: { type: "boolean" } },
      "No",
      { value: false },
    ],
    [
      "one of a few values",
      "ask_tool",
      { question: "How many?", answerSchema: { enum: [1, 2] } },
      "2",
      { value: 2 },
    ],
  ])("takes %s by its buttons", async (_, tool, input, label, answer) => {
    const { question } = await posted(tool, input);
    await click(messageAt(0), label, "U0DANA");
    expect(await readQuestion(question.requestId)).toMatchObject({ status: "answered", answer });
  });

  it.each([
    ["an open question", "ask_tool", { question: "Why?" }],
    [
      "six options",
      "ask_tool",
      {
        question: "Which?",
        options: "abcdef".split("").map((id) => ({ id, label: id.toUpperCase() })),
      },
    ],
    ["several choices", "ask_tool", { ...CHOICE, multiple: true }],
    ["a number", "ask_tool", { question: "How much?", answerSchema: { type: "integer" } }],
    ["a call that is too long to be shown whole", "pay_out", { note: "x".repeat(4_000) }],
    [
      "a question that is too long to be shown whole",
      "ask_tool",
      { ...CHOICE, question: "&".repeat(1_000) },
    ],
  ])("leads to the page alone for %s", async (_, tool, input) => {
    const { question } = await posted(tool, input);
    expect([...buttonsOf(messageAt(0)).keys()]).toEqual(["Answer on the page"]);
    expect(buttonsOf(messageAt(0)).get("Answer on the page")?.url).toBe(question.answerUrl);
    // Slack tells of that button, too; it answers nothing.
    await click(messageAt(0), "Answer on the page", "U0DANA");
    expect(await readQuestion(question.requestId)).toMatchObject({ status: "waiting" });
    expect(fakeSlack.told).toEqual([]);
  });

  it("is reminded of below its message, and keeps its buttons there", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const { question, sessionId } = await posted("ask_tool", {
      ...CHOICE,
      to: "dana",
      remind: ["1h"],
    });
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(await fireAlarm(sessionId)).toBe(true);
    await eventually(() => expect(fakeSlack.messages).toHaveLength(2));
    const [first, reminder] = [messageAt(0), messageAt(1)];
    expect(reminder).toMatchObject({
      channel: "D0DANA",
      thread_ts: first.ts,
      reply_broadcast: true,
    });
    expect(wordsOf(reminder)).toMatch(/^A reminder, since no answer came yet\./);
    await click(first, "Approve", "U0DANA");
    await eventually(() => expect(buttonsOf(messageAt(0)).size).toBe(0));
    await deliveredAs(question.requestId, "sent");
  });
});

describe("a question that ends at another door", () => {
  const ends: readonly (readonly [string, string, (requestId: string) => Promise<unknown>])[] = [
    [
      "the page",
      "answered by dana on .*, on the page",
      async (id) => {
        const { answerUrl = "" } = await readQuestion(id);
        await answerBy(new URL(answerUrl).pathname, { option: "approve" });
      },
    ],
    [
      "the API",
      "answered by lee@lender.example on .*, through the API",
      (id) => answering(id, { option: "deny" }, "lee@lender.example"),
    ],
    [
      "a decline",
      "declined by dana on",
      (id) => post(`/v1/questions/${id}/decline`, { answeredBy: "dana" }),
    ],
    ["a cancel", "cancelled on", (id) => post(`/v1/questions/${id}/cancel`, {})],
  ];

  it.each(ends)(
    "by %s is updated in Slack, and a click on what was there is told how it ended",
    async (_, words, end) => {
      const { question } = await posted("ask_tool", { ...CHOICE, to: "dana" });
      const asking = messageAt(0);
      await end(question.requestId);
      const told = new RegExp(`It was ${words}`);
      await eventually(() => expect(wordsOf(messageAt(0))).toMatch(told));
      expect(buttonsOf(messageAt(0)).size).toBe(0);
      const before = await readQuestion(question.requestId);
      await click(asking, "Deny", "U0DANA");
      expect(await readQuestion(question.requestId)).toEqual(before);
      // The API's answer was the same, and it was somebody else's.
      expect(fakeSlack.told).toEqual([expect.stringMatching(told)]);
    },
  );

  it("by its time is updated, and a click is told that the time is over", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const { sessionId } = await posted("ask_tool", { ...CHOICE, expire: { after: "1h" } });
    const asking = messageAt(0);
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(await fireAlarm(sessionId)).toBe(true);
    await eventually(() =>
      expect(wordsOf(messageAt(0))).toContain("No answer came in time: it expired"),
    );
    await click(asking, "Approve", "U0DANA");
    expect(fakeSlack.told).toEqual([expect.stringContaining("the time to answer is over")]);
  });
});
