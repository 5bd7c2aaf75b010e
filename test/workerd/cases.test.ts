import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Question } from "../../src/core/question.ts";
import { answerInputRequest } from "../../src/holdpoint.ts";
import cases from "../fixtures/cases/ask-person.json";
import { call, play, readTurn, settled } from "./client.ts";
import {
  accepted,
  answering,
  awaitTasks,
  lastResult,
  onlyRequest,
  readQuestion,
  refusal,
} from "./journey.ts";
import { harness } from "./worker.ts";

interface Case {
  readonly name: string;
  readonly question: {
    readonly question: string;
    readonly multiple?: boolean;
    readonly answerSchema?: object;
  };
  readonly answer: unknown;
  readonly valid: boolean;
  readonly normalised?: unknown;
}

const all: readonly Case[] = cases.answers;
const valid = all.filter((each) => each.valid);
const invalid = all.filter((each) => !each.valid);

/** Where each answer that does not fit is wrong. */
const WRONG_AT: Readonly<Record<string, readonly string[]>> = {
  "text alone on a choice that does not": ["text"],
  "an unknown option": ["option"],
  "a label is no id": ["option"],
  "an option on an open question": ["option"],
  "blank text": ["text"],
  empty: [""],
  "the same option twice": ["options"],
  "no options chosen": ["options"],
  "several options on a single choice": ["options"],
  "option and options": [""],
  "a value that does not": ["value.amount"],
  "a value with an extra field": ["value.note"],
  "text where a value is due": ["text", "value"],
  "a value where none is due": ["value", ""],
  "an unknown field": [""],
  "not an object": [""],
};

function ask(question: Case["question"]): Promise<Question> {
  return accepted(call("POST", "/v1/questions", question));
}

/** Parks a turn on the question: asked by the model, or by a tool's code where the answer is to fit a schema. */
function park(question: Case["question"]) {
  const toolName = question.answerSchema === undefined ? "ask_person" : "ask_tool";
  return play([
    { calls: [{ toolName, input: question }] },
    { calls: [awaitTasks(["$task:1"])] },
    { text: "end" },
  ]);
}

/** The answer as the page's form would send it; undefined where that form has no such fields. */
function fieldsOf({ question, answer }: Case): URLSearchParams | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  const choice = question.multiple === true ? "options" : "option";
  const known = question.answerSchema === undefined ? [choice, "text"] : ["value"];
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(answer)) {
    if (!known.includes(name)) return undefined;
    if (name === "value" && typeof value === "object" && value !== null)
      // The controls of a form are named by the places of its properties, and a choice by its place among the values.
      for (const [place, [property, each]] of Object.entries(value).entries()) {
        const schema = propertiesOf(question)[property];
        // A form has no control for what the schema does not name.
        if (schema === undefined) return undefined;
        fields.append(`value_${place}`, String(schema.enum?.indexOf(each) ?? each));
      }
    else for (const each of [value].flat()) fields.append(name, String(each));
  }
  return fields;
}

function propertiesOf({ answerSchema }: Case["question"]): Record<string, { enum?: unknown[] }> {
  return (answerSchema as { properties?: Record<string, { enum?: unknown[] }> }).properties ?? {};
}

async function submit({ answerUrl = "" }: Question, fields: URLSearchParams): Promise<Response> {
  const page = await exports.default.fetch(new Request(answerUrl));
  const [, nonce = ""] = /name="nonce" value="([^"]+)"/.exec(await page.text()) ?? [];
  fields.append("nonce", nonce);
  return exports.default.fetch(new Request(answerUrl, { method: "POST", body: fields }));
}

it("has cases of each sort, and says of each that does not fit where it is wrong", () => {
  expect(valid.length).toBeGreaterThan(7);
  expect(invalid.map(({ name }) => name).toSorted()).toEqual(Object.keys(WRONG_AT).toSorted());
  const onPage = (list: readonly Case[]) => list.filter((each) => fieldsOf(each) !== undefined);
  expect(onPage(valid).length).toBeGreaterThan(6);
  expect(onPage(invalid).length).toBeGreaterThan(6);
});

describe("an answer that fits is recorded as it is when it is normalised", () => {
  it.each(valid)("$name", async ({ question, answer, normalised }) => {
    const asked = await ask(question);
    expect(asked.kind).toBe(question.answerSchema === undefined ? "person" : "tool");
    const answered = await accepted<Question>(answering(asked.requestId, answer));
    expect(answered).toMatchObject({ status: "answered", answeredBy: "dana", answeredVia: "api" });
    expect(answered.answer).toEqual(normalised);
    expect(await readQuestion(asked.requestId)).toEqual(answered);
    // Whoever sends the same once more, however it is spelt, gets the first one's receipt.
    expect(await accepted(answering(asked.requestId, answer, "eve"))).toEqual(answered);
    expect(await accepted(answering(asked.requestId, normalised))).toEqual(answered);
  });
});

describe("an answer that fits ends the turn's wait, and the model gets it normalised", () => {
  it.each(valid)("$name", async ({ question, answer, normalised }) => {
    const turn = await park(question);
    await accepted(answering(onlyRequest(turn), answer));
    expect(await settled(turn.id)).toMatchObject({ status: "completed", text: "end" });
    expect((await lastResult(turn.sessionId)).value).toMatchObject({
      status: "satisfied",
      tasks: [{ taskId: "task_1", kind: "input", status: "answered", answer: normalised }],
    });
  });
});

describe("an answer that does not fit is refused with what is wrong, at each door, and nothing is lost", () => {
  it.each(invalid)("$name", async ({ name, question, answer }) => {
    const turn = await park(question);
    const requestId = onlyRequest(turn);
    const before = await readQuestion(requestId);
    const problem = await refusal(answering(requestId, answer));
    expect(problem).toMatchObject({ status: 422, code: "invalid_answer" });
    expect(problem.issues?.map(({ path }) => path)).toEqual(WRONG_AT[name]);
    for (const { message } of problem.issues ?? []) expect(message).not.toBe("");
    await expect(
      answerInputRequest({ harness, workspace: "dev", requestId, answer, answeredBy: "dana" }),
    ).rejects.toMatchObject({ code: "invalid_answer", issues: problem.issues });
    expect(await readQuestion(requestId)).toEqual(before);
    expect(await readTurn(turn.id)).toEqual(turn);
  });
});

describe("the answer page takes what fits, and shows again what does not", () => {
  it.each(all.filter((each) => fieldsOf(each) !== undefined))("$name", async (each) => {
    const asked = await ask(each.question);
    const response = await submit(asked, fieldsOf(each) ?? new URLSearchParams());
    expect(response.status).toBe(each.valid ? 200 : 422);
    const now = await readQuestion(asked.requestId);
    if (each.valid)
      expect(now).toMatchObject({
        status: "answered",
        answer: each.normalised,
        answeredVia: "page",
      });
    else expect(now).toEqual(asked);
  });
});
