/**
 * Owns: what becomes of a question when somebody answers, declines or cancels it. The first one wins, inside one
 * transaction; the same again is the first one's receipt, anything else is told how the question ended (I5).
 */

import type { Agent } from "../agent/agent.ts";
import { RuleTimedOut } from "../agent/rule-time.ts";
import { toolboxOf } from "../agent/tools.ts";
import { type Answer, type Answerable, checkAnswer } from "../core/answer.ts";
import { fitsInto } from "../core/json-bounds.ts";
import { ROW_BYTES } from "../core/limits.ts";
import { canonicalJson, type Json } from "../core/json.ts";
import type { AnsweredVia } from "../core/question.ts";
import { isAddressedTo } from "../core/recipients.ts";
import { accepted, type Issue, type Outcome, type Refusal, refused } from "../core/refusal.ts";
import {
  addressedOf,
  type QuestionContent,
  type QuestionSettlement,
  type Settlement,
  type TaskRecord,
} from "../core/task.ts";
import type { SessionStore } from "./store.ts";

/** Who settles a question, and through which door. */
export interface Settler {
  readonly by: string;
  readonly via: AnsweredVia;
  /** For whom the link, the mail or the button was made by which it came: it counts while the question is theirs. */
  readonly link?: { readonly recipient?: string };
}

export type Settling =
  | ({ readonly action: "answer"; readonly answer: unknown } & Settler)
  | ({ readonly action: "decline"; readonly reason?: string } & Settler)
  | { readonly action: "cancel"; readonly reason?: string };

export async function settleQuestion(
  store: SessionStore,
  agents: ReadonlyMap<string, Agent>,
  n: number,
  settling: Settling,
): Promise<Outcome<TaskRecord>> {
  const asked = readQuestion(store, n);
  if (asked === undefined) return refused(questionNotFound());
  const settlement = await settlementOf(store, agents, asked.record, asked.content, settling);
  // What was read before the check may be old: the state that counts is read where it is changed, and by now.
  store.catchUp();
  const now = readQuestion(store, n);
  if (now === undefined || !isTheirs(now.record, settling)) return refused(questionNotFound());
  if (now.record.settlement !== undefined)
    return isReceipt(now.record.settlement, settlement)
      ? accepted(now.record)
      : refused(refusalByState(now.record.settlement));
  if (!settlement.ok) return settlement;
  const row = [now.content, now.record.life ?? null, settlement.value];
  if (!fitsInto(row as unknown as Json, ROW_BYTES))
    return refused(
      invalidAnswer([
        {
          path: "",
          message: `must be shorter: with its question it takes more than ${ROW_BYTES} bytes`,
        },
      ]),
    );
  return accepted(store.transact((draft) => draft.settle(now.record, settlement.value)));
}

/** A link of somebody to whom the question is not addressed any more leads nowhere. */
function isTheirs(record: TaskRecord, settling: Settling): boolean {
  if (settling.action === "cancel" || settling.link === undefined) return true;
  return isAddressedTo(addressedOf(record), settling.link.recipient);
}

export function readQuestion(
  store: SessionStore,
  n: number,
): { readonly record: TaskRecord; readonly content: QuestionContent } | undefined {
  const record = store.task(n);
  if (record === undefined || record.content.kind === "background") return undefined;
  return { record, content: record.content };
}

export function questionNotFound(): Refusal {
  return { code: "not_found", detail: "There is no such question." };
}

async function settlementOf(
  store: SessionStore,
  agents: ReadonlyMap<string, Agent>,
  record: TaskRecord,
  content: QuestionContent,
  settling: Settling,
): Promise<Outcome<QuestionSettlement>> {
  switch (settling.action) {
    case "answer": {
      const { by, via } = settling;
      const checked = await checkedAnswer(store, agents, record, content, settling.answer);
      if (!checked.ok) return refused(invalidAnswer(checked.issues));
      return accepted({ status: "answered", answer: checked.value, by, via });
    }
    case "decline": {
      const { by, via, reason } = settling;
      return accepted({ status: "declined", by, via, ...(reason !== undefined && { reason }) });
    }
    case "cancel": {
      const { reason } = settling;
      return accepted({ status: "cancelled", ...(reason !== undefined && { reason }) });
    }
  }
}

