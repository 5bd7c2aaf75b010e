/** Chats by the AI SDK's own client: what a page sees and sends. */

import { expect, it, vi } from "vitest";
import { give, load, Page, parked, QUESTION, questionOf } from "./chatting.ts";
import { ask, FORM, FORM_ANSWER, FORM_CALL, post, readQuestion } from "./journey.ts";

it("shows a question as a tool part that is answered by addToolOutput, in one message", async () => {
  const page = await parked();
  const id = questionOf(page);
  expect(page.parts).toEqual([
    { type: "text", text: "Asking.", state: "done" },
    {
      type: "tool-question",
      toolCallId: id,
      state: "input-available",
      input: { kind: "person", allowText: true, multiple: false, ...QUESTION },
    },
    { type: "text", text: "Waiting.", state: "done" },
  ]);
  expect(page.lastMessage?.metadata).toMatchObject({ status: "parked" });
  await give(page, id, { answer: { option: "yes" } });
  await page.rests("completed");
  expect(page.text).toBe("Asking.||Waiting.|It is done.");
  const output = {
    answer: { option: "yes" },
    answeredBy: "all",
    answeredAt: expect.any(String),
    answeredVia: "api",
  };
  expect(page.part({ type: "tool-question", state: "output-available" } as const).output).toEqual(
    output,
  );
  expect(page.messages).toHaveLength(2);
  expect(page.requests).toEqual(["POST /v1/chat", "POST /v1/chat"]);
  expect(await readQuestion(id)).toMatchObject({ status: "answered", ...output });
});

it("answers for whom the page names, and declines by an error", async () => {
  const page = await parked();
  const id = questionOf(page);
  await page.addToolOutput({
    tool: "question" as never,
    toolCallId: id,
    state: "output-error",
    errorText: "Not mine to say.",
    options: { body: { answeredBy: "dana@example.com" } },
  });
  await page.rests("completed");
  const ending = "Declined by dana@example.com: Not mine to say.";
  expect(page.part({ type: "tool-question", state: "output-error" } as const).errorText).toBe(
    ending,
  );
  expect(await readQuestion(id)).toMatchObject({
    status: "declined",
    answeredBy: "dana@example.com",
    reason: "Not mine to say.",
  });
});

it("answers a form", async () => {
  const page = await parked(new Page(), [{ calls: [FORM_CALL] }, { text: "end" }]);
  const part = page.part({ type: "tool-question", state: "input-available" } as const);
  expect(part.input).toMatchObject({
    kind: "form",
    questions: [{ ...FORM.questions[0], multiSelect: false }],
  });
  await give(page, part.toolCallId, { answer: FORM_ANSWER });
  await page.rests("completed");
  expect(page.text).toBe("|end");
});

it.each([
  [true, undefined, { state: "output-available", output: { done: "approved" } }],
  [false, "Too much.", { state: "output-denied" }],
])("asks for an approval on the part of its call: %s", async (approved, reason, ended) => {
  const page = new Page();
  const script = [
    { calls: [{ toolName: "refund", input: { what: "approved" } }] },
    { text: "end" },
  ];
  await page.say("Refund it.", script, { agent: "retrying" });
  await page.rests("parked");
  const part = page.part({ type: "tool-refund", state: "approval-requested" } as const);
  await page.addToolApprovalResponse({
    id: part.approval.id,
    approved,
    ...(reason !== undefined && { reason }),
  });
  await page.rests("completed");
  expect(page.parts).toMatchObject([
    {
      type: "tool-refund",
      approval: { approved, ...(reason !== undefined && { reason }) },
      ...ended,
    },
    { type: "text", text: "end" },
  ]);
  expect(page.requests).toHaveLength(2);
});

