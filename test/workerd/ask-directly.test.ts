import { expect, it } from "vitest";
import type { Question } from "../../src/core/question.ts";
import { answer, call } from "./client.ts";

function ask(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return call("POST", "/v1/questions", body, headers);
}

async function asked(body: unknown, headers: Record<string, string> = {}): Promise<Question> {
  return (await ask(body, headers)).json();
}

const FORM = {
  questions: [
    {
      question: "Which scope?",
      header: "Scope",
      options: [
        { label: "Focused", description: "Only this." },
        { label: "Broad", description: "All of it." },
      ],
    },
  ],
};

it("asks a person without any agent, and takes the answer", async () => {
  const response = await ask({
    question: "Ship it?",
    options: [
      { id: "yes", label: "Yes" },
      { id: "no", label: "No" },
    ],
  });
  expect(response.status).toBe(201);
  const question = await response.json<Question>();
  expect(response.headers.get("location")).toBe(`/v1/questions/${question.requestId}`);
  expect(question).toMatchObject({ kind: "person", status: "waiting", question: "Ship it?" });
  expect(question).not.toHaveProperty("turnId");
  expect(question.answerUrl).toContain("/a/");
  expect(await answer(question.requestId, { option: "yes" })).toMatchObject({
    status: "answered",
    answer: { option: "yes" },
  });
});

it("asks a form, and a question whose answer is a value", async () => {
  expect(await asked(FORM)).toMatchObject({ kind: "form", question: "Which scope?" });
  const answerSchema = {
    type: "object",
    properties: { amount: { type: "number" } },
    required: ["amount"],
  };
  const question = await asked({ question: "How much?", answerSchema });
  expect(question).toMatchObject({ kind: "tool", answerSchema });
  const refused = await call("POST", `/v1/questions/${question.requestId}/answer`, {
    answer: { value: {} },
    answeredBy: "dana",
  });
  expect(refused.status).toBe(422);
  expect(await answer(question.requestId, { value: { amount: 3 } })).toMatchObject({
    status: "answered",
  });
});

it("knows the same request by its Idempotency-Key, and the same question by its key", async () => {
  const headers = { "idempotency-key": "ask-once" };
  const first = await asked({ question: "Once?" }, headers);
  const again = await ask({ question: "Once?" }, headers);
  expect(again.status).toBe(200);
  expect(await again.json()).toMatchObject({ requestId: first.requestId });
  expect(await (await ask({ question: "Other?" }, headers)).json()).toMatchObject({
    code: "idempotency_key_reused",
  });

  const keyed = await asked({ question: "By key?", sessionId: "orders", key: "order-1" });
  const same = await ask({ question: "By key?", sessionId: "orders", key: "order-1" });
  expect(same.status).toBe(200);
  expect(await same.json()).toMatchObject({ requestId: keyed.requestId, kind: "person" });
  const named = await asked({ question: "In the session?", sessionId: "orders" }, headers);
  expect(await asked({ question: "In the session?", sessionId: "orders" }, headers)).toMatchObject({
    requestId: named.requestId,
  });
});

it("refuses a question that can't be asked, and says what to mend", async () => {
  for (const body of [
    {},
    { question: "" },
    { question: "x", colour: 1 },
    { question: "x", questions: [] },
    { question: "x", answerSchema: { type: "nonsense" } },
  ]) {
    const response = await ask(body);
    expect(response.status, JSON.stringify(body)).toBe(400);
    expect(await response.json()).toMatchObject({ code: "invalid_request" });
  }
  expect((await ask({ question: "x", sessionId: `sess_${"0".repeat(24)}` })).status).toBe(404);
});
