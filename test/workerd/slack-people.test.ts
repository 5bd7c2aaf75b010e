import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { buttonsOf, wordsOf } from "../fake-slack.ts";
import { call, fireAlarm, play } from "./client.ts";
import { eventually } from "./desk.ts";
import { accepted, answering, post, questionsOf, readQuestion } from "./journey.ts";
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

const OLD = "question is not yours to answer";

describe("several recipients", () => {
  it("each have a message of their own, and the first click closes all", async () => {
    const { question } = await posted("ask_tool", { ...CHOICE, to: "team" }, 2);
    const [dana, kim] = [messageAt(0), messageAt(1)];
    expect([dana.channel, kim.channel]).toEqual(["D0DANA", "D0KIM"]);
    const approve = "Approve";
    expect(buttonsOf(dana).get(approve)?.value).not.toBe(buttonsOf(kim).get(approve)?.value);
    await click(kim, approve, "U0KIM");
    await eventually(() => {
      for (const at of [0, 1]) expect(wordsOf(messageAt(at))).toContain("answered by <@U0KIM>");
    });
    // The same answer is the first one's receipt, and not dana's.
    await click(dana, approve, "U0DANA");
    await click(dana, "Deny", "U0DANA");
    expect(fakeSlack.told).toEqual(
      [1, 2].map(() => expect.stringContaining("by <@U0KIM>") as string),
    );
    // The same click again is nothing new to the one who made it.
    await click(kim, approve, "U0KIM");
    expect(fakeSlack.told).toHaveLength(2);
    expect(await readQuestion(question.requestId)).toMatchObject({ answeredBy: "U0KIM" });
  });

  it("lose their buttons' power when the question is given to somebody else, who gets a message", async () => {
    const { question } = await posted("ask_tool", { ...CHOICE, to: "dana" });
    await accepted(post(`/v1/questions/${question.requestId}/assign`, { to: "kim" }));
    await eventually(() => expect(fakeSlack.messages).toHaveLength(2));
    await click(messageAt(0), "Approve", "U0DANA");
    expect(fakeSlack.told).toEqual([expect.stringContaining(OLD)]);
    expect(await readQuestion(question.requestId)).toMatchObject({ status: "waiting", to: "kim" });
    await click(messageAt(1), "Approve", "U0KIM");
    await deliveredAs(question.requestId, "sent");
    await eventually(() => expect(wordsOf(messageAt(0))).toContain("answered by <@U0KIM>"));
    // What was answered is no more dana's to know.
    expect(wordsOf(messageAt(0))).not.toContain("*Approve*");
    expect(wordsOf(messageAt(1))).toContain("*Approve*");
  });

  it("answer alone what went to them alone, and all of a channel what went there", async () => {
    const { question } = await posted("ask_tool", { ...CHOICE, to: "dana" });
    await click(messageAt(0), "Approve", "U0KIM");
    expect(fakeSlack.told).toEqual([expect.stringContaining(OLD)]);
    expect(await readQuestion(question.requestId)).toMatchObject({ status: "waiting" });
    fakeSlack.clear();
    await posted("ask_tool", { ...CHOICE, question: "And this?", to: "desk" });
    await click(messageAt(0), "Approve", "U0KIM");
    expect(fakeSlack.told).toEqual([]);
  });

  it("are told of an escalation by a message of their own", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const terms = { escalate: [{ after: "1h", to: "lead" }] };
    const { question, sessionId } = await posted("ask_tool", { ...CHOICE, to: "dana", ...terms });
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(await fireAlarm(sessionId)).toBe(true);
    await eventually(() => expect(fakeSlack.messages).toHaveLength(2));
    expect(messageAt(1).channel).toBe("D0LEAD");
    expect(wordsOf(messageAt(1))).toMatch(/^Nobody has answered this yet/);
    await click(messageAt(1), "Approve", "U0LEAD");
    expect(await readQuestion(question.requestId)).toMatchObject({ answeredBy: "U0LEAD" });
  });
});

describe("a delivery to Slack", () => {
  it("shows Slack's own word where it was refused, and is tried again when it is asked for", async () => {
    const turn = await play(
      [{ calls: [{ toolName: "ask_tool", input: { ...CHOICE, to: "gone" } }] }, { text: "Done." }],
      { agent: "in-slack" },
    );
    const [{ requestId } = expect.fail("nothing was asked")] = await questionsOf(turn.sessionId);
    await eventually(async () =>
      expect((await readQuestion(requestId)).deliveries).toEqual([
        {
          channel: "slack",
          recipient: "gone",
          status: "pending",
          tries: 1,
          error: "channel_not_found",
        },
      ]),
    );
    expect(JSON.stringify(await readQuestion(requestId))).not.toContain("C0GONE");
  });

  it("is tried again after the pause that Slack asks for, and arrives", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    fakeSlack.failures.push([429, { ok: false, error: "ratelimited" }, { "retry-after": "300" }]);
    const turn = await play(
      [
        { calls: [{ toolName: "ask_tool", input: { ...CHOICE, question: "Once more?" } }] },
        { text: "Done." },
      ],
      { agent: "in-slack" },
    );
    const [{ requestId } = expect.fail("nothing was asked")] = await questionsOf(turn.sessionId);
    const failed = { status: "pending", tries: 1, error: "Slack answered with HTTP 429" };
    await eventually(async () =>
      expect((await readQuestion(requestId)).deliveries).toMatchObject([failed]),
    );
    vi.setSystemTime(Date.now() + 299_000);
    await fireAlarm(turn.sessionId);
    expect(fakeSlack.messages).toEqual([]);
    vi.setSystemTime(Date.now() + 1_000);
    await fireAlarm(turn.sessionId);
    await deliveredAs(requestId, "sent");
    expect(fakeSlack.messages).toHaveLength(1);
  });

  it("that can't update a message which is gone is given up, and the answer stands", async () => {
    const { question } = await posted("ask_tool", { ...CHOICE, question: "And gone?" });
    fakeSlack.messages.length = 0;
    await accepted(answering(question.requestId, { option: "deny" }));
    expect(await deliveredAs(question.requestId, "failed")).toMatchObject({
      status: "answered",
      deliveries: [{ event: "question.answered", tries: 1, error: "message_not_found" }],
    });
  });

  it("sent again is told below the message, which still is the one that is updated", async () => {
    const { question } = await posted("ask_tool", { ...CHOICE, question: "Still there?" });
    await accepted(call("POST", `/v1/questions/${question.requestId}/deliver`));
    await eventually(() => expect(fakeSlack.messages).toHaveLength(2));
    expect(messageAt(1).thread_ts).toBe(messageAt(0).ts);
    await accepted(answering(question.requestId, { option: "deny" }));
    await eventually(() => expect(buttonsOf(messageAt(0)).size).toBe(0));
  });
});
