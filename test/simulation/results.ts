/**
 * Owns: what became of each scripted call: its one result, its effects in the ledger, and the answer behind it.
 */

import type { Question } from "../../src/core/question.ts";
import { whatOf } from "./decisions.ts";
import { type Message, type Part, partsOf } from "./conversation.ts";
import type { People } from "./people.ts";
import { linesOf, type Script, type ScriptedCall } from "./script.ts";
import { simulation } from "./simulation.ts";
import { Violation } from "./world.ts";

interface Made {
  readonly call: ScriptedCall;
  readonly result: Part;
  readonly text: string;
  readonly isError: boolean;
}

export async function proveResults(people: People, script: Script): Promise<void> {
  const session = await people.key();
  const messages = await people.world.messages(session);
  const items = await people.world.questions(session);
  const { turns } = await people.world.view(session);
  const questions = new Map(items.map((question) => [whatOf(question), question]));
  const whats = new Set<string>();
  for (const turn of script.turns) {
    const lines = linesOf(turn);
    const steps = stepsOf(messages, turn.label);
    const view = turns.find(({ input }) => input === turn.label);
    if (
      view?.status === "completed" &&
      (view.text !== lines.at(-1)?.text || steps.length !== lines.length)
    )
      throw new Violation(`${turn.label} completed after ${steps.length} steps with: ${view.text}`);
    for (const [step, parts] of steps.entries()) {
      const calls = lines[step]?.calls ?? [];
      if (parts.length !== calls.length)
        throw new Violation(`step ${step} of ${turn.label} has ${parts.length} results`);
      for (const [index, call] of calls.entries()) {
        const result = parts[index];
        if (result === undefined) continue;
        if (call.what !== undefined) whats.add(call.what);
        proveCall(made(call, result), questions.get(call.what ?? ""), people);
      }
    }
  }
  for (const { what, tool } of simulation.ledger.effects)
    if (!whats.has(what.replace("-edited", "")))
      throw new Violation(`${tool} ${what} took effect, and no call of it is in the conversation`);
}

function made(call: ScriptedCall, result: Part): Made {
  const type = result.output?.type ?? "";
  return {
    call,
    result,
    text: JSON.stringify(result.output?.value),
    isError: type.startsWith("error"),
  };
}

/** The results of each step of a turn. */
function stepsOf(messages: readonly Message[], label: string): readonly (readonly Part[])[] {
  const from = messages.findIndex(
    ({ content }) => partsOf({ role: "", content })[0]?.text === label,
  );
  const next = messages.findIndex(
    ({ role, content }, at) =>
      at > from &&
      role === "user" &&
      /^(first|second)-/.test(partsOf({ role, content })[0]?.text ?? ""),
  );
  return messages
    .slice(from + 1, next < 0 ? undefined : next)
    .filter(({ role }) => role === "assistant")
    .map((message) => {
      const results = partsOf(messages[messages.indexOf(message) + 1]);
      return results.filter(({ type }) => type === "tool-result");
    });
}

const UNKNOWN = "its outcome is unknown";
/** What a call is told that a cancel, or a failed turn, settled. */
const ENDED = /CANCELLED: the turn was cancelled|the turn failed|the turn was cancelled/;