it("hands the client its own tools' calls, and goes on with their results", async () => {
  const script = [
    {
      calls: [
        { toolName: "client_tool", input: { n: 1 } },
        { toolName: "client_tool", input: { n: 2 } },
      ],
    },
    { text: "end" },
  ];
  const page: Page = new Page({
    onToolCall: ({ toolCall: { toolCallId, input } }) => {
      const { n } = input as { n: number };
      void (n === 1
        ? page.addToolOutput({ tool: "client_tool" as never, toolCallId, output: { n } as never })
        : page.addToolOutput({
            tool: "client_tool" as never,
            toolCallId,
            state: "output-error",
            errorText: "No.",
          }));
    },
  });
  for (const text of ["Once.", "And again, by calls of the same ids."]) {
    await page.say(text, script);
    await page.rests("completed");
    expect(page.parts).toMatchObject([
      { type: "tool-client_tool", state: "output-available", output: { n: 1 } },
      { type: "tool-client_tool", state: "output-error", errorText: "FAILED: No." },
      { type: "text", text: "end" },
    ]);
  }
  expect(page.requests).toHaveLength(4);
});

it("refuses an answer that does not fit, and takes the next", async () => {
  const page = await parked();
  const id = questionOf(page);
  await give(page, id, { answer: { option: "maybe" } });
  await vi.waitFor(() => expect(page.status).toBe("error"));
  expect(JSON.parse(page.error?.message ?? "")).toMatchObject({
    status: 422,
    code: "invalid_answer",
    issues: [{ path: "option", message: "must be the id of an option: yes, no" }],
  });
  expect(await readQuestion(id)).toMatchObject({ status: "waiting" });
  page.clearError();
  await give(page, id, { answer: { option: "yes" } });
  await page.rests("completed");
});

it("hears a message while a question waits, in a turn of its own, and then the answer", async () => {
  const page = await parked();
  const id = questionOf(page);
  await page.say("And the weather?", [{ text: "It rains." }]);
  await page.rests("completed");
  expect(page.text).toBe("It rains.");
  expect(await readQuestion(id)).toMatchObject({ status: "waiting" });
  await give(page, id, { answer: { option: "yes" } });
  const { id: messageId, parts } = page.messages[1] ?? { id: "", parts: [] };
  const response = await post("/v1/chat", { id: page.id, messages: page.messages, messageId });
  expect(await response.text()).toContain("It is done.");
  expect(parts).toContainEqual(expect.objectContaining({ toolCallId: id }));
});

it("takes the answer of a question that its turn did not wait for, without asking on and on", async () => {
  const page = new Page();
  await page.say("Ask, and go on.", [{ calls: [ask()] }, { text: "Asked." }]);
  await page.rests("completed");
  const id = questionOf(page);
  await give(page, id, { answer: { text: "Yes." } });
  await vi.waitFor(async () =>
    expect(await readQuestion(id)).toMatchObject({ status: "answered", answer: { text: "Yes." } }),
  );
  await page.rests("completed");
  expect(page.requests).toHaveLength(2);
  expect(page.parts).toMatchObject([
    { toolCallId: id, state: "output-available" },
    { type: "text", text: "Asked." },
  ]);
});

it("ends with a turn that is cancelled, and with one that fails", async () => {
  const page = await parked(new Page({ follow: true }));
  const following = page.resumeStream();
  await vi.waitFor(() => expect(page.status).toBe("streaming"));
  await post(`/v1/turns/${page.lastMessage?.id}/cancel`, { reason: "Enough." });
  await following;
  await page.rests("cancelled");
  const errorText = "Cancelled: the turn was cancelled";
  expect(page.parts).toContainEqual(expect.objectContaining({ state: "output-error", errorText }));
  expect(page.requests).toEqual(["POST /v1/chat", `GET /v1/chat/${page.id}/stream`]);
  await page.say("Fail.", [{ fail: { status: 400 } }]);
  expect(page.status).toBe("error");
  expect(page.lastMessage?.metadata).toMatchObject({
    status: "failed",
    error: { code: expect.any(String) },
  });
  expect((await load(page.id)).messages.at(-1)?.metadata).toMatchObject({ status: "failed" });
});

it("asks no more of a turn that is cancelled while it waits for the client's own tool", async () => {
  const page = await parked(new Page(), [{ calls: [{ toolName: "client_tool", input: {} }] }]);
  const { toolCallId } = page.part({ type: "tool-client_tool", state: "input-available" } as const);
  await post(`/v1/turns/${page.lastMessage?.id}/cancel`, {});
  await page.addToolOutput({ tool: "x" as never, toolCallId, output: 1 as never });
  await page.rests("cancelled");
  expect(page.requests).toHaveLength(2);
  expect(page.part({ toolCallId })).toMatchObject({ state: "output-error" });
});
