import { describe, expect, it } from "vitest";
import cases from "../../fixtures/cases/ask-user-question.json";
import { lastResult, questionsOf, results } from "../journey.ts";
import {
  readRun,
  refusal,
  resume,
  returned,
  runThatIs,
  startThread,
  accepted,
  waitingRun,
} from "./client.ts";

interface Case {
  readonly name: string;
  readonly valid: boolean;
  readonly normalised?: unknown;
}
interface RequestCase extends Case {
  readonly request: unknown;
}
interface AnswerCase extends Case {
  readonly request?: unknown;
  readonly answer: unknown;
}

const requests: readonly RequestCase[] = cases.requests;
const answers: readonly AnswerCase[] = cases.answers;

function asking(request: unknown): readonly object[] {
  const call = { toolName: "ask_user_question", input: request, toolCallId: "question-1" };
  return [{ calls: [call] }, { text: "end" }];
}

const valid = (each: Case) => each.valid;
const invalid = (each: Case) => !each.valid;

it("has cases of each sort", () => {
  for (const list of [requests, answers]) {
    expect(list.filter(valid).length).toBeGreaterThan(8);
    expect(list.filter(invalid).length).toBeGreaterThan(8);
  }
});

describe("a valid request becomes a pending call with the normalised arguments", () => {
  it.each(requests.filter(valid))("$name", async ({ request, normalised }) => {
    const run = await waitingRun(asking(request));
    expect(run).toMatchObject({ wait_reason: "call" });
    expect(run.pending).toEqual({
      approvals: [],
      calls: [
        {
          tool_call_id: "question-1",
          tool_name: "ask_user_question",
          arguments: normalised,
          presentation: null,
        },
      ],
    });
  });
});

describe("an invalid request is an error result for the model and never a pending form", () => {
  it.each(requests.filter(invalid))("$name", async ({ request }) => {
    const { run, thread } = await accepted(startThread(asking(request)), 201);
    const done = await runThatIs("completed", run?.id ?? "");
    expect(done).toMatchObject({
      pending: null,
      wait_reason: null,
      resumed_by_id: null,
      output: "end",
    });
    expect(await questionsOf(thread.session_id)).toEqual([]);
    const { type, value } = await lastResult(thread.session_id);
    expect(type).toBe("error-text");
    expect(value).toMatch(/^FAILED: the input of ask_user_question is not valid: ./);
    const lines = String(value).split("\n");
    expect(lines.length).toBeLessThanOrEqual(4);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(640);
  });
});

describe("a valid answer resumes the run, and the model gets it normalised", () => {
  it.each(answers.filter(valid))("$name", async ({ request, answer, normalised }) => {
    const run = await waitingRun(asking(request ?? cases.answersTo));
    const resumed = await resume(run.id, { calls: { "question-1": returned(answer) } });
    expect(resumed.status).toBe(201);
    expect(resumed.body.resume).toEqual({
      approvals: {},
      calls: { "question-1": { status: "returned", value: normalised } },
    });
    expect(await runThatIs("completed", resumed.body.id)).toMatchObject({ output: "end" });
    expect(await results(run.session_id)).toEqual([
      { toolName: "ask_user_question", type: "json", value: normalised },
    ]);
    expect(await questionsOf(run.session_id)).toMatchObject([
      {
        kind: "form",
        status: "answered",
        answer: normalised,
        answeredBy: "all",
        answeredVia: "service",
      },
    ]);
  });
});

describe("an invalid answer is refused, and the wait is unchanged", () => {
  it.each(answers.filter(invalid))("$name", async ({ request, answer }) => {
    const run = await waitingRun(asking(request ?? cases.answersTo));
    const refused = await refusal(resume(run.id, { calls: { "question-1": returned(answer) } }));
    expect(refused).toEqual({
      status: 400,
      code: "invalid_argument",
      details: { field: "calls", reason: "invalid_question_response", id: "question-1" },
    });
    expect(await readRun(run.id)).toEqual(run);
    expect(await questionsOf(run.session_id)).toMatchObject([{ kind: "form", status: "waiting" }]);
  });
});

it.each([null, true, 7, "Focused", [], ["Focused"], { approved: true }, { text: "Focused" }])(
  "refuses %j as the answer to a form",
  async (answer) => {
    const run = await waitingRun(asking(cases.answersTo));
    const refused = await refusal(resume(run.id, { calls: { "question-1": returned(answer) } }));
    expect(refused.details).toEqual({
      field: "calls",
      reason: "invalid_question_response",
      id: "question-1",
    });
    expect(await readRun(run.id)).toEqual(run);
  },
);
