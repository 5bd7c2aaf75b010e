import { expect, it } from "vitest";
import {
  buildResults,
  generateHarness,
  answerInputRequest,
  HoldpointRefusal,
  listInputRequests,
  resume,
  run,
  toolFailed,
  type RunOutcome,
} from "../../src/holdpoint.ts";
import type { Json } from "../../src/core/json.ts";
import { harness } from "./worker.ts";

const FORM = {
  questions: [
    {
      question: "Which scope should be used?",
      header: "Scope",
      options: [
        { label: "Focused", description: "Change only the selected component." },
        { label: "Broad", description: "Apply the change across the repository." },
      ],
    },
  ],
};
const asking = [
  { calls: [{ toolName: "ask_user_question", toolCallId: "question-1", input: FORM }] },
  { text: "Clear now." },
];
const mixed = [
  {
    calls: [
      { toolName: "ask_user_question", toolCallId: "question-1", input: FORM },
      { toolName: "guarded_http", toolCallId: "guarded-1", input: { url: "http://127.0.0.1:1/" } },
      { toolName: "client_tool", toolCallId: "client-1", input: {} },
    ],
  },
  { text: "All settled." },
];

function start(script: Json): Promise<RunOutcome> {
  return run(harness, { agent: "playground", prompt: "Clarify the scope", extraBody: { script } });
}

async function suspended(script: Json): Promise<Extract<RunOutcome, { status: "suspended" }>> {
  const first = await start(script);
  if (first.status !== "suspended") throw new Error(`the run is ${first.status}`);
  return first;
}

async function refusalOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof HoldpointRefusal) return error.code;
    throw error;
  }
  throw new Error("nothing was refused");
}

