/** Owns: what people decide about a question: by the seed and the question, so that it is the same whenever it is asked. */

import type { Question } from "../../src/core/question.ts";
import type { PendingItem } from "../../src/core/turn-view.ts";
import { Random } from "./random.ts";

/** A request to `/v1/questions/{id}/{door}`. */
export interface Decision {
  readonly door: "answer" | "decline" | "cancel";
  readonly body: {
    readonly answer?: object;
    readonly answeredBy?: string;
    readonly reason?: string;
  };
}

/** The word by which all that comes of a call is known. */
export function whatOf(question: Question): string {
  return question.kind === "approval"
    ? (question.arguments as { what: string }).what
    : question.question.slice(0, -1);
}

export function decide(seed: number, question: Question): Decision {
  const what = whatOf(question);
  const random = new Random("decision", seed, what);
  const answeredBy = random.pick(["dana", "eve"]);
  const reason = `because of ${what}`;
  switch (random.weighted({ answer: 8, decline: 1, cancel: 1 })) {
    case "answer":
      return { door: "answer", body: { answer: answerTo(question, what, random), answeredBy } };
    case "decline":
      return { door: "decline", body: { reason, answeredBy } };
    case "cancel":
      return { door: "cancel", body: { reason } };
  }
}

/** What somebody else would say, who comes too late or at the same time. */
export function contradict(question: Question): Decision {
  const answeredBy = "mallory";
  switch (question.kind) {
    case "person":
    case "tool":
      return { door: "answer", body: { answer: { text: "Not at all." }, answeredBy } };
    case "form":
      return { door: "answer", body: { answer: { response: "None of them." }, answeredBy } };
    case "approval":
      return { door: "answer", body: { answer: { approved: false, reason: "Late." }, answeredBy } };
  }
}

function answerTo(question: Question, what: string, random: Random): object {
  switch (question.kind) {
    case "person":
    case "tool":
      return question.options === undefined
        ? { text: `Said of ${what}.` }
        : { option: random.pick(["yes", "no"]) };
    case "form":
      return random.happens(0.7)
        ? { answers: { [question.question]: random.pick(["Focused", "Broad"]) } }
        : { answers: {}, response: `As you like, ${what}.` };
    case "approval":
      switch (random.weighted({ approve: 4, edit: 2, deny: 3 })) {
        case "approve":
          return { approved: true };
        case "edit":
          return { approved: true, input: { what: `${what}-edited` } };
        case "deny":
          return { approved: false, reason: `because of ${what}` };
      }
  }
}

/** The result that a caller returns for one of its own calls, or for a question in a batch. */
export function resultOf(seed: number, { toolName, arguments: input }: PendingItem): object {
  if (toolName === "ask_user_question") {
    const [{ question }] = (input as { questions: [{ question: string }] }).questions;
    return { status: "returned", value: { answers: { [question]: "Broad" } } };
  }
  const { what } = input as { what: string };
  return new Random("result", seed, what).happens(0.8)
    ? { status: "returned", value: { returned: what } }
    : { status: "failed", message: `no ${what} here` };
}

export function approvalOf(seed: number, { arguments: input }: PendingItem): object {
  const { what } = input as { what: string };
  return new Random("approval", seed, what).happens(0.5)
    ? { action: "approve" }
    : { action: "deny", reason: `because of ${what}` };
}
