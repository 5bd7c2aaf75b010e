/** What a chat refuses, and to whom. */

import { expect, it } from "vitest";
import { call, play } from "./client.ts";
import { ask, awaitTasks, onlyRequest, post, readQuestion, refusal } from "./journey.ts";

const SAID = { id: "m1", role: "user", parts: [{ type: "text", text: "Hello." }] };

function chat(more: object, id = `chat-${crypto.randomUUID()}`) {
  return { id, messages: [SAID], trigger: "submit-message", ...more };
}

it.each([
  ["no messages", { messages: [] }, "messages"],
  ["a message that is none", { messages: [SAID, 7] }, "messages[1]"],
  ["a system's message", { messages: [{ ...SAID, role: "system" }] }, "messages[0].role"],
  ["a message without an id", { messages: [{ ...SAID, id: "" }] }, "messages[0].id"],
  ["a message without parts", { messages: [{ ...SAID, parts: undefined }] }, "messages[0].parts"],
  ["no text", { messages: [{ ...SAID, parts: [] }] }, "messages[0].parts"],
  [
    "blank text",
    { messages: [{ ...SAID, parts: [{ type: "text", text: " " }] }] },
    "messages[0].parts",
  ],
  [
    "a file",
    { messages: [{ ...SAID, parts: [...SAID.parts, { type: "file", url: "data:,x" }] }] },
    "messages[0].parts[1]",
  ],
  ["another trigger", { trigger: "resume-stream" }, "trigger"],
  ["what happened to be undone", { trigger: "regenerate-message" }, "trigger"],
  ["an unknown field", { model: "x" }, ""],
  ["an unknown agent", { agent: "nobody" }, "agent"],
  ["an extraBody that is none", { extraBody: [] }, "extraBody"],
  ["a chat that is called by no name", { id: "a b" }, "session"],
])("refuses %s", async (_name, more, path) => {
  const refused = await refusal(post("/v1/chat", chat(more)));
  expect(refused).toMatchObject({ status: 400, code: "invalid_request" });
  expect(refused.issues?.map((issue) => issue.path)).toEqual([path]);
});

const JOURNEY = [{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }, { text: "end" }];

function answered(turnId: string, toolCallId: string, more: object = {}) {
  const part = { type: "tool-question", toolCallId, state: "output-available" };
  return {
    id: turnId,
    role: "assistant",
    metadata: { eventId: "5.1" },
    parts: [{ ...part, output: { answer: { text: "Yes." } } }],
    ...more,
  };
}

it("refuses answers in a message of another chat, or that says not how far it tells", async () => {
  const turn = await play(JOURNEY, { session: "chat-refuses" });
  const elsewhere = await play(JOURNEY, { session: "chat-refuses-elsewhere" });
  const requestId = onlyRequest(elsewhere);
  const send = (message: object) =>
    refusal(post("/v1/chat", chat({ messages: [message] }, "chat-refuses")));
  expect(await send(answered(elsewhere.id, requestId))).toMatchObject({ status: 404 });
  expect(await send(answered("m2", requestId))).toMatchObject({ status: 404 });
  for (const metadata of [undefined, null, {}, { eventId: 7 }, { eventId: "x" }])
    expect(await send(answered(turn.id, onlyRequest(turn), { metadata }))).toMatchObject({
      status: 400,
      issues: [{ path: "messages[0].metadata.eventId" }],
    });
  const mixed = await post(
    "/v1/chat",
    chat({ messages: [answered(turn.id, requestId)] }, "chat-refuses"),
  );
  expect(await mixed.text()).toContain('"status":"parked"');
  for (const id of [requestId, onlyRequest(turn)])
    expect(await readQuestion(id)).toMatchObject({ status: "waiting" });
});

it("takes a turn's results only for all of its calls", async () => {
  const clientCall = { toolName: "client_tool", input: {} };
  const turn = await play([{ calls: [clientCall, clientCall] }], { session: "chat-results" });
  const part = { type: "tool-client_tool", state: "output-available", output: 1 };
  const [first] = turn.pending?.calls ?? [];
  const parts = [{ ...part, toolCallId: `${turn.id}:${first?.toolCallId}` }];
  const message = { id: turn.id, role: "assistant", metadata: { eventId: "2.9" }, parts };
  expect(
    await refusal(post("/v1/chat", chat({ messages: [message] }, "chat-results"))),
  ).toMatchObject({ status: 400, code: "results_incomplete" });
});

it("asks for the rights that it needs", async () => {
  const turn = await play(JOURNEY, { session: "chat-rights" });
  const by = (key: string) => ({ authorization: `Bearer ${key}` });
  const forbidden = { status: 403, code: "forbidden" };
  const body = chat({}, "chat-rights");
  for (const key of ["reader", "runner"])
    expect(await refusal(call("POST", "/v1/chat", body, by(key)))).toMatchObject(forbidden);
  for (const path of ["/v1/chat/chat-rights", "/v1/chat/chat-rights/stream"])
    expect(await refusal(call("GET", path, undefined, by("runner")))).toMatchObject(forbidden);
  const response = await call("GET", "/v1/chat/chat-rights", undefined, by("other"));
  expect(await response.json()).toEqual({ messages: [] });
  const answers = chat({ messages: [answered(turn.id, onlyRequest(turn))] }, "chat-rights");
  expect(await refusal(call("POST", "/v1/chat", answers, by("other")))).toMatchObject({
    status: 404,
  });
});

it("knows no chat by an id that was never given", async () => {
  const id = `sess_${"0".repeat(24)}`;
  for (const request of [
    call("GET", `/v1/chat/${id}`),
    call("GET", `/v1/chat/${id}/stream`),
    post("/v1/chat", chat({}, id)),
  ])
    expect(await refusal(request)).toMatchObject({ status: 404, code: "not_found" });
  expect(await refusal(call("GET", "/v1/chat/chat-rights/stream?follow=maybe"))).toMatchObject({
    status: 400,
    issues: [{ path: "follow" }],
  });
});