const LINK = expect.stringMatching(/^https:\/\/holdpoint\.test\/a\//) as string;
const ANSWER = { answers: { "Which scope should be used?": "Focused" } };

it("suspends a run on a question and completes it with the answer", async () => {
  const { state, deferred } = await suspended(asking);
  expect(deferred).toMatchObject({
    approvals: [],
    calls: [{ toolCallId: "question-1", toolName: "ask_user_question" }],
  });
  const results = buildResults(deferred, { calls: { "question-1": ANSWER } });
  expect(await resume(harness, { state, results })).toEqual({
    status: "completed",
    output: "Clear now.",
  });
});

it("takes the same results again as a receipt, and refuses others", async () => {
  const { state, deferred } = await suspended(asking);
  const results = buildResults(deferred, { calls: { "question-1": ANSWER } });
  const first = await resume(harness, { state, results });
  expect(await resume(harness, { state, results })).toEqual(first);
  const other = buildResults(deferred, { calls: { "question-1": { response: "As you like." } } });
  expect(await refusalOf(() => resume(harness, { state, results: other }))).toBe(
    "deferred_request_completed",
  );
});

it("tells the model that a call failed", async () => {
  const { state, deferred } = await suspended(asking);
  const results = buildResults(deferred, {
    calls: { "question-1": toolFailed("Nobody was there.") },
  });
  expect(await resume(harness, { state, results })).toMatchObject({ status: "completed" });
});

it("refuses results that do not cover the request, or are not of it", async () => {
  const { state, deferred } = await suspended(asking);
  expect(await refusalOf(() => buildResults(deferred, {}))).toBe("deferred_results_incomplete");
  expect(
    await refusalOf(() => buildResults(deferred, { calls: { "question-1": ANSWER, other: 1 } })),
  ).toBe("deferred_request_mismatch");
  expect(
    await refusalOf(() => buildResults(deferred, { calls: { "question-1": { answers: {} } } })),
  ).toBe("deferred_results_invalid");
  expect(
    await refusalOf(() => resume(harness, { state, results: { approvals: {}, calls: {} } })),
  ).toBe("deferred_results_incomplete");
  expect(
    await refusalOf(() => resume(harness, { state: "x", results: { approvals: {}, calls: {} } })),
  ).toBe("deferred_request_mismatch");
});

it("answers no question by approving all, and approves nothing by an answer", async () => {
  const { deferred, state } = await suspended(mixed);
  const calls = { "question-1": ANSWER, "client-1": { done: true } };
  expect(await refusalOf(() => buildResults(deferred, { approveAll: true }))).toBe(
    "deferred_results_incomplete",
  );
  expect(
    await refusalOf(() => buildResults(deferred, { calls: { ...calls, "guarded-1": true } })),
  ).toBe("deferred_approval_invalid");
  expect(
    await refusalOf(() =>
      buildResults(deferred, { calls, approvals: { "guarded-1": true, "question-1": true } }),
    ),
  ).toBe("deferred_approval_invalid");
  const results = buildResults(deferred, {
    calls,
    approvals: { "guarded-1": { approve: false, reason: "No." } },
  });
  expect(await resume(harness, { state, results })).toEqual({
    status: "completed",
    output: "All settled.",
  });
});

it("takes a value for what it is, though it looks like a failure", async () => {
  const { deferred } = await suspended([
    { calls: [{ toolName: "client_tool", toolCallId: "client-1", input: {} }] },
  ]);
  const rows = { failed: "3 of 5 rows" };
  expect(buildResults(deferred, { calls: { "client-1": rows } }).calls).toEqual({
    "client-1": { status: "returned", value: rows },
  });
});

it.each(["no", { approve: "false" }, { approve: true, until: "noon" }, null])(
  "takes %j for no approval, and no denial either",
  async (choice) => {
    const { deferred } = await suspended(mixed);
    const calls = { "question-1": ANSWER, "client-1": 1 };
    const approvals = { "guarded-1": choice } as unknown as Record<string, boolean>;
    expect(await refusalOf(() => buildResults(deferred, { calls, approvals }))).toBe(
      "deferred_approval_invalid",
    );
  },
);

it("completes a run with the value that was asked for", async () => {
  const schema = { type: "object", properties: { ok: { type: "boolean" } } };
  const script = [{ text: '{"ok":true}' }];
  expect(
    await run(harness, {
      agent: "playground",
      prompt: "go",
      output: { schema },
      extraBody: { script },
    }),
  ).toEqual({ status: "completed", output: { ok: true } });
});

it("runs a turn from the Worker's own code, and answers its question there", async () => {
  const script = [
    { calls: [{ toolName: "ask_person", input: { question: "Go on?" } }] },
    { calls: [{ toolName: "await_tasks", input: { taskIds: ["$task:1"] } }] },
    { text: "Gone on." },
  ];
  const parked = await generateHarness({
    harness,
    sessionId: "from-code",
    agent: "playground",
    prompt: "go",
    extraBody: { script },
  });
  expect(parked).toMatchObject({
    status: "parked",
    waitingFor: [{ kind: "question", question: "Go on?", answerUrl: LINK }],
  });
  const [question] = await listInputRequests({ harness, sessionId: "from-code" });
  expect(question?.answerUrl).toEqual(LINK);
  const answered = await answerInputRequest({
    harness,
    sessionId: "from-code",
    requestId: question?.requestId ?? "",
    answer: { text: "Yes." },
    answeredBy: "dana@lender.example",
  });
  expect(answered).toMatchObject({
    status: "answered",
    answeredBy: "dana@lender.example",
    answeredVia: "code",
  });
  expect(
    await refusalOf(() =>
      answerInputRequest({
        harness,
        requestId: answered.requestId,
        answer: { text: "No." },
        answeredBy: "eve",
      }),
    ),
  ).toBe("already_answered");
  const again = answerInputRequest({
    harness,
    requestId: answered.requestId,
    answer: { text: "No." },
    answeredBy: "eve",
  });
  await expect(again).rejects.toMatchObject({ question: answered });
  expect(await refusalOf(() => listInputRequests({ harness, status: "bogus" as "waiting" }))).toBe(
    "invalid_request",
  );
});