async function checkedAnswer(
  store: SessionStore,
  agents: ReadonlyMap<string, Agent>,
  record: TaskRecord,
  content: QuestionContent,
  answer: unknown,
): Promise<ReturnType<typeof checkAnswer>> {
  if (content.kind !== "approval") return checkAnswer(answerableOf(content), answer);
  const editedIssues = content.editable ? await issuesOfEdit(store, agents, record, answer) : [];
  return checkAnswer(
    { kind: "approval", editable: content.editable, checkInput: () => editedIssues },
    answer,
  );
}

function answerableOf(content: Exclude<QuestionContent, { kind: "approval" }>): Answerable {
  return content;
}

/** What the tool's present schema says against edited arguments. The tool's check may be asynchronous, the answer's isn't. */
async function issuesOfEdit(
  store: SessionStore,
  agents: ReadonlyMap<string, Agent>,
  record: TaskRecord,
  answer: unknown,
): Promise<readonly Issue[]> {
  const input =
    typeof answer === "object" && answer !== null && "input" in answer ? answer.input : undefined;
  if (input === undefined || record.content.kind !== "approval") return [];
  const turn = store.turn(record.turn);
  const agent = turn === undefined ? undefined : agents.get(turn.started.agent);
  const toolbox = agent === undefined ? undefined : await toolboxOf(agent, true);
  const tool = toolbox?.get(record.content.toolName);
  if (tool === undefined) return [{ path: "", message: "the tool is no longer there" }];
  try {
    const checked = await tool.check(input as never);
    return checked.ok ? [] : checked.issues;
  } catch (error) {
    if (error instanceof RuleTimedOut) return [{ path: "", message: error.message }];
    throw error;
  }
}

function invalidAnswer(issues: readonly Issue[]): Refusal {
  return {
    code: "invalid_answer",
    detail:
      "The answer does not fit the question. Nothing was recorded; mend it and send it again.",
    issues,
  };
}

/** Equal after normalising, whoever sends it: the receipt of the first one. */
function isReceipt(settled: Settlement, again: Outcome<QuestionSettlement>): boolean {
  if (!again.ok || settled.status !== again.value.status) return false;
  if (settled.status === "answered" && again.value.status === "answered")
    return sameAnswer(settled.answer, again.value.answer);
  return true;
}

function sameAnswer(one: Answer, other: Answer): boolean {
  return canonicalJson(inOneOrder(one)) === canonicalJson(inOneOrder(other));
}

/** Of several choices, the order in which they were made says nothing. */
function inOneOrder(answer: Answer): Answer {
  if ("options" in answer) return { ...answer, options: answer.options.toSorted() };
  if (!("answers" in answer) || answer.answers === undefined) return answer;
  const answers = Object.entries(answer.answers).map(
    ([question, given]) => [question, Array.isArray(given) ? given.toSorted() : given] as const,
  );
  return { ...answer, answers: Object.fromEntries(answers) };
}

export function refusalByState(settlement: Settlement & { readonly at: number }): Refusal {
  const at = new Date(settlement.at).toISOString();
  switch (settlement.status) {
    case "answered":
      return { code: "already_answered", detail: `Answered by ${settlement.by} at ${at}.` };
    case "declined":
      return { code: "declined", detail: `Declined by ${settlement.by} at ${at}.` };
    case "cancelled":
      return { code: "cancelled", detail: `Cancelled at ${at}.` };
    case "expired":
      return { code: "expired", detail: `Expired at ${at}.` };
    case "finished":
      throw new Error("a question does not end as a background tool does");
  }
}
