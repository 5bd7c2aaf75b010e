/** Chats by the AI SDK's own client: what a page sees that comes again, or late. */

import { abortAllDurableObjects } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { answer, call, readTurn } from "./client.ts";
import { give, JOURNEY, load, Page, parked, QUESTION, questionOf } from "./chatting.ts";
import { ask, awaitTasks, post } from "./journey.ts";
import { ledger } from "./ledger.ts";
import { stage } from "./stage.ts";

afterEach(() => {
  stage.clear();
  ledger.clear();
});

it("gives a page that loads the same messages", async () => {
  const page = await parked();
  const [, shown] = page.messages;
  const { messages } = await load(page.id);
  expect(messages).toEqual([
    {
      id: `${shown?.id}:input`,
      role: "user",
      parts: [{ type: "text", text: "Do it." }],
    },
    JSON.parse(JSON.stringify(shown)),
  ]);
  await give(page, questionOf(page), { answer: { option: "no" } });
  await page.rests("completed");
  const [, ended] = (await load(page.id)).messages;
  expect(ended).toEqual(JSON.parse(JSON.stringify(page.lastMessage)));
  expect(await load(`chat-${crypto.randomUUID()}`)).toEqual({ messages: [] });
});

it("waits until all of a message's questions are answered, here or elsewhere", async () => {
  const page = await parked(new Page(), [
    { calls: [ask(QUESTION), ask({ question: "And this?" })] },
    { calls: [awaitTasks(["$task:1", "$task:2"])] },
    { text: "end" },
  ]);
  const [first, second] = page.parts.flatMap((part) =>
    part.type === "tool-question" ? [part.toolCallId] : [],
  );
  await answer(first ?? "", { option: "no" });
  await page.resumeStream();
  await page.rests("parked");
  expect(page.parts).toMatchObject([
    { state: "output-available", output: { answer: { option: "no" }, answeredBy: "dana" } },
    { state: "input-available" },
  ]);
  await give(page, second ?? "", { answer: { text: "Yes." } });
  await page.rests("completed");
  expect(page.text).toBe("||end");
});

it("shows one who follows what is answered elsewhere, and still takes an answer of the page", async () => {
  const page = await parked(new Page({ follow: true }), [
    { calls: [ask(QUESTION)] },
    { calls: [awaitTasks(["$task:1"])] },
    { calls: [ask({ question: "And this?" })] },
    { calls: [awaitTasks(["$task:2"])] },
    { text: "end" },
  ]);
  const first = questionOf(page);
  const following = page.resumeStream();
  await vi.waitFor(() => expect(page.status).toBe("streaming"));
  await answer(first, { option: "yes" });
  const second = await vi.waitFor(() => {
    expect(page.part({ toolCallId: first })).toMatchObject({ state: "output-available" });
    expect(page.lastMessage?.metadata?.status).toBe("parked");
    return questionOf(page);
  });
  await page.stop();
  await following;
  await give(page, second, { answer: { text: "Well." } });
  await page.rests("completed");
  expect(page.text).toBe("||end");
  await page.resumeStream();
  expect(page.text).toBe("||end");
});

it("tells a page that is late how the question was answered before", async () => {
  const page = await parked();
  const id = questionOf(page);
  await answer(id, { option: "no" });
  await give(page, id, { answer: { option: "yes" } });
  await page.rests("completed");
  expect(page.part({ toolCallId: id })).toMatchObject({
    state: "output-available",
    output: { answer: { option: "no" }, answeredBy: "dana" },
  });
});

it("is one turn however often its message is sent", async () => {
  const page = await parked();
  const [said] = page.messages;
  const body = page.sent[0];
  const response = await post("/v1/chat", body);
  expect(await response.text()).toContain(page.lastMessage?.id ?? "never");
  expect((await load(page.id)).messages).toHaveLength(2);
  const changed = { ...said, parts: [{ type: "text", text: "Something else." }] };
  const refused = await post("/v1/chat", { ...body, messages: [changed] });
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ code: "idempotency_key_reused" });
  expect((await readTurn(page.lastMessage?.id ?? "")).status).toBe("parked");
});

it("has nothing to resume where nothing goes on", async () => {
  const page = new Page();
  await page.resumeStream();
  await page.say("Go.", [{ text: "end" }]);
  await page.rests("completed");
  await page.resumeStream();
  expect(page.status).toBe("ready");
  expect(page.text).toBe("end");
  expect((await call("GET", `/v1/chat/${page.id}/stream`)).status).toBe(204);
});

it("tells a message from its beginning to a page that lost its stream", async () => {
  const page = new Page();
  const gate = "chat-lost";
  const script = [
    { text: "First a word.", calls: [{ toolName: "gated", input: { gate } }] },
    { text: "Then another." },
  ];
  const said = page.say("Take your time.", script, { agent: "staged" });
  await vi.waitFor(() => expect(page.text).toBe("First a word.|"));
  await page.stop();
  await said;
  const resumed = page.resumeStream();
  await vi.waitFor(() => expect(page.status).toBe("streaming"));
  stage.open(gate);
  await resumed;
  await page.rests("completed");
  expect(page.text).toBe("First a word.||Then another.");
  expect(page.messages).toHaveLength(2);
});

it("loads the newest turns alone where there is much, and of one that is too much its beginning", async () => {
  const big = { calls: [{ toolName: "big", input: { bytes: 1_000_000 } }] };
  const page = new Page({ isSparing: true });
  await page.say("A little.", [{ text: "first" }]);
  await page.say("Much.", [big, big, big, { text: "second" }]);
  expect((await load(page.id)).messages).toHaveLength(4);
  await page.say("More.", [big, big, { text: "third" }]);
  const [, third, ...others] = (await load(page.id)).messages;
  expect(others).toEqual([]);
  expect(third).toMatchObject({ metadata: { status: "completed" } });
  await page.say("Too much.", [
    { text: "begun", calls: big.calls },
    big,
    big,
    big,
    big,
    { text: "end" },
  ]);
  const [, cut] = (await load(page.id)).messages;
  expect(cut?.metadata).toEqual({ sessionId: expect.any(String), status: "running" });
  expect(cut?.parts[1]).toMatchObject({ text: "begun" });
  expect(page.text).toMatch(/end$/);
});

it("goes on over a crash of the session, for a page that follows and for one that answers", async () => {
  const page = await parked(new Page({ follow: true }), [
    ...JOURNEY.slice(0, 2),
    { calls: [ask(QUESTION)] },
    { calls: [awaitTasks(["$task:2"])] },
    { text: "end" },
  ]);
  const following = page.resumeStream();
  await vi.waitFor(() => expect(page.status).toBe("streaming"));
  await abortAllDurableObjects();
  const first = questionOf(page);
  await answer(first, { option: "yes" });
  const second = await vi.waitFor(() => {
    expect(page.part({ toolCallId: first })).toMatchObject({ state: "output-available" });
    return questionOf(page);
  });
  await page.stop();
  await following;
  await abortAllDurableObjects();
  await give(page, second, { answer: { option: "no" } });
  await page.rests("completed");
  // How many steps without a text a reader sees begin depends on when its object died.
  expect(page.text.split("|").filter((text) => text !== "")).toEqual([
    "Asking.",
    "Waiting.",
    "end",
  ]);
});
