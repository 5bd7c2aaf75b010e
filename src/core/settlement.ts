/**
 * Owns: what the model reads of a call that a person, the caller or an interruption settled. The wording is part of the
 * contract: some providers show a model only the text of a result, without any flag that it is an error.
 */

import type { Fact, ToolOutput } from "./event.ts";
import { canonicalJson, type Json } from "./json.ts";
import type { QuestionSettlement, Settlement, TaskContent, TaskRecord } from "./task.ts";
import type { Turn, TurnCall } from "./turn.ts";

export function outputOfSettlement(
  content: TaskContent,
  settlement: QuestionSettlement,
): ToolOutput {
  switch (settlement.status) {
    case "answered": {
      const { answer, by } = settlement;
      if ("approved" in answer) return denied(by, answer.approved ? undefined : answer.reason);
      return { type: "json", value: answer as Json };
    }
    case "declined":
      return content.kind === "approval"
        ? denied(settlement.by, settlement.reason)
        : errorOutput(`Declined by ${settlement.by}${because(settlement.reason)}`);
    case "cancelled":
      if (content.kind === "approval")
        return notExecuted(`The approval was withdrawn${because(settlement.reason)}`);
      return errorOutput(`CANCELLED: the question was withdrawn${because(settlement.reason)}`);
    case "expired":
      if (content.kind === "approval")
        return notExecuted("The approval has expired: nobody decided in time");
      return failed("the question has expired: nobody answered in time");
  }
}

export function denied(by: string, reason: string | undefined): ToolOutput {
  return errorOutput(`NOT EXECUTED. Denied by ${by}${because(reason)}`);
}

/**
 * What a person is told who is asked for a call that somebody denied before: the same tool with the same arguments.
 * `earlier` are the session's approvals of that tool, the oldest first.
 */
export function deniedBefore(earlier: readonly TaskRecord[], input: Json): string | undefined {
  const same = canonicalJson(input);
  const denials = earlier.flatMap(({ content, settlement }) =>
    content.kind === "approval" && canonicalJson(content.input) === same
      ? (denialIn(settlement) ?? [])
      : [],
  );
  const last = denials.at(-1);
  if (last === undefined) return undefined;
  const times = denials.length === 1 ? "" : ` (${denials.length} times so far)`;
  return `Denied before by ${last.by}${times}${because(last.reason)}`;
}

function denialIn(
  settlement: Settlement | undefined,
): { readonly by: string; readonly reason: string | undefined } | undefined {
  if (settlement?.status === "declined") return { by: settlement.by, reason: settlement.reason };
  if (settlement?.status !== "answered" || !("approved" in settlement.answer)) return undefined;
  const { answer, by } = settlement;
  return answer.approved ? undefined : { by, reason: answer.reason };
}

export function failed(message: string): ToolOutput {
  return errorOutput(`FAILED: ${message}`);
}

const INTERRUPTED =
  "FAILED: the tool was interrupted while it ran, and its outcome is unknown. It may have taken effect. It was not run again";

/** A tool that was interrupted after it began: nobody knows whether its effect happened (I3). */
export const OUTCOME_UNKNOWN: ToolOutput = errorOutput(`${INTERRUPTED}.`);

/** A call that is refused at the moment of running: one that ran before may have taken effect all the same. */
export function notRun({ now }: TurnCall, reason: string): ToolOutput {
  return now.state === "started" ? errorOutput(`${INTERRUPTED}: ${reason}`) : notExecuted(reason);
}

export const TURN_CANCELLED: ToolOutput = errorOutput("CANCELLED: the turn was cancelled");

function errorOutput(value: string): ToolOutput {
  return { type: "error-text", value };
}

function because(reason: string | undefined): string {
  return reason === undefined || reason === "" ? "" : `: ${reason}`;
}

export function notExecuted(reason: string): ToolOutput {
  return errorOutput(`NOT EXECUTED. ${reason}`);
}

/** The result of a call whose arguments a person changed before allowing it: the model must know what really ran. */
export function editedResult(by: string, input: Json, output: ToolOutput): ToolOutput {
  const note = `${by} changed the arguments before allowing the call; it ran with those shown here.`;
  if (output.type === "error-text" || output.type === "error-json")
    return { type: "error-json", value: { note, arguments: input, error: output.value } };
  return { type: "json", value: { note, arguments: input, result: output.value } };
}

/** Who allowed the call, where the settlement is a yes to an approval, and with which arguments. */
export function allowedBy(
  content: TaskContent,
  settlement: Settlement,
): { by: string; input?: Json } | undefined {
  if (settlement.status !== "answered" || !("approved" in settlement.answer)) return undefined;
  if (!settlement.answer.approved) return undefined;
  const { input } = settlement.answer;
  // The same arguments sent back are no change.
  const isChanged =
    input !== undefined &&
    content.kind === "approval" &&
    canonicalJson(input) !== canonicalJson(content.input);
  return { by: settlement.by, ...(isChanged && { input }) };
}

/**
 * Whether a person's yes is one to this very call as it would run now: in its place, of its tool, with its arguments. The
 * question holds what the person was shown, and the call what would run; where they differ, nobody allowed the call.
 */
export function isAllowed(turn: Turn, call: TurnCall, question: TaskRecord | undefined): boolean {
  if (question?.content.kind !== "approval" || question.settlement === undefined) return false;
  const { content, settlement } = question;
  const allowed = allowedBy(content, settlement);
  return (
    allowed !== undefined &&
    question.turn === turn.n &&
    question.step === turn.steps - 1 &&
    question.index === call.index &&
    question.callId === call.callId &&
    content.toolName === call.toolName &&
    canonicalJson(allowed.input ?? content.input) === canonicalJson(call.input)
  );
}

/** What a child's end says to its parent; undefined for a fact that ends nothing. */
export function endOutput(turn: Turn, fact: Fact): ToolOutput | undefined {
  if (fact.type === "turn.completed")
    return fact.output === undefined
      ? { type: "text", value: turn.text }
      : { type: "json", value: fact.output };
  if (fact.type === "turn.failed") return failed(fact.failure.message);
  return fact.type === "turn.cancelled" ? failed("the agent's turn was cancelled") : undefined;
}
