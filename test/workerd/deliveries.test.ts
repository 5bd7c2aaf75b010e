import { abortAllDurableObjects } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Question } from "../../src/core/question.ts";
import type { TurnView } from "../../src/core/turn-view.ts";
import { answer, call, fireAlarm, play, settled } from "./client.ts";
import { askedOf, eventually, HOUR, passTime, sentTo } from "./desk.ts";
import { mailbox } from "./desk-agents.ts";
import { faults } from "./faults.ts";
import { accepted, ask, awaitTasks, onlyRequest, post, readQuestion, refusal } from "./journey.ts";
import { stage } from "./stage.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
  mailbox.clear();
  stage.clear();
  faults.crashAfter(0);
});

it("shows a delivery that fails for good with its error, and sends it again when it is asked to", async () => {
  mailbox.down.set("email", new Error("the mail is down"));
  const { requestId, sessionId } = await askedOf({ to: "kim" });
  await eventually(async () =>
    expect((await readQuestion(requestId)).deliveries[0]?.tries).toBe(1),
  );
  for (let tries = 2; tries <= 5; tries += 1) {
    passTime(HOUR);
    await fireAlarm(sessionId);
    await eventually(async () =>
      expect((await readQuestion(requestId)).deliveries[0]?.tries).toBe(tries),
    );
  }
  expect((await readQuestion(requestId)).deliveries).toEqual([
    {
      channel: "email",
      recipient: "kim",
      status: "failed",
      tries: 5,
      error: "the mail is down",
    },
    { channel: "slack", recipient: "kim", status: "sent", tries: 1 },
  ]);
  mailbox.clear();
  await accepted(post(`/v1/questions/${requestId}/deliver`));
  // What was sent is not sent again while something failed.
  const mended = await sentTo(requestId, "asked email kim");
  expect(mended.deliveries[0]).toEqual({
    channel: "email",
    recipient: "kim",
    status: "sent",
    tries: 1,
  });
  await accepted(post(`/v1/questions/${requestId}/deliver`));
  await sentTo(requestId, "asked email kim", "asked email kim", "asked slack kim");
  const [first, second] = mailbox.sent;
  expect(second?.id).toBe(first?.id);
});

it("does not try again by itself what the other side refuses for good", async () => {
  const refused = Object.assign(new Error("no such address"), { retryable: false });
  mailbox.down.set("email", refused);
  const { requestId, sessionId } = await askedOf({ to: "lead" });
  await eventually(async () =>
    expect((await readQuestion(requestId)).deliveries).toMatchObject([
      { status: "failed", tries: 1, error: "no such address" },
    ]),
  );
  expect(await fireAlarm(sessionId)).toBe(false);
});

it("waits as long as the other side asks it to", async () => {
  const busy = Object.assign(new Error("busy"), { retryable: true, retryAfterMs: 600_000 });
  mailbox.down.set("email", busy);
  const { requestId, sessionId } = await askedOf({ to: "lead" });
  await eventually(async () =>
    expect((await readQuestion(requestId)).deliveries[0]?.tries).toBe(1),
  );
  mailbox.down.clear();
  passTime(599_000);
  await fireAlarm(sessionId);
  expect(mailbox.sent).toEqual([]);
  passTime(1_000);
  await fireAlarm(sessionId);
  await sentTo(requestId, "asked email lead");
});

it("sends a notice again, with the same id, where its object died while it was on its way", async () => {
  mailbox.gate = { channel: "email", name: "killed on its way" };
  const { requestId, sessionId } = await askedOf({ to: "lead" });
  await stage.reached("killed on its way");
  await abortAllDurableObjects();
  mailbox.gate = undefined;
  passTime(HOUR);
  await fireAlarm(sessionId);
  const question = await sentTo(requestId, "asked email lead", "asked email lead");
  expect(mailbox.sent[1]?.id).toBe(mailbox.sent[0]?.id);
  expect(question.deliveries).toMatchObject([{ status: "sent", tries: 1 }]);
});

it("tells of the answer as soon as a delivery arrived that it had overtaken", async () => {
  mailbox.gate = { channel: "email", name: "overtaken" };
  const { requestId } = await askedOf({ to: "lead" });
  await stage.reached("overtaken");
  await answer(requestId, { text: "Yes." });
  mailbox.gate = undefined;
  stage.open("overtaken");
  await sentTo(requestId, "asked email lead", "answered email lead");
  expect(mailbox.sent[1]?.reference).toEqual({ message: "email 1" });
});

it("drops with the answer what was never sent, and tells nobody anything", async () => {
  mailbox.down.set("email", new Error("the mail is down"));
  const { requestId, sessionId } = await askedOf({ to: "lead" });
  await eventually(async () =>
    expect((await readQuestion(requestId)).deliveries[0]?.tries).toBe(1),
  );
  await answer(requestId, { text: "Yes." });
  mailbox.down.clear();
  passTime(HOUR);
  await fireAlarm(sessionId);
  expect((await sentTo(requestId)).deliveries).toEqual([]);
  expect(await fireAlarm(sessionId)).toBe(false);
});