function proveCall(one: Made, question: Question | undefined, people: People): void {
  const { call, text, isError } = one;
  const fail = (why: string): never => {
    throw new Violation(
      `${call.toolName} ${call.what}: ${why}: ${text}; ${JSON.stringify(question)}`,
    );
  };
  const { what = "" } = call;
  const effects = simulation.ledger.effects.filter(
    (effect) => effect.what.replace("-edited", "") === what,
  );
  const keys = new Set(effects.map(({ idempotencyKey }) => idempotencyKey));
  const isRetried = call.toolName.includes("book");
  if (keys.size > 1) fail(`its effect has the keys ${[...keys].join()}`);
  if (effects.length > (isRetried ? 1 + simulation.deaths + (simulation.struck ? 1 : 0) : 1))
    fail(`it took effect ${effects.length} times`);
  if (text.includes(UNKNOWN) && (!simulation.struck || isRetried) && call.toolName !== "hangs")
    fail("nobody interrupted it");
  if (ENDED.test(text)) return;
  // What a tool does in the session itself may be refused by its disk: then the tool failed, and its model is told.
  if (isError && simulation.isDiskRefused && text.includes("is refused")) return;
  switch (call.toolName) {
    case "pay":
    case "book":
      if (what === "") return isError ? undefined : fail("it ran with input that does not fit");
      if (text.includes(UNKNOWN)) return;
      return text === JSON.stringify({ done: what }) && effects.length > 0
        ? undefined
        : fail("it did not run");
    case "look":
      return text === JSON.stringify({ seen: what }) ? undefined : fail("it saw nothing");
    case "fails":
      return isError && (text.includes(`no paper for ${what}`) || text.includes(UNKNOWN))
        ? undefined
        : fail("it did not fail");
    case "hangs":
      return isError ? undefined : fail("it returned");
    case "guarded_pay":
    case "guarded_book":
      return proveGuarded(
        one,
        question,
        effects.map((effect) => effect.what),
        fail,
      );
    case "pay_beside":
    case "book_beside":
    case "delegate":
      return text.includes('"status":"started"') ? undefined : fail("it did not start");
    case "ask_person":
      return text.includes('"status":"asked"') && question !== undefined
        ? undefined
        : fail("nobody was asked");
    case "asks":
      return text.includes('"taskId"') && question !== undefined
        ? undefined
        : fail("nobody was asked");
    case "ask_user_question":
      return proveForm(one, question, fail);
    case "client_tool":
      return proveReturned(one, people, fail);
    case "await_tasks":
      return proveWait(one, people, fail);
    case "get_task":
    case "cancel_task":
      return;
    default:
      return isError ? undefined : fail("it is no tool");
  }
}

type Fail = (why: string) => never;

function proveGuarded(
  { text, isError }: Made,
  question: Question | undefined,
  effects: readonly string[],
  fail: Fail,
): void {
  if (question === undefined) return fail("nobody was asked for it");
  const answer = question.answer as { approved: boolean; input?: { what: string } } | undefined;
  if (question.status === "answered" && answer?.approved === true) {
    if (text.includes(UNKNOWN)) return;
    const ran = answer.input?.what ?? whatOf(question);
    if (isError || !text.includes(`"done":"${ran}"`)) fail("it was allowed, and did not run");
    if (!effects.includes(ran)) fail("it was allowed, and had no effect");
    if (answer.input !== undefined && !text.includes("changed the arguments"))
      fail("it was edited, and the model is not told");
    return;
  }
  if (effects.length > 0) fail("it was not allowed, and ran");
  if (!isError || !text.includes("NOT EXECUTED"))
    fail("it was not allowed, and the model is not told");
  if (question.reason !== undefined && !text.includes(question.reason)) fail("the reason is lost");
}

function proveForm({ text, isError }: Made, question: Question | undefined, fail: Fail): void {
  if (question === undefined) return fail("nobody was asked");
  if (question.status === "answered")
    return text === JSON.stringify(question.answer)
      ? undefined
      : fail("the model was given another answer");
  if (!isError) fail("it is unanswered, and the model is told otherwise");
  if (question.reason !== undefined && !text.includes(question.reason)) fail("the reason is lost");
}

/** The caller's own result: one that was sent for this very call. */
function proveReturned({ call, text }: Made, people: People, fail: Fail): void {
  const sent = JSON.stringify(people.batches);
  const isSent =
    text === JSON.stringify({ returned: call.what }) || text.includes(`no ${call.what} here`);
  if (!isSent || !sent.includes(call.what ?? "?")) fail("nobody returned this");
}

/** What a wait shows of each question is what was accepted for it. */
function proveWait({ call, result, text, isError }: Made, people: People, fail: Fail): void {
  if (isError) return fail("the wait failed");
  const value = result.output?.value as {
    status: string;
    tasks: { requestId?: string; status: string; answer?: object; answeredBy?: string }[];
    pending: string[];
  };
  const { taskIds, mode = "all" } = call.input as { taskIds: string[]; mode?: string };
  const isWhole = value.tasks.length + value.pending.length === new Set(taskIds).size;
  const isOver = mode === "all" ? value.pending.length === 0 : value.tasks.length > 0;
  if (!isWhole || (value.status === "satisfied") !== isOver) fail("the wait lost a task");
  if (value.status !== "satisfied" && value.status !== "timed_out") fail("the wait did not end");
  for (const task of value.tasks) {
    const accepted = people.accepted.get(task.requestId ?? "")?.question;
    if (accepted === undefined) continue;
    const told = JSON.stringify([task.status, task.answer, task.answeredBy]);
    if (told !== JSON.stringify([accepted.status, accepted.answer, accepted.answeredBy]))
      fail(`${text} is not what was accepted: ${JSON.stringify(accepted)}`);
  }
}
