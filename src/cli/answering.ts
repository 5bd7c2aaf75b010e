/**
 * Owns: the answer that somebody gives in a terminal: by flags, or else asked for, question by question. Whether it fits is
 * for the Worker to say.
 */

import type { Answer, AnswerBody, Question } from "../client.ts";
import { harmlessLine } from "./harmless.ts";

export interface AnswerFlags {
  readonly option?: readonly string[];
  readonly text?: string;
  readonly value?: string;
  readonly approve?: true;
  readonly deny?: true;
  readonly reason?: string;
  /** The answer itself, as JSON. */
  readonly answer?: string;
}

/** Asks for one line. Rejects where there is none to come. */
export type AskLine = (prompt: string) => Promise<string>;

/** Undefined where the flags say no answer. */
export function answerOfFlags(
  { option = [], text, value, approve, deny, reason, answer }: AnswerFlags,
  question: Question,
): AnswerBody["answer"] | undefined {
  if (answer !== undefined) return parsed(answer) as Answer;
  if (value !== undefined) return { value: parsed(value) as never };
  if (approve === true) return { approved: true };
  if (deny === true) return { approved: false, ...(reason !== undefined && { reason }) };
  const note = text === undefined ? {} : { text };
  const [first] = option;
  if (first !== undefined)
    return question.multiple === true ? { options: option, ...note } : { option: first, ...note };
  if (text === undefined) return undefined;
  return question.kind === "form" ? { response: text } : { text };
}

export async function answerByAsking(
  question: Question,
  ask: AskLine,
): Promise<AnswerBody["answer"]> {
  switch (question.kind) {
    case "approval": {
      if (/^y(es)?$/i.test(await ask("Allow it? [y/N] "))) return { approved: true };
      const reason = await ask("Why not? ");
      return { approved: false, ...(reason !== "" && { reason }) };
    }
    case "form": {
      const answers: [string, string | string[]][] = [];
      for (const { question: text, header, options, multiSelect } of question.questions ?? []) {
        const labels = options.map(({ label }) => label);
        const said = await ask(`${harmlessLine(header)}: ${numbered(labels)}\n> `);
        const chosen = chosenOf(said, labels, multiSelect);
        answers.push([text, multiSelect ? chosen : (chosen[0] ?? "")]);
      }
      return { answers: Object.fromEntries(answers) };
    }
    case "person":
    case "tool":
      return personAnswer(question, ask);
  }
}

async function personAnswer(question: Question, ask: AskLine): Promise<Answer> {
  const { options, answerSchema, multiple = false } = question;
  if (answerSchema !== undefined)
    return { value: parsed(await ask("A value, as JSON: ")) as never };
  if (options === undefined) return { text: await ask("Your answer: ") };
  const ids = options.map(({ id }) => id);
  const said = await ask(`${numbered(options.map(({ label }) => label))}\n> `);
  const chosen = chosenOf(said, ids, multiple);
  if (!chosen.every((one) => ids.includes(one))) return { text: said };
  return multiple ? { options: chosen } : { option: chosen[0] ?? "" };
}

function numbered(labels: readonly string[]): string {
  return labels.map((label, at) => `\n  ${at + 1}  ${harmlessLine(label)}`).join("");
}

/** Numbers of the list stand for what is there; all else is as it was typed. */
function chosenOf(said: string, names: readonly string[], several: boolean): string[] {
  const parts = several ? said.split(",").map((part) => part.trim()) : [said];
  return parts.map((part) => (/^\d+$/.test(part) ? (names[Number(part) - 1] ?? part) : part));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`this is no JSON: ${harmlessLine(text, 80)}`);
  }
}