it("tells each reminder in order, and what failed before it first", async () => {
  const { requestId, sessionId } = await askedOf({ to: "lead", remind: ["1h", "2h"] });
  await sentTo(requestId, "asked email lead");
  mailbox.down.set("email", Object.assign(new Error("gone"), { retryable: false }));
  passTime(HOUR);
  await fireAlarm(sessionId);
  await eventually(async () =>
    expect((await readQuestion(requestId)).deliveries).toEqual([
      {
        channel: "email",
        recipient: "lead",
        event: "question.reminded",
        status: "failed",
        tries: 1,
        error: "gone",
      },
    ]),
  );
  mailbox.down.clear();
  passTime(HOUR);
  await fireAlarm(sessionId);
  await sentTo(requestId, "asked email lead", "reminded email lead", "reminded email lead");
  const ids = mailbox.sent.map(({ id }) => id);
  expect(new Set(ids).size).toBe(3);
  expect(mailbox.sent[2]?.question.history.at(-1)).toMatchObject({ event: "question.reminded" });
});

it("tells the author's own delivery why it is called", async () => {
  const turn = await play([{ calls: [{ toolName: "pay", input: { amount: 5 } }] }], {
    agent: "denying",
  });
  const requestId = onlyRequest(turn);
  await sentTo(requestId, "asked deliver -");
  passTime(HOUR);
  await fireAlarm(turn.sessionId);
  await sentTo(requestId, "asked deliver -", "reminded deliver -");
  passTime(HOUR);
  await fireAlarm(turn.sessionId);
  // How a question ended is nothing that it would have to do something about.
  await sentTo(requestId, "asked deliver -", "reminded deliver -");
  expect(await readQuestion(requestId)).toMatchObject({ status: "answered" });
});

it("sends nothing again of a settled question, and nothing where there is no channel", async () => {
  const { requestId } = await askedOf({ to: "lead" });
  await sentTo(requestId, "asked email lead");
  await answer(requestId, { text: "Yes." });
  await sentTo(requestId, "asked email lead", "answered email lead");
  const path = `/v1/questions/${requestId}/deliver`;
  expect(await accepted(post(path))).toMatchObject({ status: "answered" });
  await sentTo(requestId, "asked email lead", "answered email lead");
  const bare = await accepted<Question>(post("/v1/questions", { question: "q" }));
  expect(await accepted(post(`/v1/questions/${bare.requestId}/deliver`))).toMatchObject({
    deliveries: [],
  });
  expect((await refusal(post(path, { channel: "email" }))).status).toBe(400);
});

it("loses no notice where the object is crashed after each commit in turn", async () => {
  const script = [
    { calls: [ask({ question: "Approve?", to: "team" })] },
    { calls: [awaitTasks(["$task:1"])] },
    { text: "end" },
  ];
  const body = { agent: "desk", input: "go", extraBody: { script } };
  const live = async (session: string): Promise<readonly string[]> => {
    mailbox.clear();
    const start = () =>
      call("POST", `/v1/sessions/${session}/turns`, body, { "idempotency-key": "one" });
    const { id, sessionId } = await accepted<TurnView>(
      start().then((response) => (response.ok ? response : start())),
    );
    const awake = () => fireAlarm(sessionId).catch(() => fireAlarm(sessionId));
    await awake();
    const requestId = onlyRequest(await settled(id).catch(() => settled(id)));
    await eventually(async () => {
      await awake();
      const { deliveries } = await readQuestion(requestId);
      expect(deliveries.map(({ status }) => status)).toEqual(["sent", "sent", "sent"]);
    });
    await answer(requestId, { text: "Yes." }).catch(() => answer(requestId, { text: "Yes." }));
    await awake();
    expect(await settled(id).catch(() => settled(id))).toMatchObject({ status: "completed" });
    await eventually(async () => {
      await awake();
      const { deliveries } = await readQuestion(requestId);
      expect(deliveries.map(({ status }) => status)).toEqual(["sent", "sent", "sent"]);
      expect(new Set(mailbox.short).size).toBe(6);
    });
    return [...new Set(mailbox.short)].toSorted();
  };
  faults.crashAfter(0);
  const whole = await live("reach-whole");
  const { commits } = faults;
  expect(whole).toContain("answered slack kim");
  expect(commits).toBeGreaterThanOrEqual(5);
  for (let at = 1; at <= commits; at += 1) {
    faults.crashAfter(at);
    expect(await live(`reach-crashed-${at}`), `crashed at commit ${at}`).toEqual(whole);
    expect(faults.crashed, `no crash at commit ${at}`).toBe(true);
  }
});
